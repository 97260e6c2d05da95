// SPDX-License-Identifier: Apache-2.0
#include "test/support/packing.hpp"

#include <cstring>
#include <string>

#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"
#include "test/reference/float16.hpp"
#include "test/reference/quantise.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/subject.hpp"

namespace test {

using reference::Side;
using reference::Tile;

namespace {

/// `rows` rows of `columns` floats, `gap` floats of NaN between them.
std::vector<uint8_t> spaced(const std::vector<float>& values, size_t rows, size_t columns, size_t gap) {
    const size_t row = columns + gap;
    std::vector<uint8_t> bytes(rows == 0 || columns == 0 ? 0 : ((rows - 1) * row + columns) * sizeof(float), 0xFF);
    for (size_t r = 0; r < rows && columns > 0; ++r) {
        std::memcpy(&bytes[r * row * sizeof(float)], &values[r * columns], columns * sizeof(float));
    }
    return bytes;
}

/// The same, of the type that an LHS packer reads.
std::vector<uint8_t> encode_lhs(
    const kai_packer& packer, const std::vector<float>& values, size_t rows, size_t columns, size_t gap) {
    const std::vector<uint8_t> floats = spaced(values, rows, columns, gap);
    if (element_size(packer) == sizeof(float)) {
        return floats;
    }
    const bool f16 = std::string(packer.source_format) == "f16";
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < floats.size(); i += sizeof(float)) {
        float x;
        std::memcpy(&x, &floats[i], sizeof(x));
        const uint16_t half = f16 ? reference::f16_from_f32(x) : reference::bf16_from_f32(x);
        bytes.push_back(static_cast<uint8_t>(half));
        bytes.push_back(static_cast<uint8_t>(half >> 8));
    }
    return bytes;
}

std::vector<uint8_t> dense(const std::vector<float>& values) {
    return spaced(values, values.size(), 1, 0);
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

bool k_lines(const kai_packer& packer) {
    return packer.signature == KAI_RHS_PACK_KXN_QS4CX || packer.signature == KAI_RHS_PACK_KXN_QSI8CX ||
           packer.signature == KAI_RHS_PACK_KXN_BL_BF16;
}

/// Lines of `length` bytes, moved `gap` bytes apart.
std::vector<uint8_t> with_gaps(const std::vector<uint8_t>& lines, size_t length, size_t gap) {
    std::vector<uint8_t> bytes;
    for (size_t at = 0; at < lines.size(); at += length) {
        bytes.resize(at == 0 ? 0 : bytes.size() + gap, 0xA5);
        bytes.insert(bytes.end(), lines.begin() + at, lines.begin() + at + length);
    }
    return bytes;
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
        case KAI_RHS_PACK_NXK_QS4CX:
        case KAI_RHS_PACK_KXN_QS4CX:
            return reference::encode_lines(side, 4, zero_point, k_lines(packer));
        case KAI_RHS_PACK_NXK_QSI8CX:
        case KAI_RHS_PACK_KXN_QSI8CX:
            return reference::encode_lines(side, 8, 0, k_lines(packer));
        case KAI_RHS_PACK_NXK_QSU2CX:
            return reference::encode_lines(side, 2, 0, false);
        case KAI_RHS_PACK_NXK_BL_BF16:
        case KAI_RHS_PACK_KXN_BL_BF16:
            return with_gaps(
                reference::encode_lines(side, 4, 8, k_lines(packer)), (k_lines(packer) ? side.rows + 1 : side.k) / 2,
                gap);
        case KAI_RHS_PACK_NXK_BL:
            return reference::encode_qsu4c32s16s0(side);
        case KAI_RHS_PACK_NXK_BL_ZERO:
            return reference::encode_qau4(side, std::string(packer.source_format) == "qau4c32s0s1");
        case KAI_RHS_PACK_KXN:
            return spaced(transposed(side), side.k, side.rows, gap);
        default:
            return spaced(side.values, side.rows, side.k, gap);
    }
}

size_t stride_of(const kai_packer& packer, const Side& side, size_t gap) {
    switch (packer.signature) {
        case KAI_RHS_PACK_NXK_QS4CX:
            return (side.k + 1) / 2;
        case KAI_RHS_PACK_NXK_QSI8CX:
            return side.k;
        case KAI_RHS_PACK_NXK_QSU2CX:
            return side.k / 4;
        case KAI_RHS_PACK_NXK_BL_BF16:
            return side.k / 2 + gap;
        case KAI_RHS_PACK_KXN_BL_BF16:
            return (side.rows + 1) / 2 + gap;
        case KAI_RHS_PACK_NXK_BL:
            return side.blocks() * (2 + side.bl / 2);
        case KAI_RHS_PACK_NXK_BL_ZERO:
            return side.k / 2;
        case KAI_RHS_PACK_KXN:
            return (side.rows + gap) * sizeof(float);
        default:
            return (side.k + gap) * sizeof(float);
    }
}

}  // namespace

size_t element_size(const kai_packer& lhs_packer) {
    return std::string(lhs_packer.source_format) == "f32" ? sizeof(float) : sizeof(uint16_t);
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
    return packer.signature == KAI_LHS_PACK_BL || packer.signature == KAI_LHS_PACK ||
           packer.signature == KAI_LHS_QUANT_PACK;
}

bool has_blocks(const kai_packer& packer) {
    return packer.signature == KAI_LHS_PACK_BL || packer.signature == KAI_RHS_PACK_NXK_BL ||
           packer.signature == KAI_RHS_PACK_NXK_BL_ZERO || has_block_sums(packer);
}

