// SPDX-License-Identifier: Apache-2.0
#include "test/support/packing.hpp"

#include <cstring>
#include <string>

#include "kai/kai_cpu.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"
#include "test/reference/float16.hpp"
#include "test/reference/quantise.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/subject.hpp"
#include "tools/registry_call.hpp"

namespace test {

using reference::Format;
using reference::Side;
using reference::Tile;

namespace {

/// Lines of `length` bytes, moved `gap` bytes apart.
std::vector<uint8_t> with_gaps(const std::vector<uint8_t>& lines, size_t length, size_t gap) {
    std::vector<uint8_t> bytes;
    for (size_t at = 0; at < lines.size(); at += length) {
        bytes.resize(at == 0 ? 0 : bytes.size() + gap, 0xFF);
        bytes.insert(bytes.end(), lines.begin() + at, lines.begin() + at + length);
    }
    return bytes;
}

/// Numbers of type "f32", "f16", "bf16", "int32", or bytes.
std::vector<uint8_t> encode_numbers(const std::string& type, const std::vector<float>& values) {
    std::vector<uint8_t> bytes;
    for (const float x : values) {
        const uint32_t number = type == "f32"    ? reference::bits_of(x)
                                : type == "f16"  ? reference::f16_from_f32(x)
                                : type == "bf16" ? reference::bf16_from_f32(x)
                                                 : static_cast<uint32_t>(static_cast<int32_t>(x));
        const size_t size = type == "f32" || type == "int32" ? 4 : type == "f16" || type == "bf16" ? 2 : 1;
        for (size_t i = 0; i < size; ++i) {
            bytes.push_back(static_cast<uint8_t>(number >> 8 * i));
        }
    }
    return bytes;
}

/// Rows `gap` elements of NaN apart.
std::vector<uint8_t> encode_lhs(
    const kai_packer& packer, const std::vector<float>& values, size_t columns, size_t gap) {
    const size_t size = element_size(packer);
    return with_gaps(encode_numbers(packer.source_format, values), columns * size, gap * size);
}

std::vector<uint8_t> dense(const std::vector<float>& values) {
    return encode_numbers("f32", values);
}

std::vector<uint8_t> as_bytes(const std::vector<int32_t>& values) {
    std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
    for (size_t i = 0; i < values.size(); ++i) {
        std::memcpy(&bytes[i * sizeof(int32_t)], &values[i], sizeof(int32_t));
    }
    return bytes;
}

/// n x k to k x n.
std::vector<float> transposed(const Side& side) {
    std::vector<float> values(side.values.size());
    for (size_t n = 0; n < side.rows; ++n) {
        for (size_t kk = 0; kk < side.k; ++kk) {
            values[kk * side.rows + n] = side.values[n * side.k + kk];
        }
    }
    return values;
}

/// K x N without a stride.
bool is_dense(const kai_packer& packer) {
    return packer.signature == KAI_RHS_PACK_KXN_QS4CX || packer.signature == KAI_RHS_PACK_KXN_QSI8CX;
}

/// Bytes of a line of the source: of a row of k (K x N), or of a column of the product.
size_t line_size(const kai_packer& packer, const Side& side) {
    return ((is_kxn(packer) ? side.rows : side.k) * element_bits(packer) + 7) / 8;
}

/// Bytes of `gap` elements between lines; none where lines must follow each other.
size_t gap_size(const kai_packer& packer, size_t gap) {
    switch (packer.signature) {
        case KAI_RHS_PACK_NXK_BL_ZERO:
        case KAI_RHS_PACK_NXK_QS4CX:
        case KAI_RHS_PACK_NXK_QSI8CX:
        case KAI_RHS_PACK_NXK_QSU2CX:
            return 0;
        default:
            return is_dense(packer) ? 0 : gap * element_size(packer);
    }
}

std::vector<uint8_t> encode_bias(const kai_packer& packer, const Side& side) {
    const Format::Bias type = format_of(packer).bias_type;
    return encode_numbers(type == Format::f32_bias ? "f32" : type == Format::f16_bias ? "f16" : "int32", side.bias);
}

std::vector<uint8_t> encode_scales(const kai_packer& packer, const Side& side, size_t gap) {
    if (!has_block_sums(packer)) {
        return dense(side.scale);
    }
    std::vector<uint8_t> bytes;
    for (const float scale : side.scale) {
        const uint16_t bits = reference::bf16_from_f32(scale);
        bytes.push_back(static_cast<uint8_t>(bits));
        bytes.push_back(static_cast<uint8_t>(bits >> 8));
    }
    return with_gaps(bytes, side.blocks() * sizeof(uint16_t), gap * sizeof(uint16_t));
}

std::vector<uint8_t> encode(const kai_packer& packer, const Side& side, size_t gap, uint8_t zero_point) {
    switch (packer.signature) {
        case KAI_RHS_PACK_NXK_BL:
            return reference::encode_qsu4c32s16s0(side);
        case KAI_RHS_PACK_NXK_BL_ZERO:
            return reference::encode_qau4(side, std::string(packer.source_format) == "qau4c32s0s1");
        default:
            break;
    }
    const bool kxn = is_kxn(packer);
    const unsigned bits = element_bits(packer);
    if (side.values.empty()) {
        const std::string source = packer.source_format;
        const int added = bits != 4                                      ? 0
                          : source == "qsi4cx"                           ? 0
                          : source == "qsu4cx" || has_block_sums(packer) ? 8
                                                                         : zero_point;
        return with_gaps(
            reference::encode_lines(side, bits, added, kxn), line_size(packer, side), gap_size(packer, gap));
    }
    return with_gaps(
        encode_numbers(packer.source_format, kxn ? transposed(side) : side.values), line_size(packer, side),
        gap_size(packer, gap));
}

size_t stride_of(const kai_packer& packer, const Side& side, size_t gap) {
    return packer.signature == KAI_RHS_PACK_NXK_BL ? side.blocks() * (2 + side.bl / 2)
                                                   : line_size(packer, side) + gap_size(packer, gap);
}

}  // namespace

unsigned element_bits(const kai_packer& packer) {
    const std::string type = packer.source_format;
    const auto has = [&](const char* part) { return type.find(part) != std::string::npos; };
    return type == "f32" ? 32 : has("f16") ? 16 : has("4c") ? 4 : has("2c") ? 2 : 8;
}

size_t element_size(const kai_packer& packer) {
    return (element_bits(packer) + 7) / 8;
}

std::vector<float> decode_lhs(const kai_packer& lhs_packer, const uint8_t* elements, size_t count) {
    const std::string type = lhs_packer.source_format;
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) {
        uint16_t half;
        if (type == "f32") {
            std::memcpy(&values[i], elements + 4 * i, sizeof(float));
        } else {
            std::memcpy(&half, elements + 2 * i, sizeof(half));
            values[i] = type == "f16" ? reference::f32_from_f16(half) : reference::f32_from_bf16(half);
        }
    }
    return values;
}

