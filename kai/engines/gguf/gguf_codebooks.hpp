// The codebook types of GGUF files, of 1 to 3 bits: eight weights are a line of a table, or two lines of four.
// docs/gguf-blocks.md draws them. The tables are in gguf_codebooks.cpp alone, so that what needs names and sizes only
// is linked without them.
//
//     weight = scale * value        value = +-level, or level +-1        scale = d * (2 * sub-scale + 1) / 2^n
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

namespace kai {

/// `blocks` blocks to floats.
using Dequantise = void(const uint8_t* src, size_t blocks, uint8_t* dst);

namespace {

struct Codebook {
    unsigned bytes;  // of a block
};
constexpr size_t kCodebookWeights = 256;

/// @name The types
/// @{
inline constexpr Codebook IQ2_XXS = {66}, IQ2_XS = {74}, IQ3_XXS = {98}, IQ1_S = {50}, IQ3_S = {110}, IQ2_S = {82},
                          IQ1_M = {56};
/// @}

}  // namespace
}  // namespace kai

/// LINE(type) for each of them.
#define KAI_GGUF_CODEBOOKS(LINE) \
    LINE(IQ2_XXS) LINE(IQ2_XS) LINE(IQ3_XXS) LINE(IQ1_S) LINE(IQ3_S) LINE(IQ2_S) LINE(IQ1_M)

extern "C" {
#define KAI_DECLARE(TYPE) [[gnu::visibility("hidden")]] kai::Dequantise kai_gguf_dequantise_##TYPE;
KAI_GGUF_CODEBOOKS(KAI_DECLARE)
#undef KAI_DECLARE
}