bool has_block_sums(const kai_packer& packer) {
    return packer.signature == KAI_RHS_PACK_NXK_BL_BF16 || packer.signature == KAI_RHS_PACK_KXN_BL_BF16;
}

bool has_channels(const kai_packer& packer) {
    return (k_lines(packer) && !has_blocks(packer)) || packer.signature == KAI_RHS_PACK_NXK_QS4CX ||
           packer.signature == KAI_RHS_PACK_NXK_QSI8CX || packer.signature == KAI_RHS_PACK_NXK_QSU2CX;
}

bool packs_parts(const kai_packer& packer) {
    return has_blocks(packer) || !k_lines(packer);
}

bool uses_start_index(const kai_packer& packer) {
    return packer.signature == KAI_LHS_PACK_BL && std::string(packer.name) != "lhs_quant_pack_qsi8d32p_f32_neon";
}

bool uses_start_slot(const kai_packer& packer) {
    return packer.signature == KAI_LHS_QUANT_PACK;
}

LhsSource::LhsSource(
    const kai_packer& packer, const std::vector<float>& values, size_t rows, size_t k, size_t gap, Flush flush)
    : k(k), stride((k + gap) * element_size(packer)), data(encode_lhs(packer, values, rows, k, gap), flush) {
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
      bias(dense(side.bias), flush),
      table(as_bytes(side.table), flush),
      has_bias(!side.bias.empty()),
      has_table(side.table != std::vector<int32_t>{-2, -1, 0, 1}) {
}

size_t packed_size(const kai_packer& p, Tile t, size_t rows, size_t k, size_t bl) {
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
        default:
            return checked_call_as<kai_get_rhs_packed_size_fn>(p.get_packed_size, rows, k);
    }
}

size_t packed_offset(const kai_packer& p, Tile t, size_t row, size_t k, size_t bl) {
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
        default:
            return checked_call_as<kai_get_rhs_packed_offset_fn>(p.get_packed_offset, row, k);
    }
}

size_t source_offset(const kai_packer& p, size_t row, size_t stride) {
    return p.signature == KAI_RHS_PACK_KXN ? checked_call_as<kai_get_n_offset_fn>(p.get_source_offset, row)
                                           : checked_call_as<kai_get_offset_fn>(p.get_source_offset, row, stride);
}

void run_lhs(
    const kai_packer& p, Tile t, const LhsSource& source, size_t first, size_t count, size_t bl, size_t m_idx_start,
    uint8_t* packed) {
    const uint8_t* from = source.data.data() + source_offset(p, first, source.stride);
    if (p.signature == KAI_LHS_PACK_BL) {
        checked_call_as<kai_run_lhs_pack_bl_f32_fn>(
            run_of(p), count, source.k, bl, t.rows, t.kr, t.sr, m_idx_start, reinterpret_cast<const float*>(from),
            source.stride, packed);
    } else {
        checked_call_as<kai_run_lhs_pack_fn>(
            run_of(p), count, source.k, t.rows, t.kr, t.sr, m_idx_start, from, source.stride, packed);
    }
}

void run_rhs(const kai_packer& p, Tile t, const RhsSource& source, size_t first, size_t count, uint8_t* packed) {
    const uint8_t* from = source.data.data() + source_offset(p, first, source.stride);
    const float* bias = source.has_bias ? source.bias.as<float>() + first : nullptr;
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
                source.scale.data() + first * source.scale_stride, source.scale_stride, packed, none, &zero_points);
        }
        case KAI_RHS_PACK_KXN_BL_BF16: {
            const kai_rhs_pack_kxn_qsi4c32p_qsu4c32s1s0_params zero_points = {1, 8, kai_dt_bf16};
            return checked_call_as<kai_run_rhs_pack_kxn_qsu4c32s1s0_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, source.bl, from, source.stride, bias,
                source.scale.data() + first * source.scale_stride, source.scale_stride, packed, none, &zero_points);
        }
        case KAI_RHS_PACK_NXK_QS4CX:
        case KAI_RHS_PACK_KXN_QS4CX: {
            const kai_rhs_pack_qs4cxs1s0_param zero_points = {1, source.zero_point};
            return checked_call_as<kai_run_rhs_pack_qs4cx_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, from, bias, scale, packed, none, &zero_points);
        }
        case KAI_RHS_PACK_NXK_QSI8CX:
        case KAI_RHS_PACK_KXN_QSI8CX: {
            const kai_rhs_pack_qsi8cx_params zero_point = {source.lhs_zero_point, 0.5f};
            return checked_call_as<kai_run_rhs_pack_qsi8cx_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, reinterpret_cast<const int8_t*>(from), bias, scale,
                packed, none, &zero_point);
        }
        case KAI_RHS_PACK_NXK_QSU2CX: {
            const kai_rhs_pack_qs4cxs1s0_param zero_points = {1, 2};
            return checked_call_as<kai_run_rhs_pack_qsu2cx_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, from, bias, scale, packed, none, &zero_points,
                source.has_table ? source.table.as<int32_t>() : nullptr);
        }
        default:
            return checked_call_as<kai_run_rhs_pack_fn>(
                run_of(p), one, count, source.k, t.rows, t.kr, t.sr, source.stride, from, bias, nullptr, packed, none,
                nullptr);
    }
}

}  // namespace test
