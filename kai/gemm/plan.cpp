// kai_gemm_make_plan: checks, the choice of kernels and packers, sizes; kai_gemm_explain.
//
// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kai/call.hpp"
#include "kai/gemm/gemm.hpp"

namespace kai::gemm {

kai_datatype type_of(const char* source) {
    const auto is = [source](const char* name) {
        size_t i = 0;
        while (name[i] != 0 && source[i] == name[i]) {
            ++i;
        }
        return source[i] == name[i];
    };
    return is("f32")                ? kai_dt_f32
           : is("f16")              ? kai_dt_f16
           : is("bf16")             ? kai_dt_bf16
           : is("x8") || is("int8") ? kai_dt_int8
                                    : kai_dt_unknown;
}

kai_datatype row_type(const kai_gemm_kernel& kernel) {
    return type_of(kernel.lhs_packer != nullptr ? kernel.lhs_packer->source_format : kernel.ukernel->lhs_format);
}

size_t b_row_size(const Problem& p) {
    const size_t count = p.b_transposed ? p.k : p.n;
    switch (p.b_kind) {
        case KAI_GEMM_DENSE:
            return mul_add(count, size_of(p.b_type), 0);
        case KAI_GEMM_INT8_CHANNEL:
        case KAI_GEMM_INT8_STATIC:
            return count;
        case KAI_GEMM_INT2_CHANNEL:
            return divide_up(count, 4);
        case KAI_GEMM_INT4_BLOCK_F16:
            return p.bl == 0 ? 0 : count / p.bl * (sizeof(uint16_t) + p.bl / 2);
        default:
            return divide_up(count, 2);
    }
}

kai_call call_of(const Plan& plan, const kai_gemm_kernel& kernel, size_t m, size_t n) {
    kai_call call = {};
    const Problem& p = plan.problem;
    call.ukernel = kernel.ukernel, call.lhs_packer = kernel.lhs_packer, call.rhs_packer = plan.rhs_packer;
    call.m = m, call.n = n, call.k = p.k, call.bl = p.bl;
    return call;
}

size_t lhs_size(const Plan& plan, const kai_gemm_kernel& kernel, size_t m) {
    if (kernel.ukernel == nullptr || m == 0) {
        return 0;
    }
    if (kernel.lhs_packer == nullptr) {
        return kernel.copies_rows ? mul_add(m, plan.problem.k * size_of(row_type(kernel)), 0) : 0;
    }
    const kai_call call = call_of(plan, kernel, m, 1);
    return kai_call_lhs_packed_size(&call);
}

size_t copied_columns_size(const Plan& plan) {
    const Problem& p = plan.problem;
    return !plan.copies_columns                ? 0
           : p.b_kind == KAI_GEMM_INT4_CHANNEL ? plan.format.nr * divide_up(p.k, 2)
           : p.b_kind == KAI_GEMM_INT8_CHANNEL
               ? plan.format.nr * p.k
               : plan.format.nr * p.k * size_of(type_of(plan.rhs_packer->source_format));
}

namespace {

constexpr size_t kDefaultL1 = size_t{64} << 10, kDefaultL2 = size_t{1} << 20;

/// Rows up to which a kernel that packs neither side beats packing a B that is used once (docs/performance.md, without
/// packing): K x N any number, but in a B beyond the cache its rows are far apart; N x K, where each tile adds up lanes
/// at its end, a share of k that holds on in-order cores, too. Kernels of SME and bf16 are several times as fast.
size_t most_plain_rows(const Problem& p, uint64_t features_otherwise) {
    constexpr uint64_t kFaster = uint64_t{1} << KAI_CPU_SME | uint64_t{1} << KAI_CPU_BF16;
    if ((features_otherwise & kFaster) != 0) {
        return 2;
    }
    if (p.b_transposed) {
        return p.k / (p.b_type == kai_dt_f16 ? 16 : 8);
    }
    return p.n * p.k * size_of(p.b_type) <= p.l2_bytes ? SIZE_MAX : 64;
}

constexpr uint64_t kSme = uint64_t{1} << KAI_CPU_SME;

/// Families that multiply the same packed B and write the same type. A GEMM and its GEMV may be in different ones.
struct Group {
    kai_datatype dst;
    const char* families[2];
};

constexpr size_t kMaxGroups = 4;

struct Groups {
    Group of[kMaxGroups];
    size_t count;

