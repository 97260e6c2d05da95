// Rows of GGUF files in the GEMM layer: products of every type and kernel against the dequantised weights, and packed
// tensors against plans. Blocks are those of test/data/gguf.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "kai/call.hpp"
#include "kai/gemm/kai_gemm_file.h"
#include "test/gemm/experiment.hpp"
#include "test/reference/float16.hpp"

namespace test::gemm {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.good()) << path;
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

bool is_float(const kai_gguf_type& type) {
    return type.block_weights == 1;
}

/// N rows of k weights, `gap` bytes apart, in random order of the recorded blocks.
struct Rows {
    size_t row = 0, ld = 0;
    Bytes bytes;
    std::vector<float> weights;  // n x k

    Rows(const kai_gguf_type& type, size_t n, size_t k, size_t gap, Random& random) {
        EXPECT_TRUE(kai_gguf_row_size(&type, k, &row));
        ld = row + gap;
        bytes.assign(n == 0 ? 0 : (n - 1) * ld + row, 0xFF);
        weights.resize(n * k);
        const Bytes blocks =
            is_float(type) ? Bytes() : read(KAI_TEST_DATA "/gguf/" + std::string(type.name) + ".blocks");
        for (size_t i = 0; i < n; ++i) {
            for (size_t at = 0; at < row; at += type.block_bytes) {
                uint8_t* to = &bytes[i * ld + at];
                if (is_float(type)) {
                    const auto x = static_cast<float>(random.integer(-32, 32)) / 16;
                    store(
                        to, x,
                        type.id == KAI_GGUF_F32   ? kai_dt_f32
                        : type.id == KAI_GGUF_F16 ? kai_dt_f16
                                                  : kai_dt_bf16);
                } else {
                    const size_t block = random.next() % (blocks.size() / type.block_bytes);
                    std::memcpy(to, &blocks[block * type.block_bytes], type.block_bytes);
                }
            }
            if (k != 0) {
                kai_gguf_dequantise(&type, k, &bytes[i * ld], kai_dt_f32, &weights[i * k]);
            }
        }
    }
};

/// Activations that every quantised LHS has exactly: integers, and 127 in each 32 of them.
std::vector<float> activations(size_t m, size_t k, Random& random) {
    std::vector<float> a(m * k);
    for (size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<float>(i % k % 32 == 7 ? 127 : random.integer(-126, 126));
    }
    return a;
}

/// Packs, unless B is not constant, and multiplies as a plan says, in memory of exact size, with rows of the file at
/// any address.
std::vector<float> product(
    const kai_gemm_plan& plan, const Rows& rows, const std::vector<float>& a, const std::vector<float>& bias,
    Bytes* packed_bytes = nullptr) {
    const kai_gemm_problem& p = plan.problem;
    const GuardedBuffer source(rows.bytes);
    const GuardedBuffer packed(plan.packed_b_size, plan.packed_b_size % 4 == 0 ? Flush::end : Flush::start, 0xFF);
    const auto aligned = [](size_t size) { return size % 64 == 0 ? Flush::end : Flush::start; };
    const GuardedBuffer pack_workspace(plan.pack_workspace_size, aligned(plan.pack_workspace_size));
    const GuardedBuffer workspace(plan.workspace_size, aligned(plan.workspace_size));
    const GuardedBuffer c(p.m * p.n * sizeof(float));
    kai_gemm_weights w = {};
    w.b = source.data(), w.ldb = rows.ld, w.bias = p.bias ? bias.data() : nullptr;
    Schedule schedule;
    schedule.threads = p.units, schedule.shuffle = 7;
    kai_gemm_operands x = {};
    x.m = p.m, x.a.data = a.data(), x.b.data = packed.data(), x.c.data = c.data();
    if (p.b_constant) {
        EXPECT_EQ(
            kai_gemm_pack_b(
                &plan, 0, &w, packed.data(), packed.size(), pack_workspace.data(), pack_workspace.size(), parallel_for,
                &schedule),
            KAI_GEMM_OK);
    } else {
        EXPECT_EQ(plan.packed_b_size + plan.pack_workspace_size, 0U);
        x.b.data = w.b, x.b.ld = w.ldb, x.bias = w.bias;
    }
    EXPECT_EQ(kai_gemm_run(&plan, &x, workspace.data(), workspace.size(), parallel_for, &schedule), KAI_GEMM_OK);
    if (packed_bytes != nullptr) {
        *packed_bytes = packed.bytes();
    }
    std::vector<float> result(p.m * p.n);
    std::memcpy(result.data(), c.data(), c.size());
    return result;
}

/// C against sums in double.
void expect_product(
    const kai_gemm_problem& p, const std::vector<float>& c, const Rows& rows, const std::vector<float>& a,
    const std::vector<float>& bias) {
    for (size_t i = 0; i < p.m; ++i) {
        for (size_t n = 0; n < p.n; ++n) {
            double sum = 0, size_a = 0, largest = 0;
            for (size_t k = 0; k < p.k; ++k) {
                const double x = a[i * p.k + k], w = rows.weights[n * p.k + k];
                sum += x * w, size_a += std::fabs(x), largest = std::max(largest, std::fabs(w));
            }
            const double want = p.alpha * sum + (p.bias ? bias[n] : 0);
            ASSERT_NEAR(c[i * p.n + n], want, 1e-5 * (size_a * largest + std::fabs(want)) + 1e-30)
                << "row " << i << ", column " << n;
        }
    }
}

