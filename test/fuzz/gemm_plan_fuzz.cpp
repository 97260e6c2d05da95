// libFuzzer: any description of a problem is refused, or planned; what is small is packed and run in memory of exactly
// the sizes that the plan says, with units in any order.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "kai/gemm/kai_gemm.h"
#include "test/fuzz/check.hpp"

namespace {

/// The input, zeros behind its end.
struct Input {
    const uint8_t* data;
    size_t size;

    uint8_t byte() {
        return size != 0 ? (--size, *data++) : 0;
    }
    template <typename T>
    T any() {
        uint8_t bytes[sizeof(T)];
        for (uint8_t& b : bytes) {
            b = byte();
        }
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        return value;
    }
    /// Mostly small.
    size_t count() {
        const uint8_t how = byte();
        return how < 128 ? how : how < 240 ? how % 16 * 32 : how < 248 ? any<uint16_t>() : any<size_t>();
    }
    bool flag() {
        return byte() % 2 != 0;
    }
    float factor() {
        constexpr float kFactors[] = {0, 1, -0.5F};
        const uint8_t how = byte();
        return how < 250 ? kFactors[how % 3] : any<float>();
    }
    kai_datatype type() {
        constexpr kai_datatype kTypes[] = {kai_dt_f32, kai_dt_f16, kai_dt_bf16, kai_dt_int8, kai_dt_uint8};
        const uint8_t how = byte();
        return how < 250 ? kTypes[how % 5] : static_cast<kai_datatype>(any<int>());
    }
};

struct Free {
    void operator()(void* p) const {
        std::free(p);
    }
};
using Memory = std::unique_ptr<uint8_t, Free>;

/// Of exactly this size, aligned; noise, or zeros.
Memory memory(size_t size, uint8_t seed) {
    void* p = nullptr;
    CHECK(posix_memalign(&p, 64, size) == 0);
    Memory memory(static_cast<uint8_t*>(p));
    for (size_t i = 0; i < size; ++i) {
        memory.get()[i] = static_cast<uint8_t>(static_cast<uint32_t>(i + 1) * seed * 0x9E3779B1U >> 24);
    }
    return memory;
}

size_t size_of(kai_datatype type) {
    return type == kai_dt_f32 ? 4 : type == kai_dt_int8 || type == kai_dt_uint8 ? 1 : 2;
}

bool is_lowp(kai_gemm_kind kind) {
    return kind == KAI_GEMM_UINT8_LOWP || kind == KAI_GEMM_INT8_LOWP;
}

/// Mostly what the kind demands, so that more than the checks is reached.
void fit_to_kind(kai_gemm_problem& p) {
    const bool lowp = is_lowp(p.b_kind);
    if (lowp || p.b_kind == KAI_GEMM_INT8_STATIC || p.b_kind == KAI_GEMM_INT2_STATIC) {
        p.a_type = p.c_type = p.b_kind == KAI_GEMM_UINT8_LOWP ? kai_dt_uint8 : kai_dt_int8;
        p.alpha = 1, p.beta = 0, p.scatters = false, p.bias = p.bias && !lowp;
    }
    p.b_constant = p.b_constant || (p.b_kind != KAI_GEMM_DENSE && !(lowp && p.b_transposed));
    switch (p.b_kind) {
        case KAI_GEMM_GGUF: {
            const kai_gguf_type* type = kai_gguf_type_at(p.gguf_type % kai_gguf_type_count());
            p.gguf_type = type->id, p.k = p.k % 5 * type->block_weights, p.b_transposed = true;
            break;
        }
        case KAI_GEMM_INT4_TABLE:
            p.bl = p.bl != 0 ? 32 : 0;
            [[fallthrough]];
        case KAI_GEMM_INT4_BLOCK_F16:
        case KAI_GEMM_INT8_BLOCK_F16:
        case KAI_GEMM_INT4_BLOCK_ZERO:
        case KAI_GEMM_UINT4_BLOCK:
        case KAI_GEMM_FLOAT_TABLE:
            p.b_transposed = true;
            [[fallthrough]];
        case KAI_GEMM_F8E4M3_BLOCK:
        case KAI_GEMM_F8E5M2_BLOCK:
        case KAI_GEMM_INT4_BLOCK:
            p.k -= p.bl != 0 ? p.k % p.bl : 0;
            break;
        case KAI_GEMM_INT2_CHANNEL:
            p.b_transposed = true, p.k -= p.k % 32;
            break;
        default:
            break;
    }
}

/// Bytes of a matrix B without gaps.
size_t b_size(const kai_gemm_problem& p) {
    const size_t lines = p.b_transposed ? p.n : p.k, length = p.b_transposed ? p.k : p.n;
    size_t row = 0;
    switch (p.b_kind) {
        case KAI_GEMM_GGUF:
            CHECK(kai_gguf_row_size(kai_gguf_find_type(p.gguf_type), p.k, &row));
            return p.n * row;
        case KAI_GEMM_DENSE:
            return lines * length * size_of(p.b_type);
        case KAI_GEMM_F8E4M3_BLOCK:
        case KAI_GEMM_F8E5M2_BLOCK:
        case KAI_GEMM_INT8_CHANNEL:
        case KAI_GEMM_INT8_STATIC:
        case KAI_GEMM_UINT8_LOWP:
        case KAI_GEMM_INT8_LOWP:
            return lines * length;
        case KAI_GEMM_INT2_CHANNEL:
        case KAI_GEMM_INT2_STATIC:
            return lines * ((length + 3) / 4);
        case KAI_GEMM_INT4_BLOCK_F16:
        case KAI_GEMM_INT4_TABLE:
            return lines * (length / p.bl * (2 + p.bl / 2));
        case KAI_GEMM_INT8_BLOCK_F16:
            return lines * (length / p.bl * (2 + p.bl));
        default:
            return lines * ((length + 1) / 2);
    }
}

/// Requantisation of low precision, of n columns.
struct Lowp {
    std::vector<int32_t> bias, multiplier, shift;
    kai_matmul_lowp_params params = {};