    void add(bool condition, kai_datatype dst, const char* first, const char* second = nullptr) {
        if (condition) {
            of[count++] = {dst, {first, second}};
        }
    }
};

/// What may compute a problem, the best first.
Groups groups_for(const Problem& p) {
    Groups g = {};
    const bool to_f16 = p.c_type == kai_dt_f16, to_bf16 = p.c_type == kai_dt_bf16;
    const bool f16 = p.a_type == kai_dt_f16 && p.b_type == kai_dt_f16;
    const bool bf16 = p.a_type == kai_dt_bf16 && p.b_type == kai_dt_bf16;
    switch (p.b_kind) {
        case KAI_GEMM_DENSE:
            g.add(p.allow_bf16 && f16 && to_f16, kai_dt_f16, "matmul_clamp_f16_bf16p_bf16p");
            g.add(p.allow_bf16 || bf16, kai_dt_f32, "matmul_clamp_f32_bf16p_bf16p");
            g.add(
                (f16 && to_f16) || p.allow_f16, kai_dt_f16, "matmul_clamp_f16_f16p_f16p", "matmul_clamp_f16_f16_f16p");
            g.add(true, kai_dt_f32, "matmul_clamp_f32_f32p_f32p", "matmul_clamp_f32_f32_f32p");
            break;
        case KAI_GEMM_INT8_CHANNEL:
            g.add(to_f16, kai_dt_f16, "matmul_clamp_f16_qai8dxp_qsi8cxp");
            g.add(true, kai_dt_f32, "matmul_clamp_f32_qai8dxp_qsi8cxp");
            break;
        case KAI_GEMM_INT4_CHANNEL:
            g.add(to_f16, kai_dt_f16, "matmul_clamp_f16_qai8dxp_qsi4cxp");
            g.add(to_bf16, kai_dt_bf16, "matmul_clamp_bf16_qai8dxp_qsi4cxp");
            g.add(true, kai_dt_f32, "matmul_clamp_f32_qai8dxp_qsi4cxp");
            break;
        case KAI_GEMM_INT2_CHANNEL:
            g.add(true, kai_dt_f32, "matmul_clamp_f32_qai8dxp_qsu2cxp");
            break;
        case KAI_GEMM_INT4_BLOCK:
            g.add(to_bf16, kai_dt_bf16, "matmul_clamp_bf16_qai8dxp_qsi4c32p");
            g.add(true, kai_dt_f32, "matmul_clamp_f32_qai8dxp_qsi4c32p");
            break;
        case KAI_GEMM_INT4_BLOCK_F16:
            g.add(true, kai_dt_f32, "matmul_clamp_f32_qsi8d32p_qsi4c32p");
            break;
        case KAI_GEMM_INT4_BLOCK_ZERO:
            g.add(to_f16, kai_dt_f16, "matmul_clamp_f16_qsi8d32p_qai4c32p");
            g.add(true, kai_dt_f32, "matmul_clamp_f32_qsi8d32p_qai4c32p");
            break;
        case KAI_GEMM_INT8_STATIC:
            g.add(true, kai_dt_int8, "matmul_clamp_qai8_qai8p_qsi8cxp", "matmul_clamp_qai8_qai8_qsi8cxp");
            break;
    }
    return g;
}

/// Whether elements of one type can be converted to the other.
bool converts(kai_datatype from, kai_datatype to) {
    const auto is_float = [](kai_datatype type) {
        return type == kai_dt_f32 || type == kai_dt_f16 || type == kai_dt_bf16;
    };
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
                                (widens(p.a_type, type) && row_type(kernel) != p.a_type);
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
    kernel.copies_rows = p.a_transposed || p.groups || type != p.a_type;
    return converts(p.a_type, type);
}

/// The source format of the packers of a kind; NULL for DENSE: any float.
const char* source_of(kai_gemm_kind kind) {
    switch (kind) {
        case KAI_GEMM_INT8_CHANNEL:
        case KAI_GEMM_INT8_STATIC:
            return "qsi8cx";
        case KAI_GEMM_INT4_CHANNEL:
            return "qs4cxs1s0";
        case KAI_GEMM_INT2_CHANNEL:
            return "qsu2cx";
        case KAI_GEMM_INT4_BLOCK:
            return "qsu4c32s1s0";
        case KAI_GEMM_INT4_BLOCK_F16:
            return "qsu4c32s16s0";
        case KAI_GEMM_INT4_BLOCK_ZERO:
            return "qau4c32s0s1";
        default:
            return nullptr;
    }
}

/// How well a packer suits B as it lies: 0 not at all, 1 if columns are copied first, 2 or 3 with a conversion that
/// only widens, 4 directly.
int suits(const Problem& p, const kai_packer& packer) {
    const bool same_way = is_kxn(packer) != p.b_transposed;
    if (p.b_kind == KAI_GEMM_DENSE) {
        const kai_datatype type = type_of(packer.source_format);
        return !converts(p.b_type, type)      ? 0
               : type == p.b_type && same_way ? 4
               : type == p.b_type             ? 3
               : widens(p.b_type, type)       ? 2
                                              : 1;
    }
    if (strcmp(packer.source_format, source_of(p.b_kind)) != 0) {
        return 0;
    }
    // Packers of K x N lines with a scale per column take all columns at once: parts are transposed first instead.
    const bool can_transpose = p.b_kind == KAI_GEMM_INT8_CHANNEL || p.b_kind == KAI_GEMM_INT4_CHANNEL;
    if (can_transpose) {
        return is_kxn(packer) ? 0 : p.b_transposed ? 4 : 1;
    }
    return same_way ? 4 : 0;
}

bool set_rhs(const Problem& p, const kai_ukernel& u, Plan& plan) {
    plan.rhs_packer = nullptr, plan.copies_columns = false;
    if (!rhs_is_packed(u)) {
        return true;
    }
    int best = 0;
    for (size_t i = 0; best < 4; ++i) {
        const kai_packer* packer = kai_registry_rhs_packer(&u, i);
        if (packer == nullptr) {
            break;
        }
        if (suits(p, *packer) > best) {
            best = suits(p, *packer);
            plan.rhs_packer = packer;
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
};

const kai_ukernel* best_of(const Group& group, const Wish& wish) {
    const kai_ukernel* found = nullptr;
    for (const char* family : group.families) {
        if (family == nullptr) {
            continue;
        }
        kai_registry_request request = {family, wish.m, wish.same_rhs_as, wish.without};
        const kai_ukernel* u = kai_registry_best(&request, nullptr, nullptr);
        if (u == nullptr || (u->features == 0) != wish.portable) {
            continue;
        }
        const bool fits = (wish.m <= 1) == (u->rows != KAI_ROWS_MANY);
        if (found == nullptr || (fits && (found->rows != KAI_ROWS_MANY) != (wish.m <= 1))) {
            found = u;
        }
    }
    return found;
}

/// A kernel that reads this packed format; `status` says why there is none.
const kai_ukernel* reader_of(const Groups& groups, const kai_gemm_format& format, Status& status) {
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
            status = KAI_GEMM_CPU_LACKS;
        } else if (u->get_nr() == format.nr && u->get_kr() == format.kr && u->get_sr() == format.sr) {
            if (kai_registry_runnable(u->features, nullptr, 0)) {
                return u;
            }
            status = KAI_GEMM_CPU_LACKS;
        }
    }
}

bool is_multiple_rows(const Problem& p) {
    return p.m > 1;
}

/// Whether kernels and packers take the shape.
bool takes_shape(const Problem& p, const Plan& plan) {
    kai_registry_call call = {};
    call.n = p.n, call.k = p.k, call.bl = p.bl;
    for (const kai_gemm_kernel* kernel : {&plan.gemm, &plan.gemv}) {
        const kai_ukernel& u = *kernel->ukernel;
        call.ukernel = &u, call.packer = nullptr;
        call.m = u.rows == KAI_ROWS_ONE ? 1 : p.m;
        if (!kai_registry_check(&call, nullptr, 0)) {
            return false;
        }
        call.ukernel = nullptr, call.packer = kernel->lhs_packer;
        call.rows = u.get_mr(), call.kr = u.get_kr(), call.sr = u.get_sr();
        if (call.packer != nullptr && !kai_registry_check(&call, nullptr, 0)) {
            return false;
        }
    }
    if (plan.rhs_packer == nullptr) {
        return true;
    }
    RhsParams params;
    call.packer = plan.rhs_packer;
    call.rows = plan.gemm.ukernel->get_nr();
    call.scale = p.b_kind != KAI_GEMM_DENSE, call.zero = p.b_kind == KAI_GEMM_INT4_BLOCK_ZERO;
    call.params = make_params(*plan.rhs_packer, params, 1, 8, 1);
    return kai_registry_check(&call, nullptr, 0);
}

/// Takes a kernel for many rows and looks for one for one row.
bool take(const Problem& p, const Group& group, const kai_ukernel& u, uint64_t without, Plan& plan) {
    plan.gemm = {&u, nullptr, false};
    plan.without = without;
    if (!set_lhs(p, plan.gemm) || !set_rhs(p, u, plan)) {
        return false;
    }
    plan.gemv = plan.gemm;
    if (p.pin == nullptr && u.rows == KAI_ROWS_MANY) {
        const Wish wish = {1, &u, without, u.features == 0};
        const kai_ukernel* gemv = best_of(group, wish);
        kai_gemm_kernel kernel = {gemv, nullptr, false};
        if (gemv != nullptr && gemv->rows != KAI_ROWS_MANY && set_lhs(p, kernel)) {
            plan.gemv = kernel;
        }
    }
    return takes_shape(p, plan);
}

/// The first group that has kernels.
bool choose_from(
    const Problem& p, const Groups& groups, const kai_ukernel* reader, uint64_t without, bool portable, Plan& plan) {
    for (size_t i = 0; i < groups.count; ++i) {
        // Where f16 has no instructions, f32 is faster: the last group is f32.
        const Group& group = groups.of[portable ? groups.count - 1 - i : i];
        const Wish wish = {is_multiple_rows(p) ? size_t{2} : size_t{1}, reader, without, portable};
        const kai_ukernel* u = best_of(group, wish);
        if (u != nullptr && take(p, group, *u, without, plan)) {
            return true;
        }
    }
    return false;
}

/// The family that reads this B as it lies; NULL if there is none.
const char* plain_family(const Problem& p) {
    if (p.b_kind != KAI_GEMM_DENSE || p.b_constant || p.format != nullptr) {
        return nullptr;
    }
    if (p.b_type == kai_dt_f32) {
        return p.b_transposed ? "matmul_clamp_f32_f32_f32nxk" : "matmul_clamp_f32_f32_f32kxn";
    }
    if (p.b_type == kai_dt_f16 && p.a_type == kai_dt_f16 && p.c_type == kai_dt_f16) {
        return p.b_transposed ? "matmul_clamp_f16_f16_f16nxk" : "matmul_clamp_f16_f16_f16kxn";
    }
    return nullptr;
}

/// Packs nothing where packing B costs more than it saves. The plan has kernels already.
void prefer_plain(const Problem& p, Plan& plan) {
    const char* family = plain_family(p);
    const uint64_t features = plan.gemm.ukernel->features;
    if (family == nullptr || p.m > most_plain_rows(p, features)) {
        return;
    }
    kai_registry_request request = {family, p.m, nullptr, 0};
    const kai_ukernel* u = kai_registry_best(&request, nullptr, nullptr);
    kai_gemm_kernel kernel = {u, nullptr, false};
    if (u != nullptr && (u->features != 0 || features == 0) && set_lhs(p, kernel)) {
        set_rhs(p, *u, plan);
        plan.gemm = plan.gemv = kernel;
    }
}

Status choose_pinned(const Problem& p, const Groups& groups, Plan& plan) {
    const kai_ukernel* u = kai_registry_find_ukernel(p.pin);
    if (u == nullptr) {
        return KAI_GEMM_UNKNOWN_NAME;
    }
    const Group plain = {kai_dt_unknown, {plain_family(p), nullptr}};
    for (size_t i = 0; i <= groups.count; ++i) {
        const Group& group = i < groups.count ? groups.of[i] : plain;
        for (const char* family : group.families) {
            if (family != nullptr && strcmp(family, u->family) == 0) {
                if (!kai_registry_runnable(u->features, nullptr, 0)) {
                    return KAI_GEMM_CPU_LACKS;
                }
                return take(p, group, *u, 0, plan) ? KAI_GEMM_OK : KAI_GEMM_WRONG_KERNEL;
            }
        }
    }
    return KAI_GEMM_WRONG_KERNEL;
}

Status choose(const Problem& p, Plan& plan) {
    const Groups groups = groups_for(p);
    if (p.pin != nullptr) {
        return choose_pinned(p, groups, plan);
    }
    const kai_ukernel* reader = nullptr;
    if (p.format != nullptr) {
        Status status = KAI_GEMM_OK;
        reader = reader_of(groups, *p.format, status);
        if (reader == nullptr) {
            return status;
        }
    }
    const uint64_t without = p.sme_units == 0 ? kSme : 0;
    if (!choose_from(p, groups, reader, without, false, plan) && !choose_from(p, groups, reader, without, true, plan)) {
        return KAI_GEMM_UNSUPPORTED;
    }
    prefer_plain(p, plan);
    return KAI_GEMM_OK;
}

// ---- checks ----

bool is_in(kai_datatype type, kai_datatype a, kai_datatype b, kai_datatype c) {
    return type == a || type == b || type == c;
}

bool has_blocks(kai_gemm_kind kind) {
    return kind == KAI_GEMM_INT4_BLOCK || kind == KAI_GEMM_INT4_BLOCK_F16 || kind == KAI_GEMM_INT4_BLOCK_ZERO;
}

Status check_problem(const Problem& p) {
    const bool is_static = p.b_kind == KAI_GEMM_INT8_STATIC, dense = p.b_kind == KAI_GEMM_DENSE;
    const auto floating = [](kai_datatype type) { return is_in(type, kai_dt_f32, kai_dt_f16, kai_dt_bf16); };
    if (static_cast<unsigned>(p.b_kind) > KAI_GEMM_INT8_STATIC || (dense && !floating(p.b_type)) ||
        (is_static ? p.a_type != kai_dt_int8 || p.c_type != kai_dt_int8 : !floating(p.a_type) || !floating(p.c_type)) ||
        !(p.clamp_min <= p.clamp_max) || p.units == 0) {
        return KAI_GEMM_BAD_VALUE;
    }
    if (has_blocks(p.b_kind) && (p.bl == 0 || p.bl % 32 != 0 || p.k % p.bl != 0)) {
        return KAI_GEMM_BAD_VALUE;
    }
    if (p.b_kind == KAI_GEMM_INT2_CHANNEL && p.k % 32 != 0) {
        return KAI_GEMM_BAD_VALUE;
    }
    if (is_static && (p.alpha != 1 || p.beta != 0 || p.c_min > p.c_max || p.c_min < -128 || p.c_max > 127 ||
                      p.c_zero_point < -128 || p.c_zero_point > 127)) {
        return KAI_GEMM_BAD_VALUE;
    }
    if (!dense && !p.b_constant) {
        return KAI_GEMM_UNSUPPORTED;
    }
    // Packed sizes are at most twice those of f32 with k and n rounded up, and so are those of the workspace.
    constexpr size_t kPanel = 4096;
    const size_t largest_k = mul_add(p.k, 1, kPanel), larger_n = mul_add(p.n, 1, kPanel),
                 larger_m = mul_add(p.m, 1, kPanel), per_value = 16;
    const size_t batch = mul_add(p.batch, 1, 1);
    for (const size_t size :
         {mul_add(mul_add(mul_add(larger_n, largest_k, 0), per_value, 0), batch, 0),
          mul_add(mul_add(mul_add(larger_m, largest_k, 0), per_value, 0), batch, 0),
          mul_add(mul_add(mul_add(larger_m, larger_n, 0), per_value, 0), batch, 0),
          mul_add(mul_add(mul_add(p.units, kPanel, 0), largest_k, 0), 64, 0),
          mul_add(mul_add(p.batch, kPanel, 0), largest_k, 0)}) {
        if (size > SIZE_MAX / 4) {
            return KAI_GEMM_OVERFLOW;
        }
    }
    return KAI_GEMM_OK;
}

// ---- sizes ----

/// Rows up to which units pack the LHS when they need it, without a phase of its own. A value takes 0.45 to 1 cycle
/// (docs/performance.md), a barrier about 3 microseconds, 9,000 cycles. A single panel cannot be shared among threads
/// anyhow: then the phase would only add its barrier; the second bound keeps the private copies small.
size_t most_rows_on_demand(const Plan& plan) {
    constexpr size_t kValues = 12 << 10, kValuesOfPanel = 64 << 10;
    const size_t k = max(plan.problem.k, 1);
    return max(kValues / k, min(panel_rows(plan.gemm), kValuesOfPanel / k));
}

void set_sizes(Plan& plan) {
    const Problem& p = plan.problem;
    kai_gemm_layout& to = plan.layout;
    const auto place = [&](size_t& end, size_t size) {
        const size_t start = round_up(end, kAlignment);
        end = size == 0 ? end : start + size;
        return start;
    };
    plan.workers = p.units;
    if (plan.gemm.ukernel == nullptr) {
        plan.packed_b_stride = round_up(plan.bias_apart ? p.n * sizeof(float) : 0, kAlignment);
        plan.packed_b_size = p.b_constant && plan.bias_apart && b_count(p) != 0
                                 ? (b_count(p) - 1) * plan.packed_b_stride + p.n * sizeof(float)
                                 : 0;
        plan.pack_units = plan.packed_b_size != 0;
        return;
    }
    if ((plan.gemm.ukernel->features & kSme) != 0) {
        plan.workers = min(p.units, max(p.sme_units, 1));
    }

    // Packed B.
    if (plan.rhs_packer != nullptr) {
        const kai_call call = call_of(plan, plan.gemm, p.m, p.n);
        plan.panels_size = kai_call_rhs_packed_size(&call);
        const size_t with_bias = plan.bias_apart && p.b_constant
                                     ? round_up(plan.panels_size, kAlignment) + p.n * sizeof(float)
                                     : plan.panels_size;
        plan.packed_b_stride = round_up(with_bias, kAlignment);
        const size_t panels = divide_up(p.n, plan.format.nr);
        plan.pack_units = min(panels, divide_up(4 * p.units, b_count(p) != 0 ? b_count(p) : 1));
        if (p.b_constant && b_count(p) != 0) {
            plan.packed_b_size = (b_count(p) - 1) * plan.packed_b_stride + with_bias;
            plan.pack_workspace_size =
                plan.copies_columns ? round_up(copied_columns_size(plan), kAlignment) * plan.pack_units : 0;
        }
    }

    // What a unit needs for itself.
    size_t slot = 0, copied = p.b_constant ? 0 : copied_columns_size(plan), few_rows = 0, tile = 0;
    to.few_rows_max = min(p.m, max(most_rows_on_demand(plan), 1));
    for (const kai_gemm_kernel* kernel : {&plan.gemm, &plan.gemv}) {
        const kai_ukernel& u = *kernel->ukernel;
        if (kernel->copies_rows && kernel->lhs_packer != nullptr) {
            copied = max(copied, min(panel_rows(*kernel), p.m) * p.k * size_of(row_type(*kernel)));
        }
        few_rows =
            max(few_rows, lhs_size(plan, *kernel, kernel == &plan.gemv ? min(to.few_rows_max, 1) : to.few_rows_max));
        if (!plan.direct) {
            const size_t size = size_of(u.dst_type), step = u.get_m_step();
            const size_t rows = max(min(p.m, 32) / step, 1) * step;
            const size_t columns = max(kTileBytes / (rows * size * u.get_n_step()), 1) * u.get_n_step();
            to.tile_rows = max(to.tile_rows, min(rows, round_up(p.m, step)));
            to.tile_columns = max(to.tile_columns, min(columns, round_up(p.n, u.get_n_step())));
            tile = max(tile, to.tile_rows * to.tile_columns * size);
        }
    }
    to.copied = place(slot, copied);
    to.few_rows = place(slot, few_rows);
    to.tile = place(slot, tile);
    to.slot_size = round_up(slot, kAlignment);

    // The workspace.
    size_t end = 0;
    const size_t per_matrix = max(lhs_size(plan, plan.gemm, p.m), lhs_size(plan, plan.gemv, min(p.m, 1)));
    const bool has_lhs = plan.gemm.lhs_packer != nullptr || plan.gemv.lhs_packer != nullptr || per_matrix != 0;
    to.lhs_states = place(end, has_lhs ? p.batch * sizeof(uint32_t) : 0);  // also where k is 0
    to.slots_taken = place(end, slot != 0 ? plan.workers * sizeof(uint32_t) : 0);
    to.lhs_stride = round_up(per_matrix, kAlignment);
    const size_t padded = p.groups ? max(lhs_size(plan, plan.gemm, p.m + p.batch * panel_rows(plan.gemm)),
                                         lhs_size(plan, plan.gemv, p.m + p.batch))
                                   : 0;
    to.lhs = place(end, p.groups || p.batch == 0 ? padded : (p.batch - 1) * to.lhs_stride + per_matrix);
    to.b = place(
        end, p.b_constant || plan.rhs_packer == nullptr || b_count(p) == 0
                 ? 0
                 : (b_count(p) - 1) * plan.packed_b_stride + plan.panels_size);
    to.slots = place(end, slot == 0 ? 0 : (plan.workers - 1) * to.slot_size + slot);
    plan.workspace_size = end;
}

}  // namespace
}  // namespace kai::gemm

