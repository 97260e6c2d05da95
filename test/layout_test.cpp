// kai/engines/core/layout.hpp against the reference layouts, and against itself: every element has a place of its own.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "kai/engines/core/layout.hpp"
#include "test/reference/formats.hpp"

namespace {

// A format that is added to layout.hpp is added here, and to test/reference/formats.cpp.
const kai::Format* const kFormats[] = {
    &kai::qsi8d32p,
    &kai::qsi8d32p_last,
    &kai::qsi8d32pscalef32,
    &kai::qsi8d32psumf16,
    &kai::qsi8d256p,
    &kai::qsi6c16x256p,
    &kai::qsi6c16x256pnrx4,
    &kai::qsi8c32p,
    &kai::qsi4c32p,
    &kai::qlu4c32p,
    &kai::qlu4c32pscalebf16,
    &kai::qlu4c16p,
    &kai::qau4c32x256p,
    &kai::qlu4c32x256p,
    &kai::qlu4c32x256ps1s0,
    &kai::qlu4c32ps1s0scalef16,
    &kai::qlu4c32ps1s0scalebf16,
    &kai::qlu4c16ps1s0scalef16,
    &kai::qai4c32p,
    &kai::qai4c32ps1s0nrx4,
    &kai::qai4c32ps1s0sf16,
    &kai::qsi4c32pbf16,
    &kai::qsi4c32ps1s0,
    &kai::qai8dxp,
    &kai::qsi4cxp,
    &kai::qsi4cxps1s0,
    &kai::qsi8cxp,
    &kai::qsu2cxp4x4,
    &kai::qsu2cxp4vlx4,
    &kai::f32p,
    &kai::f32pbiasf32,
    &kai::qsi4c32ps1s0scalef16,
    &kai::qsi8c32pscalef16,
    &kai::qsi4c32ps4s0sf16,
    &kai::qsi4c32ps4s0sbf16,
    &kai::qau8p,
    &kai::qsi8p,
};

class Layout : public testing::TestWithParam<const kai::Format*> {
protected:
    const kai::Format& f = *GetParam();
    const reference::Format* r = reference::find_format(f.name);

    void SetUp() override {
        ASSERT_NE(r, nullptr) << "test/reference/formats.cpp lacks it";
    }

    struct Case {
        kai::Tile tile;
        size_t k, bl;
    };
    std::vector<Case> cases() const {
        std::vector<Case> cases;
        for (const size_t rows : {1, 2, 4, 7, 8, 16, 64}) {
            if (r->parts != nullptr && rows % 4 != 0) {
                continue;  // columns are in fours
            }
            if (!r->blocks) {
                // Tables: groups of four only. Floats: no groups.
                const size_t kr = r->scale_type == reference::Format::no_scale ? 1 : 4;
                for (const size_t k : {0, 1, 2, 5, 16, 33, 64}) {
                    cases.push_back({{rows, kr, 1}, k, 0});
                    if (kr == 4 && f.bits > 2) {
                        cases.push_back({{rows, 8, 1}, k, 0});
                        cases.push_back({{rows, 16, 2}, k, 0});
                    }
                }
                continue;
            }
            const bool groups_of_kr = f.group == kai::Format::kr;
            for (const auto& [kr, sr] : {std::pair<size_t, size_t>{16, 2}, {8, 2}, {4, 2}}) {
                for (const size_t k : {0, 256, 512, 1280}) {
                    if (f.block != 0) {
                        cases.push_back({{rows, kr, sr}, k, f.block});
                    }
                }
                for (const auto& [k, bl] :
                     {std::pair<size_t, size_t>{0, 32}, {32, 32}, {96, 32}, {128, 64}, {256, 128}, {96, 96}}) {
                    if (r->only_bl != 0 && bl != r->only_bl) {
                        continue;
                    }
                    if ((!groups_of_kr || kr == 4) && f.block == 0) {
                        cases.push_back({{rows, kr, sr}, k, bl});
                    }
                }
            }
        }
        return cases;
    }

