// The low-precision kernels against gemmlowp, through its public interface: random shapes, zero points, multipliers and
// shifts, both output pipelines; all results must be equal. Not built where gemmlowp is not installed.
//
// gemmlowp's LHS are the weights, its RHS the activations, as in TensorFlow Lite: its columns are our rows.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

#include "gemmlowp/public/gemmlowp.h"
#include "kai/kai_registry.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"
#include "test/support/random.hpp"

namespace {

using gemmlowp::MapOrder;
using Vector = gemmlowp::VectorMap<const std::int32_t, gemmlowp::VectorShape::Col>;

struct Problem {
    size_t m, n, k;
    std::vector<uint8_t> lhs, rhs;  // of int8: the bytes
    std::vector<int32_t> bias, multiplier, shift;
    kai_matmul_lowp_params params = {};
};

int32_t any_of(test::Random& random, std::initializer_list<int32_t> values) {
    return values.begin()[random.integer(0, static_cast<int>(values.size()) - 1)];
}

/// Values of one extreme, or any. int8 weights are not -128, as gemmlowp has it.
std::vector<uint8_t> values(size_t count, bool is_signed, bool weights, test::Random& random) {
    const int kind = random.integer(0, 5);
    std::vector<uint8_t> all(count);
    for (uint8_t& x : all) {
        const int y = kind == 0 ? 0 : kind == 1 ? 255 : random.integer(0, 255);
        x = static_cast<uint8_t>(is_signed ? (y ^ 0x80) : y);
        x = is_signed && weights && x == 0x80 ? 0x81 : x;
    }
    return all;
}

Problem problem(bool is_signed, test::Random& random) {
    Problem p;
    p.m = static_cast<size_t>(random.integer(1, random.integer(0, 3) == 0 ? 70 : 5));
    p.n = static_cast<size_t>(random.integer(1, 40));
    p.k = static_cast<size_t>(random.integer(1, random.integer(0, 3) == 0 ? 700 : 70));
    p.lhs = values(p.m * p.k, is_signed, false, random);
    p.rhs = values(p.n * p.k, is_signed, true, random);
    kai_matmul_lowp_params& q = p.params;
    q.pipeline = random.integer(0, 1) == 0 ? KAI_LOWP_LEGACY : KAI_LOWP_FIXED_POINT;
    const bool legacy = q.pipeline == KAI_LOWP_LEGACY;
    q.per_channel = random.integer(0, 1) == 0;
    // gemmlowp: uint8 -255 to 0; TensorFlow Lite: int8 activations -127 to 128, symmetric weights.
    q.lhs_offset = is_signed ? random.integer(-127, 128) : any_of(random, {0, -255, -128, random.integer(-255, 0)});
    q.rhs_offset = is_signed ? 0 : any_of(random, {0, -255, -128, random.integer(-255, 0)});
    q.result_offset = any_of(random, {0, 255, -128, random.integer(-300, 300), random.integer(-100000, 100000)});
    q.min_value = random.integer(is_signed ? -150 : -20, is_signed ? 0 : 120);
    q.max_value = random.integer(q.min_value, 300);
    const int32_t common_shift = legacy ? random.integer(0, 31) : 0;
    for (size_t i = 0; i < p.n; ++i) {
        p.bias.push_back(any_of(random, {0, random.integer(-100000, 100000), random.integer(-(1 << 30), 1 << 30)}));
        if (legacy) {  // one shift for all channels
            p.multiplier.push_back(any_of(random, {0, 1, -1, random.integer(-1000, 1000), random.integer(1, 255)}));
            p.shift.push_back(common_shift);
        } else {
            p.bias.back() %=
                100000;  // a left shift that overflows: gemmlowp saturates or wraps, by the element's place
            p.multiplier.push_back(any_of(
                random, {0, 1, 1 << 30, INT32_MAX, INT32_MIN, random.integer(1 << 30, INT32_MAX),
                         random.integer(1 << 30, INT32_MAX), random.integer(1 << 30, INT32_MAX)}));
            p.shift.push_back(any_of(
                random, {0, -1, 1, -31, 5, random.integer(-20, 3), random.integer(-20, -5), random.integer(-20, -5)}));
        }
    }
    if (legacy && random.integer(0, 2) == 0) {  // ties, and what is beside them: activations of zero leave the bias
        std::fill(p.lhs.begin(), p.lhs.end(), static_cast<uint8_t>(-q.lhs_offset));
        q.result_offset = 0;
        for (size_t i = 0; i < p.n; ++i) {
            const int32_t shift = common_shift % 20, half = shift == 0 ? 0 : 1 << (shift - 1);
            p.bias[i] = random.integer(-300, 300) * (1 << shift) + half + random.integer(-1, 1);
            p.multiplier[i] = any_of(random, {1, 1, -1});
            p.shift[i] = shift;
        }
    }
    return p;
}

template <typename Scalar, typename BitDepth, typename Stage, typename Cast>
std::vector<uint8_t> by_gemmlowp(const Problem& p, const Stage& stage, Cast cast) {
    std::vector<uint8_t> dst(p.m * p.n);
    const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
    const gemmlowp::MatrixMap<const Scalar, MapOrder::RowMajor> weights(
        reinterpret_cast<const Scalar*>(p.rhs.data()), n, k);
    const gemmlowp::MatrixMap<const Scalar, MapOrder::ColMajor> activations(
        reinterpret_cast<const Scalar*>(p.lhs.data()), k, m);
    gemmlowp::MatrixMap<Scalar, MapOrder::ColMajor> result(reinterpret_cast<Scalar*>(dst.data()), n, m);
    gemmlowp::OutputStageBiasAddition<Vector> bias;
    bias.bias_vector = Vector(p.bias.data(), n);
    gemmlowp::OutputStageClamp clamp;
    clamp.min = p.params.min_value, clamp.max = p.params.max_value;
    static gemmlowp::GemmContext context;
    context.set_max_num_threads(1);
    gemmlowp::GemmWithOutputPipeline<Scalar, Scalar, BitDepth>(
        &context, weights, activations, &result, p.params.rhs_offset, p.params.lhs_offset,
        std::make_tuple(bias, stage, clamp, cast));
    return dst;
}

template <typename Scalar, typename BitDepth, typename Cast>
std::vector<uint8_t> by_gemmlowp(const Problem& p) {
    const kai_matmul_lowp_params& q = p.params;
    const int n = static_cast<int>(p.n);
    if (q.pipeline == KAI_LOWP_LEGACY && q.per_channel) {
        const std::vector<int32_t> offsets(p.n, q.result_offset);
        const gemmlowp::OutputStageQuantizeDownInt32ToUint8ScalePC<gemmlowp::VectorShape::Col> stage = {
            Vector(offsets.data(), n), Vector(p.multiplier.data(), n), p.shift[0]};
        return by_gemmlowp<Scalar, BitDepth>(p, stage, Cast());
    }
    if (q.pipeline == KAI_LOWP_LEGACY) {
        const gemmlowp::OutputStageQuantizeDownInt32ToUint8Scale stage = {q.result_offset, p.multiplier[0], p.shift[0]};
        return by_gemmlowp<Scalar, BitDepth>(p, stage, Cast());
    }
    if (q.per_channel) {
        const gemmlowp::OutputStageScaleInt32ByFixedPointAndExponentPC<gemmlowp::VectorShape::Col> stage = {
            Vector(p.multiplier.data(), n), Vector(p.shift.data(), n), q.result_offset};
        return by_gemmlowp<Scalar, BitDepth>(p, stage, Cast());
    }
    const gemmlowp::OutputStageScaleInt32ByFixedPointAndExponent stage = {p.multiplier[0], p.shift[0], q.result_offset};
    return by_gemmlowp<Scalar, BitDepth>(p, stage, Cast());
}

template <typename F>
F* as(kai_any_fn* function) {
    return reinterpret_cast<F*>(function);
}

std::vector<uint8_t> by_kernel(const kai_ukernel& u, const Problem& p) {
    std::vector<uint8_t> dst(p.m * p.n), packed;
    kai_matmul_lowp_params params = p.params;
    params.bias = p.bias.data(), params.multiplier = p.multiplier.data(), params.shift = p.shift.data();
    if (u.signature == KAI_UKERNEL_MATMUL_LOWP_PLAIN) {
        as<kai_run_matmul_lowp_plain_fn>(u.run)(
            p.m, p.n, p.k, p.lhs.data(), p.k, p.rhs.data(), p.k, dst.data(), p.n, 1, &params);
        return dst;
    }
    const kai_packer* packer = kai_registry_rhs_packer(&u, 0);
    packed.resize(as<kai_get_rhs_packed_size_fn>(packer->get_packed_size)(p.n, p.k));
    as<kai_run_rhs_pack_fn>(packer->run)(
        1, p.n, p.k, u.get_nr(), u.get_kr(), u.get_sr(), p.k, p.rhs.data(), nullptr, nullptr, packed.data(), 0,
        nullptr);
    as<kai_run_matmul_lowp_fn>(u.run)(p.m, p.n, p.k, p.lhs.data(), p.k, packed.data(), dst.data(), p.n, 1, &params);
    return dst;
}

}  // namespace

