// Does the suite bite? This program is the tests, but every micro-kernel and packer goes through a wrapper that
// misbehaves in one chosen way. The suite must notice, for every kernel or packer that runs.
//
//     kleidiai_mutants            each mutation in turn, and a table of what noticed it
//     kleidiai_mutants NAME ...   these mutations only
//
// A mutation is behaviour, not an edit of a source: it stays valid when kernels change.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "kai/kai_registry.h"
#include "kai/ukernels/families.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"
#include "test/reference/formats.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/packing.hpp"
#include "test/support/subject.hpp"

namespace {

std::string mutation;       // the current one
const kai_ukernel* kernel;  // what the wrapper stands for
const kai_packer* packer;

bool is(const char* name) {
    return mutation == name;
}

// The compiler can neither see that a read is useless nor that a write is out of bounds.
void touch(const void* address) {
    static_cast<void>(*static_cast<const volatile uint8_t*>(address));
}
void spoil(void* address) {
    *static_cast<volatile uint8_t*>(address) = 0x11;
}

/// Breaks a rule of AAPCS64. The last thing that a wrapper does.
void break_the_abi() {
#if defined(__aarch64__)
    if (is("clobbers_d8")) {
        __asm__ volatile("movi d8, #0");
    } else if (is("clobbers_x18")) {
        __asm__ volatile("mov x18, xzr");
    } else if (is("clobbers_fpcr")) {
        __asm__ volatile("msr fpcr, %0" ::"r"(uint64_t{1} << 24));  // flush to zero
    } else if (is("leaves_streaming_on") && kai_cpu_sme_bytes() > 0) {
        __asm__ volatile(".arch_extension sme\n smstart sm");
    } else if (is("leaves_za_on") && kai_cpu_sme_bytes() > 0) {
        __asm__ volatile(".arch_extension sme\n smstart za");
    } else if (is("drops_the_callers_za") && kai_cpu_sme_bytes() > 0) {
        __asm__ volatile(".arch_extension sme\n smstop za\n msr S3_3_C13_C0_5, xzr");  // and no lazy save
    }
#endif
}

// ---- micro-kernels ----

struct Matmul {
    size_t m, n, k, bl;
    const void *lhs, *rhs;
    float* dst;
    size_t stride;
    float lo, hi;

    float& at(size_t i, size_t j) const {
        return *reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(dst) + i * stride + j * sizeof(float));
    }
};

size_t packed_bytes(const char* format, size_t rows, reference::Tile t, size_t k, size_t bl) {
    return (rows + t.rows - 1) / t.rows * reference::find_format(format)->stride({t.rows, t.kr, t.sr, k, bl});
}

template <typename Real>
void mutated_matmul(Matmul c, Real real) {
    const kai_ukernel& u = *kernel;
    const size_t mr = u.get_mr(), nr = u.get_nr(), kr = u.get_kr(), sr = u.get_sr();
    if (c.m == 0 || c.n == 0) {
        real(c);
        if (is("writes_when_empty")) {
            spoil(c.dst);
        }
        return break_the_abi();
    }

    Matmul changed = c;
    if (is("ignores_the_clamp")) {
        changed.lo = -INFINITY, changed.hi = INFINITY;
    } else if (is("drops_a_one_sided_clamp") && (c.lo <= -3e38f || c.hi >= 3e38f)) {
        changed.lo = -INFINITY, changed.hi = INFINITY;
    } else if (is("ignores_the_stride")) {
        changed.stride = c.n * sizeof(float);
    }
    real(changed);

    if (is("all_nan")) {
        for (size_t i = 0; i < c.m; ++i) {
            std::fill_n(&c.at(i, 0), c.n, NAN);
        }
    } else if (is("one_element_off_by_2^-10")) {
        c.at(c.m - 1, c.n - 1) *= 1 + 0x1p-10f;
    } else if (is("one_element_off_by_an_ulp_in_tails") && c.n % nr != 0) {
        c.at(0, c.n - 1) = std::nextafter(c.at(0, c.n - 1), 1e30f);
    } else if (is("loses_nan")) {
        for (size_t i = 0; i < c.m; ++i) {
            for (size_t j = 0; j < c.n; ++j) {
                c.at(i, j) = std::isnan(c.at(i, j)) ? c.lo : c.at(i, j);
            }
        }
    } else if (is("padding_leaks")) {
        // The element after the last column, or below the last row, times zero, is added to the first one.
        Matmul wide = c;
        wide.n = (c.n + nr - 1) / nr * nr;
        wide.m = u.get_m_step() == 1 ? 1 : (c.m + mr - 1) / mr * mr;
        std::vector<float> all(wide.m * wide.n);
        wide.dst = all.data(), wide.stride = wide.n * sizeof(float);
        real(wide);
        c.at(0, 0) += 0.0f * all.back();
    } else if (is("reads_past_the_lhs")) {
        touch(static_cast<const uint8_t*>(c.lhs) + packed_bytes(u.lhs_format, c.m, {mr, kr, sr}, c.k, c.bl));
    } else if (is("reads_past_the_rhs")) {
        touch(static_cast<const uint8_t*>(c.rhs) + packed_bytes(u.rhs_format, c.n, {nr, kr, sr}, c.k, c.bl));
    } else if (is("reads_before_the_rhs")) {
        touch(static_cast<const uint8_t*>(c.rhs) - 1);
    } else if (is("writes_past_dst")) {
        spoil(&c.at(c.m - 1, c.n));
    } else if (is("writes_between_rows") && c.m > 1) {
        spoil(&c.at(0, c.n));
    }
    break_the_abi();
}