    size_t stride(const Case& c) const {
        return c.bl ? f.stride(c.tile, c.k, c.bl) : f.stride(c.tile, c.k);
    }
    /// Where layout.hpp puts element kk of row `row`, in bytes from the start of the panel.
    reference::Place place(const Case& c, size_t row, size_t kk) const {
        if (c.bl == 0) {
            const auto at = f.at(c.tile, c.k, row, kk);
            return {f.elements(c.tile, c.k, 0) + at.byte, at.shift};
        }
        const auto at = f.at(c.tile, c.bl, row, kk % c.bl);
        return {f.elements(c.tile, c.bl, kk / c.bl) + at.byte, at.shift};
    }
};

TEST_P(Layout, SizesAndOffsets) {
    for (const Case& c : cases()) {
        const size_t want = r->stride({c.tile.rows, c.tile.kr, c.tile.sr, c.k, c.bl});
        if (f.block != 0) {
            EXPECT_EQ(f.stride(c.tile, c.k), want);
        }
        EXPECT_EQ(stride(c), want) << "rows " << c.tile.rows << ", k " << c.k << ", bl " << c.bl;
        for (const size_t row : {size_t{0}, c.tile.rows - 1, c.tile.rows, 3 * c.tile.rows + 1}) {
            EXPECT_EQ(c.bl ? f.offset(c.tile, row, c.k, c.bl) : f.offset(c.tile, row, c.k), row / c.tile.rows * want);
            EXPECT_EQ(
                c.bl ? f.size(c.tile, row, c.k, c.bl) : f.size(c.tile, row, c.k),
                (row + c.tile.rows - 1) / c.tile.rows * want);
        }
    }
}

TEST_P(Layout, Places) {
    if (r->parts != nullptr) {
        return;  // layout.hpp does not tell
    }
    for (const Case& c : cases()) {
        const reference::Shape s = {c.tile.rows, c.tile.kr, c.tile.sr, c.k, c.bl};
        const size_t stored_k = (c.k + r->k_multiple - 1) / r->k_multiple * r->k_multiple;
        for (size_t row = 0; row < c.tile.rows; ++row) {
            for (size_t kk = 0; kk < stored_k; ++kk) {
                const reference::Place got = place(c, row, kk), want = r->place(s, row, kk);
                ASSERT_TRUE(got.byte == want.byte && got.shift == want.shift)
                    << "row " << row << ", k " << kk << ": byte " << got.byte << " << " << got.shift << ", not "
                    << want.byte << " << " << want.shift << "; rows " << c.tile.rows << ", kr " << c.tile.kr << ", bl "
                    << c.bl;
            }
        }
    }
}

TEST_P(Layout, Fields) {
    for (const Case& c : cases()) {
        const reference::Shape s = {c.tile.rows, c.tile.kr, c.tile.sr, c.k, c.bl};
        for (size_t b = 0; b < s.blocks(); ++b) {
            if (f.block_head != 0) {
                EXPECT_EQ(f.head(c.tile, c.k, c.bl, b), r->scale(s, 0, b * r->scales_per_block));
            }
            if (f.block_tail != 0) {
                const size_t offsets = r->offset != nullptr ? f.block_tail / 2 * c.tile.rows : 0;  // as wide as scales
                EXPECT_EQ(f.tail(c.tile, c.bl, b), r->offset != nullptr ? r->offset(s, 0, b) : r->scale(s, 0, b));
                EXPECT_EQ(f.tail(c.tile, c.bl, b) + offsets, r->scale(s, 0, b));
            }
        }
        if (f.panel_tail != 0) {
            // Row offsets or sums, then scales if they are not in the blocks, then biases.
            size_t at = c.bl ? f.panel_end(c.tile, c.k, c.bl) : f.panel_end(c.tile, c.k);
            for (const auto& field : {r->row_offset, r->sum}) {
                if (field != nullptr) {
                    EXPECT_EQ(field(s, 0), at);
                    at += 4 * c.tile.rows;
                }
            }
            if (!r->blocks) {
                EXPECT_EQ(r->scale(s, 0, 0), at);
                at += 4 * c.tile.rows;
            }
            if (r->bias != nullptr) {
                EXPECT_EQ(r->bias(s, 0), at);
                at += 4 * c.tile.rows;
            }
            EXPECT_EQ(at, stride(c));
        }
        if (f.panel_head != 0 && !f.table) {
            EXPECT_EQ((r->bias != nullptr ? r->bias : r->sum)(s, 0), 0u);
        }
    }
}

TEST_P(Layout, EveryElementHasItsOwnPlace) {
    for (const Case& c : cases()) {
        std::vector<bool> taken(stride(c) * 4);  // pairs of bits
        for (size_t row = 0; row < c.tile.rows; ++row) {
            for (size_t kk = 0; kk < c.k; ++kk) {
                if (r->parts != nullptr) {
                    for (const reference::Part& part :
                         r->parts({c.tile.rows, c.tile.kr, c.tile.sr, c.k, c.bl}, row, kk)) {
                        const size_t pair = part.byte * 4 + part.shift / 2;
                        for (size_t i = pair; i < pair + part.bits / 2; ++i) {
                            ASSERT_LT(i, taken.size());
                            EXPECT_FALSE(taken[i]) << "row " << row << ", k " << kk;
                            taken[i] = true;
                        }
                    }
                    continue;
                }
                const reference::Place at = place(c, row, kk);
                for (unsigned bit = 0; bit < f.bits; bit += 2) {
                    const size_t pair = at.byte * 4 + (at.shift + bit) / 2;
                    ASSERT_LT(pair, taken.size());
                    EXPECT_FALSE(taken[pair]) << "row " << row << ", k " << kk;
                    taken[pair] = true;
                }
            }
        }
        ASSERT_FALSE(HasFailure());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, Layout, testing::ValuesIn(kFormats),
    [](const testing::TestParamInfo<const kai::Format*>& info) { return std::string(info.param->name); });

}  // namespace