int main() {
    size_t kernels = 0, compared = 0, wrong = 0;
    for (size_t i = 0; i < kai_registry_ukernel_count(); ++i) {
        const kai_ukernel& u = *kai_registry_ukernel(i);
        const bool low = u.signature == KAI_UKERNEL_MATMUL_LOWP || u.signature == KAI_UKERNEL_MATMUL_LOWP_PLAIN;
        if (!low || !kai_registry_runnable(u.features, nullptr, 0)) {
            continue;
        }
        ++kernels;
        const bool is_signed = u.dst_type == kai_dt_int8;
        test::Random random(7);
        for (size_t j = 0; j < 400; ++j) {
            const Problem p = problem(is_signed, random);
            const std::vector<uint8_t> want = is_signed
                                                  ? by_gemmlowp<
                                                        std::int8_t, gemmlowp::SignedL8R8WithLhsNonzeroBitDepthParams,
                                                        gemmlowp::OutputStageSaturatingCastToInt8>(p)
                                                  : by_gemmlowp<
                                                        std::uint8_t, gemmlowp::DefaultL8R8BitDepthParams,
                                                        gemmlowp::OutputStageSaturatingCastToUint8>(p);
            ++compared;
            if (by_kernel(u, p) != want && wrong++ < 10) {
                std::printf(
                    "%s differs from gemmlowp: problem %zu, m %zu, n %zu, k %zu, %s%s\n", u.name, j, p.m, p.n, p.k,
                    p.params.pipeline == KAI_LOWP_LEGACY ? "legacy" : "fixed point",
                    p.params.per_channel ? " per channel" : "");
            }
        }
    }
    std::printf("%zu kernels, %zu problems compared with gemmlowp, %zu differ\n", kernels, compared, wrong);
    return wrong == 0 ? 0 : 1;
}
