// Every packer of the registry against the reference, byte by byte.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>

#include "kai/engines/core/catalogue.hpp"
#include "kai/kai_registry.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"
#include "test/reference/float16.hpp"
#include "test/reference/formats.hpp"
#include "test/reference/quantise.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/ending.hpp"
#include "test/support/library_build.hpp"
#include "test/support/operands.hpp"
#include "test/support/packing.hpp"
#include "test/support/recent.hpp"
#include "test/support/said.hpp"
#include "test/support/sparse_buffer.hpp"
#include "test/support/threads.hpp"

using reference::Format;
using reference::Packed;
using reference::Side;
using reference::Tile;
using test::Data;
using test::Flush;
using test::GuardedBuffer;
using test::Random;

namespace {

class Pack : public testing::TestWithParam<const kai_packer*> {
protected:
    const kai_packer& p = *GetParam();
    Format format;
    bool lhs = test::is_lhs(p), blocks = test::has_blocks(p), unified = test::is_unified(p);
    const size_t file_block = test::file_block(p), file_bl = test::file_bl(p);  // of rows of files, else 0

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(p);
        ASSERT_NE(reference::find_format(p.format), nullptr)
            << "test/reference/formats.cpp lacks the format of this packer";
        format = test::format_of(p);
    }

    /// Tiles that the packer accepts: those of the kernels, and others where it takes any.
    std::vector<Tile> tiles() const {
        std::vector<Tile> tiles;
        const size_t v = std::max<size_t>(1, test_vector_words());
        std::vector<size_t> sizes = {1, 2, 3, 4, 8, 12, v};
        // Rows of super-blocks are long, and no kernel has panels of more rows than a vector has words.
        if (!lhs || format.block < 256) {
            sizes.insert(sizes.end(), {2 * v, 4 * v});
        }
        if (format.plain) {
            sizes.insert(sizes.end(), {16, 32, 16 * v, std::max<size_t>(1, kai_cpu_sve_bytes())});
        }
        if (format.element == Format::b1) {
            sizes.push_back(16);
        }
        if (unified) {
            sizes.push_back(260);  // more than the widest vectors have
        }
        for (const size_t rows : sizes) {
            for (const Tile t :
                 {Tile{rows, 16, 2},
                  {rows, 8, 2},
                  {rows, 4, 2},
                  {rows, 4, 1},
                  {rows, 2, 1},
                  {rows, 8, 1},
                  {rows, 1, 1},
                  {rows, 16, 1}}) {
                const auto same = [&](Tile o) { return t.rows == o.rows && t.kr == o.kr && t.sr == o.sr; };
                if (allowed(t) && p.accepts(t.rows, t.kr, t.sr) && std::none_of(tiles.begin(), tiles.end(), same)) {
                    tiles.push_back(t);
                }
            }
        }
        return tiles;
    }

    struct Depth {
        size_t k, bl;
    };
    std::vector<Depth> depths() const {
        if (file_bl != 0) {
            const size_t w = file_block;
            return {{0, file_bl}, {w, file_bl}, {2 * w, file_bl}, {3 * w, file_bl}, {5 * w, file_bl}, {1024, file_bl}};
        }
        if (blocks) {
            return {{0, 32}, {32, 32}, {96, 32}, {64, 64}, {192, 64}, {128, 128}, {384, 128}, {224, 224}};
        }
        if (format.block != 0) {
            const size_t w = format.block;
            return {{0, 0}, {w, 0}, {2 * w, 0}, {3 * w, 0}, {4 * w, 0}, {5 * w, 0}, {18 * w, 0}};
        }
        if (kai::has_lut(p)) {
            return {{0, 0}, {32, 0}, {64, 0}, {96, 0}, {160, 0}, {1024, 0}, {2144, 0}};
        }
        if (test::has_channels(p)) {
            return {{0, 0},  {1, 0},  {2, 0},  {15, 0},  {16, 0},  {17, 0},  {31, 0},  {32, 0},
                    {33, 0}, {48, 0}, {63, 0}, {100, 0}, {255, 0}, {257, 0}, {550, 0}, {1057, 0}};
        }
        if (test::is_indirect(p)) {  // chunks of odd, even and empty length: Chunks
            return {{0, 0},  {1, 0},  {2, 0},  {3, 0},  {4, 0},  {5, 0},  {6, 0},  {8, 0},   {10, 0}, {14, 0},
                    {15, 0}, {16, 0}, {17, 0}, {21, 0}, {27, 0}, {33, 0}, {64, 0}, {131, 0}, {134, 0}};
        }
        if (p.signature == KAI_LHS_QUANT_PACK) {
            return {{0, 0},  {1, 0},  {3, 0},  {7, 0},  {8, 0},  {15, 0}, {20, 0}, {28, 0},  {32, 0},
                    {36, 0}, {40, 0}, {43, 0}, {64, 0}, {67, 0}, {96, 0}, {97, 0}, {128, 0}, {167, 0}};
        }
        return {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {5, 0}, {8, 0}, {15, 0}, {16, 0}, {17, 0}, {64, 0}, {67, 0}, {131, 0}};
    }
    Depth typical_depth() const {
        return file_bl != 0           ? Depth{file_block * (file_block == 32 ? 3 : 2), file_bl}
               : format.block != 0    ? Depth{2 * format.block, 0}
               : blocks               ? Depth{96, 32}
               : kai::has_lut(p)      ? Depth{96, 0}
               : test::is_indirect(p) ? Depth{21, 0}
                                      : Depth{19, 0};
    }

    /// Tiles for each element order: panels of one row, and of several.
    std::vector<Tile> tiles_of_each_order() const {
        std::vector<Tile> chosen;
        for (const Tile t : tiles()) {
            const auto stands_for_it = [&](Tile o) {
                return o.kr == t.kr && o.sr == t.sr && (o.rows == 1) == (t.rows == 1);
            };
            if ((t.rows == 1 || t.rows >= 4) && std::none_of(chosen.begin(), chosen.end(), stands_for_it)) {
                chosen.push_back(t);
            }
        }
        return chosen;
    }

    /// Elements that the longest loop takes at a time: 128 bytes, or a vector.
    size_t longest_step() const {
        const size_t size = std::max<size_t>(2, test::element_size(p));
        return std::max<size_t>(128, kai_cpu_sme_bytes()) / size;
    }

    /// Every depth up to `most` that the packer accepts. With blocks: one block of any length, or whole blocks of 32.
    std::vector<Depth> every_depth(Tile t, size_t most) const {
        const bool any_block = std::string(p.name) == "lhs_quant_pack_qsi8d32p_f32";
        const bool whole_32 = blocks || kai::has_lut(p);
        const size_t step = any_block           ? t.kr / t.sr
                            : whole_32          ? 32
                            : file_bl != 0      ? file_block
                            : format.block != 0 ? format.block
                                                : 1;
        std::vector<Depth> depths;
        for (size_t k = step; k <= most; k += step) {
            depths.push_back({k, any_block ? k : blocks ? 32 : file_bl});
        }
        return depths;
    }

    static std::vector<size_t> counts(Tile t) {
        std::vector<size_t> counts = {0, 1, t.rows - 1, t.rows, t.rows + 1, 2 * t.rows + t.rows / 2 + 1};
        std::sort(counts.begin(), counts.end());
        counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
        return counts;
    }

    /// Compares written bytes with the reference, and the others with the poison.
    static void expect_bytes(const GuardedBuffer& got, const Packed& want) {
        ASSERT_EQ(got.size(), want.bytes.size());
        size_t wrong = 0;
        const size_t size = got.size();
        const uint8_t *bytes = got.data(), *wanted = want.bytes.data();
        const Packed::State* state = want.state.data();
        for (size_t i = 0; i < size; ++i) {
            const int byte = bytes[i];
            const bool untouched = state[i] == Packed::untouched;
            const int expected = untouched ? GuardedBuffer::kPoison : wanted[i];
            if (byte != expected && state[i] != Packed::any && ++wrong <= 3) {
                ADD_FAILURE() << "byte " << i << " of " << got.size() << " is " << byte << ", not " << expected
                              << (untouched ? " (must stay untouched)" : "");
            }
        }
        EXPECT_EQ(wrong, 0u);
    }

