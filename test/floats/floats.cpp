// Prints a hash of what every packer and micro-kernel of this CPU writes, and of products of the GEMM layer, one line
// each. Two builds of the library print the same (floats_test.cmake). The operands have zeros of both signs, subnormal
// values, large ones, ties, and in some rows NaN and infinity.
//
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <limits>
#include <string>
#include <vector>

#include "kai/gemm/kai_gemm.h"
#include "kai/kai_call.h"
#include "kai/kai_gguf.h"

namespace {

using std::vector;

struct Random {
    uint64_t state;
    uint32_t operator()() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<uint32_t>(state >> 33);
    }
};

/// Values of an LHS or of weights; `special`: also NaN and infinity.
vector<float> floats(size_t count, uint64_t seed, bool special = false) {
    Random random = {seed};
    vector<float> x(count);
    for (float& v : x) {
        const int n = static_cast<int>(random() % 4001) - 2000;
        const uint32_t kind = random() % 64;
        v = kind == 0   ? -0.0F
            : kind == 1 ? 1e-40F
            : kind == 2 ? static_cast<float>(n) * 1e30F
            : kind == 3 ? 0.0F
            : kind < 20 ? static_cast<float>(n % 16) * 0.5F  // ties
                        : static_cast<float>(n) * 0.0123F;
        if (special && random() % 97 == 0) {
            v = random() % 2 == 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
        }
    }
    return x;
}

struct Hash {
    uint64_t value = 14695981039346656037u;
    void add(const void* data, size_t size) {
        for (size_t i = 0; i < size; ++i) {
            value = (value ^ static_cast<const uint8_t*>(data)[i]) * 1099511628211u;
        }
    }
};

/// Of results. Which NaN is one is open: they count as the same.
Hash hash_of_results(const vector<uint8_t>& dst, kai_datatype type) {
    Hash hash;
    const size_t size = kai_get_datatype_size_in_bytes(type);
    for (size_t i = 0; i < dst.size(); i += size) {
        uint32_t bits = 0;
        memcpy(&bits, &dst[i], size);
        const bool nan = type == kai_dt_f32    ? (bits & 0x7FFFFFFF) > 0x7F800000
                         : type == kai_dt_f16  ? (bits & 0x7FFF) > 0x7C00
                         : type == kai_dt_bf16 ? (bits & 0x7FFF) > 0x7F80
                                               : false;
        bits = nan ? UINT32_MAX : bits;
        hash.add(&bits, size);
    }
    return hash;
}

/// Elements of any type from floats: `format` is that of a source or of an operand that is not packed.
vector<uint8_t> elements(const char* format, const vector<float>& x) {
    const std::string f = format;
    vector<uint8_t> out(x.size() * 4 + 64);
    for (size_t i = 0; i < x.size(); ++i) {
        if (f.rfind("f32", 0) == 0) {
            memcpy(&out[4 * i], &x[i], 4);
        } else if (f.rfind("f16", 0) == 0 || f.rfind("bf16", 0) == 0 || f.rfind("x16", 0) == 0) {
            const uint16_t h = f[0] == 'b' ? kai_cast_bf16_f32(x[i]) : kai_cast_f16_f32(x[i] * 0x1p-6F);
            memcpy(&out[2 * i], &h, 2);
        } else {
            uint32_t bits;
            memcpy(&bits, &x[i], 4);
            out[i] = static_cast<uint8_t>((bits >> 13) ^ (bits >> 21) ^ i * 37);
        }
    }
    return out;
}

/// Rows of blocks of weights whose f16 scales are not subnormal, infinite or NaN.
vector<uint8_t> blocks(size_t size, uint64_t seed) {
    Random random = {seed};
    vector<uint8_t> out(size);
    for (uint8_t& byte : out) {
        byte = static_cast<uint8_t>(random() & 0xBF);
    }
    return out;
}

struct Problem {
    kai_call call = {};
    vector<uint8_t> lhs, rhs, scales16;
    vector<float> scales, zeros, bias;
    vector<int32_t> ints;
    vector<const void*> table;

    Problem(const kai_ukernel& u, size_t m, size_t n, size_t k, bool special) {
        call.ukernel = &u;
        call.m = m, call.n = n, call.k = k, call.bl = 32;
        call.scale_multiplier = 0.01F, call.lhs_zero_point = 3, call.rhs_zero_point = 8;
        call.requantize = {-128, 127, -5};
        call.clamp = true, call.clamp_min = -3e30F, call.clamp_max = 40;
        scales = floats(n * k, 3), zeros = floats(n * k, 4), bias = floats(n, 5);
        for (float& s : scales) {  // positive
            s = 0.01F + (s < 0 ? -s : s) * (s < 1e6F && s > -1e6F ? 1e-3F : 0);
        }
        scales16.resize(scales.size() * 2);
        for (size_t i = 0; i < scales.size(); ++i) {
            const uint16_t h = kai_cast_bf16_f32(scales[i]);
            memcpy(&scales16[2 * i], &h, 2);
        }
        for (size_t i = 0; i < n; ++i) {
            ints.push_back(static_cast<int32_t>(i * 7919 % 20011) - 10000);
        }
        call.lowp.multiplier = lowp_multiplier, call.lowp.shift = lowp_shift;
        call.lowp.lhs_offset = call.offsets.lhs_offset = -3, call.lowp.min_value = -128, call.lowp.max_value = 255;
        lhs_values = floats(m * k, 1, special);
        rhs_values = floats(n * k, 2);
    }

