// The choice of kernels and packers for a problem.
//
// A kind of weights has groups of families, the best first. Of the first group that has a kernel for this CPU, the best
// kernel for many rows is taken, and the best for one row that reads the same packed B; portable kernels come last.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/call.hpp"
#include "kai/gemm/gemm.hpp"

namespace kai::gemm {
namespace {

/// Of low precision: plain_rows.def.
struct PlainRows {
    kai_cpu_feature needs;
    kai_cpu_core core;
    size_t rows;
};
constexpr PlainRows kPlainRows[] = {
#define KAI_PLAIN_ROWS(NEEDS, CORE, ROWS) {KAI_CPU_##NEEDS, KAI_CORE_##CORE, ROWS},
#include "kai/gemm/plain_rows.def"
};

/// Number of rows up to which a kernel that packs neither side beats packing a B that is used once
/// (docs/performance.md). K x N: any number; fewer if B exceeds the cache, since its rows are far apart. N x K: a share
/// of k, over which the sums over lanes at the end of each tile are spread. SME and bf16 are several times as fast.
///
/// Rows of a file: packing takes as long as 1 row (docs/gguf.md), but writes B to memory and reads it again.
size_t most_plain_rows(const Problem& p, uint64_t features_otherwise, kai_cpu_core core) {
    if (p.b_kind == KAI_GEMM_GGUF) {
        return 4;
    }
    if (is_lowp(p.b_kind)) {
        for (const PlainRows& known : kPlainRows) {
            const bool has_core = known.core == KAI_CORE_AUTO || known.core == core;
            if (has_core && (features_otherwise >> known.needs & 1) != 0) {
                return known.rows;
            }
        }
        return SIZE_MAX;
    }
    constexpr uint64_t kFaster = uint64_t{1} << KAI_CPU_SME | uint64_t{1} << KAI_CPU_BF16;
    if ((features_otherwise & kFaster) != 0) {
        return 2;
    }
    if (p.b_transposed) {
        return p.k / (p.b_type == kai_dt_f16 ? 16 : 8);
    }
    return p.n * p.k * size_of(p.b_type) <= p.l2_bytes ? SIZE_MAX : 64;
}

/// Families that multiply the same packed B and write the same type. A GEMM and its GEMV may be in different ones.
struct Group {
    const char* families[2];
    const kai_ukernel* reader;  // the first that reads the packed format; NULL: any format
    const kai_packer* packer;   // of a GGUF type to this format, or NULL
    uint64_t with = 0;          // features that kernels must need
};

constexpr size_t kMaxGroups = 12;

struct Groups {
    Group of[kMaxGroups];
    size_t count;

