// libFuzzer: whatever bytes a file has, it is refused, or all that is told about it holds. Mutated headers get a right
// checksum most of the time, otherwise nothing behind it would be reached.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>

#include "kai/gemm/kai_gemm_file.h"
#include "test/fuzz/check.hpp"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

constexpr const char* kKernels[] = {
    "matmul_clamp_f32_qai8dxp1vlx8_qsi4cxp4vlx8_1vlx4vl_sme2_mopa",
    "matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm",
    "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla",
    "matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod",
    "matmul_clamp_qai8_qai8p2vlx4_qsi8cxpsb2vlx4_2vlx2vl_sme2_mopa",
    "matmul_clamp_qai8_qai8p8vsx4_qsu2cxp16vsx4sf32bi32_8vsx16vs_sme2_mopa",
};

/// A right file of 1 or 2 tensors; 0 if it does not fit.
size_t make_file(uint8_t* data, size_t max_size, unsigned seed) {
    kai_gemm_tensor tensors[2] = {};
    const size_t count = 1 + seed % 2;
    for (size_t i = 0; i < count; ++i) {
        kai_gemm_tensor& t = tensors[i];
        CHECK(kai_gemm_tensor_for(kKernels[(seed / 2 + i) % 6], 128, &t) == KAI_GEMM_FILE_OK);
        t.name = i == 0 ? "a" : "b";
        t.n = 3, t.k = 32, t.count = 1 + seed % 3, t.bias = seed % 5 != 0;
        t.bl = t.kind == KAI_GEMM_INT4_BLOCK_F16 ? 32 : 0;
        if (t.bl != 0 && seed % 7 < 3) {
            t.kind = KAI_GEMM_GGUF, t.gguf_type = KAI_GGUF_Q4_0, t.bl = 0;
        }
    }
    size_t size = 0;
    CHECK(kai_gemm_file_lay_out(tensors, count, &size) == KAI_GEMM_FILE_OK);
    if (size > max_size) {
        return 0;
    }
    std::memset(data, 0, size);
    for (size_t i = 0; i < count; ++i) {
        tensors[i].checksum = kai_gemm_file_checksum(0, data + tensors[i].offset, tensors[i].size);
    }
    CHECK(kai_gemm_file_write_header(tensors, count, data, size) == KAI_GEMM_FILE_OK);
    return size;
}

void seal(uint8_t* data, size_t size) {
    uint64_t count = 0;
    std::memcpy(&count, data + 24, sizeof(count));
    if (count <= (size - 64) / 256) {
        const uint32_t checksum = kai_gemm_file_checksum(0, data + 16, kai_gemm_file_header_size(count) - 16);
        std::memcpy(data + 12, &checksum, sizeof(checksum));
    }
}

void check(const kai_gemm_file& file, const kai_gemm_tensor& t) {
    const auto* start = static_cast<const uint8_t*>(file.data);
    const auto* data = static_cast<const uint8_t*>(t.data);
    CHECK(data == start + t.offset && t.offset % KAI_GEMM_FILE_ALIGNMENT == 0);
    CHECK(t.offset <= file.size && t.size <= file.size - t.offset);
    CHECK(t.count >= 1 && t.panels_size <= t.stride && t.stride % 64 == 0);
    CHECK(t.kind < KAI_GEMM_KIND_COUNT);
    if (t.kind == KAI_GEMM_GGUF) {
        CHECK(t.type == kai_dt_unknown && kai_gguf_find_type(t.gguf_type) != nullptr);
    }
    kai_gemm_tensor found;
    CHECK(kai_gemm_file_find(&file, t.name, &found) == KAI_GEMM_FILE_OK && found.data == t.data);
    (void)kai_gemm_tensor_verify(&t);
    char reason[64];
    (void)kai_gemm_tensor_usable(&t, reason, sizeof(reason));
    CHECK(std::strlen(reason) < sizeof(reason));
    kai_gemm_problem problem = kai_gemm_problem_of(5, 0, 0);
    kai_gemm_tensor_describe(&t, &problem);
    kai_gemm_plan plan;
    if (kai_gemm_make_plan(&problem, &plan) == KAI_GEMM_OK && plan.bias_apart == t.bias_apart) {
        CHECK(plan.packed_b_size == t.size && plan.packed_b_stride == t.stride);
    }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
    if (size < 64 + 256 || seed % 64 == 0) {
        const size_t made = make_file(data, max_size, seed / 64);
        return made != 0 ? made : LLVMFuzzerMutate(data, size, max_size);
    }
    // Kind, type or format of an entry, fields, or anything.
    if (seed % 16 == 1) {
        uint8_t* entry = data + 64 + (size >= 64 + 512 ? seed / 16 % 2 * 256 : 0);
        const unsigned value = seed / 32;
        if (value % 3 == 0) {
            const kai_packer* packer = kai_registry_packer(value / 3 % kai_registry_packer_count());
            std::memset(entry + 112, 0, 32);
            std::memcpy(entry + 112, packer->format, std::strlen(packer->format));
        } else {
            const uint32_t small = value / 3 % 256;
            std::memcpy(entry + (value % 3 == 1 ? 144 : 148), &small, sizeof(small));
        }
    } else if (seed % 4 == 0) {
        const size_t at = 16 + 8 * (seed / 4 % ((size - 64) / 8));
        LLVMFuzzerMutate(data + at, 8, 8);
    } else {
        size = LLVMFuzzerMutate(data, size, max_size);
    }
    if (seed % 8 != 0 && size >= 64) {
        seal(data, size);
    }
    return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    kai_gemm_file file;
    // A copy, so that reading past the end is found.
    const std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
    if (size != 0) {
        std::memcpy(copy.get(), data, size);
    }
    if (kai_gemm_file_open(copy.get(), size, &file) != KAI_GEMM_FILE_OK) {
        return 0;
    }
    CHECK(file.size <= size && file.count <= size / 256);
    for (size_t i = 0; i < file.count; ++i) {
        kai_gemm_tensor t;
        CHECK(kai_gemm_file_tensor(&file, i, &t) == KAI_GEMM_FILE_OK);
        check(file, t);
    }
    kai_gemm_tensor t;
    CHECK(kai_gemm_file_tensor(&file, file.count, &t) == KAI_GEMM_FILE_NO_TENSOR);
    return 0;
}