kai_gemm_problem problem_for(const kai_gguf_type& type, size_t m, size_t n, size_t k) {
    kai_gemm_problem p = kai_gemm_problem_of(m, n, k);
    p.b_kind = KAI_GEMM_GGUF, p.gguf_type = type.id;
    p.b_constant = p.b_transposed = true;
    return p;
}

std::vector<float> some_bias(size_t n) {
    std::vector<float> bias(n);
    for (size_t i = 0; i < n; ++i) {
        bias[i] = static_cast<float>(i) - 3;
    }
    return bias;
}

class GemmGguf : public testing::TestWithParam<const kai_gguf_type*> {
protected:
    const kai_gguf_type& type = *GetParam();

    /// Kernels that this CPU can run and that read the type packed.
    template <typename F>
    void for_kernels(F f) const {
        for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
            if (kai_registry_runnable(u->features, nullptr, 0) && kai_registry_gguf_packer(u, type.id) != nullptr) {
                SCOPED_TRACE(u->name);
                f(*u);
            }
        }
    }
};

TEST_P(GemmGguf, AnyShape) {
    Random random(type.id);
    for (size_t i = 0; i < case_count() / 15 + 6; ++i) {
        const size_t blocks = static_cast<size_t>(random.integer(i % 4 == 0 ? 0 : 1, 4));
        const size_t k = is_float(type) ? 5 * blocks : blocks * type.block_weights;
        kai_gemm_problem p = problem_for(
            type, static_cast<size_t>(random.integer(i % 5 == 0 ? 0 : 1, 12)),
            static_cast<size_t>(random.integer(1, 77)), k);
        p.units = 1 + i % 3, p.sme_units = i % 4 == 1 ? 0 : p.units;
        p.bias = i % 3 == 1, p.alpha = i % 4 == 2 ? 0.5F : 1;
        p.b_constant = random.integer(0, 1) == 0;
        const Rows rows(type, p.n, k, static_cast<size_t>(random.integer(0, 5)), random);
        const std::vector<float> a = activations(p.m, k, random), bias = some_bias(p.n);
        SCOPED_TRACE(
            testing::Message() << type.name << " " << p.m << "x" << p.n << "x" << k << ", bias " << p.bias
                               << (p.b_constant ? ", constant" : ""));
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
        expect_product(p, product(plan, rows, a, bias), rows, a, bias);
        ASSERT_FALSE(HasFailure());
    }
}

// Only types that cannot be packed directly are dequantised.
TEST_P(GemmGguf, DequantisesWhatNoKernelReads) {
    const size_t k = 768;  // dequantised in several parts
    bool read_packed = false;
    for_kernels([&](const kai_ukernel&) { read_packed = true; });
    kai_gemm_problem p = problem_for(type, 4, 9, k);
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    std::string text(4000, 0);
    text.resize(kai_gemm_explain(&plan, text.data(), text.size()));
    EXPECT_EQ(text.find("dequantised, then packed") == std::string::npos, read_packed || is_float(type)) << text;
    if (!is_float(type)) {
        EXPECT_EQ(plan.rhs_packer->signature == KAI_RHS_PACK_NXK_GGUF, read_packed);
        EXPECT_TRUE(plan.problem.bl == 0 || plan.problem.bl == type.packed_bl);
    }
    // To f16 or f32, rounded once; in either order of the packers.
    p.allow_f16 = p.allow_bf16 = true;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
        if (std::strncmp(u->family, "matmul_clamp_f32_f32", 20) != 0 || std::strchr(u->rhs_format, 'p') == nullptr ||
            !kai_registry_runnable(u->features, nullptr, 0) || u->signature >= KAI_UKERNEL_IMATMUL) {
            continue;
        }
        SCOPED_TRACE(u->name);
        Random random(i);
        kai_gemm_problem pinned = problem_for(type, u->rows == KAI_ROWS_ONE ? 1 : 3, 2 * u->get_nr() + 1, k);
        pinned.pin = u->name, pinned.bias = true;
        ASSERT_EQ(kai_gemm_make_plan(&pinned, &plan), KAI_GEMM_OK);
        const Rows rows(type, pinned.n, k, 3, random);
        const std::vector<float> a = activations(pinned.m, k, random), bias = some_bias(pinned.n);
        expect_product(pinned, product(plan, rows, a, bias), rows, a, bias);
    }
}

/// C of 16 bits: products that are scaled, beyond f16 before that, are rounded once.
TEST_P(GemmGguf, BeyondF16BeforeTheLastStep) {
    Random random(type.id + 2);
    kai_gemm_problem p = problem_for(type, 3, 9, 2048);
    const Rows rows(type, p.n, p.k, 0, random);
    std::vector<float> a = activations(p.m, p.k, random);
    std::vector<double> products;
    double largest = 0;
    for (size_t i = 0; i < p.m * p.n; ++i) {
        double sum = 0;
        for (size_t k = 0; k < p.k; ++k) {
            a[i / p.n * p.k + k] *= i % p.n == 0 ? 256 : 1;
            sum += static_cast<double>(a[i / p.n * p.k + k]) * rows.weights[i % p.n * p.k + k];
        }
        products.push_back(sum);
        largest = std::max(largest, std::fabs(sum));
    }
    p.alpha = std::exp2(std::floor(std::log2(static_cast<float>(1000 / largest))));
    for (const kai_datatype c_type : {kai_dt_f16, kai_dt_bf16}) {
        for (const size_t m : {size_t{1}, p.m}) {
            kai_gemm_problem narrow = p;
            narrow.c_type = c_type, narrow.m = m;
            kai_gemm_plan plan;
            ASSERT_EQ(kai_gemm_make_plan(&narrow, &plan), KAI_GEMM_OK);
            SCOPED_TRACE(plan.gemm.ukernel->name);
            EXPECT_EQ(plan.gemm.ukernel->dst_type, kai_dt_f32);
            const std::vector<float> c = product(plan, rows, a, {});
            for (size_t i = 0; i < m * p.n; ++i) {
                const float got = load(&reinterpret_cast<const uint8_t*>(c.data())[2 * i], c_type);
                ASSERT_NEAR(got, p.alpha * products[i], c_type == kai_dt_f16 ? 1.0 : 5.0) << i << " of " << largest;
            }
        }
    }
}