bool is_lhs(const kai_packer& packer) {
    return packer.signature <= KAI_LHS_PACK_UNIFIED;
}

bool is_unified(const kai_packer& packer) {
    return packer.signature == KAI_LHS_PACK_UNIFIED || packer.signature == KAI_RHS_PACK_KXN_UNIFIED ||
           packer.signature == KAI_RHS_PACK_NXK_UNIFIED;
}

bool is_indirect(const kai_packer& packer) {
    return packer.signature == KAI_LHS_IMATMUL_PACK || packer.signature == KAI_RHS_IMATMUL_PACK_KXN ||
           packer.signature == KAI_RHS_IMATMUL_PACK_KXN_QS8CX_I32;
}

bool is_kxn(const kai_packer& packer) {
    return kai_tools::is_kxn(packer);
}

bool is_requantising(const kai_packer& packer) {
    return std::string(packer.format).find("bi32sf32") != std::string::npos;
}

std::vector<reference::Tile> tiles_of(const kai_packer& p) {
    std::vector<reference::Tile> tiles;
    const size_t sve = kai_cpu_sve_bytes() / 4, sme = kai_cpu_sme_bytes() / 4;
    for (const size_t rows :
         {size_t{4}, size_t{8}, size_t{1}, size_t{12}, size_t{16}, size_t{32}, 4 * sve, sme, 2 * sme, 4 * sme,
          16 * sme}) {
        for (const reference::Tile t :
             {reference::Tile{rows, 16, 2}, {rows, 8, 2}, {rows, 4, 2}, {rows, 4, 1}, {rows, 2, 1}, {rows, 1, 1}}) {
            if (rows > 0 && tiles.size() < 2 && p.accepts(t.rows, t.kr, t.sr)) {
                tiles.push_back(t);
            }
        }
    }
    return tiles;
}