    // Rows of an LHS, and the packed side that is expected.
    struct Lhs {
        std::vector<float> values;
        Side side;
    };
    Lhs make_lhs(Tile t, size_t rows, size_t k, size_t bl, bool special) {
        return made<Lhs>({&p, rows, k, bl, special, t.kr / t.sr}, [&] { return new_lhs(t, rows, k, bl, special); });
    }
    Side make_rhs(size_t rows, size_t k, size_t bl, bool special = false) {
        return made<Side>({&p, rows, k, bl, special, 0}, [&] { return new_rhs(rows, k, bl, special); });
    }
    /// Packer, rows, k, bl, whether the values are special, and kr / sr of an LHS.
    using Arguments = std::tuple<const kai_packer*, size_t, size_t, size_t, bool, size_t>;
    /// The result of make() for these arguments.
    template <typename T, typename Make>
    static const T& made(const Arguments& of, Make make) {
        using Entry = std::pair<Arguments, T>;
        static test::Recent<Entry> recent;
        const auto [packer, rows, k, bl, special, group] = of;
        const auto is_same = [&](const Entry& e) { return e.first == of; };
        return recent.get(test::key_of(rows, k, bl, special, group), is_same, [&] { return Entry{of, make()}; }).second;
    }
    Lhs new_lhs(Tile t, size_t rows, size_t k, size_t bl, bool special) {
        Random random(rows * 131 + k);
        std::vector<float> values = reference::as_source(p.source_format, test::make_floats(rows, k, special, random));
        const test::Chunks chunks(k);
        for (size_t i = 2; i < rows && test::is_indirect(p); i += 3) {  // some chunks are like the first: padding
            std::copy_n(values.begin(), chunks.length, values.begin() + i * k + i % chunks.count * chunks.length);
        }
        const reference::Ties ties = reference::ties_of(format, p.name);
        Side side = reference::lhs_side(format, values, rows, k, bl, ties, t.kr / t.sr);
        return {std::move(values), std::move(side)};
    }
    Packed expected_lhs(const Side& side, Tile t, size_t first_slot = 0) const {
        return reference::pack(
            format, test::is_indirect(p) ? reference::with_padded_chunks(side, test::Chunks(side.k).count, t.kr) : side,
            t, first_slot);
    }
    Side new_rhs(size_t rows, size_t k, size_t bl, bool special) {
        Random random(rows * 137 + k);
        if (file_bl != 0 && kai::is_file(p)) {
            return test::make_file_side(p, rows, k, random);
        }
        Side side = test::make_side(format, Data::random, rows, k, bl, random);
        if (format.is_float()) {  // as the source has them, before they are converted
            side.values = reference::as_source(test::source_type(p), test::make_floats(rows, k, special, random));
        }
        if (kai::is_file(p)) {
            side.bias.clear();
        }
        if (test::has_block_sums(p)) {  // so different that the order of additions shows in the sums
            for (float& scale : side.scale) {
                scale = std::ldexp(scale, random.integer(-12, 12));
            }
        }
        return side;
    }
    /// The columns of whole panels, with sums in the order of the packer.
    Side with_block_sums(const Side& side, Tile t) const {
        const std::string name = p.name;
        if (name.find("s4s0") != std::string::npos) {  // missing columns are the last one
            Side whole = side;
            whole.sum = reference::sums_of_neighbours(side, 32);
            return whole;
        }
        const bool kxn = test::is_kxn(p), tuned = name.find("nrx") != std::string::npos;
        Side wide = !kxn || side.rows == 0 ? side
                    : tuned                ? reference::with_columns_of_zeros(side, t.rows)
                                           : reference::with_nibbles_of_last_byte(side, t.rows);
        wide.sum =
            tuned ? reference::sums_of_neighbours(wide, kxn ? 4 : 32) : reference::sums_of_halves(wide, t.kr / t.sr);
        return wide;
    }
    /// The packed RHS that is expected. `zero_point`: that of the LHS, for static int8.
    Packed expected_rhs(const Side& side, Tile t, int32_t zero_point = 1) const {
        if (format.plain) {
            Side packed = test::is_requantising(p) ? test::requantised(side, zero_point, 0.3f) : side;
            if (test::is_indirect(p)) {
                packed = reference::with_padded_chunks(packed, test::Chunks(side.k).count, t.kr);
            }
            return reference::pack(format, packed, t);
        }
        if (test::has_block_sums(p)) {
            return reference::pack(format, with_block_sums(side, t), t);
        }
        const bool last_byte = p.signature == KAI_RHS_PACK_KXN_QS4CX && side.rows > 0;
        return reference::pack(format, last_byte ? reference::with_nibbles_of_last_byte(side, t.rows) : side, t);
    }
    /// Packs the whole of an RHS and compares.
    void check_rhs(Tile t, const Side& side, const test::RhsSource& source, Flush flush = Flush::end) {
        const GuardedBuffer packed(test::packed_size(p, t, side.rows, side.k, side.bl), flush);
        test::run_rhs(p, t, source, 0, side.rows, packed.data());
        expect_bytes(packed, expected_rhs(side, t));
    }

    /// Packs `count` rows and compares.
    void check(Tile t, size_t count, Depth depth, size_t gap, Flush flush, bool special = false) {
        SCOPED_TRACE(test::listed(
            {{"rows", count},
             {"k", depth.k},
             {"bl", depth.bl},
             {"tile", t.rows},
             {"kr", t.kr},
             {"sr", t.sr},
             {"gap", gap}}));
        if (lhs) {
            const GuardedBuffer packed(test::packed_size(p, t, count, depth.k, depth.bl), flush);
            const Lhs input = make_lhs(t, count, depth.k, depth.bl, special);
            const test::LhsSource source(p, t, input.values, count, depth.k, gap, flush);
            const size_t part = takes_one_row() ? 1 : std::max<size_t>(count, 1);
            for (size_t first = 0; first == 0 || first < count; first += part) {
                const size_t to = first == 0 ? 0 : test::packed_offset(p, t, first, depth.k, depth.bl);
                test::run_lhs(p, t, source, first, std::min(part, count), depth.bl, 0, packed.data() + to);
            }
            expect_bytes(packed, expected_lhs(input.side, t));
        } else {
            const Side side = make_rhs(count, depth.k, depth.bl, special);
            check_rhs(t, side, test::RhsSource(p, side, gap, flush), flush);
        }
    }

    /// One packer takes a row at a time (kai_lhs_pack.h).
    bool takes_one_row() const {
        return std::strstr(p.name, "_bf16p1x4_") != nullptr;
    }
    /// Whether what it writes depends on the direction of rounding.
    bool rounds() const {
        return (lhs && !format.plain) || test::has_block_sums(p) || test::is_requantising(p) ||
               (kai::is_file(p) && format.element != Format::n5 && (format.offset != nullptr || format.is_float())) ||
               (format.is_float() && test::element_bits(p) != format.bits()) ||
               (format.element == Format::bf16 && test::source_type(p) != "bf16");
    }
    /// Depth as stored in a panel.
    size_t panel_depth(Tile t, size_t k) const {
        return test::is_indirect(p) ? test::Chunks(k).stored(t.kr) : k;
    }

    static size_t test_vector_words() {
        return kai_cpu_sme_bytes() / 4;
    }
    /// Preconditions that `accepts` does not state.
    bool allowed(Tile t) const {
        if (test::is_kxn(p) && t.rows % (8 / std::min(8U, test::element_bits(p))) != 0) {
            return false;  // a panel begins within a byte of the source
        }
        const size_t most = test::is_requantising(p) || format.sum != nullptr ? 8 : 4;
        if (format.plain) {
            return (t.kr <= most || format.inverts) && (t.sr == 1 || p.signature == KAI_LHS_PACK_BL);
        }
        if (t.kr == 2) {
            return false;
        }
        if (lhs && blocks) {
            // Groups of 4 and 8; kr is even where it is split.
            return (t.sr == 2 ? t.kr >= 8 : t.kr >= 4) &&
                   (format.scale_type == Format::f16_scale || t.sr == 2 || format.is_f8());
        }
        if (p.signature == KAI_LHS_QUANT_PACK) {
            return t.kr % t.sr == 0;
        }
        if (format.sub != 0) {
            return t.sr == 2 && t.kr >= 8 && t.rows % 4 == 0;
        }
        if (file_bl != 0) {
            return t.sr == 2 && (t.rows % 4 == 0 || format.element == Format::i4) &&
                   (t.kr >= 8 || !p.accepts(t.rows, 8, t.sr) ||
                    (format.element != Format::t2 && format.element != Format::n5));
        }
        if (blocks) {
            return kai::takes<&kai::PackerArgs::no_bias>(p) ? t.sr == 2 : t.rows % 4 == 0 && t.kr > 1;
        }
        return test::has_channels(p) ? test::element_bits(p) != 4 || t.kr > 1 : t.kr < 16;
    }
};

TEST_P(Pack, AcceptsSomeTile) {
    EXPECT_FALSE(tiles().empty());
}

