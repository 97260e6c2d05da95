// Benchmarks every micro-kernel and packer of the registry that this CPU can run.
//
//     kleidiai_bench [--shapes=MxNxK,...] [--bl=32] [--threads=1,2,...] [--sme-units=1] [--cold]
//                    [--benchmark_filter=REGEX] [other flags of Google Benchmark]
//
// Names: matmul/<kernel>/MxNxK, lhs_pack/<packer>/<kernel>/MxK, rhs_pack/<packer>/<kernel>/NxK, and
// end_to_end/<kernel>/MxNxK: quantise and pack the LHS, then multiply, as at every inference.
// end_to_end and lhs_pack only where the LHS is packed, rhs_pack only where the RHS is. Indirect matmul runs with one
// chunk: a table of rows. Depthwise convolution is not here. The GEMM layer, gemm/ and by_hand/: gemm_bench.cpp. Only
// it has threads, of which sme-units can run SME at once; --cold: its weights come from memory, not from a cache.
// Counters: MAC/s and bytes/s (all packed operands read and the result written, once).
//
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmark/bench.hpp"
#include "kai/call.hpp"
#include "kai/kai_call.h"

Options options;

namespace {

/// Bytes of an element: "f32", "f16", "bf16", or integers.
size_t element_size(const char* type) {
    return (kai::element_bits(type) + 7) / 8;
}

}  // namespace

std::vector<uint8_t> random_elements(const char* type, size_t bytes, std::mt19937& random) {
    std::vector<uint8_t> elements(bytes);
    const size_t size = element_size(type);
    for (size_t i = 0; i < bytes; ++i) {
        elements[i] = static_cast<uint8_t>(random());
    }
    const std::string name = type;
    const uint8_t upper = name == "f16" ? 0x38 : 0x3F;  // sign and (most of the) exponent
    const uint8_t mantissa = name == "f16" ? 0x03 : 0x00;
    for (size_t i = size - 1; i < bytes && size > 1; i += size) {
        elements[i] = static_cast<uint8_t>((elements[i] & (0x80 | mantissa)) | upper);
    }
    return elements;
}

namespace {

/// Operands of one micro-kernel, packed by the first packers that the registry pairs with it.
struct Operands {
    kai_call call = {};
    std::vector<float> zero, scale, bias;
    std::vector<uint16_t> bf16_scale;
    std::vector<uint8_t> lhs, rhs, lhs_packed, rhs_packed, dst;
    std::vector<const void*> rows;  // of lhs, for indirect matmul