using namespace kai::gemm;

extern "C" {

const char* kai_gemm_status_text(kai_gemm_status status) {
    switch (status) {
        case KAI_GEMM_OK:
            return "done";
        case KAI_GEMM_NULL_POINTER:
            return "a pointer is NULL where data is needed";
        case KAI_GEMM_BAD_STRIDE:
            return "a stride is shorter than what it steps over, or has gaps where none can be";
        case KAI_GEMM_OVERFLOW:
            return "the size of an operand is larger than the address space";
        case KAI_GEMM_BAD_VALUE:
            return "a type, kind, clamp bound, block length, number of units or row index is out of its range";
        case KAI_GEMM_TOO_MANY_ROWS:
            return "the run has more rows than the plan was made for";
        case KAI_GEMM_TOO_SMALL:
            return "a buffer is smaller than the plan says";
        case KAI_GEMM_MISALIGNED:
            return "the workspace is not aligned to 64 bytes";
        case KAI_GEMM_UNSUPPORTED:
            return "no kernel of this build computes this combination of types and layouts";
        case KAI_GEMM_UNKNOWN_NAME:
            return "this build has no micro-kernel of the name that is pinned";
        case KAI_GEMM_WRONG_KERNEL:
            return "the micro-kernel that is pinned does not compute this problem";
        case KAI_GEMM_CPU_LACKS:
            return "this CPU lacks what the pinned kernel, or every kernel for the packed format, needs";
        case KAI_GEMM_UNKNOWN_FORMAT:
            return "no kernel of this build for this problem reads the packed format";
        case KAI_GEMM_NO_UNIT:
            return "there is no such phase, unit or matrix";
        default:
            return "not a status";
    }
}

kai_gemm_problem kai_gemm_problem_of(size_t m, size_t n, size_t k) {
    kai_gemm_problem p = {};
    p.m = m, p.n = n, p.k = k, p.batch = 1;
    p.a_type = p.b_type = p.c_type = kai_dt_f32;
    p.alpha = 1, p.multiplier = 1;
    p.clamp_min = -__builtin_inff(), p.clamp_max = __builtin_inff();
    p.c_min = -128, p.c_max = 127;
    p.units = 1, p.sme_units = 1;
    p.l1_bytes = kDefaultL1, p.l2_bytes = kDefaultL2;
    return p;
}

kai_gemm_status kai_gemm_make_plan(const kai_gemm_problem* problem, kai_gemm_plan* plan) {
    if (problem == nullptr || plan == nullptr) {
        return KAI_GEMM_NULL_POINTER;
    }
    Status status = check_problem(*problem);
    if (status != KAI_GEMM_OK) {
        return status;
    }
    Plan made = {};
    made.problem = *problem;
    const Problem& p = made.problem;
    made.problem.l1_bytes = p.l1_bytes != 0 ? p.l1_bytes : kDefaultL1;
    made.problem.l2_bytes = p.l2_bytes != 0 ? p.l2_bytes : kDefaultL2;
    made.bias_apart = p.bias;
    status = choose(p, made);
    if (status != KAI_GEMM_OK) {
        return status;
    }
    if (multiplies(p)) {
        const kai_ukernel& u = *made.gemm.ukernel;
        if (made.rhs_packer != nullptr) {
            made.format = {u.rhs_format, u.get_nr(), u.get_kr(), u.get_sr()};
        }
        const bool bias_inside = made.rhs_packer != nullptr && !kai::takes<&kai::PackerArgs::no_bias>(*made.rhs_packer);
        made.direct = p.alpha == 1 && p.beta == 0 && p.c_type == u.dst_type && (!p.bias || bias_inside);
        made.bias_apart = p.bias && !made.direct;
    } else {
        made.gemm = made.gemv = {};
        made.rhs_packer = nullptr, made.copies_columns = false;
    }
    set_sizes(made);
    made.problem.pin = p.pin != nullptr ? made.gemm.ukernel != nullptr ? made.gemm.ukernel->name : "" : nullptr;
    made.problem.format = nullptr;  // the caller's: not needed any more
    *plan = made;
    return KAI_GEMM_OK;
}

}  // extern "C"