TEST_P(Pack, Shapes) {
    size_t number = 0;
    for (const Tile tile : tiles()) {
        for (const size_t count : counts(tile)) {
            check(tile, count, typical_depth(), number % 3 * 3, Flush::end);
            if (number % 4 == 0) {  // reads before a buffer are rare: a few shapes will do
                check(tile, count, typical_depth(), number % 8 / 4, Flush::start);
            }
            ++number;
            if (HasFailure()) {
                return;
            }
        }
    }
}

// Panels of SME kernels at vector lengths that this run may not have.
TEST_P(Pack, WidePanels) {
    for (const Tile tile : {Tile{128, 4, 1}, {128, 8, 2}, {256, 4, 1}, {256, 8, 2}}) {
        if (allowed(tile) && p.accepts(tile.rows, tile.kr, tile.sr)) {
            check(tile, tile.rows + 3, typical_depth(), 1, Flush::end);
        }
    }
}

// All depths with a tile of each order of elements. With tiles of the same order and other heights every third depth,
// another third with each of them.
TEST_P(Pack, Depths) {
    const std::vector<Tile> with_all = tiles_of_each_order();
    const std::vector<Depth> all = depths();
    size_t number = 0, other = 0;
    for (const Tile tile : tiles()) {
        const auto same = [&](Tile t) { return t.rows == tile.rows && t.kr == tile.kr && t.sr == tile.sr; };
        const bool every = std::any_of(with_all.begin(), with_all.end(), same);
        for (size_t i = every ? 0 : other++ % 3; i < all.size(); i += every ? 1 : 3) {
            check(tile, tile.rows + 1, all[i], number % 2, Flush::end);
            ++number;
            if (HasFailure()) {
                return;
            }
        }
    }
}

// Lines of every length, which end where their memory does: what is left after none, one and two steps of the longest
// loop. Panels of one row, of all their rows, and of each number of rows between.
TEST_P(Pack, EveryTail) {
    const size_t step = longest_step(), most = std::max(2 * step + 16, 2 * format.block);
    size_t number = 0;
    for (const Tile tile : tiles_of_each_order()) {
        for (const Depth depth : every_depth(tile, test::is_kxn(p) ? 40 : most)) {
            std::vector<size_t> counts = {1 + number++ % tile.rows};
            if (tile.rows <= 12) {
                counts.insert(counts.end(), {1, tile.rows});
            }
            std::sort(counts.begin(), counts.end());
            counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
            for (const size_t count : counts) {
                check(tile, count, depth, 0, Flush::end);
            }
            if (HasFailure()) {
                return;
            }
        }
        for (size_t n = 1; test::is_kxn(p) && n <= most; ++n) {  // a line is a row of k
            check(tile, n, {blocks ? size_t{32} : 1 + number++ % 5, blocks ? size_t{32} : 0}, 0, Flush::end);
            if (HasFailure()) {
                return;
            }
        }
    }
}

// Rows and blocks longer than any buffer of a packer.
TEST_P(Pack, LongRows) {
    if (!lhs) {
        return;
    }
    const std::vector<Depth> depths = blocks ? std::vector<Depth>{{4224, 32}, {4224, 4224}}
                                             : std::vector<Depth>{{format.block != 0 ? 17 * format.block : 1071, 0}};
    for (const Tile tile : tiles_of_each_order()) {
        for (const Depth depth : depths) {
            check(tile, std::min<size_t>(tile.rows, 8) + 1, depth, 1, Flush::end);
        }
        if (HasFailure()) {
            return;
        }
    }
}

TEST_P(Pack, SpecialFloats) {
    if (!lhs && !format.is_float()) {
        return;
    }
    for (const Tile tile : tiles()) {
        for (const Depth depth : {typical_depth(), format.block != 0 ? Depth{3 * format.block, 0} : depths().back()}) {
            check(tile, 32 + tile.rows / 2, depth, 1, Flush::end, true);
            if (HasFailure()) {
                return;
            }
        }
    }
}

// Packers with FAMAX, which makes quiet NaN: of several NaN in a block the same one is its scale as without FAMAX.
TEST_P(Pack, FamaxChoosesTheSameNan) {
    const std::string name = p.name, others = name.substr(0, name.find("_neon_faminmax"));
    if (others == name) {
        return;
    }
    const kai_packer* other = kai_registry_find_packer(others.c_str());
    other = other != nullptr ? other : kai_registry_find_packer((others + "_neon").c_str());
    ASSERT_NE(other, nullptr);
    const Depth depth = typical_depth();
    const size_t k = depth.k, bl = depth.bl;
    for (const Tile tile : tiles()) {
        const size_t rows = tile.rows + 1;
        Random random(11);
        std::vector<float> values = test::make_floats(rows, k, false, random);
        constexpr uint32_t kNans[] = {0x7F800001u, 0xFFC12345u, 0x7FA00000u, 0xFFFFFFFFu, 0x7FC00000u};
        for (size_t i = 0; i < values.size(); i += 7) {  // five in turn: the first of a block is any of them
            values[i] = reference::float_of(kNans[i / 7 % (i / k % 3 + 3)]);
        }
        const auto packed_by = [&](const kai_packer& packer) {
            std::vector<uint8_t> packed(test::packed_size(packer, tile, rows, k, bl));
            test::run_lhs(packer, tile, {packer, tile, values, rows, k, 0}, 0, rows, bl, 0, packed.data());
            return packed;
        };
        EXPECT_EQ(packed_by(p), packed_by(*other)) << "mr " << tile.rows;
    }
}

// Scales that are stored as they are keep their bits, also those of a signalling NaN.
TEST_P(Pack, ScalesKeepTheirBits) {
    if (lhs || std::string(p.format) != "qsi8cxp") {
        return;
    }
    const auto [k, bl] = typical_depth();
    for (const Tile tile : tiles()) {
        Side side = make_rhs(tile.rows + 1, k, bl);
        for (const size_t row : {size_t{0}, tile.rows}) {
            side.scale[row] = reference::float_of(0x7F800001u);
        }
        const GuardedBuffer packed(test::packed_size(p, tile, side.rows, k, bl));
        test::run_rhs(p, tile, test::RhsSource(p, side, 0), 0, side.rows, packed.data());
        // The panels end with sums, scales and biases (docs/formats.md).
        for (size_t panel = 1; panel <= 2; ++panel) {
            uint32_t bits = 0;
            std::memcpy(&bits, packed.data() + panel * packed.size() / 2 - 8 * tile.rows, sizeof(bits));
            EXPECT_EQ(bits, 0x7F800001u) << "first column of panel " << panel << ", nr " << tile.rows;
        }
    }
}

// Floats around ties of f16 (13 bits less than f32) and bf16 (16 bits less), and NaN of every kind.
TEST_P(Pack, RoundsToNearestEven) {
    if (!format.is_float() || format.element == Format::f32 || test::source_type(p) != "f32") {
        return;
    }
    const auto [k, bl] = typical_depth();
    for (const Tile tile : tiles()) {
        Random random(7);
        const size_t rows = tile.rows + 1;
        std::vector<float> values;
        while (values.size() < rows * k) {
            const auto bits = static_cast<uint32_t>(random.next());
            const int lost = values.size() / 12 % 2 == 0 ? 13 : 16;
            const uint32_t tie = (bits >> lost << lost) | 1u << (lost - 1);
            const uint32_t special[] = {tie,         tie - 1,     tie + 1,           (tie & 0x8FFFFFFFu) | 0x30000000u,
                                        0x7F800001u, 0xFF800001u, 0x7FFFFFFFu,       bits | 0x7F800000u,
                                        0x7F7FFFFFu, 0x477FF000u, tie & 0x807FFFFFu, 0x80000000u};
            values.push_back(reference::float_of(special[values.size() % 12]));
        }
        if (lhs) {
            const GuardedBuffer packed(test::packed_size(p, tile, rows, k, bl));
            const Side side = reference::lhs_side(format, values, rows, k, bl, reference::Ties::even, 1);
            const size_t part = tile.rows == 1 ? 1 : rows;
            const test::LhsSource source(p, tile, values, rows, k, 0);
            for (size_t first = 0; first < rows; first += part) {
                uint8_t* to = packed.data() + test::packed_offset(p, tile, first, k, bl);
                test::run_lhs(p, tile, source, first, part, bl, 0, to);
            }
            expect_bytes(packed, expected_lhs(side, tile));
        } else {
            Side side = make_rhs(rows, k, bl);
            side.values = values;
            check_rhs(tile, side, test::RhsSource(p, side, 0));
        }
    }
}