// ---- packers ----

struct Packing {
    size_t rows, k, bl, first;  // first: number of the first row
    reference::Tile tile;
    void* packed;

    size_t bytes() const {
        return rows == 0 ? 0 : packed_bytes(packer->format, first % tile.rows + rows, tile, k, bl);
    }
};

/// What can happen to any packed buffer.
void mutated_packing(const Packing& c) {
    uint8_t* packed = static_cast<uint8_t*>(c.packed);
    if (c.bytes() > 0) {
        if (is("packs_one_bit_wrong")) {
            packed[c.bytes() / 2] ^= 1;
        } else if (is("writes_past_packed")) {
            spoil(packed + c.bytes());
        } else if (is("writes_before_packed")) {
            spoil(packed - 1);
        }
    }
    break_the_abi();
}

/// Writes the whole of every panel, also what must stay.
void fill_packed(const Packing& c) {
    if (is("fills_the_panel_first")) {
        std::memset(c.packed, 0, c.bytes());
    }
}

/// The rows of an LHS, dense, in which every value but the largest and the smallest of a block is one ulp nearer to 0:
/// it matters for ties. Not inlined: its caller must not save d8-d15, or they are restored after break_the_abi.
[[gnu::noinline]] std::vector<uint8_t> without_ties(const void* lhs, size_t stride, size_t rows, size_t k, size_t bl) {
    const size_t element = test::element_size(*packer);
    std::vector<uint8_t> copy;
    for (size_t r = 0; r < rows; ++r) {
        const uint8_t* row = static_cast<const uint8_t*>(lhs) + r * stride;
        copy.insert(copy.end(), row, row + k * element);
        for (size_t b = 0; b < k; b += bl) {
            const std::vector<float> x = test::decode_lhs(*packer, row + b * element, bl);
            const auto [lo, hi] = std::minmax_element(x.begin(), x.end());
            for (size_t i = 0; i < bl; ++i) {
                // One less in the bit pattern is one ulp nearer to 0.
                uint8_t* p = &copy[(r * k + b + i) * element];
                if (x[i] != 0 && x[i] != *lo && x[i] != *hi) {
                    for (size_t byte = 0; p[byte]-- == 0; ++byte) {
                    }
                }
            }
        }
    }
    return copy;
}

// ---- the wrappers, one for each signature ----

void matmul_bl(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, float* dst, size_t stride, size_t col,
    float lo, float hi) {
    using Run = void(size_t, size_t, size_t, size_t, const void*, const void*, float*, size_t, size_t, float, float);
    mutated_matmul({m, n, k, bl, lhs, rhs, dst, stride, lo, hi}, [col](const Matmul& c) {
        reinterpret_cast<Run*>(kernel->run)(c.m, c.n, c.k, c.bl, c.lhs, c.rhs, c.dst, c.stride, col, c.lo, c.hi);
    });
}

void matmul(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, size_t stride, size_t col, float lo,
    float hi) {
    using Run = void(size_t, size_t, size_t, const void*, const void*, void*, size_t, size_t, float, float);
    mutated_matmul({m, n, k, 0, lhs, rhs, static_cast<float*>(dst), stride, lo, hi}, [col](const Matmul& c) {
        reinterpret_cast<Run*>(kernel->run)(c.m, c.n, c.k, c.lhs, c.rhs, c.dst, c.stride, col, c.lo, c.hi);
    });
}

