// SPDX-License-Identifier: Apache-2.0
#include "test/support/packing.hpp"

#include <cctype>
#include <cstring>
#include <string>

#include "kai/kai_cpu.h"
#include "test/reference/float16.hpp"
#include "test/reference/gguf.hpp"
#include "test/reference/quantise.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/subject.hpp"

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
    const bool f32 = type == "f32", f16 = type == "f16", bf16 = type == "bf16";  // not for each: emulators are slow
    const size_t size = f32 || type == "int32" ? 4 : f16 || bf16 ? 2 : 1;
    std::vector<uint8_t> bytes(values.size() * size);
    uint8_t* to = bytes.data();
    for (const float x : values) {
        const uint32_t number = f32    ? reference::bits_of(x)
                                : f16  ? reference::f16_from_f32(x)
                                : bf16 ? reference::bf16_from_f32(x)
                                       : static_cast<uint32_t>(static_cast<int32_t>(x));
        for (size_t i = 0; i < size; ++i) {
            *to++ = static_cast<uint8_t>(number >> 8 * i);
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

/// As the packer takes it.
std::vector<uint8_t> encode_table(const kai_packer& packer, const std::vector<int32_t>& values) {
    if (kai::has_table(packer)) {
        return {values.begin(), values.end()};  // int8
    }
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

/// Bytes of `gap` elements between lines; none where lines must follow each other.
size_t gap_size(const kai_packer& packer, size_t gap) {
    return kai::has_stride(packer) ? gap * element_size(packer) : 0;
}

size_t line_size(const kai_packer& packer, const Side& side) {
    return kai::line_size(packer, side.rows, side.k, side.bl);
}

std::vector<uint8_t> encode_bias(const kai_packer& packer, const Side& side) {
    const Format::Bias type = format_of(packer).bias_type;
    return encode_numbers(type == Format::f32_bias ? "f32" : type == Format::f16_bias ? "f16" : "int32", side.bias);
}

std::vector<uint8_t> encode_scales(const kai_packer& packer, const Side& side, size_t gap) {
    if (kai::is_f8(packer)) {
        return with_gaps(dense(side.scale), side.blocks() * sizeof(float), gap * sizeof(float));
    }
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
    if (kai::has_table(packer)) {
        return with_gaps(reference::encode_records(side, 4), line_size(packer, side), gap_size(packer, gap));
    }
    if (file_bl(packer) != 0) {
        return side.source.empty() ? side.source
                                   : with_gaps(side.source, side.source.size() / side.rows, gap_size(packer, gap));
    }
    if (packer.signature == KAI_RHS_PACK_NXK_BL) {
        return reference::encode_records(side, element_bits(packer));
    }
    if (packer.signature == KAI_RHS_PACK_NXK_BL_ZERO) {
        return reference::encode_qau4(side, std::string(packer.source_format) == "qau4c32s0s1");
    }
    const bool kxn = is_kxn(packer);
    const unsigned bits = element_bits(packer);
    if (side.values.empty()) {
        const std::string source = packer.source_format;
        const int added = bits == 2 && side.table.empty()                ? 2
                          : bits != 4                                    ? 0
                          : source == "qsi4cx"                           ? 0
                          : source == "qsu4cx" || has_block_sums(packer) ? 8
                                                                         : zero_point;
        return with_gaps(
            reference::encode_lines(side, bits, added, kxn), line_size(packer, side), gap_size(packer, gap));
    }
    return with_gaps(
        encode_numbers(source_type(packer), kxn ? transposed(side) : side.values), line_size(packer, side),
        gap_size(packer, gap));
}

size_t stride_of(const kai_packer& packer, const Side& side, size_t gap) {
    return line_size(packer, side) + gap_size(packer, gap);
}

}  // namespace

size_t file_bl(const kai_packer& p) {
    if (kai::has_table(p)) {
        return 32;
    }
    return !kai::is_file(p) ? 0 : fixed_block(p) != 0 ? fixed_block(p) : kai::file_type_of(p).packed_bl;
}

size_t file_block(const kai_packer& p) {
    return file_bl(p) == 0 ? 0 : kai::has_table(p) ? 32 : kai::file_type_of(p).block_weights;
}

std::string source_type(const kai_packer& p) {
    std::string type = p.source_format;
    for (char& c : type) {
        c = static_cast<char>(kai::is_file(p) ? std::tolower(c) : c);
    }
    return type;
}

Side make_file_side(const kai_packer& p, size_t rows, size_t k, Random& random) {
    const reference::GgufType& t = *reference::find_gguf_type(p.source_format);
    Side side;
    side.rows = rows, side.k = k, side.bl = file_bl(p);
    side.source.resize(rows * (k / t.weights * t.bytes));
    for (uint8_t& byte : side.source) {
        byte = static_cast<uint8_t>(random.next());
    }
    // One random exponent in four is 0 or nearly the largest; none is that of infinities.
    const std::vector<size_t> scales = reference::gguf_f16_offsets(t);
    for (size_t at = 0; at < side.source.size(); at += t.bytes) {
        for (const size_t offset : scales) {
            uint8_t& upper = side.source[at + offset + 1];
            const int exponent = random.integer(0, 3) == 0 ? random.integer(0, 1) * 30 : random.integer(8, 20);
            upper = static_cast<uint8_t>((upper & 0x83) | exponent << 2);
        }
    }
    const Format format = format_of(p);
    side.sub = format.sub;
    const bool has_zero = format.offset != nullptr;
    if (format.element == Format::l4) {
        side.table = reference::gguf_table(t);
    }
    const std::vector<reference::GgufWeight> weights = reference::gguf_weights(t, side.source.data(), rows * k);
    for (size_t i = 0; i < rows * k; ++i) {
        const reference::GgufWeight& w = weights[i];
        const bool moved = has_zero && format.offset_type == Format::f32_scale;  // the zero is that of a value of 8
        side.q.push_back(static_cast<int8_t>(moved ? w.value - 8 : side.table.empty() ? w.value : w.index));
        const uint8_t* block = side.source.data() + i / t.weights * t.bytes;
        if (format.sub != 0 && i % format.sub == 0) {
            const reference::GgufSub sub = reference::gguf_sub(t, block, i % t.weights / format.sub);
            side.sub_scale.push_back(sub.scale);
            if (format.sub_min != nullptr) {
                side.sub_min.push_back(sub.min);
            }
        }
        if (format.sub != 0 && i % side.bl == 0) {
            const auto f16 = [&](size_t which) {
                return reference::f32_from_f16(
                    static_cast<uint16_t>(block[scales[which]] | block[scales[which] + 1] << 8));
            };
            side.scale.push_back(f16(0));
            if (format.min_scale != nullptr) {
                side.min_scale.push_back(f16(1));
            }
        } else if (i % (side.bl / format.scales_per_block) == 0) {
            side.scale.push_back(static_cast<float>(w.scale));
            if (has_zero) {
                side.offset.push_back(static_cast<float>(moved ? 8 * w.scale + w.min : w.min));
            }
        }
    }
    return side;
}

unsigned element_bits(const kai_packer& packer) {
    return static_cast<unsigned>(kai::element_bits(packer.source_format));
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
             {reference::Tile{rows, 16, 2},
              {rows, 16, 1},
              {rows, 8, 2},
              {rows, 4, 2},
              {rows, 4, 1},
              {rows, 2, 1},
              {rows, 1, 1},
              {rows, 8, 1}}) {
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

size_t fixed_block(const kai_packer& packer) {
    return format_of(packer).block;
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
      scale_stride((side.blocks() + gap) * kai::block_scale_size(packer)),
      data(encode(packer, side, gap, zero_point), flush),
      zero(dense(side.offset), flush),
      scale(encode_scales(packer, side, gap), flush),
      bias(encode_bias(packer, side), flush),
      table(encode_table(packer, side.table), flush),
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

/// Of `count` rows. `panel_gap`: of the unified API.
kai::PackerArgs args_of(const kai_packer& p, Tile t, size_t count, size_t k, size_t bl, size_t panel_gap) {
    kai::PackerArgs a = kai::packer_args();
    a.count = 1;
    kai::set_depth(a, k, Chunks(k).count);
    a.bl = bl;
    a.rows = t.rows, a.kr = t.kr, a.sr = t.sr;
    a.packed_stride = panel_gap != 0 ? kai::packed_size(p, a, kai::Direct{}) + panel_gap : 0;
    a.count = count;
    return a;
}

void run(const kai_packer& p, const kai::PackerArgs& a) {
    kai::run(p, a, Checked{}, substitute_of(p));
}

}  // namespace

size_t packed_size(const kai_packer& p, Tile t, size_t rows, size_t k, size_t bl, size_t panel_gap) {
    return kai::packed_size(p, args_of(p, t, rows, k, bl, panel_gap), Checked{});
}

size_t packed_offset(const kai_packer& p, Tile t, size_t row, size_t k, size_t bl, size_t panel_gap) {
    kai::PackerArgs a = args_of(p, t, 1, k, bl, panel_gap);
    a.index = row;
    return kai::packed_offset(p, a, Checked{});
}

size_t source_offset(const kai_packer& p, size_t row, size_t stride) {
    kai::PackerArgs a = kai::packer_args();
    a.index = row;
    a.stride = stride;
    return kai::source_offset(p, a, Checked{});
}

void run_lhs(
    const kai_packer& p, Tile t, const LhsSource& source, size_t first, size_t count, size_t bl, size_t m_idx_start,
    uint8_t* packed) {
    kai::PackerArgs a = args_of(p, t, count, source.k, bl, source.panel_gap);
    a.source = kai::takes_pointers(p)
                   ? reinterpret_cast<const uint8_t*>(source.table.as<const void*>() + first * a.k_chunk_count)
                   : source.rows + source_offset(p, first, source.stride);
    a.stride = source.stride;
    a.m_idx_start = m_idx_start;
    a.lhs_ptr_offset = LhsSource::kPointerOffset;
    a.pad_ptr = source.padding.data();
    a.packed = packed;
    run(p, a);
}

void run_lhs_rows(
    const kai_packer& p, Tile t, const LhsSource& source, const std::vector<size_t>& indices, size_t bl,
    uint8_t* packed) {
    kai::PackerArgs a = args_of(p, t, indices.size(), source.k, bl, 0);
    GuardedBuffer list(indices.size() * sizeof(size_t));
    memcpy(list.data(), indices.data(), list.size());
    a.indices = list.as<size_t>();
    a.source = source.rows;
    a.stride = source.stride;
    a.packed = packed;
    kai::run_rows(p, a, Checked{});
}

void run_rhs(const kai_packer& p, Tile t, const RhsSource& source, size_t first, size_t count, uint8_t* packed) {
    kai::PackerArgs a = args_of(p, t, count, source.k, source.bl, source.panel_gap);
    a.source = source.lines + source_offset(p, first, source.stride);
    a.stride = source.stride;
    a.bias =
        source.has_bias ? source.bias.data() + first * (format_of(p).bias_type == Format::f16_bias ? 2 : 4) : nullptr;
    a.zero = source.zero.as<float>() + first * source.scales_per_row;
    a.scale = kai::has_scale_stride(p) ? source.scales + first * source.scale_stride
                                       : source.scale.data() + first * source.scales_per_row * sizeof(float);
    a.scale_stride = source.scale_stride;
    a.lut = source.has_table ? source.table.as<int32_t>() : nullptr;
    a.table = source.table.as<int8_t>();
    a.packed = packed;
    // What the unified API has no place for is NULL.
    const bool requantising = is_requantising(p);
    if (is_unified(p) && !requantising && !has_blocks(p)) {
        a.scale = nullptr;
    }
    const int32_t minus_zero_point = -source.lhs_zero_point;
    a.k_sum_scale_global = requantising ? &minus_zero_point : nullptr;
    a.scale_global = requantising ? &source.scale_multiplier : nullptr;
    kai::RhsParams params;
    a.params = kai::make_params(
        p, params, kai::has_blocks(p) ? 1 : source.lhs_zero_point, source.zero_point, source.scale_multiplier);
    run(p, a);
}

std::string listed(std::initializer_list<std::pair<const char*, size_t>> numbers) {
    std::string list;
    for (const auto& [name, number] : numbers) {
        list.append(list.empty() ? "" : ", ").append(name).append(" ").append(std::to_string(number));
    }
    return list;
}

}  // namespace test