    void add(bool condition, const char* first, const char* second = nullptr, uint64_t with = 0) {
        if (condition) {
            of[count++] = {{first, second}, nullptr, nullptr, with};
        }
    }
    /// Whether they are for rows of a GGUF file as they are: otherwise these are dequantised.
    bool are_of_file() const {
        return count != 0 && of[0].reader != nullptr;
    }
};

bool same_family(const kai_ukernel& a, const kai_ukernel& b) {
    return kai::same_name(a.family, b.family);
}
bool same_format(const kai_ukernel& a, const kai_ukernel& b) {
    return kai::same_name(a.rhs_format, b.rhs_format);
}

/// The GGUF type of the problem as it is in kai_ukernel::gguf_types.
uint64_t type_bit(const Problem& p) {
    return uint64_t{1} << p.gguf_type;
}

/// visit(u, first) for the micro-kernels of all families that multiply with the GGUF type of the problem and write f32
/// or the type of C, and the first one of its family.
template <typename Visit>
void for_each_reader(const Problem& p, Visit visit) {
    constexpr size_t kMost = 32;
    kai_registry_entries families[kMost];
    const size_t count = min(kai_registry_gguf_families(p.gguf_type, families, kMost), kMost);
    for (size_t i = 0; i < count; ++i) {
        const auto [first, end] = families[i];
        const kai_datatype type = first->dst_type;  // of all of them
        for (const kai_ukernel* u = first; u != end && (type == kai_dt_f32 || type == p.c_type); ++u) {
            visit(*u, *first);
        }
    }
}

/// Families that multiply rows of a GGUF file in a packed format of their own. Those that write the type of C come
/// first, then those with the longest blocks, hence the fewest scales: memory limits the speed of few rows. Of others
/// the first family: that of 3 bits comes before that of 6.
Groups gguf_groups(const Problem& p) {
    Groups g = {};
    const uint64_t type = type_bit(p), without = p.sme_units == 0 && p.pin == nullptr && p.format == nullptr ? kSme : 0;
    const auto better = [&](const kai_ukernel& a, const kai_ukernel& b) {
        return a.dst_type != b.dst_type ? a.dst_type == p.c_type : a.k_multiple > b.k_multiple;
    };
    for_each_reader(p, [&](const kai_ukernel& u, const kai_ukernel& first) {
        if ((u.gguf_types & type) == 0 || (u.features & without) != 0 || u.signature == KAI_UKERNEL_MATMUL_FILE) {
            return;
        }
        size_t at = 0;  // a reader of this family and format: those of families before it precede `first`
        while (at < g.count && (g.of[at].reader < &first || !same_format(*g.of[at].reader, u))) {
            ++at;
        }
        // Rows of floats times integers are slow: used only if pinned.
        if (at < g.count || at == kMaxGroups || (p.pin == nullptr && type_of(u.lhs_format) != kai_dt_unknown) ||
            !kai_registry_runnable(u.features, nullptr, 0)) {
            return;
        }
        const kai_packer* packer = kai_registry_gguf_packer(&u, p.gguf_type);
        if (packer == nullptr) {
            return;
        }
        for (; at > 0 && better(u, *g.of[at - 1].reader); --at) {
            g.of[at] = g.of[at - 1];
        }
        g.of[at] = {{u.family, nullptr}, &u, packer};
        ++g.count;
    });
    return g;
}

/// Whether this CPU has a feature.
bool has(kai_cpu_feature feature) {
    return kai_registry_runnable(uint64_t{1} << feature, nullptr, 0);
}

/// Whether kernels of SME may be chosen.
bool uses_sme(const Problem& p) {
    return p.sme_units != 0 && kai_registry_runnable(kSme, nullptr, 0);
}

/// Whether int8 per channel is faster with SVE than with NEON: vectors of 256 bits make one row 1.3 to 1.4 times as
/// fast (Neoverse V1), with 128 bits nothing is gained. Longer ones have no kernel of one row for the B of many rows.
bool sve_beats_neon(const Problem& p) {
    return !uses_sme(p) && kai_registry_runnable(uint64_t{1} << KAI_CPU_SVE, nullptr, 0) && kai_cpu_sve_bytes() == 32;
}

/// Whether the CPU has SME without SME2, and may use it: int4 in blocks is 2.7 (one row) to 4.5 times as fast as with
/// NEON, whatever the type of C.
bool uses_first_sme(const Problem& p) {
    return uses_sme(p) && !kai_registry_runnable(uint64_t{1} << KAI_CPU_SME2, nullptr, 0);
}

/// Rows that each B multiplies.
size_t rows_of_a_b(const Problem& p) {
    return p.groups && p.b_per_matrix ? divide_up(p.m, max(p.batch, 1)) : p.m;
}

/// Whether rows of bf16 are faster than rows of codes where problem.allow_f8 permits these: BFMOPA of an SME unit is
/// 2.5 times as fast as FDOT of a core, predicted, 1.45 times as fast as FMMLA at the rate of FDOT (docs/fp8.md), but
/// works only on the units. B that is packed already has its kernel.
bool bf16_beats_codes(const Problem& p) {
    constexpr size_t kFewRows = 8;  // FDOT takes them at once, for BFMOPA they are half a tile
    if (p.format != nullptr || rows_of_a_b(p) <= kFewRows || !uses_sme(p) || !has(KAI_CPU_SME2)) {
        return false;
    }
    const double rate = has(KAI_CPU_F8F32MM) ? 1.45 : 2.5;
    const size_t units = max(p.units, 1), with_sme = min(p.sme_units, units);
    return rate * real(with_sme) > real(units);
}

/// Groups that may compute a problem, the best first. Those at the end that no condition selects are for pinned kernels
/// and for B that is packed already.
Groups groups_for(const Problem& p) {
    Groups g = {};
    const bool pinned = p.pin != nullptr, named = pinned || p.format != nullptr;
    const bool to_f16 = p.c_type == kai_dt_f16, to_bf16 = p.c_type == kai_dt_bf16;
    const bool f16 = p.a_type == kai_dt_f16 && p.b_type == kai_dt_f16;
    const bool bf16 = p.a_type == kai_dt_bf16 && p.b_type == kai_dt_bf16;
    const bool stores_f16 = to_f16 && p.alpha == 1 && p.beta == 0 && !p.scatters;
    const bool outer_f8 = p.allow_f8 != 0 && uses_sme(p) && has(KAI_CPU_SME_F8F32);
    const bool as_codes = p.allow_f8 != 0 && !bf16_beats_codes(p);
    const bool sme_first = f16 && stores_f16 && p.allow_bf16;  // before bf16
    switch (p.b_kind) {
        case KAI_GEMM_DENSE:
            // Kernels of SME add f16 products in f32, as fast as bf16. Those that write f16 are for what they store
            // into C themselves.
            g.add(f16 && (!stores_f16 || pinned), "matmul_clamp_f32_f16p_f16p", "matmul_clamp_f32_f16_f16p", kSme);
            g.add(sme_first, "matmul_clamp_f16_f16p_f16p", "matmul_clamp_f16_f16_f16p", kSme);
            g.add(p.allow_bf16 && f16 && to_f16, "matmul_clamp_f16_bf16p_bf16p");
            // One row: SME2 before NEON, which the second family has.
            g.add(p.allow_bf16 || bf16, "matmul_clamp_f32_bf16_bf16p", "matmul_clamp_f32_bf16p_bf16p");
            g.add(p.allow_f16, "matmul_clamp_f16_f16p_f16p", "matmul_clamp_f16_f16_f16p");
            g.add(f16 && to_f16 && !sme_first, "matmul_clamp_f16_f16p_f16p", "matmul_clamp_f16_f16_f16p", kSme);
            g.add(f16 && stores_f16, "matmul_clamp_f32_f16p_f16p", "matmul_clamp_f32_f16_f16p", kSme);
            g.add(f16 && to_f16 && has(KAI_CPU_FP16), "matmul_clamp_f16_f16_f16p_sumf32");
            g.add(f16 && has(KAI_CPU_FHM) && !uses_sme(p), "matmul_clamp_f32_f16_f16p");
            g.add(named && f16 && to_f16, "matmul_clamp_f16_f16p_f16p", "matmul_clamp_f16_f16_f16p");
            g.add(f16 && to_f16 && (pinned || (named && !p.allow_f16)), "matmul_clamp_f16_f16_f16p_sumf32");
            g.add(f16 && (pinned || (named && !to_f16)), "matmul_clamp_f32_f16_f16p");
            g.add(true, "matmul_clamp_f32_f32p_f32p", "matmul_clamp_f32_f32_f32p");
            break;
        case KAI_GEMM_INT8_CHANNEL:
            g.add(to_f16, "matmul_clamp_f16_qai8dxp_qsi8cxp");
            g.add(sve_beats_neon(p), "matmul_unified_f32_qai8dxp_qsi8cxp", "matmul_clamp_f32_qai8dxp_qsi8cxp");
            g.add(true, "matmul_clamp_f32_qai8dxp_qsi8cxp");
            g.add(named, "matmul_unified_f32_qai8dxp_qsi8cxp", "matmul_clamp_f32_qai8dxp_qsi8cxp");
            break;
        case KAI_GEMM_INT4_CHANNEL:
            g.add(to_f16, "matmul_clamp_f16_qai8dxp_qsi4cxp");
            g.add(to_bf16, "matmul_clamp_bf16_qai8dxp_qsi4cxp");
            g.add(true, "matmul_clamp_f32_qai8dxp_qsi4cxp");
            break;
        case KAI_GEMM_INT2_CHANNEL:
            g.add(true, "matmul_clamp_f32_qai8dxp_qsu2cxp");
            break;
        case KAI_GEMM_INT4_BLOCK:
            g.add(uses_first_sme(p), "matmul_unified_f32_qai8dxp_qsi4c32p");
            g.add(to_bf16, "matmul_clamp_bf16_qai8dxp_qsi4c32p");
            g.add(true, "matmul_clamp_f32_qai8dxp_qsi4c32p");
            g.add(named, "matmul_unified_f32_qai8dxp_qsi4c32p");
            break;
        case KAI_GEMM_INT4_BLOCK_F16:
            g.add(true, "matmul_clamp_f32_qsi8d32p_qsi4c32p");
            g.add(p.pin != nullptr, "matmul_clamp_f32_f16p_qsi4c32p");
            break;
        case KAI_GEMM_UINT4_BLOCK:
            if (p.bl % 32 != 0) {
                break;
            }
            [[fallthrough]];
        case KAI_GEMM_INT4_BLOCK_ZERO:
            g.add(to_f16, "matmul_clamp_f16_qsi8d32p_qai4c32p");
            g.add(true, "matmul_clamp_f32_qsi8d32p_qai4c32p");
            break;
        case KAI_GEMM_INT8_BLOCK_F16:
            g.add(true, "matmul_clamp_f32_qsi8d32p_qsi8c32p");
            break;
        case KAI_GEMM_INT4_TABLE:
            g.add(true, "matmul_clamp_f32_qsi8d32p_qlu4c32p");
            break;
        case KAI_GEMM_INT8_STATIC:
            g.add(true, "matmul_clamp_qai8_qai8p_qsi8cxp", "matmul_clamp_qai8_qai8_qsi8cxp");
            g.add(true, "matmul_clamp_qai8_qai8_qsi8cxpbi32sf32");
            break;
        case KAI_GEMM_INT2_STATIC:
            g.add(true, "matmul_unified_qai8_qsu2");
            break;
        case KAI_GEMM_UINT8_LOWP:
        case KAI_GEMM_INT8_LOWP:
            if (gives_sums(p)) {  // without USMMLA, B gets the sign of A: flips_b
                const bool is_unsigned = p.a_type == kai_dt_uint8, b_is_unsigned = p.b_kind == KAI_GEMM_UINT8_LOWP;
                g.add(is_unsigned && !b_is_unsigned, "matmul_i32_qau8_qsi8p");
                g.add(!is_unsigned && b_is_unsigned, "matmul_i32_qai8_qau8p");
                g.add(is_unsigned, "matmul_i32_qau8_qau8p");
                g.add(!is_unsigned, "matmul_i32_qai8_qsi8p");
                break;
            }
            g.add(p.b_kind == KAI_GEMM_INT8_LOWP, "matmul_clamp_qai8_qai8_qsi8p");
            g.add(p.b_kind == KAI_GEMM_UINT8_LOWP, "matmul_clamp_qau8_qau8_qau8p");
            break;
        case KAI_GEMM_GGUF:
            return gguf_groups(p);
        case KAI_GEMM_F8E4M3_BLOCK:
            g.add(outer_f8, "matmul_clamp_f32_f8e4m3d32p_f8e4m3c32p", "matmul_clamp_f32_bf16p_f8e4m3c32p");
            g.add(as_codes, "matmul_clamp_f32_f8e4m3d32p_f8e4m3c32p");
            g.add(true, "matmul_clamp_f32_bf16p_f8e4m3c32p");
            g.add(named, "matmul_clamp_f32_f8e4m3d32p_f8e4m3c32p");
            break;
        case KAI_GEMM_F8E5M2_BLOCK:
            g.add(outer_f8, "matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p", "matmul_clamp_f32_bf16p_f8e5m2c32p");
            g.add(as_codes, "matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p");
            g.add(true, "matmul_clamp_f32_bf16p_f8e5m2c32p");
            g.add(named, "matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p");
            break;
        case KAI_GEMM_FLOAT_TABLE:  // only as floats
        case KAI_GEMM_KIND_COUNT:
            break;
    }
    return g;
}

/// Whether elements of one type can be converted to the other.
bool converts(kai_datatype from, kai_datatype to) {
    return from == to || (is_float(from) && is_float(to));
}

/// Whether values of one type are exactly values of the other.
bool widens(kai_datatype from, kai_datatype to) {
    return from == to || to == kai_dt_f32;
}

// ---- LHS and RHS of a kernel ----

/// How the rows of A reach the kernel; false if they cannot.
bool set_lhs(const Problem& p, kai_gemm_kernel& kernel) {
    const kai_ukernel& u = *kernel.ukernel;
    kernel.lhs_packer = nullptr;
    if (lhs_is_packed(u)) {
        for (size_t i = 0;; ++i) {
            const kai_packer* packer = kai_registry_lhs_packer(&u, i);
            if (packer == nullptr) {
                break;
            }
            const kai_datatype type = type_of(packer->source_format);
            const bool better = kernel.lhs_packer == nullptr || type == p.a_type ||
                                (widens(p.a_type, type) && !widens(p.a_type, row_type(kernel)));
            if (converts(p.a_type, type) && better) {
                kernel.lhs_packer = packer;
            }
            if (type == p.a_type) {
                break;
            }
        }
        if (kernel.lhs_packer == nullptr) {
            return false;
        }
    }
    const kai_datatype type = row_type(kernel);
    const bool gathers = kernel.lhs_packer != nullptr && kernel.lhs_packer->run_rows != nullptr;
    kernel.copies_rows = p.a_transposed || (p.groups && !gathers) || type != p.a_type;
    return converts(p.a_type, type);
}

/// How well a packer suits B as the caller stores it: 0 not at all, 1 if columns are copied first, 2 or 3 with a
/// conversion that only widens, 4 directly. Rows of a file are dequantised: 2 at most.
int suits(const Problem& p, const kai_packer& packer) {
    const bool same_way = is_kxn(packer) != p.b_transposed;
    const bool floats = type_of(packer.source_format) != kai_dt_unknown;
    if (may_become_floats(p.b_kind) && (floats || p.b_kind != KAI_GEMM_UINT4_BLOCK)) {
        return !floats ? 0 : same_way ? 2 : 1;
    }
    if (p.b_kind == KAI_GEMM_DENSE) {
        const kai_datatype type = type_of(packer.source_format);
        return !converts(p.b_type, type)      ? 0
               : type == p.b_type && same_way ? 4
               : type == p.b_type             ? 3
               : widens(p.b_type, type)       ? 2
                                              : 1;
    }
    if (flips_b(p, packer)) {
        return is_kxn(packer) ? 0 : p.b_transposed ? 2 : 1;
    }
    if (strcmp(packer.source_format, source_of(p.b_kind)) != 0) {
        return 0;
    }
    // Packers of K x N lines with a scale per column take all columns at once: parts are transposed first instead.
    const bool can_transpose = p.b_kind == KAI_GEMM_INT8_CHANNEL || p.b_kind == KAI_GEMM_INT4_CHANNEL;
    if (can_transpose) {
        return is_kxn(packer) ? 0 : p.b_transposed ? 4 : 1;
    }
    return !same_way ? 0 : p.b_kind == KAI_GEMM_UINT4_BLOCK || is_f8(p.b_kind) ? 3 : 4;
}

/// `known`: a packer of the GGUF type that may suit the kernel; or NULL.
bool set_rhs(const Problem& p, const kai_ukernel& u, const kai_packer* known, Plan& plan) {
    plan.rhs_packer = nullptr, plan.copies_columns = false;
    plan.problem.bl = p.b_kind == KAI_GEMM_GGUF ? 0 : p.bl;
    if (!rhs_is_packed(u)) {
        return true;
    }
    if (p.b_kind == KAI_GEMM_GGUF) {
        const bool suits_it = known != nullptr && kai::packs_file_for(*known, u);
        plan.rhs_packer = suits_it ? known : kai_registry_gguf_packer(&u, p.gguf_type);
        if (plan.rhs_packer != nullptr) {
            plan.problem.bl = kai::has_blocks(u) ? kai_gguf_find_type(p.gguf_type)->packed_bl : 0;
            return true;
        }
    }
    int best = 0;
    const int most = p.b_kind == KAI_GEMM_GGUF ? 2 : 4;
    for (size_t i = 0; best < most; ++i) {
        const kai_packer* packer = kai_registry_rhs_packer(&u, i);
        if (packer == nullptr) {
            break;
        }
        const int its = suits(p, *packer);
        if (its > best) {
            best = its, plan.rhs_packer = packer;
        }
    }
    plan.copies_columns = best < 4;
    return best != 0;
}

// ---- choice ----

/// What a choice has to keep to.
struct Wish {
    size_t m;
    const kai_ukernel* same_rhs_as;
    uint64_t without;  ///< features
    bool portable;     ///< only portable kernels, or none of them
    kai_cpu_core core;
    uint64_t with = 0;  ///< features
};

/// The index of the first kernel of its family: the registry lists families one after the other.
size_t first_of_family(const kai_ukernel& u) {
    auto first = static_cast<size_t>(&u - kai_registry_ukernel(0));
    while (first != 0 && same_family(*kai_registry_ukernel(first - 1), u)) {
        --first;
    }
    return first;
}

/// The first kernel of the family and the format of `reader` that fits the wish, if possible for so many rows.
const kai_ukernel* first_reader(const kai_ukernel& reader, const Wish& wish) {
    const kai_ukernel* found = nullptr;
    const auto at = [&](size_t index) { return kai_registry_ukernel_for(wish.core, index); };
    for (size_t i = first_of_family(reader); at(i) != nullptr && same_family(*at(i), reader); ++i) {
        const kai_ukernel* u = at(i);
        if (!same_format(*u, reader) || (u->features & wish.without) != 0 ||
            !kai_registry_runnable(u->features, nullptr, 0)) {
            continue;
        }
        if ((wish.m <= 1) == (u->rows != KAI_ROWS_MANY)) {
            return u;
        }
        found = found == nullptr ? u : found;
    }
    return found;
}

const kai_ukernel* best_of(const Group& group, const Wish& wish) {
    const kai_ukernel* found = nullptr;
    for (const char* family : group.families) {
        if (family == nullptr) {
            continue;
        }
        kai_registry_request request = {family, wish.m, wish.same_rhs_as, wish.without, wish.core, {}};
        if (request.same_rhs_as == nullptr && group.reader != nullptr) {
            request.same_rhs_as = first_reader(*group.reader, wish);
            if (request.same_rhs_as == nullptr) {
                continue;
            }
        }
        const kai_ukernel* u = kai_registry_best(&request, nullptr, nullptr);
        const uint64_t with = wish.with | group.with;
        if (u == nullptr || (u->features == 0) != wish.portable || (run_features(*u) & with) != with) {
            continue;
        }
        if (u->size_only_features != 0 && request.same_rhs_as == nullptr && found == nullptr) {
            continue;  // panels of SME: for workers beside it, B that is packed already, one row if SME has no kernel
        }
        const bool fits = (wish.m <= 1) == (u->rows != KAI_ROWS_MANY);
        if (found == nullptr || (fits && (found->rows != KAI_ROWS_MANY) != (wish.m <= 1))) {
            found = u;
        }
    }
    return found;
}

/// A kernel that reads this packed format; `status` says why there is none.
const kai_ukernel* reader_of(const Groups& groups, const kai_gemm_format& format, Status& status, uint64_t& features) {
    status = KAI_GEMM_UNKNOWN_FORMAT;
    if (format.name == nullptr) {  // what is not packed is no format
        return nullptr;
    }
    for (size_t i = 0;; ++i) {
        const kai_ukernel* u = kai_registry_ukernel(i);
        if (u == nullptr) {
            return nullptr;
        }
        bool ours = false;
        for (size_t g = 0; g < groups.count; ++g) {
            for (const char* family : groups.of[g].families) {
                ours = ours || (family != nullptr && strcmp(family, u->family) == 0);
            }
        }
        if (!ours || strcmp(u->rhs_format, format.name) != 0) {
            continue;
        }
        if (!kai_registry_runnable(u->size_features, nullptr, 0)) {
            status = KAI_GEMM_CPU_LACKS, features = u->size_features;
        } else if (u->get_nr() == format.nr && u->get_kr() == format.kr && u->get_sr() == format.sr) {
            if (kai_registry_runnable(u->features, nullptr, 0)) {
                return u;
            }
            status = KAI_GEMM_CPU_LACKS, features = u->features;
        }
    }
}

/// Whether a call is accepted. The first refusal becomes the plan's reason, in case all calls are refused.
bool accepts(const kai_registry_call& call, Plan& plan) {
    char why[sizeof(plan.reason)];
    if (kai_registry_check(&call, plan.reason[0] == 0 ? why : nullptr, sizeof(why))) {
        return true;
    }
    if (plan.reason[0] == 0) {
        const char* name = call.ukernel != nullptr ? call.ukernel->name : call.packer->name;
        give_reason(plan, wrong(KAI_GEMM_UNSUPPORTED, say::refused, name, static_cast<const char*>(why)));
    }
    return false;
}

/// Whether kernels and packers take the shape.
bool takes_shape(const Problem& p, Plan& plan) {
    kai_registry_call call = {};
    call.n = p.n, call.k = p.k;
    for (const kai_gemm_kernel* kernel : {&plan.gemm, &plan.gemv}) {
        const kai_ukernel& u = *kernel->ukernel;
        call.ukernel = &u, call.packer = nullptr;
        call.bl = rhs_is_packed(u) ? plan.problem.bl : u.k_multiple;
        call.m = u.rows == KAI_ROWS_ONE ? 1 : p.m;
        if (!accepts(call, plan)) {
            return false;
        }
        call.ukernel = nullptr, call.packer = kernel->lhs_packer;
        call.rows = u.get_mr(), call.kr = u.get_kr(), call.sr = u.get_sr();
        if (call.packer != nullptr && !accepts(call, plan)) {
            return false;
        }
    }
    if (plan.rhs_packer == nullptr) {
        return true;
    }
    RhsParams params;
    call.packer = plan.rhs_packer;
    call.rows = plan.gemm.ukernel->get_nr();
    const bool floats = is_dequantised(plan);
    call.scale = has_scales(p.b_kind) && !floats;
    call.zero = p.b_kind == KAI_GEMM_INT4_BLOCK_ZERO || (p.b_kind == KAI_GEMM_UINT4_BLOCK && !floats);
    call.params = make_params(*plan.rhs_packer, params, 1, 8, 1);
    return accepts(call, plan);
}

/// Whether products stay f32 until the last step. A kernel that writes f16 or bf16 rounds them before they are scaled
/// or added, and large ones become infinite. allow_f16 permits that where sums are f16 anyway.
bool keeps_products(const Problem& p, Plan& plan, bool explains = false) {
    const kai_ukernel& u = *plan.gemm.ukernel;
    const bool narrow = u.dst_type == kai_dt_f16 || u.dst_type == kai_dt_bf16;
    const bool f16_sums = p.allow_f16 && strncmp(u.lhs_format, "f16", 3) == 0;
    const bool keeps = !multiplies(p) || !narrow || f16_sums || is_direct(plan);
    if (!keeps && explains) {
        give_reason(plan, wrong(KAI_GEMM_WRONG_KERNEL, say::rounds_products, u.name, name_of(u.dst_type)));
    }
    return keeps;
}

/// Takes a kernel for many rows and looks for one for one row.
bool take(const Problem& p, const Group& group, const kai_ukernel& u, uint64_t without, Plan& plan) {
    plan.gemm = {&u, nullptr, false};
    plan.without = without;
    if (!set_lhs(p, plan.gemm) || !set_rhs(p, u, group.packer, plan)) {
        return false;
    }
    plan.gemv = plan.gemm;
    if (p.pin == nullptr && u.rows == KAI_ROWS_MANY) {
        const Wish wish = {1, &u, without, u.features == 0, plan.problem.core};
        const kai_ukernel* gemv = best_of(group, wish);
        kai_gemm_kernel kernel = {gemv, nullptr, false};
        if (gemv != nullptr && gemv->rows != KAI_ROWS_MANY && set_lhs(p, kernel)) {
            plan.gemv = kernel;
        }
    }
    return keeps_products(p, plan, true) && takes_shape(p, plan);
}

/// The first group that has kernels.
bool choose_from(
    const Problem& p, const Groups& groups, const kai_ukernel* reader, uint64_t without, bool portable, Plan& plan,
    uint64_t with = 0) {
    for (size_t i = 0; i < groups.count; ++i) {
        // Where f16 has no instructions, f32 is faster: the last group is f32.
        const bool last_first = portable && !groups.are_of_file();
        const Group& group = groups.of[last_first ? groups.count - 1 - i : i];
        if (group.with != 0 && ((group.with & without) != 0 || !kai_registry_runnable(group.with, nullptr, 0))) {
            continue;  // all of its kernels need what this CPU lacks
        }
        const Wish wish = {p.m > 1 ? size_t{2} : size_t{1}, reader, without, portable, plan.problem.core, with};
        const kai_ukernel* u = best_of(group, wish);
        if (u != nullptr && take(p, group, *u, without, plan)) {
            return true;
        }
    }
    return false;
}

/// Whether the pinned kernel is of one of these families.
bool of_pin(const Problem& p, const char* first, const char* second) {
    const kai_ukernel* u = p.pin != nullptr ? kai_registry_find_ukernel(p.pin) : nullptr;
    return u != nullptr && (strcmp(u->family, first) == 0 || strcmp(u->family, second) == 0);
}

/// The family that reads this B in place; NULL if there is none.
const char* plain_family(const Problem& p) {
    if (p.b_constant || p.format != nullptr) {
        return nullptr;
    }
    if (p.b_kind == KAI_GEMM_GGUF) {
        const char* family = nullptr;
        for_each_reader(p, [&](const kai_ukernel& u, const kai_ukernel&) {
            const bool reads = u.signature == KAI_UKERNEL_MATMUL_FILE && (u.gguf_types & type_bit(p)) != 0;
            family = reads ? u.family : family;
        });
        return family;
    }
    if (is_lowp(p.b_kind)) {
        return gives_sums(p)                     ? nullptr
               : p.b_kind == KAI_GEMM_UINT8_LOWP ? "matmul_clamp_qau8_qau8_qau8nxk"
                                                 : "matmul_clamp_qai8_qai8_qsi8nxk";
    }
    if (p.b_kind != KAI_GEMM_DENSE) {
        return nullptr;
    }
    if (p.b_type == kai_dt_f32) {
        return p.b_transposed ? "matmul_clamp_f32_f32_f32nxk" : "matmul_clamp_f32_f32_f32kxn";
    }
    if (p.b_type == kai_dt_f16 && p.a_type == kai_dt_f16 && p.c_type != kai_dt_f16) {
        // Without FMLAL the packed B is f32, with sums in f16 f16: both multiply faster than this.
        const bool pinned = of_pin(p, "matmul_clamp_f32_f16_f16kxn", "matmul_clamp_f32_f16_f16nxk");
        return !pinned && (p.allow_f16 || !has(KAI_CPU_FHM)) ? nullptr
               : p.b_transposed                              ? "matmul_clamp_f32_f16_f16nxk"
                                                             : "matmul_clamp_f32_f16_f16kxn";
    }
    if (p.b_type == kai_dt_f16 && p.a_type == kai_dt_f16) {
        const bool f16_sums = p.allow_f16 || of_pin(p, "matmul_clamp_f16_f16_f16kxn", "matmul_clamp_f16_f16_f16nxk");
        if (!f16_sums && !has(KAI_CPU_FP16)) {
            return nullptr;
        }
        return f16_sums         ? p.b_transposed ? "matmul_clamp_f16_f16_f16nxk" : "matmul_clamp_f16_f16_f16kxn"
               : p.b_transposed ? "matmul_clamp_f16_f16_f16nxk_sumf32"
                                : "matmul_clamp_f16_f16_f16kxn_sumf32";
    }
    return nullptr;
}

/// Reads B in place if packing it costs more than it saves; from a file and in low precision, for one row in any case.
/// The plan has kernels already.
void prefer_plain(const Problem& p, Plan& plan) {
    const char* family = plain_family(p);
    const kai_ukernel& packed = *plan.gemm.ukernel;
    const bool few = family != nullptr && rows_of_a_b(p) <= most_plain_rows(p, packed.features, plan.problem.core);
    if (family == nullptr || (!few && p.b_kind != KAI_GEMM_GGUF && !is_lowp(p.b_kind))) {
        return;
    }
    kai_registry_request request = {family, few ? p.m : 1, nullptr, 0, plan.problem.core, {}};
    const kai_ukernel* u = kai_registry_best(&request, nullptr, nullptr);
    kai_gemm_kernel kernel = {u, nullptr, false};
    if (u == nullptr || (u->features == 0 && packed.features != 0) || !set_lhs(p, kernel)) {
        return;
    }
    Plan plain = plan;
    plain.gemv = kernel;
    if (few) {
        set_rhs(p, *u, nullptr, plain);
        plain.gemm = kernel;
    }
    if ((few || u->dst_type == packed.dst_type) && keeps_products(p, plain)) {
        plan = plain;
    }
}

Status choose_pinned(const Problem& p, const Groups& groups, Plan& plan) {
    const kai_ukernel* u = kai_registry_find_ukernel(p.pin);
    if (u == nullptr) {
        return fail(plan, wrong(KAI_GEMM_UNKNOWN_NAME, say::unknown_pin, p.pin));
    }
    const Group plain = {{plain_family(p), nullptr}, nullptr, nullptr};
    for (size_t i = 0; i <= groups.count; ++i) {
        const Group& group = i < groups.count ? groups.of[i] : plain;
        for (const char* family : group.families) {
            if (family != nullptr && strcmp(family, u->family) == 0) {
                char why[sizeof(plan.reason)];
                if (!kai_registry_runnable(u->features, why, sizeof(why))) {
                    return fail(
                        plan, wrong(KAI_GEMM_CPU_LACKS, say::pin_of_other_cpu, u->name, static_cast<const char*>(why)));
                }
                plan.reason[0] = 0;
                if (take(p, group, *u, 0, plan)) {
                    return KAI_GEMM_OK;
                }
                return fail(plan, wrong(KAI_GEMM_WRONG_KERNEL, say::pin_of_other_operands, u->name, name_of(p.a_type)));
            }
        }
    }
    return fail(plan, wrong(KAI_GEMM_WRONG_KERNEL, say::pin_of_other_kind, u->name, name_of(plan.problem.b_kind)));
}

}  // namespace

namespace {

Status choose_among(const Problem& p, const Groups& groups, Plan& plan) {
    plan.status = KAI_GEMM_OK, plan.reason[0] = 0;
    if (p.pin != nullptr) {
        return choose_pinned(p, groups, plan);
    }
    const kai_ukernel* reader = nullptr;
    if (p.format != nullptr) {
        Status status = KAI_GEMM_OK;
        uint64_t features = 0;
        reader = reader_of(groups, *p.format, status, features);
        if (reader == nullptr) {
            const kai_gemm_format& f = *p.format;
            char why[sizeof(plan.reason)] = "no micro-kernel for this problem reads it";
            if (status == KAI_GEMM_CPU_LACKS) {
                kai_registry_runnable(features, why, sizeof(why));
            }
            return fail(
                plan, wrong(
                          status, say::no_reader, f.name != nullptr ? f.name : "NULL", f.nr, f.kr, f.sr,
                          static_cast<const char*>(why)));
        }
    }
    const uint64_t without = p.sme_units == 0 ? kSme : 0;
    // Formats of a type differ in size by at most a third; SME kernels are several times as fast.
    const bool sme_first = groups.are_of_file() && without == 0 && kai_registry_runnable(kSme, nullptr, 0);
    // SME packers accept shorter blocks than others.
    if (!(sme_first && choose_from(p, groups, reader, without, false, plan, kSme)) &&
        !choose_from(p, groups, reader, without, false, plan) &&
        !choose_from(p, groups, reader, without | kSme, false, plan) &&
        !choose_from(p, groups, reader, without, true, plan)) {
        const Violation none = wrong(
            KAI_GEMM_UNSUPPORTED, say::none_multiplies, name_of(p.a_type), name_of(plan.problem.b_kind),
            p.b_transposed ? ", transposed," : "", name_of(p.c_type));
        return fail(plan, none);
    }
    prefer_plain(p, plan);
    return KAI_GEMM_OK;
}

/// `best` if it is for panels of SME. Panels of NEON may have the width of those of SME: then the kernel of its family
/// that is for panels of SME, and as many rows; NULL if there is none.
const kai_ukernel* with_bits_of_sme(const kai_ukernel& best, const kai_ukernel& sme) {
    const auto is_it = [&](const kai_ukernel& u) {
        return u.size_only_features != 0 && (u.rows == KAI_ROWS_MANY) == (sme.rows == KAI_ROWS_MANY);
    };
    if (is_it(best)) {
        return &best;
    }
    const auto at = [](size_t i) { return kai_registry_ukernel(i); };
    for (size_t i = first_of_family(best); at(i) != nullptr && same_family(*at(i), best); ++i) {
        const kai_ukernel& u = *at(i);
        if (is_it(u) && same_format(u, sme) && kai_registry_runnable(u.features, nullptr, 0) &&
            u.get_nr() == sme.get_nr() && u.get_kr() == sme.get_kr() && u.get_sr() == sme.get_sr()) {
            return &u;
        }
    }
    return nullptr;
}

/// The kernel for workers without an SME unit beside this one; without a micro-kernel if there is none. It is in the
/// family of the kernel, or, where one of them packs rows of floats and the other one does not, in that of the GEMV.
kai_gemm_kernel beside(const Problem& p, const Plan& plan, const kai_gemm_kernel& kernel) {
    const kai_ukernel& u = *kernel.ukernel;
    if ((run_features(u) & kSme) == 0 || !packs_b(kernel)) {
        return {};
    }
    const size_t m = u.rows == KAI_ROWS_MANY ? 2 : 1;
    for (const char* family : {u.family, plan.gemv.ukernel->family}) {
        kai_registry_request request = {family, m, &u, kSme, plan.problem.core, {}};
        const kai_ukernel* best = kai_registry_best(&request, nullptr, nullptr);
        kai_gemm_kernel found = {best != nullptr ? with_bits_of_sme(*best, u) : nullptr, nullptr, false};
        if (found.ukernel != nullptr && set_lhs(p, found) && found.copies_rows == kernel.copies_rows &&
            row_type(found) == row_type(kernel)) {
            return found;
        }
    }
    return {};
}

/// A packer of the same rows to the same bytes that needs no SME unit; NULL: there is none, or the kernel's is one.
const kai_packer* packer_beside(const kai_gemm_kernel& kernel) {
    if (kernel.lhs_packer == nullptr || (kernel.lhs_packer->features & kSme) == 0) {
        return nullptr;
    }
    for (size_t i = 0;; ++i) {
        const kai_packer* packer = kai_registry_lhs_packer(kernel.ukernel, i);
        const bool found = packer != nullptr && (packer->features & kSme) == 0 &&
                           strcmp(packer->source_format, kernel.lhs_packer->source_format) == 0;
        if (packer == nullptr || found) {
            return packer;
        }
    }
}

/// Kernels for the workers that have no SME unit, if there are such workers.
void choose_beside(const Problem& p, Plan& plan) {
    constexpr size_t kMostMatrices = 1 << 16;  // units are counted in half a word
    if (p.pin != nullptr || p.units <= max(p.sme_units, 1) || !multiplies(p) || p.batch > kMostMatrices) {
        return;
    }
    // SME without SME2 may have no kernel for one row, which NEON then multiplies on all workers.
    const bool has_row = (run_features(*plan.gemv.ukernel) & kSme) != 0;
    plan.gemm_beside = beside(p, plan, plan.gemm);
    plan.gemv_beside = has_row || plan.gemm_beside.ukernel == nullptr ? beside(p, plan, plan.gemv) : plan.gemv;
    const auto can_work = [&](const kai_gemm_kernel& kernel) {
        return kernel.ukernel != nullptr && (kernel.ukernel->other_bits == 0 || p.divides_columns != 0);
    };
    // A single row is packed once for all workers.
    if (!can_work(plan.gemm_beside) || !can_work(plan.gemv_beside) || !same_lhs(plan.gemv, plan.gemv_beside)) {
        plan.gemm_beside = plan.gemv_beside = {};
    }
    if (is_mixed(plan)) {
        set_rates(plan);
        plan.lhs_packer_beside = packer_beside(plan.gemm);
        plan.gemv = plan.problem.rates.sme_row > 1 ? plan.gemv : plan.gemv_beside;
    }
}

}  // namespace

Status choose(const Problem& p, Plan& plan) {
    Status status = choose_among(p, groups_for(p), plan);
    const bool none =
        status == KAI_GEMM_UNSUPPORTED || status == KAI_GEMM_WRONG_KERNEL || status == KAI_GEMM_UNKNOWN_FORMAT;
    if (none && may_become_floats(p.b_kind)) {
        Problem dequantised = p;
        dequantised.b_kind = KAI_GEMM_DENSE, dequantised.b_type = kai_dt_f32;
        status = choose_among(p, groups_for(dequantised), plan);
    }
    if (status == KAI_GEMM_OK) {
        choose_beside(p, plan);
    }
    return status;
}

}  // namespace kai::gemm