template <typename F, typename... A>
void run_packer(A... arguments) {
    reinterpret_cast<F*>(packer->run)(arguments...);
}

void lhs_pack_bl(
    size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const float* lhs,
    size_t lhs_stride, void* packed) {
    const size_t first = test::uses_start_index(*packer) ? m_idx_start : 0;
    const Packing c = {m, k, bl, first, {mr, kr, sr}, packed};
    fill_packed(c);
    const size_t start = is("ignores_m_idx_start") ? 0 : m_idx_start, element = test::element_size(*packer);
    const size_t stride = is("ignores_the_source_stride") ? k * element : lhs_stride;
    if (is("wrong_ties")) {
        const std::vector<uint8_t> copy = without_ties(lhs, lhs_stride, first + m, k, bl);
        run_packer<kai_run_lhs_pack_bl_f32_fn>(
            m, k, bl, mr, kr, sr, start, reinterpret_cast<const float*>(copy.data()), k * element, packed);
    } else {
        run_packer<kai_run_lhs_pack_bl_f32_fn>(m, k, bl, mr, kr, sr, start, lhs, stride, packed);
    }
    if (is("reads_past_the_source") && m > 0 && k > 0) {
        touch(reinterpret_cast<const uint8_t*>(lhs) + (first + m - 1) * lhs_stride + k * element);
    }
    mutated_packing(c);
}

void lhs_pack(
    size_t m, size_t k, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const void* lhs, size_t lhs_stride,
    void* packed) {
    const size_t stride = is("ignores_the_source_stride") ? k * sizeof(float) : lhs_stride;
    run_packer<kai_run_lhs_pack_fn>(m, k, mr, kr, sr, m_idx_start, lhs, stride, packed);
    if (is("reads_past_the_source") && m > 0 && k > 0) {
        touch(static_cast<const uint8_t*>(lhs) + (m - 1) * lhs_stride + k * sizeof(float));
    }
    mutated_packing({m, k, 0, 0, {mr, kr, sr}, packed});
}

void lhs_quant_pack(
    size_t m, size_t k, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const void* lhs, size_t lhs_stride,
    void* packed) {
    const size_t element = test::element_size(*packer);
    const Packing c = {m, k, 0, m_idx_start, {mr, kr, sr}, packed};
    fill_packed(c);
    const size_t start = is("ignores_m_idx_start") ? 0 : m_idx_start;
    const size_t stride = is("ignores_the_source_stride") ? k * element : lhs_stride;
    if (is("wrong_ties")) {
        const std::vector<uint8_t> copy = without_ties(lhs, lhs_stride, m, k, k);
        run_packer<kai_run_lhs_quant_pack_fn>(m, k, mr, kr, sr, start, copy.data(), k * element, packed);
    } else {
        run_packer<kai_run_lhs_quant_pack_fn>(m, k, mr, kr, sr, start, lhs, stride, packed);
    }
    if (is("reads_past_the_source") && m > 0 && k > 0) {
        touch(static_cast<const uint8_t*>(lhs) + (m - 1) * lhs_stride + k * element);
    }
    mutated_packing(c);
}

void rhs_pack_nxk_bl(
    size_t groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,
    const float* bias, void* packed, size_t extra, const kai_rhs_pack_qs4cxs1s0_param* params) {
    run_packer<kai_run_rhs_pack_nxk_qsu4c32_fn>(groups, n, k, nr, kr, sr, bl, rhs, bias, packed, extra, params);
    if (is("reads_past_the_source") && n > 0 && k > 0) {
        touch(rhs + n * (k / bl) * (2 + bl / 2));
    }
    mutated_packing({n, k, bl, 0, {nr, kr, sr}, packed});
}

void rhs_pack_nxk_bl_zero(
    size_t groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs, const void* zero,
    const void* bias, const void* scale, void* packed, size_t extra, const kai_rhs_pack_qs4cxs1s0_param* params) {
    const void* used_bias = is("ignores_the_bias") ? nullptr : bias;
    run_packer<kai_run_rhs_pack_nxk_qau4c32_fn>(
        groups, n, k, nr, kr, sr, bl, rhs, zero, used_bias, scale, packed, extra, params);
    if (is("reads_past_the_source") && n > 0 && k > 0) {
        touch(rhs + n * (k / 2));
    } else if (is("reads_a_null_bias") && n > 0) {
        touch(bias);
    }
    mutated_packing({n, k, bl, 0, {nr, kr, sr}, packed});
}