TEST_P(Pack, NullBias) {
    if (lhs || format.bias == nullptr) {
        return;
    }
    for (const Tile tile : tiles()) {
        const auto [k, bl] = typical_depth();
        Side side = make_rhs(tile.rows + 1, k, bl);
        side.bias.clear();
        check_rhs(tile, side, test::RhsSource(p, side, 0));
    }
}

TEST_P(Pack, TwosComplementNibbles) {
    if (p.signature != KAI_RHS_PACK_NXK_QS4CX && p.signature != KAI_RHS_PACK_KXN_QS4CX) {
        return;
    }
    for (const Tile tile : tiles()) {
        for (const Depth depth : depths()) {
            // An even number of columns, so that every nibble of the source belongs to one.
            const Side side = make_rhs(2 * tile.rows + 2, depth.k, depth.bl);
            check_rhs(tile, side, test::RhsSource(p, side, 0, Flush::end, 0));
        }
        if (HasFailure()) {
            return;
        }
    }
}

TEST_P(Pack, SumsTimesTheZeroPoint) {
    const bool requantises = test::is_requantising(p);
    if (!requantises && !kai::takes_scale_multiplier(p)) {
        return;
    }
    const Tile tile = tiles().back();
    const Side side = make_rhs(tile.rows + 1, 300, 0);
    for (const int32_t zero_point : {0, 3, -1, -77, 0x1234567}) {
        test::RhsSource source(p, side, 0);
        source.lhs_zero_point = zero_point;
        const GuardedBuffer packed(test::packed_size(p, tile, side.rows, side.k, 0));
        test::run_rhs(p, tile, source, 0, side.rows, packed.data());
        Packed want = expected_rhs(side, tile, zero_point);
        const reference::Shape shape = {tile.rows, tile.kr, tile.sr, side.k, 0};
        for (size_t at = 0; at < 2 * tile.rows && !requantises; ++at) {
            uint8_t* sum = &want.bytes[at / tile.rows * format.stride(shape) + format.sum(shape, at % tile.rows)];
            uint32_t value;
            std::memcpy(&value, sum, sizeof(value));
            value *= static_cast<uint32_t>(zero_point);
            std::memcpy(sum, &value, sizeof(value));
        }
        expect_bytes(packed, want);
    }
}

// Packers may take many columns and runs of blocks at a time.
TEST_P(Pack, ManyColumnsAndBlocks) {
    if (lhs || (!blocks && file_bl == 0)) {
        return;
    }
    size_t number = 0;
    const std::vector<Depth> many = file_bl != 0 ? std::vector<Depth>{{5 * 256, file_bl}, {file_block, file_bl}}
                                                 : std::vector<Depth>{{32 * 18, 32}, {64 * 6, 64}, {256 * 5, 256}};
    for (const Tile tile : tiles()) {
        for (const size_t count : {13, 14, 15, 16, 17, 18, 31, 32, 33, 47, 129}) {
            check(
                tile, count, file_bl != 0 ? many.back() : Depth{64, 32}, number % 3,
                number % 2 ? Flush::end : Flush::start);
            ++number;
        }
        for (const Depth depth : many) {
            check(tile, tile.rows + 17, depth, number % 3, Flush::end);
            ++number;
        }
        if (HasFailure()) {
            return;
        }
    }
}

TEST_P(Pack, ExtremeScales) {
    if (lhs || !test::has_blocks(p)) {
        return;
    }
    for (const Tile tile : tiles()) {
        Random random(6);
        const Side side = test::make_side(format, Data::extreme, 30, 192, 64, random);
        check_rhs(tile, side, test::RhsSource(p, side, 1));
    }
}

// The largest sums that there are, over many blocks of the source; int32 biases that make them wrap around.
TEST_P(Pack, ExtremeSums) {
    if (!test::has_channels(p) && !test::is_requantising(p)) {
        return;
    }
    for (const Tile tile : tiles()) {
        Random random(5);
        const Side side = test::make_side(format, Data::extreme, 7, 4096, 0, random);
        check_rhs(tile, side, test::RhsSource(p, side, 0));
        if (HasFailure()) {
            return;
        }
    }
}

TEST_P(Pack, DefaultTable) {
    if (!kai::has_lut(p)) {
        return;
    }
    for (const Tile tile : tiles()) {
        Side side = make_rhs(tile.rows + 1, typical_depth().k, 0);
        side.table = {-2, -1, 0, 1};  // passed as NULL
        check_rhs(tile, side, test::RhsSource(p, side, 0));
    }
}

// Threads that pack panels on their own: m_idx_start 0, the source moved by get_lhs_offset (get_rhs_offset), the packed
// buffer by the packed offset. One panel each, or some, the last first: the bytes of the whole.
TEST_P(Pack, PartsByPointer) {
    if (!test::packs_parts(p)) {
        return;
    }
    const auto [k, bl] = typical_depth();
    for (const Tile tile : tiles()) {
        const size_t count = 4 * tile.rows + tile.rows / 2 + 1;
        const Lhs input = lhs ? make_lhs(tile, count, k, bl, false) : Lhs{{}, make_rhs(count, k, bl)};
        std::optional<test::LhsSource> rows_of_lhs;
        std::optional<test::RhsSource> columns;
        if (lhs) {
            rows_of_lhs.emplace(p, tile, input.values, count, k, 2);
        } else {
            columns.emplace(p, input.side, 2);
        }
        const Packed want = lhs ? expected_lhs(input.side, tile) : expected_rhs(input.side, tile);
        const std::vector<size_t> panels_of_a_part =
            takes_one_row() ? std::vector<size_t>{1} : std::vector<size_t>{1, 2, 3};
        for (const size_t panels : panels_of_a_part) {
            const GuardedBuffer packed(test::packed_size(p, tile, count, k, bl));
            const size_t most = panels * tile.rows, parts = (count + most - 1) / most;
            for (size_t first = (parts - 1) * most, part = 0; part < parts; ++part, first -= most) {
                const size_t rows = std::min(most, count - first);
                uint8_t* to = packed.data() + test::packed_offset(p, tile, first, k, bl);
                lhs ? test::run_lhs(p, tile, *rows_of_lhs, first, rows, bl, 0, to)
                    : test::run_rhs(p, tile, *columns, first, rows, to);
            }
            expect_bytes(packed, want);
            if (HasFailure()) {
                return;
            }
        }
    }
}

