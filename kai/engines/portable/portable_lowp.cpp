// uint8 and int8 with offsets, int32 sums, requantised or as they are: low precision in portable C++.
//
//     sum over k of (lhs + A) * (rhs + B)  =  sum of lhs * rhs  +  A * sum of rhs  +  B * sum of lhs  +  k * A * B
//
// modulo 2^32. A chunk of up to 256 k of a strip of up to 16 columns becomes int16, which all rows share; then a row
// becomes int16, and sums of products are int32, for which hosts have an instruction.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/limits.hpp"
#include "kai/engines/lowp/lowp_scalar.hpp"

namespace kai {
namespace {

constexpr size_t kColumns = PortableLimits::kColumns, kRows = PortableLimits::kRows, kChunk = PortableLimits::kChunk;
constexpr size_t kPanelColumns = 4, kGroup = 16;  // of packed weights

KAI_INLINE size_t min(size_t a, size_t b) {
    return a < b ? a : b;
}

/// int16 values of a line, 0 after the last one, and their sum.
struct Line {
    int16_t values[kChunk];
    uint32_t sum;
};

/// `count` values from `k` on, uint8 or int8.
template <class T>
KAI_INLINE void widen(const uint8_t* from, size_t count, Line& line) {
    int32_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const auto x = static_cast<T>(from[i]);
        line.values[i] = x;
        sum += x;
    }
    for (size_t i = count; i % kGroup != 0; ++i) {
        line.values[i] = 0;
    }
    line.sum = static_cast<uint32_t>(sum);
}

[[gnu::noinline]] void widen(const Lowp& p, const uint8_t* from, size_t count, Line& line) {
    if (p.flip != 0) {
        widen<uint8_t>(from, count, line);
    } else {
        widen<int8_t>(from, count, line);
    }
}

/// As above, for a packed column. `from`: its first group.
KAI_INLINE void unpack(const Lowp& p, const uint8_t* from, size_t count, Line& line) {
    uint8_t values[kChunk];
    for (size_t i = 0; i < count; i += kGroup, from += kPanelColumns * kGroup) {
        for (size_t j = 0; j < kGroup; ++j) {
            values[i + j] = static_cast<uint8_t>(from[j] ^ p.flip ^ (j < kGroup / 2 ? 0 : 0xFF));
        }
    }
    widen(p, values, count, line);
}

KAI_INLINE uint32_t multiply(const Line& a, const Line& b, size_t count) {
    int32_t sum = 0;
    for (size_t i = 0; i < count; i += kGroup) {
        for (size_t j = 0; j < kGroup; ++j) {
            sum += int32_t{a.values[i + j]} * b.values[i + j];
        }
    }
    return static_cast<uint32_t>(sum);
}

/// store(row, column, sums, count): the results of a row, from this column on.
template <class Store>
[[gnu::noinline]] void multiply(const Lowp& p, const kai_matmul_offsets& q, Store store) {
    const auto lhs_offset = [&](size_t i) {
        return static_cast<uint32_t>(q.lhs_offset) +
               (q.lhs_offsets != nullptr ? static_cast<uint32_t>(q.lhs_offsets[i]) : 0);
    };
    const auto rhs_offset = [&](size_t j) {
        return static_cast<uint32_t>(q.rhs_offset) +
               (q.rhs_offsets != nullptr ? static_cast<uint32_t>(q.rhs_offsets[j]) : 0);
    };
    Line row, columns[kColumns];
    uint32_t sums[kRows][kColumns];
    for (size_t n0 = 0; n0 < p.n; n0 += kColumns) {
        const size_t some_columns = min(p.n - n0, kColumns);
        for (size_t m0 = 0; m0 < p.m; m0 += kRows) {
            const size_t some_rows = min(p.m - m0, kRows);
            for (size_t c = 0; c < some_columns; ++c) {
                const auto bias = q.bias != nullptr ? static_cast<uint32_t>(q.bias[n0 + c]) : 0;
                for (size_t r = 0; r < some_rows; ++r) {
                    sums[r][c] = bias + p.depth() * lhs_offset(m0 + r) * rhs_offset(n0 + c);
                }
            }
            for (size_t k0 = 0; k0 < p.k; k0 += kChunk) {
                const size_t chunk = min(p.k - k0, kChunk);
                for (size_t c = 0; c < some_columns; ++c) {
                    const size_t column = n0 + c, panel = column / kPanelColumns;
                    if (p.packed) {
                        const uint8_t* elements = p.rhs + panel * p.rhs_stride + kPanelColumns * sizeof(int32_t);
                        const size_t first = k0 * kPanelColumns + column % kPanelColumns * kGroup;
                        unpack(p, elements + first, chunk, columns[c]);
                    } else {
                        widen(p, p.rhs + column * p.rhs_stride + k0, chunk, columns[c]);
                    }
                }
                for (size_t r = 0; r < some_rows; ++r) {
                    widen(p, p.lhs + (m0 + r) * p.lhs_stride + k0, chunk, row);
                    for (size_t c = 0; c < some_columns; ++c) {
                        sums[r][c] += multiply(row, columns[c], chunk) + lhs_offset(m0 + r) * columns[c].sum +
                                      rhs_offset(n0 + c) * row.sum;
                    }
                }
            }
            for (size_t r = 0; r < some_rows; ++r) {
                store(m0 + r, n0, sums[r], some_columns);
            }
        }
    }
}

void multiply(const Lowp& p) {
    multiply(p, *p.offsets, [&](size_t i, size_t j, const uint32_t* sums, size_t count) {
        __builtin_memcpy(p.dst + i * p.dst_stride + j * sizeof(int32_t), sums, count * sizeof(int32_t));
    });
}
template <bool>
void multiply_requantised(const Lowp& p) {
    const kai_matmul_lowp_params& q = *p.params;
    multiply(
        p, {q.lhs_offset, q.rhs_offset, nullptr, nullptr, q.bias},
        [&](size_t i, size_t j, const uint32_t* sums, size_t count) {
            for (size_t c = 0; c < count; ++c) {
                p.dst[i * p.dst_stride + j + c] = result_of(p, sums[c], j + c);
            }
        });
}

template <bool>
LowpFn* in_table(const Lowp&) {
    return nullptr;
}

}  // namespace
}  // namespace kai

#define KAI_ISA_any KAI_LOWP_LINES
#include "kai/engines/lowp/lowp_families.inc"
#include "kai/engines/lowp/lowp_nxk.inc"
#include "kai/engines/lowp/lowp_sums.inc"
#include "kai/engines/lowp/lowp_table.inc"
