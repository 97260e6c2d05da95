// SPDX-License-Identifier: Apache-2.0
#include "kai/kai_gguf.h"

#include "kai/engines/gguf/gguf.hpp"
#include "kai/engines/gguf/gguf_codebooks.hpp"

namespace {

constexpr kai_gguf_type kTypes[] = {
#define KAI_TYPE(NAME) {#NAME, KAI_GGUF_##NAME, kai::NAME.weights, kai::NAME.bytes, kai::packed_bl(kai::NAME)},
#define KAI_CODEBOOK_TYPE(NAME) {#NAME, KAI_GGUF_##NAME, kai::kCodebookWeights, kai::NAME.bytes, 0},
    {"F32", KAI_GGUF_F32, 1, 4, 0},
    {"F16", KAI_GGUF_F16, 1, 2, 0},
    // clang-format off
    KAI_TYPE(Q4_0) KAI_TYPE(Q4_1) KAI_TYPE(Q5_0) KAI_TYPE(Q5_1) KAI_TYPE(Q8_0) KAI_TYPE(Q2_K) KAI_TYPE(Q3_K)
    KAI_TYPE(Q4_K) KAI_TYPE(Q5_K) KAI_TYPE(Q6_K)
    KAI_CODEBOOK_TYPE(IQ2_XXS) KAI_CODEBOOK_TYPE(IQ2_XS) KAI_CODEBOOK_TYPE(IQ3_XXS) KAI_CODEBOOK_TYPE(IQ1_S)
    KAI_TYPE(IQ4_NL) KAI_CODEBOOK_TYPE(IQ3_S) KAI_CODEBOOK_TYPE(IQ2_S) KAI_TYPE(IQ4_XS) KAI_CODEBOOK_TYPE(IQ1_M)
    // clang-format on
    {"BF16", KAI_GGUF_BF16, 1, 2, 0},
    // clang-format off
    KAI_TYPE(TQ1_0) KAI_TYPE(TQ2_0) KAI_TYPE(MXFP4) KAI_TYPE(NVFP4) KAI_TYPE(Q1_0) KAI_TYPE(Q2_0)
// clang-format on
#undef KAI_CODEBOOK_TYPE
#undef KAI_TYPE
};
constexpr size_t kTypeCount = sizeof(kTypes) / sizeof(kTypes[0]);

}  // namespace

extern "C" {

const struct kai_gguf_type* kai_gguf_find_type(uint32_t id) {
    for (const kai_gguf_type& type : kTypes) {
        if (static_cast<uint32_t>(type.id) == id) {
            return &type;
        }
    }
    return nullptr;
}

size_t kai_gguf_type_count() {
    return kTypeCount;
}

const struct kai_gguf_type* kai_gguf_type_at(size_t index) {
    return index < kTypeCount ? &kTypes[index] : nullptr;
}

bool kai_gguf_row_size(const struct kai_gguf_type* type, uint64_t k, size_t* size) {
    const uint64_t blocks = k / type->block_weights;
    if (k % type->block_weights != 0 || blocks > SIZE_MAX / type->block_bytes) {
        return false;
    }
    *size = static_cast<size_t>(blocks) * type->block_bytes;
    return true;
}

}  // extern "C"