    vector<float> lhs_values, rhs_values;
    static constexpr int32_t lowp_multiplier[] = {1518500250}, lowp_shift[] = {-9};
};
constexpr int32_t Problem::lowp_multiplier[], Problem::lowp_shift[];

void print(const char* kind, const std::string& name, const Hash& hash) {
    printf("%016llx %s %s\n", static_cast<unsigned long long>(hash.value), kind, name.c_str());
}

constexpr int8_t kTable[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

bool is_quantised_in_blocks(const std::string& source) {
    return source.find("c32") != std::string::npos || source.find("qsu4c32") != std::string::npos;
}

/// The operands of an RHS packer, by its signature.
void set_rhs(Problem& p, const kai_packer& packer) {
    kai_call& c = p.call;
    const size_t size = c.n * c.k * 4 + 4096;
    const std::string source = packer.source_format;
    c.rhs_packer = &packer;
    c.bias = nullptr, c.rhs_scale = nullptr, c.rhs_zero = nullptr, c.rhs_stride = 0;
    const bool whole = (source.rfind("f", 0) == 0 && source.rfind("f8", 0) != 0) || source.rfind("bf16", 0) == 0 ||
                       source.rfind("x", 0) == 0 || source.rfind("F32", 0) == 0;
    p.rhs = whole ? elements(source[0] == 'F' ? "f32" : packer.source_format, p.rhs_values) : blocks(size, 7);
    c.rhs = p.rhs.data();
    switch (packer.signature) {
        case KAI_RHS_PACK_NXK_BL_ZERO:
            c.rhs_scale = p.scales.data(), c.rhs_zero = p.zeros.data(), c.bias = p.bias.data();
            break;
        case KAI_RHS_PACK_NXK_BL_BF16:
        case KAI_RHS_PACK_KXN_BL_BF16:
            c.rhs_scale = p.scales16.data(), c.bias = p.bias.data();
            break;
        case KAI_RHS_PACK_NXK_F8:
        case KAI_RHS_PACK_KXN_F8:
        case KAI_RHS_PACK_NXK_QS4CX:
        case KAI_RHS_PACK_KXN_QS4CX:
        case KAI_RHS_PACK_NXK_QSI8CX:
        case KAI_RHS_PACK_KXN_QSI8CX:
        case KAI_RHS_PACK_NXK_QSU2CX:
            c.rhs_scale = p.scales.data(), c.bias = p.bias.data();
            break;
        case KAI_RHS_PACK_KXN_QS8CX_I32:
            c.rhs_scale = p.scales.data(), c.bias = p.ints.data();
            break;
        case KAI_RHS_PACK_NXK_TABLE:
            c.table = kTable;
            break;
        default:
            break;
    }
}

/// Whether its RHS is not packed.
bool reads_rows(const kai_ukernel& u) {
    return u.signature == KAI_UKERNEL_MATMUL_PLAIN || u.signature == KAI_UKERNEL_MATMUL_LOWP_PLAIN ||
           u.signature == KAI_UKERNEL_MATMUL_FILE;
}

/// A micro-kernel with each of its packers.
void run(const kai_ukernel& u, const kai_packer* file, uint32_t type) {
    struct Shape {
        size_t m, n, k;
        bool special;
    };
    for (const Shape& s : {Shape{5, 13, 512, false}, Shape{1, 20, 256, true}, Shape{4, 8, 768, true}}) {
        Problem p(u, s.m, s.n, s.k, s.special);
        kai_call& c = p.call;
        if (type != KAI_GGUF_F32) {
            c.bl = kai_gguf_find_type(type)->packed_bl;
        }
        size_t lhs_index = 0;
        do {
            c.lhs_packer = kai_registry_lhs_packer(&u, lhs_index);
            if (lhs_index > 0 && c.lhs_packer == nullptr) {
                break;
            }
            p.lhs = elements(c.lhs_packer != nullptr ? c.lhs_packer->source_format : u.lhs_format, p.lhs_values);
            c.lhs = p.lhs.data();
            vector<uint8_t> lhs_packed(kai_call_lhs_packed_size(&c));
            kai_call_pack_lhs(&c, 0, s.m, lhs_packed.data());
            c.lhs_packed = lhs_packed.data();
            const std::string lhs_name = c.lhs_packer != nullptr ? c.lhs_packer->name : u.lhs_format;
            Hash packed_lhs;
            packed_lhs.add(lhs_packed.data(), lhs_packed.size());
            print("lhs", lhs_name, packed_lhs);
            size_t rhs_index = 0;
            do {
                const kai_packer* packer = file != nullptr ? file : kai_registry_rhs_packer(&u, rhs_index);
                c.rhs_packer = packer;
                if (packer == nullptr && (rhs_index > 0 || !reads_rows(u))) {
                    break;
                }
                if (packer != nullptr) {
                    set_rhs(p, *packer);
                } else {
                    p.rhs = is_quantised_in_blocks(u.rhs_format) || u.rhs_format[0] == 'g'
                                ? blocks(s.n * s.k * 2, 7)
                                : elements(u.rhs_format, p.rhs_values);
                    c.rhs = p.rhs.data();
                }
                vector<uint8_t> rhs_packed(kai_call_rhs_packed_size(&c));
                kai_call_pack_rhs(&c, 0, s.n, rhs_packed.data());
                c.rhs_packed = rhs_packed.data();
                if (packer != nullptr) {
                    Hash packed_rhs;
                    packed_rhs.add(rhs_packed.data(), rhs_packed.size());
                    print("rhs", packer->name, packed_rhs);
                }
                vector<uint8_t> dst(kai_call_dst_size(&c));
                c.dst = dst.data();
                kai_call_run(&c, 0, 0, s.m, s.n);
                print("run", u.name, hash_of_results(dst, u.dst_type));
                ++rhs_index;
            } while (file == nullptr);
            ++lhs_index;
        } while (true);
    }
}

/// Products of the GEMM layer: what it adds to the micro-kernels.
void run_layer() {
    const size_t m = 7, n = 24, k = 256;
    const auto a = floats(m * k, 11, true), b = floats(k * n, 12);
    for (const kai_datatype type : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
        for (const float alpha : {1.0F, 0.3F}) {
            kai_gemm_problem problem = kai_gemm_problem_of(m, n, k);
            problem.alpha = alpha, problem.beta = 0.7F;
            problem.c_type = type;
            kai_gemm_plan plan;
            if (kai_gemm_make_plan(&problem, &plan) != KAI_GEMM_OK) {
                continue;
            }
            vector<float> c = floats(m * n, 14);
            vector<uint8_t> workspace(plan.workspace_size + 64);
            kai_gemm_operands x = {};
            x.m = m, x.a.data = a.data(), x.b.data = b.data(), x.c.data = c.data();
            auto* aligned = workspace.data() + (64 - reinterpret_cast<uintptr_t>(workspace.data()) % 64) % 64;
            const kai_gemm_status status = kai_gemm_run(&plan, &x, aligned, plan.workspace_size, nullptr, nullptr);
            vector<uint8_t> results(c.size() * sizeof(float));
            memcpy(results.data(), c.data(), results.size());
            results.resize(type == kai_dt_f32 ? results.size() : results.size() / 2);
            print("gemm", kai_gemm_status_text(status), hash_of_results(results, type));
        }
    }
}

}  // namespace