void rhs_pack(
    size_t groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t rhs_stride, const void* rhs,
    const void* bias, const void* scale, void* packed, size_t extra, const void* params) {
    const bool kxn = packer->signature == KAI_RHS_PACK_KXN;
    const size_t rows = kxn ? k : n, row = (kxn ? n : k) * sizeof(float);
    const size_t stride = is("ignores_the_source_stride") ? row : rhs_stride;
    const void* used_bias = is("ignores_the_bias") ? nullptr : bias;
    run_packer<kai_run_rhs_pack_fn>(groups, n, k, nr, kr, sr, stride, rhs, used_bias, scale, packed, extra, params);
    if (is("reads_past_the_source") && rows > 0 && row > 0) {
        touch(static_cast<const uint8_t*>(rhs) + (rows - 1) * rhs_stride + row);
    } else if (is("reads_a_null_bias") && n > 0) {
        touch(bias);
    }
    mutated_packing({n, k, 0, 0, {nr, kr, sr}, packed});
}

template <typename F>
kai_any_fn* any(F* function) {
    return reinterpret_cast<kai_any_fn*>(function);
}

kai_any_fn* wrapper_of(const kai_ukernel& u) {
    kernel = &u;
    return u.signature == KAI_UKERNEL_MATMUL_BL ? any(matmul_bl) : any(matmul);
}

kai_any_fn* wrapper_of(const kai_packer& p) {
    packer = &p;
    switch (p.signature) {
        case KAI_LHS_PACK_BL:
            return any(lhs_pack_bl);
        case KAI_LHS_PACK:
            return any(lhs_pack);
        case KAI_LHS_QUANT_PACK:
            return any(lhs_quant_pack);
        case KAI_RHS_PACK_NXK_BL:
            return any(rhs_pack_nxk_bl);
        case KAI_RHS_PACK_NXK_BL_ZERO:
            return any(rhs_pack_nxk_bl_zero);
        default:
            return any(rhs_pack);
    }
}

// ---- what must notice what ----

bool every_kernel(const kai_ukernel&) {
    return true;
}
bool kernel_for_many_rows(const kai_ukernel& u) {
    return u.get_m_step() > 1;
}
bool every_packer(const kai_packer&) {
    return true;
}
bool lhs_packer(const kai_packer& p) {
    return test::is_lhs(p);
}
bool quantising_packer(const kai_packer& p) {
    return p.signature == KAI_LHS_PACK_BL || p.signature == KAI_LHS_QUANT_PACK;
}
bool packer_with_start(const kai_packer& p) {
    return test::uses_start_index(p) || test::uses_start_slot(p);
}
bool strided_packer(const kai_packer& p) {
    return p.signature != KAI_RHS_PACK_NXK_BL && p.signature != KAI_RHS_PACK_NXK_BL_ZERO;
}
bool packer_with_bias(const kai_packer& p) {
    return !lhs_packer(p) && p.signature != KAI_RHS_PACK_NXK_BL;
}

struct Mutation {
    const char* name;
    bool (*kernels)(const kai_ukernel&);  // NULL: none
    bool (*packers)(const kai_packer&);
    bool needs_sme = false;
};