reference::Format format_of(const kai_packer& packer) {
    Format format = *reference::find_format(packer.format);
    if (is_lhs(packer) && std::string(packer.name).find("_neon") != std::string::npos) {
        format.padding = Format::untouched;
    }
    return format;
}

bool has_blocks(const kai_packer& packer) {
    return packer.signature == KAI_LHS_PACK_BL || packer.signature == KAI_RHS_PACK_NXK_BL ||
           packer.signature == KAI_RHS_PACK_NXK_BL_ZERO || has_block_sums(packer);
}

bool has_block_sums(const kai_packer& packer) {
    return packer.signature == KAI_RHS_PACK_NXK_BL_BF16 || packer.signature == KAI_RHS_PACK_KXN_BL_BF16;
}

bool has_channels(const kai_packer& packer) {
    return is_dense(packer) || packer.signature == KAI_RHS_PACK_NXK_QS4CX ||
           packer.signature == KAI_RHS_PACK_NXK_QSI8CX || packer.signature == KAI_RHS_PACK_NXK_QSU2CX;
}

bool packs_parts(const kai_packer& packer) {
    return !is_dense(packer);
}

bool uses_start_index(const kai_packer& packer) {
    const std::string name = packer.name;
    return packer.signature == KAI_LHS_PACK_BL && name != "lhs_quant_pack_qsi8d32p_f32_neon" &&
           name != "lhs_pack_f16pmrx2_f32_neon";
}

bool uses_start_slot(const kai_packer& packer) {
    return packer.signature == KAI_LHS_QUANT_PACK;
}

LhsSource::LhsSource(
    const kai_packer& packer, Tile tile, const std::vector<float>& values, size_t rows, size_t k, size_t gap,
    Flush flush)
    : k(k),
      stride((k + gap) * element_size(packer)),
      data(encode_lhs(packer, values, k, gap), flush),
      padding(is_indirect(packer) && rows > 0 ? Chunks(k).length * element_size(packer) : 0, flush),
      table(
          is_indirect(packer) ? (rows + tile.rows - 1) / tile.rows * tile.rows * Chunks(k).count * sizeof(void*) : 0,
          flush, 0x5B) {
    if (!is_indirect(packer) || rows == 0) {
        return;
    }
    const Chunks c(k);
    std::memcpy(padding.data(), data.data(), padding.size());
    for (size_t row = 0; row < rows; ++row) {
        for (size_t chunk = 0; chunk < c.count; ++chunk) {
            const uint8_t* from = data.data() + row * stride + chunk * padding.size();
            const bool pad = std::memcmp(from, padding.data(), padding.size()) == 0;
            table.as<uintptr_t>()[(row / tile.rows * c.count + chunk) * tile.rows + row % tile.rows] =
                pad ? reinterpret_cast<uintptr_t>(padding.data()) : reinterpret_cast<uintptr_t>(from) - kPointerOffset;
        }
    }
}

RhsSource::RhsSource(const kai_packer& packer, const Side& side, size_t gap, Flush flush, uint8_t zero_point)
    : k(side.k),
      bl(side.bl),
      scales_per_row(side.scales_per_row()),
      zero_point(zero_point),
      stride(stride_of(packer, side, gap)),
      scale_stride((side.blocks() + gap) * sizeof(uint16_t)),
      data(encode(packer, side, gap, zero_point), flush),
      zero(dense(side.offset), flush),
      scale(encode_scales(packer, side, gap), flush),
      bias(encode_bias(packer, side), flush),
      table(as_bytes(side.table), flush),
      has_bias(!side.bias.empty()),
      has_table(side.table != std::vector<int32_t>{-2, -1, 0, 1}) {
}

