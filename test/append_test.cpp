// Rows appended to a packed RHS.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "kai/kai_call.h"
#include "kai/ukernels/pack/kai_rhs_append.h"
#include "test/reference/float16.hpp"
#include "test/reference/quantise.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/ending.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/packing.hpp"
#include "test/support/random.hpp"
#include "test/support/said.hpp"

using reference::Side;
using reference::Tile;
using test::Flush;
using test::GuardedBuffer;

namespace {

struct Append {
    const char *name, *format, *source;
    kai_run_rhs_append_fn* run;
};
const Append kAppends[] = {
    {"qsi8c32p_f32", "qsi8c32p", "f32", kai_run_rhs_append_qsi8c32p_f32},
    {"qsi8c32p_f16", "qsi8c32p", "f16", kai_run_rhs_append_qsi8c32p_f16},
    {"qsi8c32p_qsi8c32", "qsi8c32p", "qsi8c32", kai_run_rhs_append_qsi8c32p_qsi8c32},
    {"qsi8c32pscalef16_f32", "qsi8c32pscalef16", "f32", kai_run_rhs_append_qsi8c32pscalef16_f32},
    {"qsi8c32pscalef16_f16", "qsi8c32pscalef16", "f16", kai_run_rhs_append_qsi8c32pscalef16_f16},
    {"qsi8c32pscalef16_qsi8c32", "qsi8c32pscalef16", "qsi8c32", kai_run_rhs_append_qsi8c32pscalef16_qsi8c32},
};

/// n rows of k: as a source stores them, and as they must be packed.
struct Rows {
    size_t stride;
    std::vector<uint8_t> source;
    Side side;
};

Rows random_rows(const std::string& source, size_t n, size_t k, test::Random& random) {
    std::vector<float> values;
    for (size_t i = 0; i < n * k; ++i) {
        const size_t row = i / k, block = i % k / 32;
        const float size = std::ldexp(1.0F, static_cast<int>(row * 7 + block * 5) % 24 - 12);
        values.push_back(row % 5 == 4 && block % 2 == 0 ? 0 : random.real(-1, 1) * size);
        if (row % 3 == 1) {  // ties
            values.back() = i % 32 == 0 ? 127 : static_cast<float>(random.integer(-100, 100)) + 0.5F;
        }
    }
    values = reference::as_source(source == "f16" ? "f16" : "f32", values);
    Rows rows;
    rows.side = reference::lhs_side(*reference::find_format("qsi8d32p"), values, n, k, 32, reference::Ties::away, 8);
    if (source == "qsi8c32") {
        for (int8_t& q : rows.side.q) {
            q = q == 127 ? -128 : q;
        }
        rows.source = reference::encode_records(rows.side, 8);
        rows.stride = k / 32 * 34;
    } else {
        rows.stride = k * (source == "f16" ? 2 : 4);
        for (const float x : values) {
            const uint32_t bits = source == "f16" ? reference::f16_from_f32(x) : reference::bits_of(x);
            for (size_t byte = 0; byte < rows.stride / k; ++byte) {
                rows.source.push_back(static_cast<uint8_t>(bits >> 8 * byte));
            }
        }
    }
    return rows;
}

/// `side` packed into zeroed panels.
std::vector<uint8_t> packed_at_once(const std::string& format, Side side, Tile tile) {
    const size_t rows = (side.rows + tile.rows - 1) / tile.rows * tile.rows;
    side.q.resize(rows * side.k);
    side.scale.resize(rows * side.k / 32);
    side.unspecified.clear();
    side.rows = rows;
    return reference::pack(*reference::find_format(format), side, tile).bytes;
}

class Appended : public testing::TestWithParam<Append> {
protected:
    const Append& a = GetParam();