TEST_P(GemmGguf, EachKernel) {
    for_kernels([&](const kai_ukernel& u) {
        Random random(type.id + 1);
        const size_t k = 2 * type.block_weights * (is_float(type) ? 16 : 1);
        kai_gemm_problem p = problem_for(type, u.rows == KAI_ROWS_ONE ? 1 : u.get_m_step() + 3, 2 * u.get_nr() + 3, k);
        p.pin = u.name;
        const bool narrow = u.dst_type != kai_dt_f32 || std::strstr(u.family, "bf16p") != nullptr ||
                            std::strstr(u.family, "f16p") != nullptr;
        if (narrow) {
            return;  // sums or operands of 16 bits: product_test.cpp has them
        }
        kai_gemm_plan plan;
        const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
        ASSERT_EQ(status, KAI_GEMM_OK) << kai_gemm_status_text(status);
        ASSERT_STREQ(plan.gemm.ukernel->name, u.name);
        const Rows rows(type, p.n, k, 1, random);
        const std::vector<float> a = activations(p.m, k, random);
        expect_product(p, product(plan, rows, a, {}), rows, a, {});
    });
}

// ---- read in place ----

/// The kernels that read the type in place.
std::vector<const kai_ukernel*> in_place(const kai_gguf_type& type) {
    std::vector<const kai_ukernel*> kernels;
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
        const kai_gguf_type* read = kai::file_type_of(*u);
        if (read != nullptr && read->id == type.id && kai_registry_runnable(u->features, nullptr, 0)) {
            kernels.push_back(u);
        }
    }
    return kernels;
}

std::string explained(const kai_gemm_plan& plan) {
    std::string text(4000, 0);
    text.resize(kai_gemm_explain(&plan, text.data(), text.size()));
    return text;
}

TEST_P(GemmGguf, InPlaceForFewRowsWithoutASecondCopy) {
    if (is_float(type)) {
        return;  // DENSE
    }
    const size_t k = 2 * type.block_weights, n = 256;
    const auto for_this_cpu = [](const kai_ukernel* u) { return u->features != 0; };
    const std::vector<const kai_ukernel*> kernels = in_place(type);
    kai_gemm_problem constant = problem_for(type, 1, n, k);
    constant.sme_units = 0;
    kai_gemm_plan packs = {};
    ASSERT_EQ(kai_gemm_make_plan(&constant, &packs), KAI_GEMM_OK);
    // A portable kernel is not preferred to packing and a kernel for this CPU.
    const bool reads = !kernels.empty() &&
                       (std::any_of(kernels.begin(), kernels.end(), for_this_cpu) || !for_this_cpu(packs.gemm.ukernel));
    const auto plan_for = [&](size_t m, const char* pin = nullptr) {
        kai_gemm_problem p = problem_for(type, m, n, k);
        p.b_constant = false, p.pin = pin, p.sme_units = 0;
        kai_gemm_plan plan = {};
        EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
        return plan;
    };
    const size_t rows_of_file = n * k / type.block_weights * type.block_bytes;
    for (const size_t m : {size_t{1}, size_t{3}}) {
        const kai_gemm_plan plan = plan_for(m);
        EXPECT_EQ(plan.rhs_packer == nullptr, reads);
        EXPECT_EQ(plan.workspace_size < rows_of_file / 2, reads);
        EXPECT_EQ(explained(plan).find("B read in place") != std::string::npos, reads);
    }
    // Many rows: packed at every run, but not for one row.
    const kai_gemm_plan many = plan_for(64);
    ASSERT_NE(many.rhs_packer, nullptr);
    EXPECT_GE(many.workspace_size, many.panels_size);
    EXPECT_NE(explained(many).find("at every run"), std::string::npos);
    EXPECT_EQ(kai::rhs_is_packed(*many.gemv.ukernel), !reads);
    EXPECT_EQ(explained(many).find("B read in place") != std::string::npos, reads);
    for (const kai_ukernel* u : kernels) {
        const kai_gemm_plan pinned = plan_for(64, u->name);
        EXPECT_EQ(pinned.gemm.ukernel, u);
        EXPECT_EQ(pinned.rhs_packer, nullptr);
        kai_gemm_problem p = problem_for(type, 1, n, k);
        p.pin = u->name;  // constant: packed once
        kai_gemm_plan plan;
        EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_WRONG_KERNEL);
    }
}