// Rows go to the slots after m_idx_start % mr. The packer adds m_idx_start rows to the source itself, or the caller has
// done so. Or the packer ignores it. (Others take 0 only.)
TEST_P(Pack, PartsByStartIndex) {
    const bool ignores_it = std::string(p.name).find("lhs_pack_bf16p2vlx2") == 0;
    if (p.signature != KAI_LHS_PACK_BL && !test::uses_start_slot(p) && !ignores_it) {
        return;
    }
    const auto [k, bl] = typical_depth();
    for (const Tile tile : tiles()) {
        const size_t rows = 3 * tile.rows + 1;
        const Lhs input = make_lhs(tile, rows, k, bl, false);
        const test::LhsSource source(p, tile, input.values, rows, k, 3);
        for (const size_t start : {size_t{1}, tile.rows - 1, tile.rows, tile.rows + 1, 2 * tile.rows - 1}) {
            for (const size_t count : {size_t{1}, tile.rows, tile.rows + 1, rows - start}) {
                if (count == 0 || start + count > rows) {
                    continue;
                }
                SCOPED_TRACE(test::listed({{"m_idx_start", start}, {"m", count}, {"mr", tile.rows}, {"kr", tile.kr}}));
                const bool by_caller = test::uses_start_slot(p);
                const size_t first = by_caller || test::uses_start_index(p) ? start : 0, slot = first % tile.rows;
                const GuardedBuffer packed(test::packed_size(p, tile, slot + count, k, bl));
                test::run_lhs(p, tile, source, by_caller ? start : 0, count, bl, start, packed.data());
                expect_bytes(packed, reference::pack(format, input.side.part(first, count), tile, slot));
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

// Rows by a list of indices: in any order, more than once, fewer or more than there are. Row 0 is not listed, and must
// not be read: it is no memory.
TEST_P(Pack, RowsByIndex) {
    ASSERT_EQ(p.run_rows != nullptr, p.signature == KAI_LHS_PACK_BL || p.signature == KAI_LHS_QUANT_PACK);
    if (p.run_rows == nullptr) {
        return;
    }
    constexpr int kRows = 5;
    Random random(71);
    for (const auto& [k, bl] : depths()) {
        for (const Tile tile : tiles_of_each_order()) {
            const Lhs input = make_lhs(tile, kRows, k, bl, false);
            test::LhsSource source(p, tile, input.values, kRows, k, 1);
            source.rows -= source.stride;
            for (const size_t count : {size_t{0}, size_t{1}, tile.rows, 2 * tile.rows + 3}) {
                SCOPED_TRACE(test::listed(
                    {{"m", count}, {"k", k}, {"bl", bl}, {"mr", tile.rows}, {"kr", tile.kr}, {"sr", tile.sr}}));
                std::vector<size_t> indices(count);
                std::vector<float> values;
                for (size_t& index : indices) {
                    index = static_cast<size_t>(random.integer(1, kRows));
                    const auto row = input.values.begin() + static_cast<ptrdiff_t>((index - 1) * k);
                    values.insert(values.end(), row, row + static_cast<ptrdiff_t>(k));
                }
                const reference::Ties ties = reference::ties_of(format, p.name);
                const Side side = reference::lhs_side(format, values, count, k, bl, ties, tile.kr / tile.sr);
                const GuardedBuffer packed(test::packed_size(p, tile, count, k, bl));
                test::run_lhs_rows(p, tile, source, indices, bl, packed.data());
                expect_bytes(packed, expected_lhs(side, tile));
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

TEST_P(Pack, GettersFollowTheFormulas) {
    // Sizes are also queried with one row (nr = 1), and with indices past the end.
    std::vector<Tile> asked = tiles();
    if (p.accepts(3, asked[0].kr, asked[0].sr)) {
        asked.push_back({1, asked[0].kr, asked[0].sr});
        asked.push_back({7, asked[0].kr, asked[0].sr});
    }
    for (const Tile t : asked) {
        for (const auto& [k, bl] : depths()) {
            const size_t stride = format.stride({t.rows, t.kr, t.sr, panel_depth(t, k), bl});
            for (const size_t rows : {size_t{0}, size_t{1}, t.rows, t.rows + 1, size_t{1000}}) {
                EXPECT_EQ(test::packed_size(p, t, rows, k, bl), (rows + t.rows - 1) / t.rows * stride)
                    << rows << " rows, tile " << t.rows << ", k " << k << ", bl " << bl;
            }
            for (const size_t panel : {0, 1, 5, 1000}) {
                EXPECT_EQ(test::packed_offset(p, t, panel * t.rows, k, bl), panel * stride);
            }
        }
        if (kai::takes_pointers(p)) {
            continue;  // a table of pointers
        }
        // K x N: the elements of a row of k are neighbours.
        const size_t columns = 2 * t.rows;
        EXPECT_EQ(
            test::source_offset(p, columns, 1000), columns * (test::is_kxn(p) ? test::element_bits(p) : 8000) / 8);
    }
}

// Panels with gaps between them.
TEST_P(Pack, PanelsWithGaps) {
    if (!unified) {
        return;
    }
    const auto [k, bl] = typical_depth();
    for (const Tile tile : tiles()) {
        for (const size_t gap : {12, 13}) {
            const size_t count = 2 * tile.rows + 1, stride = format.stride({tile.rows, tile.kr, tile.sr, k, bl});
            const Lhs input = lhs ? make_lhs(tile, count, k, bl, false) : Lhs{{}, make_rhs(count, k, bl)};
            const GuardedBuffer packed(test::packed_size(p, tile, count, k, bl, gap));
            if (lhs) {
                test::LhsSource source(p, tile, input.values, count, k, 1);
                source.panel_gap = gap;
                test::run_lhs(p, tile, source, 0, count, bl, 0, packed.data());
            } else {
                test::RhsSource source(p, input.side, 1);
                source.panel_gap = gap;
                test::run_rhs(p, tile, source, 0, count, packed.data());
            }
            const Packed dense = lhs ? expected_lhs(input.side, tile) : expected_rhs(input.side, tile);
            Packed want = {std::vector<uint8_t>(3 * (stride + gap)), std::vector<Packed::State>(3 * (stride + gap))};
            for (size_t panel = 0; panel < 3; ++panel) {
                std::copy_n(&dense.bytes[panel * stride], stride, &want.bytes[panel * (stride + gap)]);
                std::copy_n(&dense.state[panel * stride], stride, &want.state[panel * (stride + gap)]);
            }
            expect_bytes(packed, want);
            EXPECT_EQ(test::packed_offset(p, tile, 5 * tile.rows, k, bl, gap), 5 * (stride + gap));
        }
    }
}

TEST_P(Pack, UnifiedGetters) {
    if (!unified) {
        return;
    }
    const Tile tile = tiles().back();
    const size_t n = 2 * tile.rows + 3, k = kai::is_file(p) ? 768 : 19, bits = test::element_bits(p);
    const size_t rows = kai::takes_rows(p) ? tile.rows : 0;  // of the config; others get none
    if (lhs) {
        const kai_matmul_pack_lhs_uker_api api = test::lhs_api(p);
        const kai_matmul_pack_lhs_uker_config config = {{rows, 0, 0}};
        EXPECT_EQ(api.get_step(rows != 0 ? &config : nullptr).m, tile.rows);
        EXPECT_EQ(api.get_step(&config).k, 0u);
        const kai_matmul_pack_lhs_uker_lhs_dim_args shape = {n, k};
        EXPECT_EQ(api.get_lhs_stride(nullptr, &shape).m, k * bits / 8);
        return;
    }
    const kai_matmul_pack_rhs_uker_api api = test::rhs_api(p);
    const kai_matmul_pack_rhs_uker_config config = {{rows, 0, 0, 0}};
    EXPECT_EQ(api.get_step(rows != 0 ? &config : nullptr).n, tile.rows);
    EXPECT_EQ(api.get_step(&config).k, 0u);
    const kai_matmul_pack_rhs_uker_rhs_dim_args shape = {n, k};
    const kai_matmul_pack_rhs_uker_rhs_stride_args stride = api.get_rhs_stride(nullptr, &shape);
    EXPECT_EQ(stride.n, test::is_kxn(p) ? bits / 8 : kai::line_size(p, n, k, 0));
    EXPECT_EQ(stride.k, test::is_kxn(p) ? (n * bits + 7) / 8 : kai::is_file(p) ? 0 : bits / 8);
    if (kai::is_file(p)) {  // records have all: no other operand has offsets
        EXPECT_TRUE(api.get_bias_n_offset == nullptr && api.get_scale_n_offset == nullptr);
        EXPECT_TRUE(api.get_scale_nk_offset == nullptr && api.get_scale_nk_stride == nullptr);
        return;
    }
    const kai_matmul_pack_rhs_uker_bias_n_dim_args bias = {24};
    const size_t bias_size = format.bias == nullptr ? 0 : format.bias_type == Format::f16_bias ? 2 : 4;
    EXPECT_EQ(test::checked_call(api.get_bias_n_offset, nullptr, &bias), 24 * bias_size);
    ASSERT_EQ(api.get_scale_n_offset != nullptr, format.scale_type != Format::no_scale && !blocks);
    ASSERT_EQ(api.get_scale_nk_offset != nullptr, blocks);
    ASSERT_EQ(api.get_scale_nk_stride != nullptr, blocks);
    if (api.get_scale_n_offset != nullptr) {
        const kai_matmul_pack_rhs_uker_scale_n_dim_args scale = {24};
        EXPECT_EQ(test::checked_call(api.get_scale_n_offset, nullptr, &scale), 24 * sizeof(float));
    }
}

/// `rows`: a member of the config, `member`: its name. args: those of a non-empty problem.
template <typename Api, typename Config, typename Args>
void expect_rows_of_the_config(
    const Api& api, const Config& config, size_t& rows, const std::string& function, const char* member, Args args) {
    const auto refuses = [&](const Config* c, const std::string& why, bool getters) {
        EXPECT_ABORT(api.run(c, &args), function + ": " + why);
        if (getters) {
            EXPECT_ABORT(api.get_step(c), function + ": " + why);
        }
    };
    refuses(nullptr, SAID(null, "config"), true);
    refuses(&config, SAID(zero, member), test::library_asserts);
    rows = 65536;
    refuses(&config, SAID(too_large, member, rows, 65535), test::library_asserts);
    args.shape = {0, 4};
    api.run(nullptr, &args);
}

// Panels are as wide as the call or its config says. That none says it is an error in every build, but for an empty
// problem.
TEST_P(Pack, RowsOfTheCall) {
    if (!kai::takes_rows(p) || !(unified || test::is_indirect(p))) {
        return;  // others: PackRules, LhsRefusesAndSaysWhy
    }
    if (!unified) {
        const test::RhsSource source(p, make_rhs(1, 4, 0), 0);
        uint8_t packed[64];
        EXPECT_ABORT(test::run_rhs(p, {0, 2, 1}, source, 0, 1, packed), std::string(p.name) + ": " + SAID(zero, "nr"));
        return;
    }
    const std::string function = std::string("kai_") + p.name;
    if (lhs) {
        kai_matmul_pack_lhs_uker_config config = {};
        kai_matmul_pack_lhs_uker_args args = {};
        args.shape = {1, 4};
        expect_rows_of_the_config(test::lhs_api(p), config, config.format.mr, function, "config.format.mr", args);
    } else {
        kai_matmul_pack_rhs_uker_config config = {};
        kai_matmul_pack_rhs_uker_args args = {};
        args.shape = {1, 4};
        expect_rows_of_the_config(test::rhs_api(p), config, config.format.nr, function, "config.format.nr", args);
    }
}

// Block scales may have any strides: here those of all columns of a block are adjacent.
TEST_P(Pack, UnifiedScalesOfBlocks) {
    if (!unified || !blocks) {
        return;
    }
    const Tile tile = tiles().back();
    const size_t n = tile.rows + 3, k = 192, bl = 64, count = k / bl;
    const Side side = make_rhs(n, k, bl);
    const test::RhsSource source(p, side, 0);
    const GuardedBuffer want(test::packed_size(p, tile, n, k, bl)), packed(want.size());
    test::run_rhs(p, tile, source, 0, n, want.data());
    const kai_matmul_pack_rhs_uker_api api = test::rhs_api(p);
    const kai_matmul_pack_rhs_uker_config config = {{0, 0, 0, bl}};
    const kai_matmul_pack_rhs_uker_scale_nk_dim_args shape = {n, k}, index = {5, 2};
    const kai_matmul_pack_rhs_uker_scale_nk_stride_args dense = api.get_scale_nk_stride(&config, &shape);
    EXPECT_EQ(dense.n, 2 * count);
    EXPECT_EQ(dense.k, 2u);
    const kai_matmul_pack_rhs_uker_scale_nk_stride_args by_blocks = {2, 2 * n};
    EXPECT_EQ(api.get_scale_nk_offset(&config, &index, &by_blocks), 5 * 2 + 2 * 2 * n);
    GuardedBuffer scales(source.scale.size());
    for (size_t i = 0; i < n * count; ++i) {
        scales.as<uint16_t>()[i % count * n + i / count] = source.scale.as<uint16_t>()[i];
    }
    const kai_matmul_pack_rhs_uker_rhs_packed_dim_args panel = {n, k};
    kai_matmul_pack_rhs_uker_args args = {};
    args.shape = {n, k};
    args.operand.rhs = {source.lines, {source.stride, source.stride}};
    args.operand.rhs_packed = {packed.data(), api.get_rhs_packed_stride(&config, &panel)};
    args.operand.bias_n.ptr = source.has_bias ? source.bias.data() : nullptr;
    args.operand.scale_nk = {scales.data(), by_blocks};
    test::checked_call(api.run, &config, &args);
    EXPECT_EQ(packed.bytes(), want.bytes());
}

// Indices of 2^36 and depths of 2^33: no intermediate value of an offset may be truncated to 32 bits.
TEST_P(Pack, GettersBeyond32Bits) {
    const size_t huge = size_t{1} << 36;
    for (const Tile t : tiles()) {
        for (const size_t k : {typical_depth().k, huge / 8}) {
            const size_t bl = typical_depth().bl, stride = format.stride({t.rows, t.kr, t.sr, panel_depth(t, k), bl});
            const size_t panels = k < huge ? huge / t.rows / 8 : 3;
            EXPECT_EQ(test::packed_offset(p, t, panels * t.rows, k, bl), panels * stride);
            EXPECT_EQ(test::packed_size(p, t, panels * t.rows, k, bl), panels * stride);
        }
        if (!kai::takes_pointers(p)) {
            const size_t rows = huge / t.rows / 2 * t.rows * 2;  // even: whole bytes of nibbles
            EXPECT_EQ(
                test::source_offset(p, rows, 4096), test::is_kxn(p) ? rows * test::element_bits(p) / 8 : rows * 4096);
            if (!test::is_kxn(p)) {
                EXPECT_EQ(test::source_offset(p, 3 * t.rows, huge), 3 * t.rows * huge);
            }
        }
    }
}

// Lines of the source and of scales, panels of the unified API that lie GiB apart.
TEST_P(Pack, StridesBeyond32Bits) {
    const Tile tile = tiles().back();
    const auto [k, bl] = typical_depth();
    const size_t count = tile.rows + 3, panel = format.stride({tile.rows, tile.kr, tile.sr, panel_depth(tile, k), bl});
    const Lhs input = lhs ? make_lhs(tile, count, k, bl, false) : Lhs{{}, make_rhs(count, k, bl)};
    const Packed want = lhs ? expected_lhs(input.side, tile) : expected_rhs(input.side, tile);
    for (const size_t stride : test::kLargeStrides) {
        SCOPED_TRACE(stride);
        const GuardedBuffer packed(test::packed_size(p, tile, count, k, bl));
        const size_t part = takes_one_row() ? 1 : count;  // whose panel is one row, too
        if (lhs && !test::is_indirect(p)) {
            test::LhsSource source(p, tile, input.values, count, k, 0);
            const test::SparseBuffer rows(source.data.data(), count, source.stride, stride);
            source.rows = rows.data(), source.stride = stride;
            for (size_t first = 0; first < count; first += part) {
                test::run_lhs(p, tile, source, first, part, bl, 0, packed.data() + first / tile.rows * panel);
            }
            expect_bytes(packed, want);
        } else if (!lhs) {
            test::RhsSource source(p, input.side, 0);
            const size_t lines = test::is_kxn(p) ? k : count;
            const bool strided = source.stride != test::RhsSource(p, input.side, 2).stride;
            const test::SparseBuffer data(
                source.data.data(), strided ? lines : 1, source.data.size() / (strided ? lines : 1), stride);
            const test::SparseBuffer scales(source.scale.data(), count, source.scale.size() / count, stride);
            source.lines = data.data(), source.stride = strided ? stride : source.stride;
            if (kai::has_scale_stride(p)) {
                source.scales = scales.data(), source.scale_stride = stride;
            }
            test::run_rhs(p, tile, source, 0, count, packed.data());
            expect_bytes(packed, want);
        }
        if (unified) {
            const size_t panels = (count + tile.rows - 1) / tile.rows;
            const size_t apart = stride + (panel + 4095) / 4096 * 4096;  // cut to 32 bits, it still holds a panel
            const test::SparseBuffer far(panels * apart);
            if (lhs) {
                test::LhsSource source(p, tile, input.values, count, k, 0);
                source.panel_gap = apart - panel;
                test::run_lhs(p, tile, source, 0, count, bl, 0, far.data());
            } else {
                test::RhsSource source(p, input.side, 0);
                source.panel_gap = apart - panel;
                test::run_rhs(p, tile, source, 0, count, far.data());
            }
            const GuardedBuffer near(panels * panel);
            for (size_t i = 0; i < panels; ++i) {
                std::copy_n(far.data() + i * apart, panel, near.data() + i * panel);
            }
            for (size_t i = 0; i < near.size(); ++i) {  // untouched: zeros there
                near.data()[i] =
                    want.state[i] == Packed::untouched && near.data()[i] == 0 ? GuardedBuffer::kPoison : near.data()[i];
            }
            expect_bytes(near, want);
        }
        if (HasFailure()) {
            return;
        }
    }
}

// Modes of FPCR that the caller has set are the same afterwards (checked_call verifies this). Numbers that are neither
// subnormal nor NaN give the same bytes, except that other directions of rounding show where a packer rounds.
TEST_P(Pack, FpcrModes) {
    const Tile tile = tiles().back();
    const auto [k, bl] = typical_depth();
    const size_t count = tile.rows + 1;
    for (const uint64_t mode :
         {uint64_t{test::kFlushToZero}, uint64_t{test::kDefaultNan}, uint64_t{test::kFlushHalfToZero},
          test::kFlushToZero | test::kDefaultNan | test::kFlushHalfToZero}) {
        SCOPED_TRACE(testing::Message() << std::hex << "FPCR " << mode);
        const test::FpcrMode fpcr(mode);
        check(tile, count, {k, bl}, 1, Flush::end);
    }
    for (const uint64_t mode : {test::kRoundUp, test::kRoundDown, test::kRoundToZero}) {
        SCOPED_TRACE(testing::Message() << std::hex << "FPCR " << mode);
        const test::FpcrMode fpcr(mode);
        if (rounds()) {
            const Lhs input = lhs ? make_lhs(tile, count, k, bl, true) : Lhs{{}, make_rhs(count, k, bl)};
            const GuardedBuffer packed(test::packed_size(p, tile, count, k, bl));
            if (lhs) {
                const size_t rows = takes_one_row() ? 1 : count;
                test::run_lhs(
                    p, tile, test::LhsSource(p, tile, input.values, count, k, 1), 0, rows, bl, 0, packed.data());
            } else {
                test::run_rhs(p, tile, test::RhsSource(p, input.side, 1), 0, count, packed.data());
            }
        } else {
            check(tile, count, {k, bl}, 1, Flush::end);
        }
        check(tile, 0, {k, bl}, 1, Flush::end);
    }
}

// Panels packed by threads give the bytes of the whole.
TEST_P(Pack, Threads) {
    if (!test::packs_parts(p)) {
        return;
    }
    const Tile tile = tiles().back();
    const size_t k = typical_depth().k, bl = typical_depth().bl;
    const size_t panels = 9, count = (panels - 1) * tile.rows + tile.rows / 2 + 1;
    const Lhs input = lhs ? make_lhs(tile, count, k, bl, false) : Lhs{{}, make_rhs(count, k, bl)};
    const GuardedBuffer packed(test::packed_size(p, tile, count, k, bl));
    const auto pack_in_threads = [&](const auto& pack) {
        test::in_threads(panels, [&](size_t panel) {
            const size_t first = panel * tile.rows;
            pack(first, std::min(tile.rows, count - first), packed.data() + test::packed_offset(p, tile, first, k, bl));
        });
    };
    if (lhs) {
        const test::LhsSource source(p, tile, input.values, count, k, 2);
        pack_in_threads(
            [&](size_t first, size_t rows, uint8_t* to) { test::run_lhs(p, tile, source, first, rows, bl, 0, to); });
    } else {
        const test::RhsSource source(p, input.side, 2);
        pack_in_threads(
            [&](size_t first, size_t rows, uint8_t* to) { test::run_rhs(p, tile, source, first, rows, to); });
    }
    expect_bytes(packed, lhs ? expected_lhs(input.side, tile) : expected_rhs(input.side, tile));
}

// With assertions, an LHS packer and its getters abort with the name of the function and the value that they reject.
// Skipped if this build does not check (main.cpp).
TEST_P(Pack, LhsRefusesAndSaysWhy) {
    const std::string name = p.name;
    if (!lhs || unified || test::is_indirect(p) || name.find("_sme") != std::string::npos) {
        return;  // those of SME: precondition_test.cpp
    }
    const Tile good = tiles().back();
    const size_t k = typical_depth().k, bl = typical_depth().bl;
    const Lhs input = make_lhs(good, 2, k, bl, false);
    std::vector<uint8_t> packed(1 << 20);
    struct Call {
        Tile tile;
        size_t k, bl, m = 1, start = 0;
    };
    const auto refuses = [&](const Call& c, const std::string& why, bool run = true, bool getters = true) {
        SCOPED_TRACE(why);
        test::LhsSource source(p, good, input.values, 2, k, 0);
        source.k = c.k;
        if (run) {
            EXPECT_ABORT(
                test::run_lhs(p, c.tile, source, 0, c.m, c.bl, c.start, packed.data()), "kai_run_" + name + ": " + why);
        }
        if (getters) {
            EXPECT_ABORT(test::packed_size(p, c.tile, 1, c.k, c.bl), "kai_get_lhs_packed_size_" + name + ": " + why);
            EXPECT_ABORT(
                test::packed_offset(p, c.tile, 0, c.k, c.bl), "kai_get_lhs_packed_offset_" + name + ": " + why);
        }
    };
    const bool f16p = name == "lhs_pack_f16pmrx2_f32_neon";           // takes any bl and kr
    const bool pads_groups = !blocks && p.signature == KAI_LHS_PACK;  // of other sizes kr and sr are no matter
    refuses(
        {{0, good.kr, good.sr}, k, bl},
        p.accepts(good.rows + 1, good.kr, good.sr) ? SAID(zero, "mr") : SAID_AS(other, "mr", "0", "[0-9]+"), true,
        false);
    refuses({{0, good.kr, good.sr}, k, bl}, SAID(zero, "mr"), false, true);
    refuses({{good.rows, 7, 2}, k, bl}, "kr = 7", !f16p, pads_groups);
    refuses(
        {{good.rows, 0, good.sr}, k, bl}, SAID_AS(other, "kr", "0", "[0-9]+") + "|" + SAID(zero, "kr"), !f16p,
        pads_groups);
    if (!p.accepts(good.rows + 1, good.kr, good.sr)) {  // of getters that is no matter
        refuses({{good.rows + 1, good.kr, good.sr}, k, bl}, "mr = " + std::to_string(good.rows + 1), true, false);
    }
    if (blocks) {
        refuses({good, k, 0}, SAID(zero, "bl"), !f16p, !f16p);
        refuses({good, 96, 64}, SAID(not_multiple_of, "k", 96, "bl", 64), !f16p, !f16p);
        const size_t odd = name == "lhs_quant_pack_qsi8d32p_f32" ? 33 : 48;
        refuses({good, 2 * odd, odd}, f16p ? "never" : "bl = " + std::to_string(odd), !f16p, !f16p && odd != 33);
    } else if (p.signature == KAI_LHS_QUANT_PACK) {
        const bool super_blocks = test::fixed_block(p) != 0;
        refuses(
            {{4, 48, 1}, 40, 0},
            super_blocks ? SAID(not_multiple, "k", 40, 256) : SAID(padded_not_multiple, 64, "kr / sr", 48), true,
            super_blocks);
    } else {
        refuses({good, k, 0, 1, 3}, SAID(row_start, 3), true, false);
    }
    if (f16p) {
        refuses({good, 40, 8}, SAID(not_multiple, "k", 40, 16));
    }
    if (takes_one_row()) {
        refuses({good, k, 0, 2}, "m = 2", true, false);
    }
}

TEST_P(Pack, KeepsTheCallersZa) {
    if (kai_cpu_sme_bytes() == 0) {
        return;  // there is no ZA
    }
    const test::LiveZa live_za;
    const Tile tile = tiles().back();
    check(tile, tile.rows + 1, typical_depth(), 0, Flush::end);
    check(tile, 0, typical_depth(), 0, Flush::end);
}

/// All except those of depthwise convolution (dwconv_test.cpp).
std::vector<const kai_packer*> matmul_packers() {
    std::vector<const kai_packer*> packers = test::all_packers();
    packers.erase(
        std::remove_if(packers.begin(), packers.end(), [](const kai_packer* p) { return kai::is_depthwise(*p); }),
        packers.end());
    return packers;
}

INSTANTIATE_TEST_SUITE_P(Packers, Pack, testing::ValuesIn(matmul_packers()), test::instance_name<kai_packer>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Pack);

// Lines of the catalogue by the signature of the packer.
#define BY_SIGNATURE(SIGNATURE, ...) KAI_LINE_(ON_##SIGNATURE, KAI_NO_LINE, ~)(__VA_ARGS__)
#define ON_LHS_PACK_BL KAI_LINES(LHS)
#define ON_LHS_QUANT_PACK KAI_LINES(LHS)
#define ON_LHS_PACK KAI_LINES(LHS_OF_MR)
#define ON_LHS_IMATMUL_PACK KAI_LINES(LHS_CHUNKS)
#define ON_RHS_PACK_NXK_BL KAI_LINES(RECORDS)
#define ON_RHS_PACK_NXK_BL_BF16 KAI_LINES(NIBBLES)
#define ON_RHS_PACK_KXN_BL_BF16 KAI_LINES(NIBBLES)
#define ON_RHS_PACK_NXK_QS4CX KAI_LINES(CHANNELS)
#define ON_RHS_PACK_KXN_QS4CX KAI_LINES(CHANNELS)
#define ON_RHS_PACK_NXK_QSI8CX KAI_LINES(CHANNELS)
#define ON_RHS_PACK_KXN_QSI8CX KAI_LINES(CHANNELS)
#define ON_RHS_PACK_NXK_QSU2CX KAI_LINES(CHANNELS)
#define ON_RHS_PACK_KXN KAI_LINES(ELEMENTS)
#define ON_RHS_PACK_KXN_NR KAI_LINES(ELEMENTS)
#define ON_RHS_PACK_NXK KAI_LINES(ELEMENTS_NXK)
#define ON_RHS_PACK_NXK_GGUF KAI_LINES(FILES)
#define ON_RHS_PACK_NXK_TABLE KAI_LINES(FILES)
#define ON_RHS_IMATMUL_PACK_KXN KAI_LINES(CHUNKS)
#define ON_RHS_IMATMUL_PACK_NXK KAI_LINES(CHUNKS)
#define ON_RHS_IMATMUL_PACK_NXK_NR KAI_LINES(CHUNKS_OF_NR)
#define ON_RHS_PACK_KXN_QS8CX_I32 KAI_LINES(INT8)
#define ON_RHS_IMATMUL_PACK_KXN_QS8CX_I32 KAI_LINES(INT8_CHUNKS)

// Getters that the registry does not carry. A build may lack a packer: then its functions are absent.
#define WEAK(getter) extern "C" [[gnu::weak]] decltype(getter) getter;
#define LHS(isa, name, ...) WEAK(kai_get_m_step_##name)
#define LHS_OF_MR LHS
#define LHS_CHUNKS LHS
#define RECORDS(isa, name, ...) WEAK(kai_get_rhs_packed_stride_##name)
#define NIBBLES(isa, name, ...) RECORDS(isa, name) WEAK(kai_get_n_step_##name)
#define CHANNELS NIBBLES
#define FILES NIBBLES
#define ELEMENTS(isa, name, ...) NIBBLES(isa, name) WEAK(kai_get_bias_offset_##name)
#define ELEMENTS_NXK ELEMENTS
#define CHUNKS ELEMENTS
#define CHUNKS_OF_NR ELEMENTS
#define INT8(isa, name, ...) ELEMENTS(isa, name) WEAK(kai_get_scale_offset_##name)
#define INT8_CHUNKS INT8
#define KAI_OTHERS BY_SIGNATURE
#include "kai/ukernels/pack/packs.def"
#undef LHS
#undef LHS_OF_MR
#undef LHS_CHUNKS
#undef RECORDS
#undef NIBBLES
#undef CHANNELS
#undef FILES
#undef ELEMENTS
#undef ELEMENTS_NXK
#undef CHUNKS
#undef CHUNKS_OF_NR
#undef INT8
#undef INT8_CHUNKS

TEST(PackGetters, StepsAndStrides) {
    const auto runnable = [](const char* name) {
        const kai_packer* p = kai_registry_find_packer(name);
        return p != nullptr && kai_registry_runnable(p->features, nullptr, 0);
    };
    [[maybe_unused]] const size_t words = kai_cpu_sme_bytes() / 4;
#define VL(n) ((n)*words)
    [[maybe_unused]] const size_t sve_words = kai_cpu_sve_bytes() / 4;
#define SVE(n) ((n)*sve_words)
#define LHS(isa, name, ...)                                                           \
    if (runnable(#name)) {                                                            \
        EXPECT_EQ(test::checked_call(kai_get_m_step_##name, size_t{4}), 4u) << #name; \
    }
#define LHS_OF_MR(isa, name, format, mr, ...)                                          \
    if (runnable(#name)) {                                                             \
        EXPECT_EQ(test::checked_call(kai_get_m_step_##name, size_t{mr}), mr) << #name; \
    }
#define RECORDS(isa, name, format, ...)                                                                       \
    if (runnable(#name)) {                                                                                    \
        for (const size_t nr : {1, 4, 7}) {                                                                   \
            EXPECT_EQ(                                                                                        \
                test::checked_call(kai_get_rhs_packed_stride_##name, size_t{96}, nr, size_t{16}, size_t{32}), \
                reference::find_format(#format)->stride({nr, 16, 2, 96, 32}))                                 \
                << #name;                                                                                     \
        }                                                                                                     \
    }
#define CHANNELS(isa, name, format, ...)                                                                    \
    if (runnable(#name)) {                                                                                  \
        for (const size_t nr : {1, 4, 7}) {                                                                 \
            EXPECT_EQ(test::checked_call(kai_get_n_step_##name, nr), nr) << #name;                          \
            EXPECT_EQ(                                                                                      \
                test::checked_call(kai_get_rhs_packed_stride_##name, size_t{96}, nr, size_t{4}, size_t{1}), \
                reference::find_format(#format)->stride({nr, 4, 1, 96, 0}))                                 \
                << #name;                                                                                   \
        }                                                                                                   \
    }
#define FILES(isa, name, format, nr_, kr_, sr_, source)                                          \
    for (const size_t nr : {1, 4, 7}) {                                                          \
        const kai_packer& p = *kai_registry_find_packer(#name);                                  \
        const size_t kr = test::file_bl(p) == 0 ? 1 : kr_ != 0 ? kr_ : 16, sr = kr == 1 ? 1 : 2; \
        EXPECT_EQ(test::checked_call(kai_get_n_step_##name, nr), nr) << #name;                   \
        EXPECT_EQ(                                                                               \
            test::checked_call(kai_get_rhs_packed_stride_##name, size_t{1024}, nr, kr, sr),      \
            reference::find_format(#format)->stride({nr, kr, sr, 1024, test::file_bl(p)}))       \
            << #name;                                                                            \
    }
#define NIBBLES(isa, name, format, ...)                                                                               \
    if (runnable(#name)) {                                                                                            \
        for (const size_t nr : {1, 4, 7}) {                                                                           \
            EXPECT_EQ(test::checked_call(kai_get_n_step_##name, nr), nr) << #name;                                    \
            EXPECT_EQ(                                                                                                \
                test::checked_call(                                                                                   \
                    kai_get_rhs_packed_stride_##name, size_t{96}, nr, size_t{8}, size_t{2}, size_t{32}, kai_dt_bf16), \
                reference::find_format(#format)->stride({nr, 8, 2, 96, 32}))                                          \
                << #name;                                                                                             \
        }                                                                                                             \
    }
#define LHS_CHUNKS(isa, name, format, mr, ...)                             \
    if (runnable(#name)) {                                                 \
        EXPECT_EQ(test::checked_call(kai_get_m_step_##name), mr) << #name; \
    }
// The stride of K x N packers is that of a panel, that of N x K packers of one column.
#define FLOAT_GETTERS(name, format, nr, kr, columns, ...)                                                              \
    if (runnable(#name)) {                                                                                             \
        const reference::Format& f = *reference::find_format(#format);                                                 \
        for (const size_t k : {0, 1, 13}) {                                                                            \
            EXPECT_EQ(                                                                                                 \
                test::checked_call(kai_get_rhs_packed_stride_##name, __VA_ARGS__ k), f.stride({columns, kr, 1, k, 0})) \
                << #name;                                                                                              \
        }                                                                                                              \
        const size_t bias_size = f.bias_type == Format::f16_bias ? 2 : 4;                                              \
        EXPECT_EQ(test::checked_call(kai_get_bias_offset_##name, size_t{24}), 24 * bias_size) << #name;                \
        EXPECT_EQ(test::checked_call(kai_get_n_step_##name), nr) << #name;                                             \
    }
#define ONE_CHUNK size_t{1},
#define SCALE_GETTER(name)                                                                                   \
    if (runnable(#name)) {                                                                                   \
        EXPECT_EQ(test::checked_call(kai_get_scale_offset_##name, size_t{24}), 24 * sizeof(float)) << #name; \
    }
#define ELEMENTS(isa, name, format, nr, kr, ...) FLOAT_GETTERS(name, format, nr, kr, nr, )
#define ELEMENTS_NXK(isa, name, format, nr, kr, ...) FLOAT_GETTERS(name, format, nr, kr, 1, )
#define CHUNKS(isa, name, format, nr, kr, ...) FLOAT_GETTERS(name, format, nr, kr, nr, ONE_CHUNK)
#define CHUNKS_OF_NR(isa, name, format, nr_, kr, ...)                                                           \
    for (const size_t nr : {1, 4, 7}) {                                                                         \
        const reference::Format& f = *reference::find_format(#format);                                          \
        EXPECT_EQ(test::checked_call(kai_get_n_step_##name, nr), nr) << #name;                                  \
        EXPECT_EQ(test::checked_call(kai_get_bias_offset_##name, size_t{24}), 24u * sizeof(uint16_t)) << #name; \
        EXPECT_EQ(                                                                                              \
            test::checked_call(kai_get_rhs_packed_stride_##name, size_t{3}, size_t{5}, nr),                     \
            f.stride({nr, kr, 1, 3 * 6, 0}))                                                                    \
            << #name;                                                                                           \
    }
#define INT8(isa, name, format, nr, kr, ...)  \
    FLOAT_GETTERS(name, format, nr, kr, nr, ) \
    SCALE_GETTER(name)
#define INT8_CHUNKS(isa, name, format, nr, kr, ...)    \
    FLOAT_GETTERS(name, format, nr, kr, nr, ONE_CHUNK) \
    SCALE_GETTER(name)
#define KAI_OTHERS BY_SIGNATURE
#include "kai/ukernels/pack/packs.def"
}

}  // namespace
