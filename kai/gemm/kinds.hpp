// What the kinds of weights are.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/gemm/kai_gemm.h"

#pragma GCC visibility push(hidden)
namespace kai::gemm {

/// As kai_gemm.h spells it, without KAI_GEMM_.
inline const char* name_of(kai_gemm_kind kind) {
    constexpr const char* kNames[] = {
        "DENSE",           "INT8_CHANNEL", "INT4_CHANNEL",   "INT2_CHANNEL", "INT4_BLOCK",   "INT4_BLOCK_F16",
        "INT4_BLOCK_ZERO", "INT8_STATIC",  "INT8_BLOCK_F16", "UINT8_LOWP",   "INT8_LOWP",    "GGUF",
        "INT2_STATIC",     "INT4_TABLE",   "UINT4_BLOCK",    "FLOAT_TABLE",  "F8E4M3_BLOCK", "F8E5M2_BLOCK"};
    static_assert(sizeof(kNames) / sizeof(kNames[0]) == KAI_GEMM_KIND_COUNT);
    return static_cast<unsigned>(kind) < KAI_GEMM_KIND_COUNT ? kNames[kind] : "no kind";
}

/// A block of k and its f16 scale stand together.
inline bool has_records(kai_gemm_kind kind) {
    return kind == KAI_GEMM_INT4_BLOCK_F16 || kind == KAI_GEMM_INT8_BLOCK_F16 || kind == KAI_GEMM_INT4_TABLE;
}

/// Integer requantisation (kai_lowp.h): nothing of it is packed.
inline bool is_lowp(kai_gemm_kind kind) {
    return kind == KAI_GEMM_UINT8_LOWP || kind == KAI_GEMM_INT8_LOWP;
}

/// A and C are int8, and what requantises them is packed with B.
inline bool is_static(kai_gemm_kind kind) {
    return kind == KAI_GEMM_INT8_STATIC || kind == KAI_GEMM_INT2_STATIC;
}

/// A and C are integers: kernels do it all.
inline bool is_integer(kai_gemm_kind kind) {
    return is_static(kind) || is_lowp(kind);
}

/// Scales are apart from the weights.
inline bool has_scales(kai_gemm_kind kind) {
    return kind != KAI_GEMM_DENSE && kind != KAI_GEMM_GGUF && !has_records(kind) && !is_lowp(kind);
}

/// 8-bit floating point. Scales are converted while they are packed.
inline bool is_f8(kai_gemm_kind kind) {
    return kind == KAI_GEMM_F8E4M3_BLOCK || kind == KAI_GEMM_F8E5M2_BLOCK;
}

/// Nibbles with a scale of b_type for each block, which are converted while they are packed.
inline bool has_typed_scales(kai_gemm_kind kind) {
    return kind == KAI_GEMM_UINT4_BLOCK || kind == KAI_GEMM_FLOAT_TABLE;
}

inline bool has_blocks(kai_gemm_kind kind) {
    return kind == KAI_GEMM_INT4_BLOCK || kind == KAI_GEMM_INT4_BLOCK_ZERO || has_typed_scales(kind) ||
           has_records(kind) || is_f8(kind);
}

/// Weights of such a kind become floats where no kernel reads them packed.
inline bool may_become_floats(kai_gemm_kind kind) {
    return kind == KAI_GEMM_GGUF || has_typed_scales(kind);
}

/// The source format of the packers of a kind; NULL for DENSE (any float), GGUF (the name of the type) and FLOAT_TABLE
/// (floats).
inline const char* source_of(kai_gemm_kind kind) {
    switch (kind) {
        case KAI_GEMM_INT8_CHANNEL:
        case KAI_GEMM_INT8_STATIC:
            return "qsi8cx";
        case KAI_GEMM_INT4_CHANNEL:
            return "qs4cxs1s0";
        case KAI_GEMM_INT2_CHANNEL:
        case KAI_GEMM_INT2_STATIC:
            return "qsu2cx";
        case KAI_GEMM_INT4_BLOCK:
            return "qsu4c32s1s0";
        case KAI_GEMM_INT4_BLOCK_F16:
            return "qsu4c32s16s0";
        case KAI_GEMM_INT4_TABLE:
            return "qlu4c32s16s0";
        case KAI_GEMM_INT8_BLOCK_F16:
            return "qsi8c32";
        case KAI_GEMM_UINT8_LOWP:
            return "qau8";
        case KAI_GEMM_INT8_LOWP:
            return "qsi8";
        case KAI_GEMM_INT4_BLOCK_ZERO:
        case KAI_GEMM_UINT4_BLOCK:
            return "qau4c32s0s1";
        case KAI_GEMM_F8E4M3_BLOCK:
            return "f8e4m3";
        case KAI_GEMM_F8E5M2_BLOCK:
            return "f8e5m2";
        default:
            return nullptr;
    }
}

}  // namespace kai::gemm
#pragma GCC visibility pop
