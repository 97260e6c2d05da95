// Operands at any address give the same bits as aligned ones. Also run with sanitizers (kleidiai_gemm_asan).
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "test/gemm/experiment.hpp"

namespace test::gemm {
namespace {

/// Bytes that start `shift` bytes after a multiple of 64.
class Shifted {
public:
    Shifted(const std::vector<uint8_t>& bytes, size_t shift) : space_(bytes.size() + 128), size_(bytes.size()) {
        const size_t past = reinterpret_cast<uintptr_t>(space_.data()) % 64;
        start_ = space_.data() + (64 - past) + shift;
        std::memcpy(start_, bytes.data(), bytes.size());
    }
    void* get() const {
        return start_;
    }
    std::vector<uint8_t> bytes() const {
        return {start_, start_ + size_};
    }

private:
    std::vector<uint8_t> space_;
    uint8_t* start_;
    size_t size_;
};

/// Small numbers in a type.
std::vector<uint8_t> numbers(kai_datatype type, size_t count, Random& random) {
    std::vector<uint8_t> bytes(count * size_of(type));
    for (size_t i = 0; i < count; ++i) {
        if (type == kai_dt_int8) {
            bytes[i] = static_cast<uint8_t>(random.integer(-100, 100));
        } else {
            store(bytes.data() + i * size_of(type), random.real(-2, 2), type);
        }
    }
    return bytes;
}

std::vector<uint8_t> nibbles(size_t count, Random& random) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) {
        byte = static_cast<uint8_t>(random.next());
    }
    return bytes;
}

/// C of a product whose operands are all misaligned by `shift` bytes.
std::vector<uint8_t> product(const kai_gemm_problem& p, size_t shift) {
    Random random(1);
    const bool integers = is_static(p.b_kind), dense = p.b_kind == KAI_GEMM_DENSE;
    const size_t blocks = p.bl != 0 ? p.k / p.bl : 1, row = p.n * size_of(p.c_type) + 3;
    const std::vector<uint8_t> words = nibbles(p.n * 4, random);
    std::vector<uint8_t> small(p.n * 4);
    for (size_t i = 0; i < small.size(); i += 4) {
        small[i] = words[i];  // int32
    }
    const Shifted a(numbers(p.a_type, p.m * p.k, random), shift);
    const Shifted b(dense ? numbers(p.b_type, p.n * p.k, random) : nibbles(p.n * p.k, random), shift);
    const Shifted scale(
        numbers(p.b_kind == KAI_GEMM_INT4_BLOCK ? kai_dt_bf16 : kai_dt_f32, p.n * blocks, random), shift);
    const Shifted bias(integers ? small : numbers(kai_dt_f32, p.n, random), shift);
    const std::vector<uint8_t> zeros = numbers(kai_dt_f32, p.n * blocks, random);
    std::vector<float> zero(p.n * blocks);
    std::memcpy(zero.data(), zeros.data(), zeros.size());
    std::vector<uint8_t> old(p.m * row);
    for (size_t m = 0; m < p.m; ++m) {
        const std::vector<uint8_t> line = numbers(p.c_type, p.n, random);
        std::memcpy(&old[m * row], line.data(), line.size());
    }
    // Aligned rows, or rows an odd number of bytes apart.
    const size_t ldc = shift == 0 ? (row + 63) / 64 * 64 : row;
    std::vector<uint8_t> spread(p.m * ldc);
    for (size_t m = 0; m < p.m; ++m) {
        std::memcpy(&spread[m * ldc], &old[m * row], row);
    }
    const Shifted c(spread, shift);

    kai_gemm_plan plan;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
    const Shifted packed(std::vector<uint8_t>(plan.packed_b_size), shift),
        workspace(std::vector<uint8_t>(plan.workspace_size), 0),
        pack_workspace(std::vector<uint8_t>(plan.pack_workspace_size), 0);
    kai_gemm_operands x = {};
    if (p.b_constant) {
        kai_gemm_weights w = {};
        w.b = b.get(), w.scale = scale.get(), w.zero = zero.data(), w.zero_point = 8;
        w.bias = p.bias ? bias.get() : nullptr;
        EXPECT_EQ(
            kai_gemm_pack_b(
                &plan, 0, &w, packed.get(), plan.packed_b_size, pack_workspace.get(), plan.pack_workspace_size, nullptr,
                nullptr),
            KAI_GEMM_OK);
        x.b.data = packed.get();
    } else {
        x.b.data = b.get(), x.bias = p.bias ? bias.get() : nullptr;
    }
    x.m = p.m, x.a.data = a.get(), x.c.data = c.get(), x.c.ld = ldc;
    EXPECT_EQ(kai_gemm_run(&plan, &x, workspace.get(), plan.workspace_size, nullptr, nullptr), KAI_GEMM_OK);
    const std::vector<uint8_t> got = c.bytes();
    std::vector<uint8_t> result;
    for (size_t m = 0; m < p.m; ++m) {
        result.insert(result.end(), &got[m * ldc], &got[m * ldc] + row);
    }
    return result;
}