Side requantised(const Side& side, int32_t lhs_zero_point, float scale_multiplier) {
    Side packed = side;
    for (size_t row = 0; row < side.rows; ++row) {
        packed.bias_added.push_back(
            -static_cast<uint32_t>(lhs_zero_point) * static_cast<uint32_t>(side.sum_of_elements(row)));
        packed.scale[row] *= scale_multiplier;
    }
    return packed;
}

kai_matmul_pack_lhs_uker_api lhs_api(const kai_packer& p) {
    kai_matmul_pack_lhs_uker_api api = reinterpret_cast<kai_get_matmul_pack_lhs_uker_api_fn*>(p.run)();
    if (substitute_packer != nullptr) {
        api.run = reinterpret_cast<decltype(api.run)>(run_of(p));
    }
    return api;
}

kai_matmul_pack_rhs_uker_api rhs_api(const kai_packer& p) {
    kai_matmul_pack_rhs_uker_api api = reinterpret_cast<kai_get_matmul_pack_rhs_uker_api_fn*>(p.run)();
    if (substitute_packer != nullptr) {
        api.run = reinterpret_cast<decltype(api.run)>(run_of(p));
    }
    return api;
}

namespace {

/// Bytes from a panel of the unified API to the next.
kai_matmul_pack_lhs_uker_lhs_packed_stride_args lhs_panel(const kai_packer& p, size_t k, size_t gap) {
    const kai_matmul_pack_lhs_uker_lhs_packed_dim_args shape = {1, k};
    return {lhs_api(p).get_lhs_packed_stride(nullptr, &shape).m + gap};
}
kai_matmul_pack_rhs_uker_rhs_packed_stride_args rhs_panel(const kai_packer& p, size_t k, size_t gap) {
    const kai_matmul_pack_rhs_uker_rhs_packed_dim_args shape = {1, k};
    return {rhs_api(p).get_rhs_packed_stride(nullptr, &shape).n + gap};
}

}  // namespace

size_t packed_size(const kai_packer& p, Tile t, size_t rows, size_t k, size_t bl, size_t panel_gap) {
    const Chunks c(k);
    switch (p.signature) {
        case KAI_LHS_PACK_BL:
            return checked_call_as<kai_get_lhs_packed_size_bl_fn>(p.get_packed_size, rows, k, bl, t.rows, t.kr, t.sr);
        case KAI_LHS_PACK:
        case KAI_LHS_QUANT_PACK:
            return checked_call_as<kai_get_lhs_packed_size_fn>(p.get_packed_size, rows, k, t.rows, t.kr, t.sr);
        case KAI_RHS_PACK_NXK_BL:
        case KAI_RHS_PACK_NXK_BL_ZERO:
            return checked_call_as<kai_get_rhs_packed_size_bl_fn>(p.get_packed_size, rows, k, t.rows, t.kr, bl);
        case KAI_RHS_PACK_NXK_BL_BF16:
        case KAI_RHS_PACK_KXN_BL_BF16:
            return checked_call_as<kai_get_rhs_packed_size_bl_dt_fn>(
                p.get_packed_size, rows, k, t.rows, t.kr, t.sr, bl, kai_dt_bf16);
        case KAI_RHS_PACK_NXK_QS4CX:
        case KAI_RHS_PACK_KXN_QS4CX:
        case KAI_RHS_PACK_NXK_QSI8CX:
        case KAI_RHS_PACK_KXN_QSI8CX:
        case KAI_RHS_PACK_NXK_QSU2CX:
            return checked_call_as<kai_get_rhs_packed_size_cx_fn>(p.get_packed_size, rows, k, t.rows, t.kr, t.sr);
        case KAI_RHS_PACK_KXN_NR:
            return checked_call_as<kai_get_rhs_packed_size_nr_fn>(p.get_packed_size, rows, k, t.rows, t.kr);
        case KAI_LHS_IMATMUL_PACK:
        case KAI_RHS_IMATMUL_PACK_KXN:
        case KAI_RHS_IMATMUL_PACK_KXN_QS8CX_I32:
            return checked_call_as<kai_get_packed_size_chunks_fn>(p.get_packed_size, rows, c.count, c.length);
        case KAI_LHS_PACK_UNIFIED: {
            const kai_matmul_pack_lhs_uker_lhs_packed_dim_args shape = {rows, k};
            const auto panel = lhs_panel(p, k, panel_gap);
            return checked_call(lhs_api(p).get_lhs_packed_size, nullptr, &shape, &panel);
        }
        case KAI_RHS_PACK_KXN_UNIFIED:
        case KAI_RHS_PACK_NXK_UNIFIED: {
            const kai_matmul_pack_rhs_uker_rhs_packed_dim_args shape = {rows, k};
            const auto panel = rhs_panel(p, k, panel_gap);
            return checked_call(rhs_api(p).get_rhs_packed_size, nullptr, &shape, &panel);
        }
        default:
            return checked_call_as<kai_get_rhs_packed_size_fn>(p.get_packed_size, rows, k);
    }
}

