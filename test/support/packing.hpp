// Sources for packers and one way to call every kind of packer.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "kai/call.hpp"
#include "kai/kai_registry.h"
#include "test/reference/formats.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/random.hpp"

namespace test {

using kai::has_block_sums;
using kai::has_blocks;
using kai::has_channels;
using kai::is_indirect;
using kai::is_kxn;
using kai::is_lhs;
using kai::is_unified;
using kai::packs_parts;

/// Static int8: sums of columns go to the bias, and a scale to all others.
bool is_requantising(const kai_packer& packer);

/// Whether the packer adds m_idx_start rows to the source itself. One block packer ignores the argument, and clients
/// rely on it (packs-qsi8d32p.csv; README.md of the specification, rule 6).
bool uses_start_index(const kai_packer& packer);

/// Whether m_idx_start chooses the slot of the first row, and nothing else.
bool uses_start_slot(const kai_packer& packer);

/// Some tiles that it accepts, at least one.
std::vector<reference::Tile> tiles_of(const kai_packer& packer);

/// What it writes. Unlike others of their formats, LHS packers for NEON do not write the slots of missing rows.
reference::Format format_of(const kai_packer& packer);

/// The only length of blocks of the format, of which k is a multiple; 0: bl is an argument, or there are no blocks.
size_t fixed_block(const kai_packer& packer);

/// Depth of an indirect matmul: some chunks.
struct Chunks {
    size_t count, length;
    explicit Chunks(size_t k) : count(k > 0 && k % 3 == 0 ? 3 : k > 0 && k % 2 == 0 ? 2 : 1), length(k / count) {
    }
    /// Depth with every chunk padded to a multiple of `group`.
    size_t stored(size_t group) const {
        return count * ((length + group - 1) / group * group);
    }
};

/// @name Packers of rows of GGUF files, or with a table of the caller's
/// @{
/// Weights in a block of the file, and in one of the packed format; 0 where there are no such blocks.
size_t file_block(const kai_packer& packer);
size_t file_bl(const kai_packer& packer);
/// Rows of random blocks with finite scales (side.source), and their expected packed form.
reference::Side make_file_side(const kai_packer& packer, size_t rows, size_t k, Random& random);
/// The type of the elements of a source of floats: "f32", "f16", "bf16".
std::string source_type(const kai_packer& packer);
/// @}

/// Bits and whole bytes of an element of the source.
unsigned element_bits(const kai_packer& packer);
size_t element_size(const kai_packer& packer);

/// `count` elements of its source, as floats.
std::vector<float> decode_lhs(const kai_packer& lhs_packer, const uint8_t* elements, size_t count);

/// Rows of the type that the packer reads, `gap` elements apart, in memory of exact size. For indirect matmul, chunks
/// and a table of pointers to them, in groups of tile.rows rows; chunks that are like the first one are the padding.
class LhsSource {
public:
    LhsSource(
        const kai_packer& packer, reference::Tile tile, const std::vector<float>& values, size_t rows, size_t k,
        size_t gap, Flush flush = Flush::end);
    size_t k, stride;
    GuardedBuffer data, padding, table;
    const uint8_t* rows = data.data();
    size_t panel_gap = 0;  // bytes between panels of the unified API

    static constexpr uintptr_t kPointerOffset = 0x1234567800012340;  // what the pointers lack
};

/// What a packer reads to pack `side`, in memory of exact size.
class RhsSource {
public:
    /// `gap`: elements (nibbles: bytes) between the rows, for packers with a stride.
    /// `zero_point`: what is added to int4 elements with a scale per column, 8 or 0.
    RhsSource(
        const kai_packer& packer, const reference::Side& side, size_t gap, Flush flush = Flush::end,
        uint8_t zero_point = 8);
    size_t k, bl, scales_per_row;
    uint8_t zero_point;
    size_t stride, scale_stride;  // bytes of a row of data; of the scales of the blocks of a column
    GuardedBuffer data, zero, scale, bias, table;
    const uint8_t *lines = data.data(), *scales = scale.data();
    bool has_bias, has_table;
    int32_t lhs_zero_point = 1;  // of params
    float scale_multiplier = 0.3f;
    size_t panel_gap = 0;  // bytes between panels of the unified API
};

/// What a packer of static int8 stores for a side: the bias includes scaled column sums.
reference::Side requantised(const reference::Side& side, int32_t lhs_zero_point, float scale_multiplier);

/// @name Getters
/// `panel_gap`: bytes between panels of the unified API. There is no offset in the source of an indirect LHS.
/// @{
size_t packed_size(
    const kai_packer& packer, reference::Tile tile, size_t rows, size_t k, size_t bl, size_t panel_gap = 0);
size_t packed_offset(
    const kai_packer& packer, reference::Tile tile, size_t row, size_t k, size_t bl, size_t panel_gap = 0);
size_t source_offset(const kai_packer& packer, size_t row, size_t stride);
/// The tables of the unified API; `run` may be a mutant.
kai_matmul_pack_lhs_uker_api lhs_api(const kai_packer& packer);
kai_matmul_pack_rhs_uker_api rhs_api(const kai_packer& packer);
/// @}

/// Packs `count` rows from `first` on, `first` by moving the pointer to the source. `packed` is the panel of the first
/// row. With `m_idx_start`, the rows of the call are first + m_idx_start and so on.
void run_lhs(
    const kai_packer& packer, reference::Tile tile, const LhsSource& source, size_t first, size_t count, size_t bl,
    size_t m_idx_start, uint8_t* packed);

/// Packs rows of the source by their indices.
void run_lhs_rows(
    const kai_packer& packer, reference::Tile tile, const LhsSource& source, const std::vector<size_t>& indices,
    size_t bl, uint8_t* packed);

/// Packs `count` columns from `first` on.
void run_rhs(
    const kai_packer& packer, reference::Tile tile, const RhsSource& source, size_t first, size_t count,
    uint8_t* packed);

/// "m 3, k 64", for SCOPED_TRACE: a stream would take longer than some calls, under emulation.
std::string listed(std::initializer_list<std::pair<const char*, size_t>> numbers);

}  // namespace test