    Lowp(Input& in, size_t n) {
        params.pipeline = in.flag() ? KAI_LOWP_LEGACY : KAI_LOWP_FIXED_POINT;
        params.per_channel = in.flag();
        params.lhs_offset = in.any<int32_t>(), params.rhs_offset = in.any<int32_t>();
        params.result_offset = in.any<int32_t>();
        params.min_value = in.any<int8_t>(), params.max_value = params.min_value + in.byte();
        const auto some = in.any<int32_t>();
        const uint8_t least = in.byte();
        bias.assign(n, some);
        for (size_t i = 0; i < (params.per_channel && n != 0 ? n : 1); ++i) {
            multiplier.push_back(static_cast<int32_t>(static_cast<uint32_t>(some) + i));
            const auto way = static_cast<int32_t>((least + i) % 32);
            shift.push_back(params.pipeline == KAI_LOWP_FIXED_POINT && i % 2 == 0 ? -way : way);
        }
        // One value too many would be found: memory of exactly this size.
        for (std::vector<int32_t>* values : {&bias, &multiplier, &shift}) {
            values->shrink_to_fit();
        }
        params.bias = in.flag() ? bias.data() : nullptr;
        params.multiplier = multiplier.data(), params.shift = shift.data();
    }
};

void run(Input& in, const kai_gemm_plan& plan) {
    const kai_gemm_problem& p = plan.problem;
    const size_t matrices = p.b_per_matrix ? p.batch : 1, b = b_size(p), c_row = p.n * size_of(p.c_type);
    const uint8_t seed = in.byte();
    std::vector<size_t> rows(p.batch), gathered, scattered;
    std::vector<float> factors;
    kai_gemm_operands x = {};
    size_t all = 0;
    for (size_t& r : rows) {
        r = p.groups ? in.byte() % (p.m - all + 1) : 0;
        all += r;
    }
    x.m = p.groups ? 0 : in.byte() % (p.m + 1);
    size_t a_rows = p.groups ? all : x.m;
    x.rows = rows.data();
    if (p.groups && in.flag() && all != 0) {
        a_rows = x.a_row_count = 1 + in.byte() % 16;
        for (size_t i = 0; i < all; ++i) {
            gathered.push_back(in.byte() % a_rows);
        }
        x.a_rows = gathered.data();
    }
    if (p.scatters) {
        x.c_row_count = 1 + in.byte() % 16;
        for (size_t i = 0; i < all; ++i) {
            scattered.push_back(in.byte() % x.c_row_count);
            factors.push_back(in.byte());
        }
        x.c_rows = scattered.data();
        x.c_weights = in.flag() ? factors.data() : nullptr;
    }
    const size_t a_count = p.groups ? 1 : p.batch, c_rows = p.scatters ? x.c_row_count : p.groups ? all : x.m;

    const bool blocks = p.b_kind == KAI_GEMM_INT4_BLOCK || p.b_kind == KAI_GEMM_INT4_BLOCK_ZERO ||
                        p.b_kind == KAI_GEMM_UINT4_BLOCK || p.b_kind == KAI_GEMM_FLOAT_TABLE ||
                        p.b_kind == KAI_GEMM_F8E4M3_BLOCK || p.b_kind == KAI_GEMM_F8E5M2_BLOCK;
    const size_t scales = p.n * (blocks ? p.k / p.bl : 1) * (p.b_kind == KAI_GEMM_INT4_BLOCK ? 2 : 4);
    const Memory bias = memory(p.n * 4, seed), scale = memory(scales, seed), zero = memory(scales, seed),
                 weights = memory(b, seed), packed = memory(plan.packed_b_size, 0xFF),
                 pack_workspace = memory(plan.pack_workspace_size, 0xFF), workspace = memory(plan.workspace_size, 0xFF),
                 a = memory(a_count * a_rows * p.k * size_of(p.a_type), seed),
                 c = memory(a_count * c_rows * c_row, seed), b_each = memory(p.b_constant ? 0 : matrices * b, seed);
    if (p.b_constant) {
        kai_gemm_weights w = {};
        w.b = weights.get(), w.scale = scale.get(), w.zero = reinterpret_cast<const float*>(zero.get());
        const Memory table = memory(16, seed), float_table = memory(16 * sizeof(float), seed);
        const bool of_blocks = p.b_kind == KAI_GEMM_UINT4_BLOCK && in.flag();
        const Memory zero_points = memory(of_blocks ? p.n * ((p.k / p.bl + 1) / 2) : 0, seed);
        w.zero_points = of_blocks ? zero_points.get() : nullptr;
        w.table = reinterpret_cast<const int8_t*>(table.get());
        w.float_table = reinterpret_cast<const float*>(float_table.get());
        w.bias = p.bias ? bias.get() : nullptr, w.zero_point = in.flag() ? 8 : 0;
        for (size_t i = 0; i < matrices; ++i) {
            for (size_t unit = plan.pack_units; unit-- > 0;) {
                CHECK(
                    kai_gemm_pack_b_unit(
                        &plan, i, &w, packed.get(), plan.packed_b_size, pack_workspace.get(), plan.pack_workspace_size,
                        unit) == KAI_GEMM_OK);
            }
        }
        x.b.data = packed.get();
    } else {
        x.b.data = b_each.get();
        x.bias = p.bias ? bias.get() : nullptr;
    }
    x.a.data = a.get(), x.c.data = c.get();
    const Lowp lowp(in, p.n);
    x.lowp = is_lowp(p.b_kind) ? &lowp.params : nullptr;
    kai_gemm_work work;
    CHECK(kai_gemm_begin(&plan, &x, workspace.get(), plan.workspace_size, &work) == KAI_GEMM_OK);
    for (size_t phase = 0; phase < work.phases; ++phase) {
        const size_t units = work.units[phase], first = units != 0 ? in.any<uint16_t>() % units : 0;
        for (size_t i = 0; i < units; ++i) {
            CHECK(kai_gemm_run_unit(&work, phase, (first + i) % units) == KAI_GEMM_OK);
        }
    }
    kai_gemm_cost cost;
    kai_gemm_estimate(&work, &cost);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Input in = {data, size};
    kai_gemm_problem p = kai_gemm_problem_of(in.count(), in.count(), in.count());
    p.batch = in.byte() < 200 ? in.byte() % 6 : in.count();
    p.groups = in.flag(), p.scatters = p.groups && in.flag(), p.a_transposed = in.flag();
    p.a_type = in.type(), p.c_type = in.type(), p.b_type = in.type();
    p.b_kind = static_cast<kai_gemm_kind>(in.byte() < 250 ? in.byte() % KAI_GEMM_KIND_COUNT : in.any<int>());
    p.b_transposed = in.flag(), p.b_constant = in.flag(), p.b_per_matrix = in.flag(), p.bias = in.flag();
    p.gguf_type = static_cast<kai_gguf_type_id>(in.byte());
    p.bl = in.byte() < 200 ? 32 << in.byte() % 3 : in.count();
    p.alpha = in.factor(), p.beta = in.factor();
    if (in.flag()) {
        p.clamp_min = in.any<float>(), p.clamp_max = in.any<float>();
    }
    if (in.flag()) {
        p.a_zero_point = in.any<int8_t>(), p.c_zero_point = in.any<int32_t>();
        p.c_min = in.any<int32_t>(), p.c_max = in.any<int32_t>(), p.multiplier = in.any<float>();
    }
    if (in.byte() < 240) {
        fit_to_kind(p);
    }
    if (p.b_kind == KAI_GEMM_F8E4M3_BLOCK || p.b_kind == KAI_GEMM_F8E5M2_BLOCK) {
        p.scale_columns = in.count(), p.b_type = in.flag() ? kai_dt_uint8 : p.b_type;
    }
    p.allow_bf16 = in.flag(), p.allow_f16 = in.flag();
    p.units = in.count(), p.sme_units = in.count();
    if (in.flag()) {
        p.l1_bytes = in.count(), p.l2_bytes = in.count();
    }
    kai_gemm_format format = {nullptr, in.byte(), in.byte(), in.byte()};
    const uint8_t choice = in.byte();
    if (choice > 200 && kai_registry_ukernel_count() != 0) {
        const kai_ukernel* u = kai_registry_ukernel(in.any<uint16_t>() % kai_registry_ukernel_count());
        if (choice % 2 == 0) {
            p.pin = choice == 202 ? "" : u->name;
        } else {
            format.name = choice == 203 ? nullptr : u->rhs_format;
            p.format = &format;
        }
    }
    kai_gemm_plan plan;
    std::memset(&plan, 0xA5, sizeof(plan));
    const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
    CHECK(status >= KAI_GEMM_OK && status < KAI_GEMM_STATUS_COUNT);
    CHECK(plan.status == status && (plan.reason[0] == 0) == (status == KAI_GEMM_OK));
    const size_t space = in.byte();
    const Memory text = memory(space, '?');
    kai_gemm_explain(&plan, reinterpret_cast<char*>(text.get()), space);
    if (status != KAI_GEMM_OK) {
        const kai_gemm_operands x = {};
        kai_gemm_work work;
        CHECK(kai_gemm_begin(&plan, &x, nullptr, 0, &work) == KAI_GEMM_NO_PLAN);
        return 0;
    }
    constexpr size_t kSmall = 2048;
    const double macs = static_cast<double>(p.batch) * static_cast<double>(p.m) * static_cast<double>(p.n * p.k);
    if (p.m < kSmall && p.n < kSmall && p.k < kSmall && p.batch < 8 && macs < (1 << 19) &&
        plan.workspace_size < (1 << 24) && plan.packed_b_size < (1 << 24)) {
        run(in, plan);
    }
    return 0;
}