size_t packed_offset(const kai_packer& p, Tile t, size_t row, size_t k, size_t bl, size_t panel_gap) {
    const Chunks c(k);
    switch (p.signature) {
        case KAI_LHS_PACK_BL:
            return checked_call_as<kai_get_lhs_packed_offset_bl_fn>(
                p.get_packed_offset, row, k, bl, t.rows, t.kr, t.sr);
        case KAI_LHS_PACK:
        case KAI_LHS_QUANT_PACK:
            return checked_call_as<kai_get_lhs_packed_offset_fn>(p.get_packed_offset, row, k, t.rows, t.kr, t.sr);
        case KAI_RHS_PACK_NXK_BL:
        case KAI_RHS_PACK_NXK_BL_ZERO:
            return checked_call_as<kai_get_rhs_packed_offset_bl_fn>(p.get_packed_offset, row, k, t.rows, t.kr, bl);
        case KAI_RHS_PACK_NXK_BL_BF16:
        case KAI_RHS_PACK_KXN_BL_BF16:
            return checked_call_as<kai_get_rhs_packed_offset_bl_dt_fn>(
                p.get_packed_offset, row, k, t.rows, t.kr, t.sr, bl, kai_dt_bf16);
        case KAI_RHS_PACK_NXK_QS4CX:
        case KAI_RHS_PACK_KXN_QS4CX:
        case KAI_RHS_PACK_NXK_QSI8CX:
        case KAI_RHS_PACK_KXN_QSI8CX:
        case KAI_RHS_PACK_NXK_QSU2CX:
            return checked_call_as<kai_get_rhs_packed_offset_cx_fn>(p.get_packed_offset, row, k, t.rows, t.kr, t.sr);
        case KAI_RHS_PACK_KXN_NR:
            return checked_call_as<kai_get_rhs_packed_offset_nr_fn>(p.get_packed_offset, row, k, t.rows, t.kr);
        case KAI_LHS_IMATMUL_PACK:
        case KAI_RHS_IMATMUL_PACK_KXN:
        case KAI_RHS_IMATMUL_PACK_KXN_QS8CX_I32:
            return checked_call_as<kai_get_packed_offset_chunks_fn>(p.get_packed_offset, row, c.count, c.length);
        case KAI_LHS_PACK_UNIFIED: {
            const kai_matmul_pack_lhs_uker_lhs_packed_dim_args index = {row, 0};
            const auto panel = lhs_panel(p, k, panel_gap);
            return checked_call(lhs_api(p).get_lhs_packed_offset, nullptr, &index, &panel);
        }
        case KAI_RHS_PACK_KXN_UNIFIED:
        case KAI_RHS_PACK_NXK_UNIFIED: {
            const kai_matmul_pack_rhs_uker_rhs_packed_dim_args index = {row, 0};
            const auto panel = rhs_panel(p, k, panel_gap);
            return checked_call(rhs_api(p).get_rhs_packed_offset, nullptr, &index, &panel);
        }
        default:
            return checked_call_as<kai_get_rhs_packed_offset_fn>(p.get_packed_offset, row, k);
    }
}

