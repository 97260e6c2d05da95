// Formats of packed weights, shared by file.cpp, tensor.cpp and tensor_pack.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include "kai/call.hpp"
#include "kai/engines/core/layout.hpp"
#include "kai/gemm/kai_gemm_file.h"
#include "kai/gemm/tag.hpp"
#include "kai/reserved.hpp"

namespace kai_gemm_tensors {
namespace {

using kai::gemm::has_blocks;
using kai::gemm::is_static;
using kai::gemm::source_of;

/// A format that is packed from weights of a kind.
struct PackedFormat {
    const kai::Format* layout;
    kai_gemm_kind kind;
    bool bias;                    // has a place for it
    kai_datatype element = {};    // DENSE: as packed
    kai_datatype bias_type = {};  // DENSE
    kai_datatype type = {};       // of A and C
};

inline constexpr PackedFormat kPackedFormats[] = {
    {&kai::f32pbiasf32, KAI_GEMM_DENSE, true, kai_dt_f32, kai_dt_f32, kai_dt_f32},
    {&kai::f16pbiasf16, KAI_GEMM_DENSE, true, kai_dt_f16, kai_dt_f16, kai_dt_f16},
    {&kai::bf16pbiasf32, KAI_GEMM_DENSE, true, kai_dt_bf16, kai_dt_f32, kai_dt_f32},
    {&kai::bf16pbiasf16, KAI_GEMM_DENSE, true, kai_dt_bf16, kai_dt_f16, kai_dt_f16},
    {&kai::qsi8cxp, KAI_GEMM_INT8_CHANNEL, true},
    {&kai::qsi4cxp, KAI_GEMM_INT4_CHANNEL, true},
    {&kai::qsi4cxps1s0, KAI_GEMM_INT4_CHANNEL, true},
    {&kai::qsu2cxp4x4, KAI_GEMM_INT2_CHANNEL, true},
    {&kai::qsu2cxp4vlx4, KAI_GEMM_INT2_CHANNEL, true},
    {&kai::qsi4c32pbf16, KAI_GEMM_INT4_BLOCK, true},
    {&kai::qsi4c32ps1s0, KAI_GEMM_INT4_BLOCK, true},
    {&kai::qsi4c32ps4s0sbf16, KAI_GEMM_INT4_BLOCK, true},
    {&kai::qsi4c32p, KAI_GEMM_INT4_BLOCK_F16, false},
    {&kai::qsi4c32ps1s0scalef16, KAI_GEMM_INT4_BLOCK_F16, false},
    {&kai::qsi4c32ps4s0sf16, KAI_GEMM_INT4_BLOCK_F16, false},
    {&kai::qai4c32p, KAI_GEMM_INT4_BLOCK_ZERO, true},
    {&kai::qai4c32ps1s0nrx4, KAI_GEMM_INT4_BLOCK_ZERO, true},
    {&kai::f8e4m3c32p, KAI_GEMM_F8E4M3_BLOCK, true},
    {&kai::f8e5m2c32p, KAI_GEMM_F8E5M2_BLOCK, true},
    {&kai::qsi8cxpbi32sf32, KAI_GEMM_INT8_STATIC, true},
    {&kai::qsu2cxpbi32sf32, KAI_GEMM_INT2_STATIC, true},
    {&kai::qsi8c32p, KAI_GEMM_INT8_BLOCK_F16, false},
    {&kai::qsi8c32pscalef16, KAI_GEMM_INT8_BLOCK_F16, false},
};

[[maybe_unused]] inline const PackedFormat* find_format(const char* name) {
    for (const PackedFormat& f : kPackedFormats) {
        if (name != nullptr && strcmp(f.layout->name, name) == 0) {
            return &f;
        }
    }
    return nullptr;
}

/// The first packer that every host can run and that writes this format from a source, N x K or K x N; NULL: none.
[[maybe_unused]] inline const kai_packer* find_packer(const kai_gemm_format& f, const char* source, bool nxk) {
    for (size_t i = 0; const kai_packer* p = kai_registry_packer(i); ++i) {
        if (p->features == 0 && !kai::is_lhs(*p) && kai::is_kxn(*p) != nxk && strcmp(p->format, f.name) == 0 &&
            strcmp(p->source_format, source) == 0 && p->accepts(f.nr, f.kr, f.sr)) {
            return p;
        }
    }
    return nullptr;
}

/// The source format of rows whose panels only their packers know: of a GGUF file, but not floats, which are DENSE, and
/// indices of a table. NULL: the tensor is no such rows.
[[maybe_unused]] inline const char* source_of_rows(const kai_gemm_tensor& t) {
    if (t.kind == KAI_GEMM_INT4_TABLE) {
        return source_of(t.kind);
    }
    const kai_gguf_type* type = t.kind == KAI_GEMM_GGUF ? kai_gguf_find_type(t.gguf_type) : nullptr;
    return type != nullptr && type->block_weights != 1 ? type->name : nullptr;
}

/// The same for such rows.
[[maybe_unused]] inline const kai_packer* find_row_packer(const kai_gemm_tensor& t) {
    const char* source = source_of_rows(t);
    return source != nullptr ? find_packer(t.format, source, true) : nullptr;
}

/// Whether this library knows the format of a tensor, but not for weights of this kind and type.
[[maybe_unused]] inline bool is_of_other_weights(const kai_gemm_tensor& t) {
    const PackedFormat* f = find_format(t.format.name);
    const char* source = source_of_rows(t);
    const bool becomes_floats = t.kind == KAI_GEMM_GGUF && source != nullptr;
    if (f != nullptr && (f->kind == t.kind || (f->kind == KAI_GEMM_DENSE && becomes_floats))) {
        return false;
    }
    bool known = f != nullptr;
    for (size_t i = 0; const kai_packer* p = kai_registry_packer(i); ++i) {
        if (!kai::is_lhs(*p) && strcmp(p->format, t.format.name) == 0) {
            known = true;
            if (source != nullptr && strcmp(p->source_format, source) == 0) {
                return false;
            }
        }
    }
    return known;
}

/// A size that remembers whether it overflowed.
struct Size {
    size_t value;
    bool overflow = false;

    Size operator+(Size b) const {
        Size sum = {0, overflow || b.overflow};
        sum.overflow |= __builtin_add_overflow(value, b.value, &sum.value);
        return sum;
    }
    Size operator*(Size b) const {
        Size product = {0, overflow || b.overflow};
        product.overflow |= __builtin_mul_overflow(value, b.value, &product.value);
        return product;
    }
    /// To a multiple of `step`.
    Size rounded_up(size_t step) const {
        Size up = *this + Size{step - 1};
        up.value = up.value / step * step;
        return up;
    }
};

/// The tag that each matrix ends with, if they have tags.
[[maybe_unused]] inline kai::gemm::Tag tag_of(const kai_gemm_tensor& t) {
    using namespace kai::gemm;
    const TagBias bias = !t.bias ? kNoBias : t.bias_apart ? kBiasAfterPanels : kBiasInPanels;
    return kai::gemm::tag_of({t.kind, t.format, t.n, t.k, t.bl, bias, t.a_zero_point, t.multiplier, t.lut});
}

}  // namespace
}  // namespace kai_gemm_tensors
