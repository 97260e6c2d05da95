// Packing on any host. Packers that take nr, kr and sr as arguments and run everywhere do most formats; floats and
// static integers, whose packers have the panels of this CPU's vectors, are packed here by the description of the
// format, and so are rows of GGUF files that become floats.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/call.hpp"
#include "kai/packed_file/tensor.hpp"

namespace kai_gemm_tensors {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packed bytes are little-endian");

/// Columns [first, first + columns) of one matrix.
struct Part {
    const kai_gemm_tensor& tensor;
    const kai_gemm_weights& weights;
    bool transposed;
    size_t first, columns;
    uint8_t* packed;  // the matrix
};

const void* moved(const void* operand, size_t bytes) {
    return operand != nullptr ? kai::bytes(operand, bytes) : nullptr;
}

// ---- with a packer of the library ----

const kai_packer* find_packer(const kai_gemm_tensor& t, bool transposed) {
    if (source_of_rows(t) != nullptr) {
        return transposed ? find_row_packer(t) : nullptr;
    }
    return find_packer(t.format, source_of(t.kind), transposed);
}

kai_gemm_file_status run_packer(const kai_packer& p, const Part& part) {
    const kai_gemm_tensor& t = part.tensor;
    const kai_gemm_weights& w = part.weights;
    const size_t dense = kai::line_size(p, t.n, t.k, t.bl), blocks = t.bl != 0 ? t.k / t.bl : 0;
    kai::PackerArgs a = kai::packer_args();
    a.count = part.columns, a.index = part.first;
    a.k = t.k, a.bl = t.bl;
    a.rows = t.format.nr, a.kr = t.format.kr, a.sr = t.format.sr;
    a.stride = w.ldb != 0 ? w.ldb : dense;
    const size_t dense_scales = blocks * kai::block_scale_size(p);
    a.scale_stride = w.scale_stride != 0 ? w.scale_stride : dense_scales;
    if (a.stride < dense || (!kai::has_stride(p) && a.stride != dense) || a.scale_stride < dense_scales) {
        return KAI_GEMM_FILE_BAD_STRIDE;
    }
    if (!kai::packs_parts(p) && part.columns != t.n) {
        return KAI_GEMM_FILE_BAD_VALUE;
    }
    const bool scales = kai::gemm::has_scales(t.kind);
    if (scales && (w.scale == nullptr || (t.kind == KAI_GEMM_INT4_BLOCK_ZERO && w.zero == nullptr))) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    if (t.kind == KAI_GEMM_INT4_TABLE && w.table == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    kai::RhsParams params;
    a.params = kai::make_params(p, params, 1, w.zero_point, 1.0F);
    kai_registry_call call = {};
    call.packer = &p;
    call.n = t.n, call.k = t.k, call.bl = t.bl;
    call.rows = a.rows, call.kr = a.kr, call.sr = a.sr;
    call.stride = a.stride, call.scale_stride = a.scale_stride;
    call.bias = t.bias && !t.bias_apart, call.scale = scales, call.zero = t.kind == KAI_GEMM_INT4_BLOCK_ZERO;
    call.params = a.params;
    if (!kai_registry_check(&call, nullptr, 0)) {
        return KAI_GEMM_FILE_BAD_VALUE;
    }
    const size_t scale_bytes = kai::has_scale_stride(p) ? a.scale_stride
                               : kai::has_blocks(p)     ? blocks * sizeof(float)
                                                        : sizeof(float);
    a.source = moved(w.b, kai::source_offset(p, a, kai::Direct{}));
    a.scale = scales ? moved(w.scale, part.first * scale_bytes) : nullptr;
    a.zero = moved(w.zero, part.first * blocks * sizeof(float));
    a.bias = call.bias ? moved(w.bias, part.first * sizeof(float)) : nullptr;
    a.lut = t.lut, a.table = w.table;
    a.packed = part.packed + kai::packed_offset(p, a, kai::Direct{});
    kai::run(p, a, kai::Direct{});
    return KAI_GEMM_FILE_OK;
}

// ---- here ----

/// A number of one type to another. The same type: the same bits, NaN included.
void convert(const uint8_t* from, kai_datatype from_type, uint8_t* to, kai_datatype to_type) {
    if (from_type == to_type) {
        memcpy(to, from, kai_get_datatype_size_in_bytes(to_type));
        return;
    }
    const float x = from_type == kai_dt_f32   ? kai::load<float>(from)
                    : from_type == kai_dt_f16 ? kai_cast_f32_f16(kai::load<uint16_t>(from))
                                              : kai_cast_f32_bf16(kai::load<uint16_t>(from));
    if (to_type == kai_dt_f32) {
        kai::store(to, x);
    } else {
        kai::store(to, to_type == kai_dt_f16 ? kai_cast_f16_f32(x) : kai_cast_bf16_f32(x));
    }
}

/// Rows of a GGUF file, dequantised, to the elements of a panel whose first column is `column`.
void dequantise(
    const PackedFormat& f, const Part& part, size_t column, size_t columns, size_t line, uint8_t* elements) {
    constexpr size_t kPart = 256;  // whole blocks of every type
    const kai_gemm_tensor& t = part.tensor;
    const kai_gguf_type& type = *kai_gguf_find_type(t.gguf_type);
    const kai::Tile tile = {t.format.nr, t.format.kr, t.format.sr};
    float weights[kPart];
    for (size_t r = 0; r < columns; ++r) {
        for (size_t i = 0; i < t.k; i += kPart) {
            const size_t count = t.k - i < kPart ? t.k - i : kPart;
            const size_t offset = (column + r) * line + i / type.block_weights * type.block_bytes;
            kai_gguf_dequantise(&type, count, kai::bytes(part.weights.b, offset), kai_dt_f32, weights);
            for (size_t j = 0; j < count; ++j) {
                convert(
                    reinterpret_cast<const uint8_t*>(&weights[j]), kai_dt_f32,
                    elements + f.layout->at(tile, 0, r, i + j).byte, f.element);
            }
        }
    }
}

/// A static weight as it is stored at `position` of a line; `value`: what it stands for.
unsigned stored_weight(unsigned bits, const uint8_t* line, size_t position, int32_t& value) {
    if (bits == 2) {
        const unsigned code = line[position / 4] >> position % 4 * 2 & 3U;
        value = static_cast<int32_t>(code) - 2;
        return code;
    }
    value = static_cast<int8_t>(line[position]);
    return line[position];
}

/// A panel whose first column is `column`. Missing columns and what pads k are weights of zero, and so are their
/// fields.
///
///     floats:  | bias: nr |                               elements |
///     static:  | bias - a_zero_point * sum: nr (int32) |  elements | scale * multiplier: nr |
void pack_panel(const PackedFormat& f, const Part& part, size_t column, size_t line, uint8_t* panel) {
    const kai_gemm_tensor& t = part.tensor;
    const kai_gemm_weights& w = part.weights;
    const kai::Tile tile = {t.format.nr, t.format.kr, t.format.sr};
    const bool integers = is_static(t.kind);
    const unsigned bits = f.layout->bits;
    const size_t size = integers ? 1 : kai_get_datatype_size_in_bytes(t.type), head = f.layout->panel_head;
    const size_t columns = t.n - column < tile.rows ? t.n - column : tile.rows, end = f.layout->panel_end(tile, t.k);
    memset(panel, 0, f.layout->stride(tile, t.k));
    uint8_t* elements = panel + tile.rows * head;
    if (bits == 2) {
        constexpr uint8_t kZeros = 0xAA;  // four codes of 2: weights of 0
        memset(elements, kZeros, end - tile.rows * head);
    }
    for (size_t r = 0; r < columns; ++r) {
        if (t.bias && !t.bias_apart && w.bias != nullptr) {
            convert(
                kai::bytes(w.bias, (column + r) * 4), integers ? kai_dt_int32 : kai_dt_f32, panel + r * head,
                integers ? kai_dt_int32 : f.bias_type);
        }
        if (integers) {
            const float scale = kai::load<float>(kai::bytes(w.scale, (column + r) * sizeof(float)));
            kai::store(panel + end + r * sizeof(float), scale * t.multiplier);
        }
    }
    const uint8_t* b = kai::bytes(w.b);
    if (t.kind == KAI_GEMM_GGUF) {
        return dequantise(f, part, column, columns, line, elements);
    }
    for (size_t i = 0; i < t.k; ++i) {
        for (size_t r = 0; r < columns; ++r) {
            const uint8_t* from = b + (part.transposed ? column + r : i) * line;
            const size_t position = part.transposed ? i : column + r;
            const auto to = f.layout->at(tile, 0, r, i);
            if (integers) {
                int32_t value = 0;
                const unsigned stored = stored_weight(bits, from, position, value);
                const unsigned others = elements[to.byte] & ~(((1U << bits) - 1) << to.shift);
                elements[to.byte] = static_cast<uint8_t>(others | stored << to.shift);
                const auto term = static_cast<uint32_t>(t.a_zero_point) * static_cast<uint32_t>(value);
                kai::store(panel + r * head, kai::load<uint32_t>(panel + r * head) - term);
            } else {
                convert(from + position * size, t.type, elements + to.byte, f.element);
            }
        }
    }
}

kai_gemm_file_status pack_here(const PackedFormat& f, const Part& part) {
    const kai_gemm_tensor& t = part.tensor;
    const bool integers = is_static(t.kind);
    Size dense = {0};
    if (t.kind == KAI_GEMM_GGUF) {
        if (!part.transposed) {
            return KAI_GEMM_FILE_NO_PACKER;
        }
        dense.overflow = !kai_gguf_row_size(kai_gguf_find_type(t.gguf_type), t.k, &dense.value);
    } else {
        const size_t length = part.transposed ? t.k : t.n, bits = f.layout->bits;
        dense = bits < 8 ? Size{length / 4 + (length % 4 != 0)}
                         : Size{length} * Size{integers ? 1 : kai_get_datatype_size_in_bytes(t.type)};
    }
    const size_t line = part.weights.ldb != 0 ? part.weights.ldb : dense.value;
    if (dense.overflow || line < dense.value) {
        return KAI_GEMM_FILE_BAD_STRIDE;
    }
    if (integers && part.weights.scale == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    const kai::Tile tile = {t.format.nr, t.format.kr, t.format.sr};
    for (size_t c = part.first; c < part.first + part.columns; c += tile.rows) {
        pack_panel(f, part, c, line, part.packed + f.layout->offset(tile, c, t.k));
    }
    return KAI_GEMM_FILE_OK;
}

/// What follows the panels of a matrix, with the part that has its first column: zeros up to the tag, and the tag.
void end_matrix(const kai_gemm_tensor& t, uint8_t* matrix) {
    size_t end = t.panels_size;
    if (t.bias_apart) {
        const size_t bias = Size{end}.rounded_up(KAI_GEMM_FILE_ALIGNMENT).value;
        memset(matrix + end, 0, bias - end);
        end = bias + t.n * sizeof(float);
    }
    const kai::gemm::Tag tag = tag_of(t);
    const size_t at = t.stride - sizeof(tag);
    memset(matrix + end, 0, at - end);
    memcpy(matrix + at, &tag, sizeof(tag));
}

}  // namespace
}  // namespace kai_gemm_tensors

using namespace kai_gemm_tensors;

extern "C" kai_gemm_file_status kai_gemm_tensor_pack(
    const kai_gemm_tensor* tensor, size_t matrix, bool b_transposed, const kai_gemm_weights* weights, size_t first,
    size_t columns, void* packed, size_t packed_size) {
    if (tensor == nullptr || weights == nullptr || (packed == nullptr && packed_size != 0)) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    kai_gemm_tensor t = *tensor;
    const kai_gemm_file_status status = kai_gemm_tensor_measure(&t);
    if (status != KAI_GEMM_FILE_OK) {
        return status;
    }
    if (kai::bits_of(weights->reserved) != 0) {
        return KAI_GEMM_FILE_RESERVED;
    }
    if (packed_size < t.size) {
        return KAI_GEMM_FILE_TOO_SMALL;
    }
    if (matrix >= t.count || first % t.format.nr != 0 || first > t.n || columns > t.n - first ||
        (columns % t.format.nr != 0 && columns != t.n - first)) {
        return KAI_GEMM_FILE_BAD_VALUE;
    }
    if (columns == 0) {
        return KAI_GEMM_FILE_OK;
    }
    if (weights->bias != nullptr && !t.bias) {
        return KAI_GEMM_FILE_UNUSED_BIAS;
    }
    if (weights->b == nullptr && t.k != 0) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    const Part part = {t, *weights, b_transposed, first, columns, kai::bytes(packed, matrix * t.stride)};
    kai_gemm_file_status result;
    const PackedFormat* f = find_format(t.format.name);
    if (f != nullptr && (f->kind == KAI_GEMM_DENSE || is_static(f->kind))) {
        result = pack_here(*f, part);
    } else {
        const kai_packer* packer = find_packer(t, b_transposed);
        result = packer != nullptr ? run_packer(*packer, part) : KAI_GEMM_FILE_NO_PACKER;
    }
    if (result == KAI_GEMM_FILE_OK && t.bias_apart) {
        uint8_t* bias =
            part.packed + Size{t.panels_size}.rounded_up(KAI_GEMM_FILE_ALIGNMENT).value + first * sizeof(float);
        if (weights->bias != nullptr) {
            memcpy(bias, kai::bytes(weights->bias, first * sizeof(float)), columns * sizeof(float));
        } else {
            memset(bias, 0, columns * sizeof(float));
        }
    }
    if (result == KAI_GEMM_FILE_OK && first == 0 && !t.untagged) {
        end_matrix(t, part.packed);
    }
    return result;
}