size_t source_offset(const kai_packer& p, size_t row, size_t stride) {
    switch (p.signature) {
        case KAI_RHS_PACK_KXN:
        case KAI_RHS_PACK_KXN_NR:
        case KAI_RHS_PACK_KXN_QS8CX_I32:
        case KAI_RHS_IMATMUL_PACK_KXN:
        case KAI_RHS_IMATMUL_PACK_KXN_QS8CX_I32:
            return checked_call_as<kai_get_n_offset_fn>(p.get_source_offset, row);
        case KAI_LHS_PACK_UNIFIED: {
            const kai_matmul_pack_lhs_uker_lhs_dim_args index = {row, 0};
            const kai_matmul_pack_lhs_uker_lhs_stride_args rows = {stride};
            return checked_call(lhs_api(p).get_lhs_offset, nullptr, &index, &rows);
        }
        case KAI_RHS_PACK_KXN_UNIFIED:
        case KAI_RHS_PACK_NXK_UNIFIED: {
            const kai_matmul_pack_rhs_uker_rhs_dim_args index = {row, 0};
            const kai_matmul_pack_rhs_uker_rhs_stride_args lines = {stride, stride};
            return checked_call(rhs_api(p).get_rhs_offset, nullptr, &index, &lines);
        }
        default:
            return checked_call_as<kai_get_offset_fn>(p.get_source_offset, row, stride);
    }
}

void run_lhs(
    const kai_packer& p, Tile t, const LhsSource& source, size_t first, size_t count, size_t bl, size_t m_idx_start,
    uint8_t* packed) {
    const Chunks c(source.k);
    if (p.signature == KAI_LHS_IMATMUL_PACK) {
        return checked_call_as<kai_run_lhs_imatmul_pack_fn>(
            run_of(p), count, c.count, c.length, source.table.as<const void*>() + first * c.count,
            LhsSource::kPointerOffset, source.padding.data(), packed);
    }
    const uint8_t* from = source.rows + source_offset(p, first, source.stride);
    switch (p.signature) {
        case KAI_LHS_PACK_BL:
            return checked_call_as<kai_run_lhs_pack_bl_f32_fn>(
                run_of(p), count, source.k, bl, t.rows, t.kr, t.sr, m_idx_start, reinterpret_cast<const float*>(from),
                source.stride, packed);
        case KAI_LHS_PACK_UNIFIED: {
            kai_matmul_pack_lhs_uker_args args = {};
            args.shape = {count, source.k};
            args.operand.lhs = {from, {source.stride}};
            args.operand.lhs_packed = {packed, lhs_panel(p, source.k, source.panel_gap)};
            return checked_call(lhs_api(p).run, nullptr, &args);
        }
        default:
            return checked_call_as<kai_run_lhs_pack_fn>(
                run_of(p), count, source.k, t.rows, t.kr, t.sr, m_idx_start, from, source.stride, packed);
    }
}

namespace {

void run_rhs_unified(
    const kai_packer& p, const RhsSource& source, const uint8_t* from, const uint8_t* bias, const float* scale,
    size_t count, uint8_t* packed) {
    // The stride that a packer does not read is poison.
    const size_t poison = 0x5B5B5B5B5B5B;
    const int32_t minus_zero_point = -source.lhs_zero_point;
    kai_matmul_pack_rhs_uker_args args = {};
    args.shape = {count, source.k};
    args.operand.rhs.ptr = from;
    args.operand.rhs.stride.n = is_kxn(p) ? poison : source.stride;
    args.operand.rhs.stride.k = is_kxn(p) ? source.stride : poison;
    args.operand.rhs_packed = {packed, rhs_panel(p, source.k, source.panel_gap)};
    args.operand.bias_n.ptr = bias;
    if (is_requantising(p)) {
        args.operand.k_sum_scale_global.ptr = &minus_zero_point;
        args.operand.scale_n.ptr = scale;
        args.operand.scale_global.ptr = &source.scale_multiplier;
    }
    checked_call(rhs_api(p).run, nullptr, &args);
}

}  // namespace

