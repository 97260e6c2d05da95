// The tag at the end of each packed matrix B: what it is packed as. A run compares it with its plan, and so notices
// weights that are not packed, or packed by another plan. It does not say that all units have packed, nor what.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include "kai/engines/core/layout.hpp"
#include "kai/gemm/kinds.hpp"

#pragma GCC visibility push(hidden)
namespace kai::gemm {

/// As it is in memory and in files (docs/file.md).
struct Tag {
    char magic[8];
    uint64_t n, k, bl;
    uint32_t format;  ///< FNV-1a of the name; of "" if B is nothing but its bias
    uint32_t nr, kr, sr;
    uint8_t kind, bias;
    uint8_t zeros[2];
    int32_t a_zero_point;  ///< STATIC
    float multiplier;      ///< the same
    int8_t lut[4];         ///< INT2_CHANNEL
};
static_assert(sizeof(Tag) == 64);

/// Where the bias is.
enum TagBias : uint8_t { kNoBias = 0, kBiasInPanels = 1, kBiasAfterPanels = 3 };

/// What is packed, as plans and tensors of files describe it.
struct Packed {
    kai_gemm_kind kind;
    const kai_gemm_format& format;
    size_t n, k, bl;  ///< bl: block kinds only
    TagBias bias;
    int32_t a_zero_point;
    float multiplier;
    const int32_t* lut;  ///< NULL: that of packers
};

inline Tag tag_of(const Packed& p) {
    constexpr char kMagic[] = {'K', 'A', 'I', 'P', 'A', 'C', 'K', '\n'};
    Tag tag = {};
    memcpy(tag.magic, kMagic, sizeof(kMagic));
    tag.n = p.n, tag.k = p.k, tag.bl = has_blocks(p.kind) ? p.bl : 0;
    tag.format = 0x811C9DC5U;
    for (const char* c = p.format.name; c != nullptr && *c != 0; ++c) {
        tag.format = (tag.format ^ static_cast<uint8_t>(*c)) * 0x01000193U;
    }
    tag.nr = static_cast<uint32_t>(p.format.nr);
    tag.kr = static_cast<uint32_t>(p.format.kr);
    tag.sr = static_cast<uint32_t>(p.format.sr);
    tag.kind = static_cast<uint8_t>(p.kind), tag.bias = p.bias;
    if (is_static(p.kind)) {
        tag.a_zero_point = p.a_zero_point, tag.multiplier = p.multiplier;
    }
    for (size_t i = 0; p.kind == KAI_GEMM_INT2_CHANNEL && i < 4; ++i) {
        tag.lut[i] = static_cast<int8_t>((p.lut != nullptr ? p.lut : kai::kDefaultTable)[i]);
    }
    return tag;
}

}  // namespace kai::gemm
#pragma GCC visibility pop