/// Batches and experts, every kernel, any number of units and threads: right, and always the same bits.
TEST_P(GemmGguf, NotConstantAnyProblem) {
    std::vector<const kai_ukernel*> kernels = in_place(type);
    kernels.push_back(nullptr);  // not pinned
    for (const kai_ukernel* u : kernels) {
        for (size_t i = 0; i < case_count() / 20 + 8; ++i) {
            Random random(100 * i + type.id);
            const auto any = [&](int low, int high) { return static_cast<size_t>(random.integer(low, high)); };
            const size_t k = any(1, 3) * (is_float(type) ? 32 : type.block_weights), rows = any(0, 6), gap = any(0, 5);
            kai_gemm_problem p = problem_for(type, rows, any(1, 50), k);
            p.b_constant = false, p.pin = u != nullptr ? u->name : nullptr;
            p.batch = any(1, 4), p.b_per_matrix = any(0, 1) != 0, p.groups = any(0, 2) == 0, p.bias = any(0, 2) == 0;
            p.alpha = any(0, 3) == 0 ? -0.5F : 1, p.beta = any(0, 3) == 0 ? 1 : 0, p.a_transposed = any(0, 3) == 0;
            if (any(0, 2) == 0) {
                p.l1_bytes = 2048, p.l2_bytes = 8192;
            }
            std::vector<size_t> group_rows(p.batch, rows), a_rows;
            if (p.groups) {
                for (size_t& one : group_rows) {
                    one = any(0, 1) == 0 ? any(0, 1) : any(0, 9);
                }
            }
            std::vector<size_t> first(p.batch + 1);  // of each matrix, in rows of C
            std::partial_sum(group_rows.begin(), group_rows.end(), first.begin() + 1);
            const size_t all = first.back();
            p.m = p.groups ? all : rows + 60 * any(0, 1);  // of the largest run
            for (size_t row = 0; row < all; ++row) {
                a_rows.push_back(any(0, static_cast<int>(all) - 1));  // ignored without groups
            }
            SCOPED_TRACE(
                testing::Message() << "case " << i << ": " << (u != nullptr ? u->name : "any kernel") << ", " << p.batch
                                   << (p.groups ? " groups of " : " x ") << p.m << "x" << p.n << "x" << k);

            const std::vector<float> a = activations(all, k, random), bias = some_bias(p.n), before(all * p.n, 3);
            std::vector<float> a_stored = a;  // rows, or columns of each matrix
            const size_t a_matrix = p.groups ? all : rows;
            for (size_t j = 0; p.a_transposed && j < a.size(); ++j) {
                const size_t row = j / k, in = row % a_matrix;
                a_stored[row / a_matrix * a_matrix * k + j % k * a_matrix + in] = a[j];
            }
            std::vector<Rows> b;
            Bytes b_bytes;  // with a gap after each matrix
            for (size_t j = 0; j < (p.b_per_matrix ? p.batch : 1); ++j) {
                b.emplace_back(type, p.n, k, gap, random);
                b_bytes.resize(j * (b[0].bytes.size() + 7), 0xFF);
                b_bytes.insert(b_bytes.end(), b[j].bytes.begin(), b[j].bytes.end());
            }
            const GuardedBuffer b_memory(b_bytes), a_memory(a_stored.size() * sizeof(float), Flush::end);
            std::memcpy(a_memory.data(), a_stored.data(), a_memory.size());
            kai_gemm_operands x = {};
            x.m = rows, x.rows = group_rows.data(), x.a.data = a_memory.data();
            x.a_rows = a_rows.data(), x.a_row_count = all;
            x.b.data = b_memory.data(), x.b.ld = b[0].ld, x.b.stride = b[0].bytes.size() + 7;
            x.bias = p.bias ? bias.data() : nullptr;

            Bytes bits;
            for (const size_t units : {1, 2, 5}) {
                p.units = p.sme_units = units;
                kai_gemm_plan plan;
                ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
                const GuardedBuffer c(all * p.n * sizeof(float));
                const bool whole = plan.workspace_size % 64 == 0;
                const GuardedBuffer workspace(plan.workspace_size, whole ? Flush::end : Flush::start, 0xFF);
                std::memcpy(c.data(), before.data(), c.size());
                x.c.data = c.data();
                Schedule schedule;
                schedule.threads = units, schedule.shuffle = units + i;
                ASSERT_EQ(
                    kai_gemm_run(&plan, &x, workspace.data(), workspace.size(), parallel_for, &schedule), KAI_GEMM_OK);
                ASSERT_TRUE(units == 1 || c.bytes() == bits) << units << " units";
                bits = c.bytes();
            }
            for (size_t j = 0; j < p.batch; ++j) {
                for (size_t row = first[j]; row < first[j + 1]; ++row) {
                    const Rows& weights = b[p.b_per_matrix ? j : 0];
                    const float* a_row = &a[(p.groups ? a_rows[row] : row) * k];
                    for (size_t n = 0; n < p.n; ++n) {
                        double sum = 0, size = 0;
                        for (size_t e = 0; e < k; ++e) {
                            const double product = static_cast<double>(a_row[e]) * weights.weights[n * k + e];
                            sum += product, size += std::fabs(product);
                        }
                        const double want = p.alpha * sum + (p.bias ? bias[n] : 0) + (p.beta != 0 ? 3 : 0);
                        const float got = load(&bits[(row * p.n + n) * sizeof(float)], kai_dt_f32);
                        ASSERT_NEAR(got, want, 1e-5 * (size + std::fabs(want)) + 1e-30) << "row " << row << ", " << n;
                    }
                }
            }
        }
    }
}

