// A linear layer, y = W x, on three families of micro-kernels by kai_call.h: weights packed once, 37 rows (prefill) and
// one row (decode), the columns shared among threads. No line depends on a signature.
//
// Weights are int4 / 8, exact in every form: floats; nibbles, with bf16 scales apart or in records that begin with an
// f16 scale. So families differ by what they round: sums (f32), or activations to int8, by at most 1 / 254, which times
// 256 weights of at most 7 / 8 is less than 1.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "kai/kai_call.h"

constexpr size_t N = 331, K = 256, kBlock = 32, kPrefill = 37, kThreads = 4;
constexpr uint8_t kEighth[2] = {0x00, 0x30};  // as f16

int weight(size_t n, size_t k) {
    return static_cast<int>((n * 7 + k * 3 + k / 15) % 15) - 7;
}

/// The largest error of m rows.
double run(kai_call call, size_t m, const std::vector<float>& x) {
    std::vector<float> y(m * N);
    call.m = m, call.lhs = x.data(), call.dst = y.data();
    call.lhs_packer = kai_registry_lhs_packer(call.ukernel, 0);
    std::vector<uint8_t> lhs_packed(kai_call_lhs_packed_size(&call));
    kai_call_pack_lhs(&call, 0, m, lhs_packed.data());
    call.lhs_packed = lhs_packed.data();
    const size_t step = call.ukernel->get_n_step(), share = (N + kThreads * step - 1) / (kThreads * step) * step;
    std::vector<std::thread> threads;
    for (size_t n_idx = 0; n_idx < N; n_idx += share) {
        threads.emplace_back(kai_call_run, &call, 0, n_idx, m, share);
    }
    std::for_each(threads.begin(), threads.end(), [](std::thread& thread) { thread.join(); });
    double worst = 0;
    for (size_t i = 0; i < m * N; ++i) {
        double sum = 0;
        for (size_t k = 0; k < K; ++k) {
            sum += double{x[i / N * K + k]} * weight(i % N, k) / 8;
        }
        worst = std::fmax(worst, std::fabs(y[i] - sum));
    }
    return worst;
}

int main() {
    std::vector<float> x(kPrefill * K), floats;
    std::generate(x.begin(), x.end(), [i = 0U]() mutable { return std::sin(static_cast<float>(++i % 1000)); });
    const std::vector<uint16_t> scales(N * K / kBlock, kai_cast_bf16_f32(0.125F));
    bool good = true;
    for (const char* family :
         {"matmul_clamp_f32_f32_f32p", "matmul_clamp_f32_qai8dxp_qsi4c32p", "matmul_clamp_f32_qsi8d32p_qsi4c32p"}) {
        kai_registry_request request = {family, kPrefill, nullptr, 0, KAI_CORE_AUTO, {}};
        kai_call call = {};
        call.ukernel = request.same_rhs_as = kai_registry_best(&request, nullptr, nullptr);
        call.rhs_packer = kai_registry_rhs_packer(call.ukernel, 0);
        const std::string form = call.rhs_packer->source_format;
        const bool kxn = kai_call_rhs_is_kxn(call.rhs_packer), records = form == "qsu4c32s16s0";
        std::vector<uint8_t> nibbles;
        floats.clear();
        for (size_t i = 0; i < N * K; ++i) {
            const size_t n = kxn ? i % N : i / K, k = kxn ? i / N : i % K, j = k % kBlock;
            floats.push_back(static_cast<float>(weight(n, k)) / 8);
            nibbles.insert(nibbles.end(), kEighth, kEighth + (records && j == 0 ? 2 : 0));
            nibbles.insert(
                nibbles.end(), records ? j < kBlock / 2 : j % 2 == 0,
                static_cast<uint8_t>((weight(n, k) + 8) | (weight(n, k + (records ? kBlock / 2 : 1)) + 8) << 4));
        }
        call.n = N, call.k = K, call.bl = kBlock;
        call.rhs = form == "f32" ? static_cast<const void*>(floats.data()) : nibbles.data();
        call.rhs_scale = form == "qsu4c32s1s0" ? scales.data() : nullptr;
        std::vector<uint8_t> rhs_packed(kai_call_rhs_packed_size(&call));
        kai_call_pack_rhs(&call, 0, N, rhs_packed.data());
        call.rhs_packed = rhs_packed.data();
        for (const size_t m : {kPrefill, size_t{1}}) {
            request.m = m;
            call.ukernel = kai_registry_best(&request, nullptr, nullptr);  // of those that share the weights
            const double error = run(call, m, x);
            std::printf("%s: m = %zu, error %.1e\n", call.ukernel->name, m, error);
            good &= error < (form == "f32" ? 1e-3 : 1);
        }
    }
    std::puts(good ? "all within their bounds" : "WRONG");
    return good ? 0 : 1;
}
