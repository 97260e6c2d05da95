// libFuzzer: whatever a problem says, there is a status; and if it is OK and the problem is small, packing and running
// stay within buffers of exactly the sizes that the plan states.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kai/gemm/kai_gemm.h"

namespace {

#define CHECK(condition)                                             \
    do {                                                             \
        if (!(condition)) {                                          \
            std::fprintf(stderr, "does not hold: %s\n", #condition); \
            std::abort();                                            \
        }                                                            \
    } while (0)

/// What is left of the input; zeros after its end.
class Input {
public:
    Input(const uint8_t* data, size_t size) : data_(data), size_(size) {
    }
    uint8_t byte() {
        return size_ == 0 ? 0 : (--size_, *data_++);
    }
    /// Mostly small, sometimes anything.
    size_t size() {
        const uint8_t b = byte();
        size_t value = b % 128;
        if (b == 255) {
            for (int i = 0; i < 8; ++i) {
                value = value << 8 | byte();
            }
        } else if (b >= 224) {
            value = SIZE_MAX >> (b - 224);
        }
        return value;
    }
    float number() {
        static const float numbers[] = {
            0, 1, -1, 0.5F, -0.5F, 3, __builtin_inff(), -__builtin_inff(), __builtin_nanf("")};
        return numbers[byte() % 9];
    }
    kai_datatype type() {
        static const kai_datatype types[] = {kai_dt_f32, kai_dt_f16, kai_dt_bf16, kai_dt_int8, kai_dt_unknown};
        const uint8_t b = byte();
        return types[b % 16 < 5 ? b % 16 : 0];
    }
    bool flag() {
        return byte() % 2 != 0;
    }

private:
    const uint8_t* data_;
    size_t size_;
};

kai_gemm_problem problem_of(Input& in) {
    kai_gemm_problem p = kai_gemm_problem_of(in.size(), in.size(), in.size());
    const uint8_t kind = in.byte();
    p.b_kind = static_cast<kai_gemm_kind>(kind % 16 < 9 ? kind % 16 : 0);
    p.a_type = in.type(), p.b_type = in.type(), p.c_type = in.type();
    if (in.flag()) {  // agree, otherwise little is valid
        p.a_type = p.c_type = p.b_kind == KAI_GEMM_INT8_STATIC ? kai_dt_int8 : kai_dt_f32;
        p.b_type = kai_dt_f32, p.b_constant = p.b_kind != KAI_GEMM_DENSE;
        p.k = p.k / 32 * 32, p.bl = 32;
    } else {
        p.bl = in.size(), p.b_constant = in.flag();
    }
    p.batch = in.size() % 4 == 3 ? in.size() : 1;
    p.groups = in.byte() % 8 == 7;
    p.a_transposed = in.flag(), p.b_transposed = in.flag(), p.b_per_matrix = in.flag(), p.bias = in.flag();
    if (in.flag()) {
        p.alpha = in.number(), p.beta = in.number(), p.clamp_min = in.number(), p.clamp_max = in.number();
        p.a_zero_point = in.byte(), p.c_zero_point = static_cast<int8_t>(in.byte());
        p.c_min = in.byte() - 200, p.c_max = in.byte();
        p.units = in.size(), p.sme_units = in.size(), p.l1_bytes = in.size(), p.l2_bytes = in.size();
        p.allow_bf16 = in.flag(), p.allow_f16 = in.flag();
    }
    return p;
}

/// Memory of exactly this size, so that every byte outside is noticed.
std::vector<uint8_t> memory(size_t size, uint8_t value) {
    std::vector<uint8_t> bytes;
    bytes.reserve(size);
    bytes.assign(size, value);
    return bytes;
}

class Aligned {
public:
    explicit Aligned(size_t size) : data_(size == 0 ? nullptr : aligned_alloc(64, (size + 63) / 64 * 64)) {
    }
    ~Aligned() {
        std::free(data_);
    }
    Aligned(const Aligned&) = delete;
    Aligned& operator=(const Aligned&) = delete;
    void* data() const {
        return data_;
    }

private:
    void* data_;
};

void run(const kai_gemm_plan& plan, Input& in) {
    const kai_gemm_problem& p = plan.problem;
    const auto bytes_of = [](kai_datatype type) { return kai_get_datatype_size_in_bytes(type); };
    const size_t matrices = p.b_per_matrix ? p.batch : 1, blocks = p.bl != 0 ? p.k / p.bl : 0;
    const size_t lines = p.b_transposed ? p.n : p.k, length = p.b_transposed ? p.k : p.n;
    const size_t line = p.b_kind == KAI_GEMM_DENSE ? length * bytes_of(p.b_type)
                        : p.b_kind == KAI_GEMM_INT8_CHANNEL || p.b_kind == KAI_GEMM_INT8_STATIC ? length
                        : p.b_kind == KAI_GEMM_INT2_CHANNEL                                     ? (length + 3) / 4
                        : p.b_kind == KAI_GEMM_INT4_BLOCK_F16 ? blocks * (2 + p.bl / 2)
                                                              : (length + 1) / 2;
    const auto b = memory((p.b_constant ? 1 : matrices) * lines * line, 0x11);
    const auto scale = memory(p.n * (blocks != 0 ? blocks : 1) * 4, 0x3F), zero = scale, bias = memory(p.n * 4, 0x3F);
    auto packed = memory(plan.packed_b_size, 0);
    const Aligned pack_workspace(plan.pack_workspace_size), workspace(plan.workspace_size);
    kai_gemm_weights w = {};
    w.b = b.data(), w.scale = scale.data(), w.zero = reinterpret_cast<const float*>(zero.data());
    w.zero_point = 8, w.bias = bias.data();
    for (size_t i = 0; p.b_constant && i < matrices; ++i) {
        const kai_gemm_status status = kai_gemm_pack_b(
            &plan, i, &w, packed.data(), packed.size(), pack_workspace.data(), plan.pack_workspace_size, nullptr,
            nullptr);
        CHECK(status == KAI_GEMM_OK);
    }
    const size_t m = p.groups ? p.m : p.m - in.size() % (p.m + 1), count = p.groups ? 1 : p.batch;
    const auto a = memory(count * m * p.k * bytes_of(p.a_type), 0x30);
    auto c = memory(count * m * p.n * bytes_of(p.c_type), 0x30);
    std::vector<size_t> rows(p.groups ? p.batch : 0);
    if (!rows.empty()) {
        rows[in.size() % rows.size()] = m;
    }
    kai_gemm_operands x = {};
    x.m = m, x.a.data = a.data(), x.c.data = c.data(), x.rows = rows.data();
    x.b.data = p.b_constant ? packed.data() : b.data();
    x.bias = p.bias && !p.b_constant ? bias.data() : nullptr;
    (void)kai_gemm_run(&plan, &x, workspace.data(), plan.workspace_size, nullptr, nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Input in(data, size);
    kai_gemm_problem p = problem_of(in);
    kai_gemm_format format = {"qsi4cxp", in.size(), in.size(), in.size()};
    const uint8_t choice = in.byte();
    p.format = choice == 1 ? &format : nullptr;
    p.pin = choice == 2 ? "matmul_clamp_f32_f32_f32p16x1b_1x16_portable" : choice == 3 ? "none" : nullptr;
    kai_gemm_plan plan, before;
    std::memset(&plan, 0xA5, sizeof(plan));
    std::memcpy(&before, &plan, sizeof(plan));
    const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
    CHECK(status >= KAI_GEMM_OK && status < KAI_GEMM_STATUS_COUNT);
    if (status != KAI_GEMM_OK) {
        CHECK(std::memcmp(&plan, &before, sizeof(plan)) == 0);
        return 0;
    }
    char text[64];
    std::memset(text, 'x', sizeof(text));
    (void)kai_gemm_explain(&plan, text, sizeof(text));
    CHECK(std::memchr(text, 0, sizeof(text)) != nullptr);
    CHECK(plan.packed_b_stride % 64 == 0);
    constexpr size_t kSmall = 160;
    if (p.m < kSmall && p.n < kSmall && p.k < kSmall && p.batch < 4 && p.units < 1000) {
        run(plan, in);
    }
    return 0;
}