    std::vector<Tile> tiles() const {
        if (std::string(a.format) == "qsi8c32p") {
            return {{4, 16, 2}, {4, 8, 2}, {8, 16, 2}, {1, 16, 2}, {3, 8, 2}, {2, 4, 2}};
        }
        return {{16, 4, 2}, {64, 4, 2}, {4, 4, 2}, {5, 4, 2}};
    }
};

// Parts of any size in any order, some of them twice, are the same bytes as all rows packed at once.
TEST_P(Appended, AnyPartsInAnyOrder) {
    test::Random random(7);
    for (const Tile tile : tiles()) {
        for (const size_t k : {32, 64, 96, 128, 288}) {
            for (const size_t n : {1, 4, 7, 19}) {
                SCOPED_TRACE(test::listed({{"nr", tile.rows}, {"kr", tile.kr}, {"n", n}, {"k", k}}));
                const Rows rows = random_rows(a.source, n, k, random);
                const std::vector<uint8_t> want = packed_at_once(a.format, rows.side, tile);
                for (int round = 0; round < 3; ++round) {
                    const GuardedBuffer to(want.size(), round == 1 ? Flush::start : Flush::end, 0);
                    std::vector<std::pair<size_t, size_t>> parts;
                    for (size_t first = 0, count; first < n; first += count) {
                        count = round == 0 ? n : round == 1 ? 1 : std::min(n - first, size_t(random.integer(1, 6)));
                        parts.emplace_back(first, count);
                    }
                    if (round == 2) {
                        std::reverse(parts.begin(), parts.end());
                        parts.push_back(parts[parts.size() / 2]);
                    }
                    for (const auto& [first, count] : parts) {
                        const std::vector<uint8_t> part(
                            rows.source.begin() + first * rows.stride,
                            rows.source.begin() + (first + count) * rows.stride);
                        const GuardedBuffer from(part, round == 1 ? Flush::start : Flush::end);
                        test::checked_call(
                            a.run, first, count, k, tile.rows, tile.kr, tile.sr, static_cast<const void*>(from.data()),
                            rows.stride, static_cast<void*>(to.data()));
                    }
                    ASSERT_EQ(to.bytes(), want);
                }
            }
        }
    }
}

// Rows with gaps, at an odd address; bytes between them stay as they were.
TEST_P(Appended, LeavesOtherColumns) {
    test::Random random(8);
    const size_t n = 11, k = 64;
    for (const Tile tile : tiles()) {
        const Rows before = random_rows(a.source, n, k, random), rows = random_rows(a.source, 3, k, random);
        std::vector<uint8_t> source(1);
        for (size_t i = 0; i < 3; ++i) {
            source.insert(source.end(), &rows.source[i * rows.stride], &rows.source[i * rows.stride] + rows.stride);
            source.resize(source.size() + (i < 2 ? 5 : 0));
        }
        Side side = before.side;
        std::copy(rows.side.q.begin(), rows.side.q.end(), side.q.begin() + 5 * k);
        std::copy(rows.side.scale.begin(), rows.side.scale.end(), side.scale.begin() + 5 * k / 32);
        const GuardedBuffer from(source), to(packed_at_once(a.format, before.side, tile));
        a.run(5, 3, k, tile.rows, tile.kr, tile.sr, from.data() + 1, rows.stride + 5, to.data());
        a.run(2, 0, k, tile.rows, tile.kr, tile.sr, nullptr, rows.stride, to.data());
        EXPECT_EQ(to.bytes(), packed_at_once(a.format, side, tile));
    }
}

std::vector<uint8_t> read(const std::string& path) {
    std::ifstream file(KAI_TEST_DATA "/gguf/" + path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string s = text.str();
    return {s.begin(), s.end()};
}

// What ggml produces from these rows (test/data/gguf/README.md).
TEST_P(Appended, QuantisesLikeRecordedRows) {
    if (std::string(a.source) != "f32") {
        return;
    }
    for (const std::string set : {"lhs", "lhs_edge"}) {
        const std::vector<uint8_t> floats = read(set + ".f32"), blocks = read(set + ".q8_0");
        const size_t k = set == "lhs" ? 512 : 256, n = floats.size() / (4 * k);
        ASSERT_EQ(blocks.size(), n * k / 32 * 34);
        ASSERT_GE(n, 3u);
        for (const Tile tile : tiles()) {
            for (const Append& copies : kAppends) {
                if (std::string(copies.source) == "qsi8c32" && std::string(copies.format) == a.format) {
                    const size_t size = (n + tile.rows - 1) / tile.rows * tile.rows * k / 32 * 34;
                    const GuardedBuffer got(size, Flush::end, 0), want(size, Flush::end, 0);
                    a.run(0, n, k, tile.rows, tile.kr, tile.sr, floats.data(), 4 * k, got.data());
                    copies.run(0, n, k, tile.rows, tile.kr, tile.sr, blocks.data(), k / 32 * 34, want.data());
                    EXPECT_EQ(got.bytes(), want.bytes()) << set;
                }
            }
        }
    }
}

// Every micro-kernel of the format, after each appended row: whatever lies beyond the last row does not matter.
TEST_P(Appended, ProductsAreThoseOfPackedRows) {
    test::Random random(9);
    const size_t n = 9, k = 128;
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (std::string(u->rhs_format) != a.format || !kai_registry_runnable(u->features, nullptr, 0)) {
            continue;
        }
        const Tile tile = {u->get_nr(), u->get_kr(), u->get_sr()};
        const Rows rows = random_rows(a.source, n, k, random);
        const std::vector<uint8_t> records = reference::encode_records(rows.side, 8);
        std::vector<float> query;
        for (size_t i = 0; i < k; ++i) {
            query.push_back(random.real(-1, 1));
        }
        kai_call c = {};
        c.ukernel = u, c.lhs_packer = kai_registry_lhs_packer(u, 0), c.rhs_packer = kai_registry_rhs_packer(u, 0);
        ASSERT_EQ(std::string(c.rhs_packer->source_format), "qsi8c32");
        c.m = 1, c.n = n, c.k = k, c.bl = 32, c.lhs = query.data(), c.rhs = records.data();
        const GuardedBuffer lhs(kai_call_lhs_packed_size(&c)), cache(kai_call_rhs_packed_size(&c), Flush::end, 0);
        kai_call_pack_lhs(&c, 0, 1, lhs.data());
        c.lhs_packed = lhs.data();
        for (c.n = 1; c.n <= n; ++c.n) {
            a.run(
                c.n - 1, 1, k, tile.rows, tile.kr, tile.sr, rows.source.data() + (c.n - 1) * rows.stride, rows.stride,
                cache.data());
            const GuardedBuffer packed(kai_call_rhs_packed_size(&c)), want(kai_call_dst_size(&c)),
                got(kai_call_dst_size(&c));
            kai_call_pack_rhs(&c, 0, c.n, packed.data());
            c.rhs_packed = packed.data(), c.dst = want.data();
            kai_call_run(&c, 0, 0, 1, c.n);
            c.rhs_packed = cache.data(), c.dst = got.data();
            kai_call_run(&c, 0, 0, 1, c.n);
            EXPECT_EQ(got.bytes(), want.bytes()) << u->name << ", n " << c.n;
        }
    }
}

TEST_P(Appended, RefusesAndSaysWhy) {
    const Tile t = tiles()[0];
    const std::string run = std::string("kai_run_rhs_append_") + a.name + ": ";
    std::vector<uint8_t> from(4096), to(1 << 16);
    const auto refuses = [&](const std::string& why, size_t k, Tile tile, const void* rhs, size_t stride,
                             void* packed) {
        EXPECT_ABORT(a.run(0, 2, k, tile.rows, tile.kr, tile.sr, rhs, stride, packed), run + why);
    };
    refuses(SAID(not_multiple, "k", 48, 32), 48, t, from.data(), 256, to.data());
    refuses(SAID(zero, "nr"), 32, {0, t.kr, t.sr}, from.data(), 256, to.data());
    refuses(SAID(other, "sr", 1, 2), 32, {t.rows, t.kr, 1}, from.data(), 256, to.data());
    refuses("kr = 18", 36 * 8, {t.rows, 18, 2}, from.data(), 2048, to.data());
    refuses(SAID(null, "rhs"), 32, t, nullptr, 256, to.data());
    refuses(SAID(null, "rhs_packed"), 32, t, from.data(), 256, nullptr);
    refuses(SAID_AS(short_stride, "rhs_stride", "33", "[0-9]+", "row"), 32, t, from.data(), 33, to.data());
}

INSTANTIATE_TEST_SUITE_P(Rows, Appended, testing::ValuesIn(kAppends), [](const auto& info) {
    return std::string(info.param.name);
});

}  // namespace
