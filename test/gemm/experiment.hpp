// A multiplication with the GEMM layer: described, put into memory of exact size, planned, packed, run and compared.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <iosfwd>
#include <string>
#include <vector>

#include "kai/gemm/kai_gemm.h"
#include "test/support/guarded_buffer.hpp"
#include "test/support/random.hpp"

namespace test::gemm {

/// What kind of numbers the operands are.
enum class Numbers {
    exact,   // small integers and powers of two: every intermediate result is exact, so results are right to the bit
    random,  // anything; compared with one call of the same kernel on the whole matrix, bit by bit
};

/// int8 as A and C.
inline bool is_static(kai_gemm_kind kind) {
    return kind == KAI_GEMM_INT8_STATIC || kind == KAI_GEMM_INT2_STATIC;
}

/// A problem and a run of it. Printed when a test fails.
struct Case {
    kai_gemm_problem p = kai_gemm_problem_of(0, 0, 0);
    size_t m = 0;                // rows of the run
    std::vector<size_t> rows;    // of each group
    std::vector<size_t> a_rows;  // groups: row of A for each row of C; empty: the same
    size_t a_row_count = 0;      // with a_rows
    std::vector<size_t> c_rows;  // p.scatters
    size_t c_row_count = 0;
    std::vector<float> c_weights;            // empty: 1
    size_t a_gap = 0, b_gap = 0, c_gap = 0;  // elements between rows; of B, if integers: bytes
    size_t matrix_gap = 0;                   // elements between matrices
    bool explicit_strides = false;           // also where 0 would do
    bool a_table = false, b_table = false, c_table = false;
    bool default_lut = false;
    uint8_t zero_point = 8;  // INT4_CHANNEL
    int a_power = 0;         // A is multiplied by 2^a_power: products may be beyond f16
    Numbers numbers = Numbers::exact;
    Flush flush = Flush::end;
    uint64_t seed = 0;

    bool is_static() const {
        return test::gemm::is_static(p.b_kind);
    }
    bool multiplies() const {
        return is_static() || (p.k != 0 && p.alpha != 0);
    }
    size_t all_rows() const;  // of C, with groups
    size_t matrix_rows(size_t matrix) const {
        return p.groups ? rows[matrix] : m;
    }
    /// Rows of a matrix A.
    size_t source_rows() const {
        return !p.groups ? m : a_rows.empty() ? all_rows() : a_row_count;
    }
    /// Rows of a matrix C.
    size_t result_rows() const {
        return p.scatters ? c_row_count : p.groups ? all_rows() : m;
    }
    size_t a_count() const {
        return p.groups ? 1 : p.batch;
    }
    size_t b_count() const {
        return p.b_per_matrix ? p.batch : 1;
    }
};
std::ostream& operator<<(std::ostream& out, const Case& c);

/// How units are run.
struct Schedule {
    size_t threads = 1;
    uint64_t shuffle = 0;  // 0: in order
    bool at_once = false;  // kai_gemm_run and kai_gemm_pack_b with a parallel_for of so many threads, 1: NULL
};

/// kai_gemm_parallel_for; pool: a Schedule.
void parallel_for(void* pool, size_t count, kai_gemm_task* task, void* task_context);

/// Memory of `count` matrices of `rows` x `row` bytes: one buffer, or one each.
struct Matrices {
    std::deque<GuardedBuffer> buffers;
    std::vector<void*> starts;  // of each matrix
    size_t ld = 0, stride = 0;
    Matrices(
        size_t count, size_t rows, size_t row, size_t gap, size_t matrix_gap, bool table, Flush flush, uint8_t poison);
};

class Experiment {
public:
    explicit Experiment(const Case& c);
    Experiment(const Experiment&) = delete;
    Experiment& operator=(const Experiment&) = delete;

    /// Plans, and makes the buffers that depend on the plan.
    kai_gemm_status make_plan();
    kai_gemm_status pack(const Schedule& how = {});
    kai_gemm_status run(const Schedule& how = {});
    /// Of an element, from the start of its matrix C.
    size_t c_offset(size_t row, size_t n) const;
    /// Restores C.
    void reset_c();
    /// Adds a failure unless C is what it must be, gaps included.
    void check() const;
    void check_scattered() const;
    /// Does all of the above. False after a failure.
    bool succeeds(const Schedule& how = {});

    std::vector<uint8_t> c_bytes() const;
    /// The elements of a matrix C, without gaps.
    std::vector<uint8_t> c_matrix(size_t matrix) const;

    const Case& of;
    kai_gemm_plan plan = {};
    kai_gemm_operands x = {};
    std::vector<kai_gemm_weights> weights;
    std::deque<GuardedBuffer> packed, workspace, pack_workspace;  // one each

private:
    void make_a(Random& random);
    void make_b(Random& random);
    void make_c(Random& random);
    std::vector<uint8_t> encode_b(size_t matrix, kai_datatype type, bool n_lines) const;
    size_t b_line(kai_datatype type, bool n_lines) const;
    std::vector<uint8_t> product_by_call(size_t matrix) const;
    std::vector<uint8_t> exact_product(size_t matrix) const;
    const float* a_row(size_t matrix, size_t row) const;
    size_t c_size() const;

    std::vector<float> a_;  // [matrices][rows][k]
    struct Columns {
        std::vector<float> values;       // [n][k], DENSE
        std::vector<int8_t> q;           // [n][k]
        std::vector<float> scale, zero;  // [n] or [n][k / bl]
        std::vector<float> bias;         // [n]; int32 as floats
        std::vector<int32_t> int_bias;
        std::vector<uint16_t> scale_bf16;  // with gaps
    };
    std::vector<Columns> b_;
    std::vector<int32_t> lut_;
    std::deque<Matrices> a_memory_, b_memory_, c_memory_;
    std::deque<GuardedBuffer> others_;  // scales, zeros, biases, tables
    std::vector<std::vector<uint8_t>> c_before_;
    const kai_gemm_kernel* used() const;
    kai_datatype product_type() const;
};

/// @name Elements as floats
/// @{
size_t size_of(kai_datatype type);
float load(const void* address, kai_datatype type);
void store(void* address, float x, kai_datatype type);
/// @}

/// A random case of a kind.
Case random_case(
    kai_gemm_kind kind, Random& random, const char* pin = nullptr, const kai_gemm_format* format = nullptr);
/// Random cases per kind: KLEIDIAI_GEMM_CASES.
size_t case_count();

/// Matrix 0, packed in memory of exact size, its units in descending order.
std::vector<uint8_t> packed_from_the_last_unit(const kai_gemm_plan& plan, const kai_gemm_weights& w);

/// Sizes around a multiple of a step.
std::vector<size_t> sizes_around(size_t step);

bool has_blocks(kai_gemm_kind kind);
const char* name_of(kai_gemm_kind kind);
const char* name_of(kai_datatype type);
/// All but those of LOWP (lowp_test.cpp) and GGUF (gguf_test.cpp).
inline constexpr kai_gemm_kind kKinds[] = {KAI_GEMM_DENSE,           KAI_GEMM_INT8_CHANNEL, KAI_GEMM_INT4_CHANNEL,
                                           KAI_GEMM_INT2_CHANNEL,    KAI_GEMM_INT4_BLOCK,   KAI_GEMM_INT4_BLOCK_F16,
                                           KAI_GEMM_INT4_BLOCK_ZERO, KAI_GEMM_INT8_STATIC,  KAI_GEMM_INT8_BLOCK_F16,
                                           KAI_GEMM_INT2_STATIC};

}  // namespace test::gemm