    Operands(const kai_ukernel& u, const Shape& s) {
        const kai_packer *lhs_packer = kai_registry_lhs_packer(&u, 0), *rhs_packer = kai_registry_rhs_packer(&u, 0);
        call.ukernel = &u;
        call.lhs_packer = lhs_packer, call.rhs_packer = rhs_packer;
        call.m = s.m, call.n = s.n, call.k = s.k, call.bl = options.block_length;
        std::mt19937 random(1);
        std::uniform_real_distribution<float> value(-1.0F, 1.0F);
        const auto fill = [&](std::vector<float>& v, size_t count) {
            v.resize(count);
            for (float& x : v) {
                x = value(random);
            }
        };
        const char* lhs_type = lhs_packer != nullptr ? lhs_packer->source_format : u.lhs_format;
        const size_t row = s.k * element_size(lhs_type);
        lhs = random_elements(lhs_type, s.m * row, random);
        for (size_t i = 0; i < s.m; ++i) {
            rows.push_back(&lhs[i * row]);
        }
        const size_t group = lhs_packer != nullptr ? u.get_mr() : u.get_m_step();
        rows.resize((s.m + group - 1) / group * group);
        fill(zero, s.n * (s.k / options.block_length));
        fill(scale, s.n * (s.k / options.block_length));
        for (const float x : scale) {
            bf16_scale.push_back(kai_cast_bf16_f32(x));
        }
        fill(bias, s.n);
        const size_t lines = rhs_packer != nullptr && kai::is_kxn(*rhs_packer) ? s.k : s.n;
        rhs.resize(
            rhs_packer != nullptr ? lines * kai::line_size(*rhs_packer, s.n, s.k, options.block_length)
                                  : s.n * s.k * element_size(u.rhs_format));
        if (kai::has_blocks(u)) {
            for (uint8_t& b : rhs) {
                b = static_cast<uint8_t>(random()) & 0x3F;  // f16 scales stay finite
            }
        } else {
            rhs = random_elements(rhs_packer != nullptr ? rhs_packer->source_format : u.lhs_format, rhs.size(), random);
        }
        const bool pointers = lhs_packer != nullptr ? kai::takes_pointers(*lhs_packer) : kai::takes_pointers(u);
        call.lhs = pointers ? static_cast<const void*>(rows.data()) : lhs.data();
        call.rhs = rhs.data(), call.rhs_zero = zero.data(), call.rhs_zero_point = 8;
        call.lhs_zero_point = 1;
        if (rhs_packer != nullptr) {
            if (kai::has_block_sums(*rhs_packer)) {
                call.rhs_scale = bf16_scale.data();
            } else if (kai::takes<&kai::PackerArgs::scale>(*rhs_packer) || kai::is_unified(*rhs_packer)) {
                call.rhs_scale = scale.data();
            }
            call.bias = kai::takes<&kai::PackerArgs::no_bias>(*rhs_packer) ? nullptr : bias.data();
        }
        dst.resize(kai_call_dst_size(&call));
        call.dst = dst.data();
        lhs_packed.resize(kai_call_lhs_packed_size(&call));
        run_lhs_pack();
        rhs_packed.resize(kai_call_rhs_packed_size(&call));
        run_rhs_pack();
        call.lhs_packed = lhs_packed.data(), call.rhs_packed = rhs_packed.data();
    }
    void run_lhs_pack() {
        kai_call_pack_lhs(&call, 0, call.m, lhs_packed.data());
    }
    void run_rhs_pack() {
        kai_call_pack_rhs(&call, 0, call.n, rhs_packed.data());
    }
    void run_matmul() {
        kai_call_run(&call, 0, 0, call.m, call.n);
    }
};

benchmark::Counter per_second(double amount) {
    return {amount, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000};
}

/// Runs `step` of the operands of (u, shape) and reports `macs` and `bytes` per call.
template <typename Step, typename Bytes>
void measure(const std::string& name, const kai_ukernel& u, const Shape& s, double macs, Bytes bytes, Step step) {
    benchmark::RegisterBenchmark(name.c_str(), [&u, s, macs, bytes, step](benchmark::State& state) {
        Operands operands(u, s);
        for (auto _ : state) {
            step(operands);
            benchmark::ClobberMemory();
        }
        if (macs > 0) {
            state.counters["MAC/s"] = per_second(macs);
        }
        state.counters["bytes/s"] = per_second(static_cast<double>(bytes(operands)));
    });
}

void register_kernel(const kai_ukernel& u) {
    const auto matmul_bytes = [](const Operands& o) {
        return (o.call.lhs_packer != nullptr ? o.lhs_packed : o.lhs).size() +
               (o.call.rhs_packer != nullptr ? o.rhs_packed : o.rhs).size() + o.dst.size();
    };
    for (const Shape& s : options.shapes) {
        if ((u.rows == KAI_ROWS_MANY) == (s.m == 1)) {
            continue;  // kernels for one row get the GEMV shapes, the others the GEMM ones
        }
        const std::string mk = std::to_string(s.m) + "x" + std::to_string(s.k);
        const std::string nk = std::to_string(s.n) + "x" + std::to_string(s.k);
        const double macs = static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
        const std::string kernel = u.name;
        measure("matmul/" + kernel + "/" + text(s), u, s, macs, matmul_bytes, [](Operands& o) { o.run_matmul(); });
        if (const kai_packer* packer = kai_registry_lhs_packer(&u, 0); packer != nullptr) {
            measure("end_to_end/" + kernel + "/" + text(s), u, s, macs, matmul_bytes, [](Operands& o) {
                o.run_lhs_pack();
                o.run_matmul();
            });
            measure(
                "lhs_pack/" + std::string(packer->name) + "/" + kernel + "/" + mk, u, s, 0,
                [](const Operands& o) { return o.lhs.size() + o.lhs_packed.size(); },
                [](Operands& o) { o.run_lhs_pack(); });
        }
        if (const kai_packer* packer = kai_registry_rhs_packer(&u, 0); packer != nullptr) {
            measure(
                "rhs_pack/" + std::string(packer->name) + "/" + kernel + "/" + nk, u, s, 0,
                [](const Operands& o) { return o.rhs.size() + o.rhs_packed.size(); },
                [](Operands& o) { o.run_rhs_pack(); });
        }
    }
}

/// Takes this program's own flags out of the command line.
bool parse(int* argc, char** argv) {
    int kept = 1;
    for (int i = 1; i < *argc; ++i) {
        if (std::strncmp(argv[i], "--shapes=", 9) == 0) {
            options.shapes.clear();
            for (const char* p = argv[i] + 9; *p != 0;) {
                Shape s{};
                int length = 0;
                if (std::sscanf(p, "%zux%zux%zu%n", &s.m, &s.n, &s.k, &length) != 3) {
                    std::fprintf(stderr, "--shapes takes MxNxK,MxNxK,...: %s\n", p);
                    return false;
                }
                options.shapes.push_back(s);
                p += length;
                p += *p == ',';
            }
        } else if (std::strncmp(argv[i], "--bl=", 5) == 0) {
            options.block_length = std::strtoul(argv[i] + 5, nullptr, 10);
            if (options.block_length == 0 || options.block_length % 32 != 0) {
                std::fprintf(stderr, "--bl takes a multiple of 32\n");
                return false;
            }
        } else if (std::strncmp(argv[i], "--threads=", 10) == 0) {
            options.threads.clear();
            for (const char* p = argv[i] + 10; *p != 0;) {
                char* end = nullptr;
                options.threads.push_back(std::strtoul(p, &end, 10));
                if (end == p || options.threads.back() == 0 || (*end != 0 && *end != ',')) {
                    std::fprintf(stderr, "--threads takes 1,2,...: %s\n", p);
                    return false;
                }
                p = end + (*end == ',');
            }
        } else if (std::strncmp(argv[i], "--sme-units=", 12) == 0) {
            options.sme_units = std::strtoul(argv[i] + 12, nullptr, 10);
        } else if (std::strcmp(argv[i], "--cold") == 0) {
            options.cold = true;
        } else {
            argv[kept++] = argv[i];
        }
    }
    *argc = kept;
    for (const Shape& s : options.shapes) {
        if (s.k % options.block_length != 0) {
            std::fprintf(stderr, "k = %zu is not a multiple of the block length %zu\n", s.k, options.block_length);
            return false;
        }
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (!parse(&argc, argv) || benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 1;
    }
    for (size_t i = 0; i < kai_registry_ukernel_count(); ++i) {
        const kai_ukernel& u = *kai_registry_ukernel(i);
        char reason[256];
        if (kai::is_depthwise(u)) {
            std::fprintf(stderr, "left out: %s: depthwise convolution has no m x n x k\n", u.name);
        } else if (kai_registry_runnable(u.features, reason, sizeof(reason))) {
            register_kernel(u);
        } else {
            std::fprintf(stderr, "left out: %s: %s\n", u.name, reason);
        }
    }
    register_gemm();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
