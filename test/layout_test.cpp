// kai/engines/core/layout.hpp against the reference layouts, and against itself: every element has a place of its own.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kai/engines/core/layout.hpp"
#include "kai/ukernels/families.h"
#include "test/reference/formats.hpp"

namespace {

/// The formats that packers write: all of layout.hpp.
std::vector<const kai::Format*> packed_formats() {
    const kai::Format* const of_packers[] = {
#define KAI_OTHERS(SIGNATURE, ISA, NAME, FORMAT, ...) &kai::FORMAT,
#include "kai/ukernels/pack/packs.def"
    };
    std::vector<const kai::Format*> each;
    for (const kai::Format* format : of_packers) {
        if (std::find(each.begin(), each.end(), format) == each.end()) {
            each.push_back(format);
        }
    }
    return each;
}

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

    /// For elements whose bits are not adjacent: Format::at.
    bool has_parts() const {
        return f.bits < 8 && 8 % f.bits != 0;
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
    if (has_parts()) {
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
            if (!r->blocks && r->scale != nullptr) {
                EXPECT_EQ(r->scale(s, 0, 0), at);
                at += 4 * c.tile.rows;
            }
            if (r->bias != nullptr && f.panel_head == 0) {
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
        const reference::Shape s = {c.tile.rows, c.tile.kr, c.tile.sr, c.k, c.bl};
        const auto parts_of = [&](size_t row, size_t kk) -> reference::PartList {
            if (r->parts != nullptr) {
                return r->parts(s, row, kk);
            }
            if (r->fifth != nullptr) {
                const reference::Place low = r->place(s, row, kk), high = r->fifth(s, row, kk);
                return {{low.byte, low.shift, 4, 0}, {high.byte, high.shift, 1, 4}};
            }
            const reference::Place at = place(c, row, kk);
            return {{at.byte, at.shift, f.bits, 0}};
        };
        std::vector<bool> taken(stride(c) * 8);
        for (size_t row = 0; row < c.tile.rows; ++row) {
            for (size_t kk = 0; kk < c.k; ++kk) {
                for (const reference::Part& part : parts_of(row, kk)) {
                    const size_t first = part.byte * 8 + part.shift;
                    for (size_t bit = first; bit < first + part.bits; ++bit) {
                        ASSERT_LT(bit, taken.size());
                        EXPECT_FALSE(taken[bit]) << "row " << row << ", k " << kk;
                        taken[bit] = true;
                    }
                }
            }
        }
        ASSERT_FALSE(HasFailure());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, Layout, testing::ValuesIn(packed_formats()),
    [](const testing::TestParamInfo<const kai::Format*>& info) { return std::string(info.param->name); });

}  // namespace