void expect_any_address(const kai_gemm_problem& p) {
    const std::vector<uint8_t> want = product(p, 0);
    for (const size_t shift : {1, 2, 3, 4}) {  // 4: floats are aligned, but not their next rows (the sanitizer's test)
        EXPECT_TRUE(product(p, shift) == want) << name_of(p.b_kind) << " shifted by " << shift;
    }
}

TEST(GemmAlignment, Floats) {
    const kai_datatype types[] = {kai_dt_f32, kai_dt_f16, kai_dt_bf16};
    for (const kai_datatype a : types) {
        for (const kai_datatype b : types) {
            for (const kai_datatype c : types) {
                for (const int how : {0, 1, 2, 3, 4, 5, 6, 7}) {
                    kai_gemm_problem p = kai_gemm_problem_of(how % 3 == 0 ? 1 : 5, 67, 9);
                    p.a_type = a, p.b_type = b, p.c_type = c;
                    p.b_constant = how % 2 == 0, p.bias = how != 1, p.b_transposed = how >= 4;
                    p.alpha = how % 4 == 2 ? 0.5F : 1, p.beta = how % 4 == 3 ? -1 : how % 4 == 2 ? 2 : 0;
                    SCOPED_TRACE(testing::Message() << name_of(a) << ' ' << name_of(b) << ' ' << name_of(c) << how);
                    expect_any_address(p);
                }
            }
        }
    }
}

TEST(GemmAlignment, Quantised) {
    for (const kai_gemm_kind kind :
         {KAI_GEMM_INT8_CHANNEL, KAI_GEMM_INT4_CHANNEL, KAI_GEMM_INT2_CHANNEL, KAI_GEMM_INT4_BLOCK,
          KAI_GEMM_INT4_BLOCK_ZERO, KAI_GEMM_INT8_STATIC, KAI_GEMM_INT2_STATIC}) {
        for (const int how : {0, 1, 2, 3}) {
            kai_gemm_problem p = kai_gemm_problem_of(how == 0 ? 1 : 5, 70, 64);
            p.b_kind = kind, p.b_constant = true, p.b_transposed = kind != KAI_GEMM_INT8_STATIC;
            p.bl = kind == KAI_GEMM_INT4_BLOCK || kind == KAI_GEMM_INT4_BLOCK_ZERO ? 32 : 0;
            p.bias = how != 1;
            if (is_static(kind)) {
                p.a_type = p.c_type = kai_dt_int8, p.multiplier = 0.01F;
            } else {
                p.beta = how == 2 ? 2 : 0, p.c_type = how == 3 ? kai_dt_f16 : kai_dt_f32;
                p.a_type = how == 3 ? kai_dt_bf16 : kai_dt_f32;
            }
            expect_any_address(p);
        }
    }
}

}  // namespace
}  // namespace test::gemm