TEST_P(GemmGguf, NotConstantRefusesOperands) {
    kai_gemm_problem p = problem_for(type, 2, 5, type.block_weights * 2);
    p.b_constant = false, p.bias = true;
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    Random random(3);
    const Rows rows(type, p.n, p.k, 0, random);
    const std::vector<float> a = activations(p.m, p.k, random), bias = some_bias(p.n);
    std::vector<float> c(p.m * p.n);
    const GuardedBuffer workspace(plan.workspace_size, Flush::start);
    const auto status = [&](auto change) {
        kai_gemm_operands x = {};
        x.m = p.m, x.a.data = a.data(), x.b.data = rows.bytes.data(), x.c.data = c.data(), x.bias = bias.data();
        change(x);
        return kai_gemm_run(&plan, &x, workspace.data(), workspace.size(), nullptr, nullptr);
    };
    EXPECT_EQ(status([](auto&) {}), KAI_GEMM_OK);
    EXPECT_EQ(status([](auto& x) { x.b.data = nullptr; }), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(status([](auto& x) { x.bias = nullptr; }), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(status([&](auto& x) { x.b.ld = rows.row - 1; }), KAI_GEMM_BAD_STRIDE);
    EXPECT_EQ(status([](auto& x) { x.b.ld = SIZE_MAX / 4; }), KAI_GEMM_OVERFLOW);
}

// A tensor for a kernel: sizes and bytes are the plan's, and a file keeps them.
// A file may say that weights are floats which a plan dequantised: their size is that of the plan, whatever it says.
TEST_P(GemmGguf, DequantisedTensorsAgreeWithPlans) {
    if (is_float(type)) {
        return;
    }
    kai_gemm_tensor t = {};
    ASSERT_EQ(kai_gemm_tensor_for("matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla", 0, &t), KAI_GEMM_FILE_OK);
    t.name = "w", t.kind = KAI_GEMM_GGUF, t.type = kai_dt_unknown, t.gguf_type = type.id;
    t.n = 100, t.k = type.block_weights, t.count = 2, t.bias = true;
    size_t size = 0;
    ASSERT_EQ(kai_gemm_file_lay_out(&t, 1, &size), KAI_GEMM_FILE_OK);
    kai_gemm_problem p = kai_gemm_problem_of(5, 0, 0);
    kai_gemm_tensor_describe(&t, &p);
    kai_gemm_plan plan;
    if (kai_gemm_make_plan(&p, &plan) == KAI_GEMM_OK) {  // no packer takes the type
        EXPECT_EQ(plan.packed_b_size, t.size);
        EXPECT_EQ(plan.packed_b_stride, t.stride);
    }
    Bytes file(size);
    ASSERT_EQ(kai_gemm_file_write_header(&t, 1, file.data(), size), KAI_GEMM_FILE_OK);
    t.size -= 64, t.stride -= 64;
    EXPECT_NE(kai_gemm_file_write_header(&t, 1, file.data(), size), KAI_GEMM_FILE_OK);
    t.k += 1;
    EXPECT_EQ(kai_gemm_tensor_measure(&t), KAI_GEMM_FILE_BAD_VALUE);
}

TEST_P(GemmGguf, TensorsAgreeWithPlans) {
    if (is_float(type)) {
        kai_gemm_tensor t = {};
        ASSERT_EQ(kai_gemm_tensor_for("matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla", 0, &t), KAI_GEMM_FILE_OK);
        t.kind = KAI_GEMM_GGUF, t.type = kai_dt_unknown, t.gguf_type = type.id, t.n = t.k = 32, t.count = 1;
        EXPECT_EQ(kai_gemm_tensor_measure(&t), KAI_GEMM_FILE_BAD_VALUE);  // it is DENSE
        return;
    }
    for_kernels([&](const kai_ukernel& u) {
        const size_t k = 2 * type.block_weights;
        const bool sve = u.size_features == uint64_t{1} << KAI_CPU_SVE;
        kai_gemm_tensor t = {};
        ASSERT_EQ(
            kai_gemm_tensor_for(u.name, 8 * (sve ? kai_cpu_sve_bytes() : kai_cpu_sme_bytes()), &t), KAI_GEMM_FILE_OK);
        t.kind = KAI_GEMM_GGUF, t.gguf_type = type.id;
        t.name = "blk.0.ffn_up.weight", t.n = 3 * t.format.nr + 1, t.k = k, t.count = 2, t.bias = u.get_nr() != 4;
        size_t size = 0;
        ASSERT_EQ(kai_gemm_file_lay_out(&t, 1, &size), KAI_GEMM_FILE_OK);
        Bytes file(size);
        Random random(3);
        const std::vector<float> bias = some_bias(t.n);
        std::vector<Rows> matrices;
        for (size_t m = 0; m < t.count; ++m) {
            matrices.emplace_back(type, t.n, k, 2, random);
            kai_gemm_weights w = {};
            w.b = matrices[m].bytes.data(), w.ldb = matrices[m].ld, w.bias = t.bias ? bias.data() : nullptr;
            for (const auto& part : {std::pair<size_t, size_t>{0, t.format.nr}, {t.format.nr, t.n - t.format.nr}}) {
                ASSERT_EQ(
                    kai_gemm_tensor_pack(&t, m, true, &w, part.first, part.second, &file[t.offset], t.size),
                    KAI_GEMM_FILE_OK);
            }
            EXPECT_EQ(kai_gemm_tensor_pack(&t, m, false, &w, 0, t.n, &file[t.offset], t.size), KAI_GEMM_FILE_NO_PACKER);
        }
        t.checksum = kai_gemm_file_checksum(0, &file[t.offset], t.size);
        ASSERT_EQ(kai_gemm_file_write_header(&t, 1, file.data(), size), KAI_GEMM_FILE_OK);
        kai_gemm_file opened;
        kai_gemm_tensor found;
        ASSERT_EQ(kai_gemm_file_open(file.data(), size, &opened), KAI_GEMM_FILE_OK);
        ASSERT_EQ(kai_gemm_file_find(&opened, t.name, &found), KAI_GEMM_FILE_OK);
        ASSERT_EQ(found.gguf_type, type.id);
        ASSERT_EQ(kai_gemm_tensor_verify(&found), KAI_GEMM_FILE_OK);
        EXPECT_EQ(kai_gemm_tensor_usable(&found, nullptr, 0), KAI_GEMM_FILE_OK);
        kai_gemm_problem p = kai_gemm_problem_of(5, 0, 0);
        kai_gemm_tensor_describe(&found, &p);
        p.units = 2, p.sme_units = 2;
        kai_gemm_plan plan;
        const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
        ASSERT_EQ(status, KAI_GEMM_OK) << kai_gemm_status_text(status);
        EXPECT_EQ(plan.packed_b_size, t.size);
        EXPECT_EQ(plan.packed_b_stride, t.stride);
        EXPECT_EQ(plan.panels_size, found.panels_size);
        EXPECT_EQ(plan.bias_apart, t.bias_apart);
        Bytes by_plan(t.size);
        for (size_t m = 0; m < t.count; ++m) {
            kai_gemm_weights w = {};
            w.b = matrices[m].bytes.data(), w.ldb = matrices[m].ld, w.bias = t.bias ? bias.data() : nullptr;
            ASSERT_EQ(
                kai_gemm_pack_b(&plan, m, &w, by_plan.data(), by_plan.size(), nullptr, 0, nullptr, nullptr),
                KAI_GEMM_OK);
        }
        EXPECT_TRUE(by_plan == Bytes(&file[t.offset], &file[t.offset] + t.size));
    });
}

// Rows packed as floats, whatever their type: as a plan for that format packs them.
TEST_P(GemmGguf, DenseTensorsAgreeWithPlans) {
    for (const kai_datatype element : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
        SCOPED_TRACE(testing::Message() << type.name << " as type " << element);
        kai_gemm_tensor t = {};
        const char* kernel = nullptr;
        const kai_gemm_file_status status =
            kai_gemm_tensor_for_dense(element, kai_cpu_features(), 8 * kai_cpu_sme_bytes(), &t, &kernel);
        if (element == kai_dt_bf16 && status == KAI_GEMM_FILE_NO_PACKER) {
            continue;
        }
        ASSERT_EQ(status, KAI_GEMM_FILE_OK);
        EXPECT_TRUE(t.kind == KAI_GEMM_DENSE && t.type == element);
        const kai_ukernel* u = kai_registry_find_ukernel(kernel);
        ASSERT_NE(u, nullptr);
        kai_gemm_problem p = kai_gemm_problem_of(64, 64, 64);
        p.b_constant = p.b_transposed = true;
        p.allow_bf16 = element == kai_dt_bf16, p.allow_f16 = element == kai_dt_f16;
        p.core = KAI_CORE_GENERIC;  // a tensor is for features, not for a class of cores
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
        // Without instructions for f16 a plan prefers f32, whatever is packed.
        const bool slow = element == kai_dt_f16 && !kai_cpu_query(KAI_CPU_FP16).present;
        if (u->features != 0 && !slow && plan.gemm.ukernel->size_features != uint64_t{1} << KAI_CPU_SVE) {
            EXPECT_STREQ(kernel, plan.gemm.ukernel->name);
        }
        if (is_float(type)) {
            t.type = type.id == KAI_GGUF_F32 ? kai_dt_f32 : type.id == KAI_GGUF_F16 ? kai_dt_f16 : kai_dt_bf16;
        } else {
            t.kind = KAI_GEMM_GGUF, t.type = kai_dt_unknown, t.gguf_type = type.id;
        }
        t.n = 2 * t.format.nr + 1, t.k = is_float(type) ? 301 : 3 * type.block_weights, t.count = 1;
        ASSERT_EQ(kai_gemm_tensor_measure(&t), KAI_GEMM_FILE_OK);
        p = kai_gemm_problem_of(5, 0, 0);
        kai_gemm_tensor_describe(&t, &p);
        p.b_transposed = true, p.sme_units = 1;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
        ASSERT_EQ(plan.packed_b_size, t.size);
        Random random(4);
        const Rows rows(type, t.n, t.k, 3, random);
        kai_gemm_weights w = {};
        w.b = rows.bytes.data(), w.ldb = rows.ld;
        GuardedBuffer packed(t.size, Flush::end), workspace(plan.pack_workspace_size, Flush::start);
        for (const auto& part : {std::pair<size_t, size_t>{t.format.nr, t.n - t.format.nr}, {0, t.format.nr}}) {
            ASSERT_EQ(
                kai_gemm_tensor_pack(&t, 0, true, &w, part.first, part.second, packed.data(), t.size),
                KAI_GEMM_FILE_OK);
        }
        Bytes by_plan(t.size);
        ASSERT_EQ(
            kai_gemm_pack_b(&plan, 0, &w, by_plan.data(), t.size, workspace.data(), workspace.size(), nullptr, nullptr),
            KAI_GEMM_OK);
        EXPECT_TRUE(by_plan == packed.bytes());
        if (!is_float(type)) {
            EXPECT_EQ(kai_gemm_tensor_pack(&t, 0, false, &w, 0, t.n, packed.data(), t.size), KAI_GEMM_FILE_NO_PACKER);
            w.ldb = 1;
            EXPECT_EQ(kai_gemm_tensor_pack(&t, 0, true, &w, 0, t.n, packed.data(), t.size), KAI_GEMM_FILE_BAD_STRIDE);
        }
    }
}

TEST(GemmGgufTensor, DenseForAnyCpu) {
    const auto has = [](kai_cpu_feature feature) { return uint64_t{1} << feature; };
    kai_gemm_tensor t = {};
    const char* kernel = nullptr;
    const auto kernel_of = [&](kai_datatype element, uint64_t features, size_t bits = 0) {
        return kai_gemm_tensor_for_dense(element, features, bits, &t, &kernel) == KAI_GEMM_FILE_OK ? kernel : "";
    };
    const uint64_t neon = has(KAI_CPU_NEON), sme = neon | has(KAI_CPU_SME);
    EXPECT_STREQ(kernel_of(kai_dt_f32, 0), "matmul_clamp_f32_f32_f32p16x1b_1x16_portable");
    EXPECT_STREQ(kernel_of(kai_dt_f32, neon), "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla");
    EXPECT_STREQ(kernel_of(kai_dt_f16, neon | has(KAI_CPU_FP16)), "matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla");
    EXPECT_STREQ(
        kernel_of(kai_dt_bf16, neon | has(KAI_CPU_BF16)), "matmul_clamp_f32_bf16p8x4_bf16p12x4b_8x12_neon_mmla");
    EXPECT_STREQ(kernel_of(kai_dt_bf16, neon), "");
    EXPECT_STREQ(kernel_of(kai_dt_f32, sme, 256), "matmul_clamp_f32_f32p2vlx1_f32p2vlx1b_2vlx2vl_sme_mopa");
    EXPECT_TRUE(t.vector_length == 32 && t.format.nr == 16);
    EXPECT_EQ(kai_gemm_tensor_for_dense(kai_dt_f32, sme, 100, &t, nullptr), KAI_GEMM_FILE_BAD_VECTOR);
    EXPECT_EQ(kai_gemm_tensor_for_dense(kai_dt_int8, sme, 256, &t, nullptr), KAI_GEMM_FILE_NO_PACKER);
    EXPECT_EQ(kai_gemm_tensor_for_dense(kai_dt_f32, sme, 256, nullptr, nullptr), KAI_GEMM_FILE_NULL_POINTER);
}

// A description for this CPU, without asking its kernels, is the plan's.
TEST_P(GemmGguf, DescriptionsAgreeWithPlans) {
    kai_gemm_tensor t = {};
    const char* kernel = nullptr;
    const kai_gemm_file_status status =
        kai_gemm_tensor_for_gguf(type.id, kai_cpu_features(), 8 * kai_cpu_sme_bytes(), &t, &kernel);
    kai_gemm_problem p = problem_for(type, 64, 64, 512);
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    if (is_float(type) || plan.rhs_packer->signature != KAI_RHS_PACK_NXK_GGUF) {
        EXPECT_EQ(status, KAI_GEMM_FILE_NO_PACKER);
        return;
    }
    ASSERT_EQ(status, KAI_GEMM_FILE_OK);
    EXPECT_STREQ(kernel, plan.gemm.ukernel->name);
    EXPECT_EQ(t.kind, KAI_GEMM_GGUF);
    EXPECT_EQ(t.gguf_type, type.id);
    EXPECT_STREQ(t.format.name, plan.format.name);
    EXPECT_TRUE(t.format.nr == plan.format.nr && t.format.kr == plan.format.kr && t.format.sr == plan.format.sr);
    // Of another CPU: SME2, whatever this one is.
    const uint64_t sme2 = ~uint64_t{0};
    EXPECT_EQ(kai_gemm_tensor_for_gguf(type.id, sme2, 512, &t, &kernel), KAI_GEMM_FILE_OK);
    EXPECT_NE(kernel, nullptr);
    EXPECT_EQ(kai_gemm_tensor_for_gguf(type.id, sme2, 100, &t, nullptr), KAI_GEMM_FILE_BAD_VECTOR);
    EXPECT_EQ(kai_gemm_tensor_for_gguf(type.id, sme2, 512, nullptr, nullptr), KAI_GEMM_FILE_NULL_POINTER);
}

TEST_P(GemmGguf, RefusesOthers) {
    const auto status = [&](auto change) {
        kai_gemm_problem p = problem_for(type, 4, 9, 512);
        change(p);
        kai_gemm_plan plan;
        return kai_gemm_make_plan(&p, &plan);
    };
    EXPECT_EQ(status([](auto&) {}), KAI_GEMM_OK);
    if (is_float(type)) {
        return;  // DENSE
    }
    EXPECT_EQ(status([](auto& p) { p.k = 511; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(status([&](auto& p) { p.k = 512 + type.block_weights / 2; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(status([](auto& p) { p.gguf_type = static_cast<kai_gguf_type_id>(5); }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(status([](auto& p) { p.b_transposed = false; }), KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(status([](auto& p) { p.b_constant = false; }), KAI_GEMM_OK);
    EXPECT_EQ(status([](auto& p) { p.b_constant = p.b_transposed = false; }), KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(status([](auto& p) { p.k = SIZE_MAX / 256 * 256; }), KAI_GEMM_OVERFLOW);
    EXPECT_EQ(status([](auto& p) { p.pin = "no kernel"; }), KAI_GEMM_UNKNOWN_NAME);
    EXPECT_EQ(status([](auto& p) { p.pin = "matmul_clamp_f32_qai8dxp_qsi8cxp_portable"; }), KAI_GEMM_UNKNOWN_NAME);

    // Rows that overlap are refused.
    kai_gemm_problem p = problem_for(type, 4, 9, 512);
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    Random random(1);
    const Rows rows(type, p.n, p.k, 0, random);
    Bytes packed(plan.packed_b_size), workspace(plan.pack_workspace_size + 64);
    void* aligned = workspace.data();
    size_t space = workspace.size();
    std::align(64, plan.pack_workspace_size, aligned, space);
    kai_gemm_weights w = {};
    w.b = rows.bytes.data();
    const auto pack = [&] {
        return kai_gemm_pack_b(
            &plan, 0, &w, packed.data(), packed.size(), aligned, plan.pack_workspace_size, nullptr, nullptr);
    };
    EXPECT_EQ(pack(), KAI_GEMM_OK);
    w.ldb = rows.row - 1;
    EXPECT_EQ(pack(), KAI_GEMM_BAD_STRIDE);
    w.ldb = SIZE_MAX / 4;
    EXPECT_EQ(pack(), KAI_GEMM_OVERFLOW);
    w.b = nullptr;
    EXPECT_EQ(pack(), KAI_GEMM_NULL_POINTER);
}

std::vector<const kai_gguf_type*> all_types() {
    std::vector<const kai_gguf_type*> types;
    for (size_t i = 0; i < kai_gguf_type_count(); ++i) {
        types.push_back(kai_gguf_type_at(i));
    }
    return types;
}

INSTANTIATE_TEST_SUITE_P(
    , GemmGguf, testing::ValuesIn(all_types()),
    [](const testing::TestParamInfo<const kai_gguf_type*>& info) { return std::string(info.param->name); });

// Sizes stated by a file are not trusted.
TEST(GemmGgufTensor, RefusesNonsense) {
    kai_gemm_tensor t = {};
    ASSERT_EQ(kai_gemm_tensor_for("matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm", 0, &t), KAI_GEMM_FILE_OK);
    t.kind = KAI_GEMM_GGUF, t.gguf_type = KAI_GGUF_TQ2_0, t.n = 10, t.k = 512, t.count = 1;
    const auto changed = [&](auto change) {
        kai_gemm_tensor x = t;
        change(x);
        return kai_gemm_tensor_measure(&x);
    };
    ASSERT_EQ(changed([](auto&) {}), KAI_GEMM_FILE_OK);
    EXPECT_EQ(changed([](auto& x) { x.gguf_type = KAI_GGUF_Q4_K; }), KAI_GEMM_FILE_UNKNOWN_FORMAT);
    EXPECT_EQ(changed([](auto& x) { x.gguf_type = static_cast<kai_gguf_type_id>(77); }), KAI_GEMM_FILE_UNKNOWN_FORMAT);
    EXPECT_EQ(changed([](auto& x) { x.format.name = "nothing"; }), KAI_GEMM_FILE_UNKNOWN_FORMAT);
    EXPECT_EQ(changed([](auto& x) { x.format.name = nullptr; }), KAI_GEMM_FILE_UNKNOWN_FORMAT);
    for (const size_t k : {size_t{0}, size_t{1}, size_t{384}}) {
        EXPECT_EQ(changed([&](auto& x) { x.k = k; }), KAI_GEMM_FILE_BAD_VALUE) << k;
    }
    EXPECT_EQ(changed([](auto& x) { x.n = 0; }), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(changed([](auto& x) { x.count = 0; }), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(changed([](auto& x) { x.bl = 256; }), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(changed([](auto& x) { x.type = kai_dt_f32; }), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(changed([](auto& x) { x.vector_length = SIZE_MAX; }), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(changed([](auto& x) { x.k = SIZE_MAX / 256 * 256; }), KAI_GEMM_FILE_OVERFLOW);
    EXPECT_EQ(changed([](auto& x) { x.n = SIZE_MAX - 1; }), KAI_GEMM_FILE_OVERFLOW);
    EXPECT_EQ(changed([](auto& x) { x.count = SIZE_MAX / 64; }), KAI_GEMM_FILE_OVERFLOW);
    for (const size_t size : {size_t{0}, size_t{1} << 17, SIZE_MAX}) {
        EXPECT_NE(changed([&](auto& x) { x.format.nr = size; }), KAI_GEMM_FILE_OK) << size;
        EXPECT_NE(changed([&](auto& x) { x.format.kr = size; }), KAI_GEMM_FILE_OK) << size;
        EXPECT_NE(changed([&](auto& x) { x.format.sr = size; }), KAI_GEMM_FILE_OK) << size;
    }
}

}  // namespace
}  // namespace test::gemm