const Mutation kMutations[] = {
    {"all_nan", every_kernel, nullptr},
    {"one_element_off_by_2^-10", every_kernel, nullptr},
    {"one_element_off_by_an_ulp_in_tails", every_kernel, nullptr},
    {"ignores_the_clamp", every_kernel, nullptr},
    {"drops_a_one_sided_clamp", every_kernel, nullptr},
    {"loses_nan", every_kernel, nullptr},
    {"ignores_the_stride", kernel_for_many_rows, nullptr},
    {"padding_leaks", every_kernel, nullptr},
    {"writes_when_empty", every_kernel, nullptr},
    {"reads_past_the_lhs", every_kernel, nullptr},
    {"reads_past_the_rhs", every_kernel, nullptr},
    {"reads_before_the_rhs", every_kernel, nullptr},
    {"writes_past_dst", every_kernel, nullptr},
    {"writes_between_rows", kernel_for_many_rows, nullptr},
    {"packs_one_bit_wrong", nullptr, every_packer},
    {"wrong_ties", nullptr, quantising_packer},
    {"ignores_m_idx_start", nullptr, packer_with_start},
    {"ignores_the_source_stride", nullptr, strided_packer},
    {"ignores_the_bias", nullptr, packer_with_bias},
    {"reads_a_null_bias", nullptr, packer_with_bias},
    {"fills_the_panel_first", nullptr, quantising_packer},
    {"reads_past_the_source", nullptr, every_packer},
    {"writes_past_packed", nullptr, every_packer},
    {"writes_before_packed", nullptr, every_packer},
#if defined(__aarch64__)
    {"clobbers_d8", every_kernel, every_packer},
#if !defined(__APPLE__)
    {"clobbers_x18", every_kernel, every_packer},
#endif
    {"clobbers_fpcr", every_kernel, every_packer},
    {"leaves_streaming_on", every_kernel, every_packer, true},
    {"leaves_za_on", every_kernel, every_packer, true},
    {"drops_the_callers_za", every_kernel, every_packer, true},
#endif
};

/// Notes which tests fail for which kernel or packer, in place of printing it.
class Failures : public testing::EmptyTestEventListener {
public:
    std::map<std::string, std::set<std::string>> tests_of;  // by kernel or packer

private:
    void OnTestEnd(const testing::TestInfo& info) override {
        if (info.result()->Failed()) {
            const std::string test = std::string(info.test_suite_name()) + "." + info.name();
            // Kernels/Matmul.Shapes/<name of the kernel>
            const size_t first = test.find('/'), last = test.rfind('/');
            tests_of[test.substr(last + 1)].insert(test.substr(first + 1, last - first - 1));
        }
    }
};

/// Whether all that can run noticed `m`; prints a line for the table.
bool try_mutation(const Mutation& m, Failures& failures) {
    mutation = m.name;
    failures.tests_of.clear();
    [[maybe_unused]] const int status = RUN_ALL_TESTS();
    size_t subjects = 0, noticed = 0;
    std::set<std::string> tests;
    std::string missed;
    const auto count = [&](const auto& subject, bool relevant) {
        if (!relevant || !kai_registry_runnable(subject.features, nullptr, 0)) {
            return;
        }
        ++subjects;
        const auto found = failures.tests_of.find(subject.name);
        if (found == failures.tests_of.end()) {
            missed += std::string("\n    MISSED for ") + subject.name;
        } else {
            ++noticed;
            tests.insert(found->second.begin(), found->second.end());
        }
    };
    for (const kai_ukernel* u : test::all_ukernels()) {
        // What a kernel's getters return may need the CPU's extension.
        count(*u, m.kernels != nullptr && kai_registry_runnable(u->features, nullptr, 0) && m.kernels(*u));
    }
    for (const kai_packer* p : test::all_packers()) {
        count(*p, m.packers != nullptr && m.packers(*p));
    }
    std::string names;
    if (subjects == 0) {
        return true;
    }
    for (const std::string& test : tests) {
        names += (names.empty() ? "" : ", ") + test;
    }
    std::printf("%-36s noticed by %zu of %zu: %s%s\n", m.name, noticed, subjects, names.c_str(), missed.c_str());
    std::fflush(stdout);
    return noticed == subjects;
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    // The end-to-end test would blame kernels for packers.
    GTEST_FLAG_SET(filter, "*Matmul.*:*Pack.*-*Matmul.WithTheLibrarysPackers*");
    GTEST_FLAG_SET(catch_exceptions, false);
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    auto* failures = new Failures;
    listeners.Append(failures);
    test::install_fault_handlers();

    mutation = "none";
    test::substitute_kernel = wrapper_of;
    test::substitute_packer = wrapper_of;
    bool good = true;
    if (RUN_ALL_TESTS() != 0) {
        std::puts("the suite fails without any mutation");
        for (const auto& [name, tests] : failures->tests_of) {
            std::printf("    %s: %s ...\n", name.c_str(), tests.begin()->c_str());
        }
        good = false;
    }
    for (const Mutation& m : kMutations) {
        const bool wanted = argc == 1 || std::find(argv + 1, argv + argc, std::string(m.name)) != argv + argc;
        if (wanted && (!m.needs_sme || kai_cpu_sme_bytes() > 0)) {
            good = try_mutation(m, *failures) && good;
        }
    }
    return good ? 0 : 1;
}