int main() {
    for (size_t i = 0; i < kai_registry_ukernel_count(); ++i) {
        const kai_ukernel& u = *kai_registry_ukernel(i);
        // Indirect operands are copied, unified ones are those of other micro-kernels.
        if (!kai_registry_runnable(u.features, nullptr, 0) || u.signature == KAI_UKERNEL_IMATMUL ||
            u.signature == KAI_UKERNEL_IMATMUL_QAI8 || u.signature == KAI_UKERNEL_IMATMUL_ROWS ||
            u.signature == KAI_UKERNEL_IMATMUL_ROWS_QAI8 || u.signature == KAI_UKERNEL_IMATMUL_ROWS_LOWP ||
            u.signature == KAI_UKERNEL_UNIFIED || u.signature == KAI_UKERNEL_DWCONV ||
            u.signature == KAI_UKERNEL_DWCONV_TILES || u.signature == KAI_UKERNEL_DWCONV_TILES_QAI8) {
            continue;
        }
        run(u, nullptr, KAI_GGUF_F32);
        for (uint32_t type = 0; type < 64; ++type) {
            const kai_packer* file = (u.gguf_types >> type & 1) != 0 && u.signature != KAI_UKERNEL_MATMUL_FILE
                                         ? kai_registry_gguf_packer(&u, type)
                                         : nullptr;
            if (file != nullptr) {
                run(u, file, type);
            }
        }
    }
    run_layer();
    return 0;
}