void run_rhs(const kai_packer& p, Tile t, const RhsSource& source, size_t first, size_t count, uint8_t* packed) {
    const uint8_t* from = source.lines + source_offset(p, first, source.stride);
    const size_t bias_size = format_of(p).bias_type == Format::f16_bias ? 2 : 4;
    const float* bias =
        source.has_bias ? reinterpret_cast<const float*>(source.bias.data() + first * bias_size) : nullptr;
    const kai_rhs_pack_qsi8cx_params requantise = {source.lhs_zero_point, source.scale_multiplier};
    const Chunks c(source.k);
    const float* zero = source.zero.as<float>() + first * source.scales_per_row;
    const float* scale = source.scale.as<float>() + first * source.scales_per_row;
    const kai_rhs_pack_qs4cxs1s0_param params = {1, 8};
    const size_t one = 1, none = 0;
    switch (p.signature) {
        case KAI_RHS_PACK_NXK_BL:
            return checked_call_as<kai_run_rhs_pack_nxk_qsu4c32_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, source.bl, from, nullptr, packed, none, &params);
        case KAI_RHS_PACK_NXK_BL_ZERO:
            return checked_call_as<kai_run_rhs_pack_nxk_qau4c32_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, source.bl, from, zero, bias, scale, packed, none,
                &params);
        case KAI_RHS_PACK_NXK_BL_BF16: {
            const kai_rhs_pack_nxk_qsi4c32p_qsu4c32s1s0_params zero_points = {1, 8, kai_dt_bf16};
            return checked_call_as<kai_run_rhs_pack_nxk_qsu4c32s1s0_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, source.bl, from, source.stride, bias,
                source.scales + first * source.scale_stride, source.scale_stride, packed, none, &zero_points);
        }
        case KAI_RHS_PACK_KXN_BL_BF16: {
            const kai_rhs_pack_kxn_qsi4c32p_qsu4c32s1s0_params zero_points = {1, 8, kai_dt_bf16};
            return checked_call_as<kai_run_rhs_pack_kxn_qsu4c32s1s0_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, source.bl, from, source.stride, bias,
                source.scales + first * source.scale_stride, source.scale_stride, packed, none, &zero_points);
        }
        case KAI_RHS_PACK_NXK_QS4CX:
        case KAI_RHS_PACK_KXN_QS4CX: {
            const kai_rhs_pack_qs4cxs1s0_param zero_points = {1, source.zero_point};
            return checked_call_as<kai_run_rhs_pack_qs4cx_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, from, bias, scale, packed, none, &zero_points);
        }
        case KAI_RHS_PACK_NXK_QSI8CX:
        case KAI_RHS_PACK_KXN_QSI8CX:
            return checked_call_as<kai_run_rhs_pack_qsi8cx_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, reinterpret_cast<const int8_t*>(from), bias, scale,
                packed, none, &requantise);
        case KAI_RHS_PACK_NXK_QSU2CX: {
            const kai_rhs_pack_qs4cxs1s0_param zero_points = {1, 2};
            return checked_call_as<kai_run_rhs_pack_qsu2cx_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, from, bias, scale, packed, none, &zero_points,
                source.has_table ? source.table.as<int32_t>() : nullptr);
        }
        case KAI_RHS_PACK_KXN_QS8CX_I32:
            return checked_call_as<kai_run_rhs_pack_qs8cx_i32_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, source.stride, from, bias, scale, packed, none,
                &requantise);
        case KAI_RHS_IMATMUL_PACK_KXN:
            return checked_call_as<kai_run_rhs_imatmul_pack_fn>(
                run_of(p), count, c.count, c.length, source.stride, from, bias, packed);
        case KAI_RHS_IMATMUL_PACK_KXN_QS8CX_I32:
            return checked_call_as<kai_run_rhs_imatmul_pack_qs8cx_i32_fn>(
                run_of(p), count, c.count, c.length, source.stride, from, bias, scale, packed, &requantise);
        case KAI_RHS_PACK_KXN_UNIFIED:
        case KAI_RHS_PACK_NXK_UNIFIED:
            return run_rhs_unified(p, source, from, reinterpret_cast<const uint8_t*>(bias), scale, count, packed);
        default:
            return checked_call_as<kai_run_rhs_pack_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, source.stride, from, bias, nullptr, packed, none,
                nullptr);
    }
}

}  // namespace test
