// The registry: tables made from the catalogues, and the choice among their entries.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/kai_registry.h"

#include <stdio.h>
#include <string.h>

#include "kai/src/getters.hpp"
#include "kai/ukernels/families.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"

// KAI_BUILD_<isa> is 1 if this build has the sources of that ISA (set by the build system for this file).

#define KAI_STRING_(x) #x
#define KAI_STRING(x) KAI_STRING_(x)
#define KAI_CONCAT_(a, b) a##b
#define KAI_CONCAT(a, b) KAI_CONCAT_(a, b)
#define KAI_ANY(function) reinterpret_cast<kai_any_fn*>(&(function))

/// Expands to its second argument list if this build has the ISA, else to nothing.
#define KAI_IF_BUILT(isa, ...) KAI_CONCAT(KAI_IF_BUILT_, KAI_CONCAT(KAI_BUILD_, isa))(__VA_ARGS__)
#define KAI_IF_BUILT_1(...) __VA_ARGS__
#define KAI_IF_BUILT_0(...)

namespace {

[[maybe_unused]] constexpr uint64_t bit(kai_cpu_feature feature) {
    return uint64_t{1} << feature;
}

/// What the CPU must have for the sources of an ISA. `any` and `neon` have portable code for other hosts.
namespace needs {
[[maybe_unused]] constexpr uint64_t any = 0;
[[maybe_unused]] constexpr uint64_t neon = 0;
[[maybe_unused]] constexpr uint64_t neon_dotprod = bit(KAI_CPU_DOTPROD);
[[maybe_unused]] constexpr uint64_t neon_i8mm = bit(KAI_CPU_I8MM);
[[maybe_unused]] constexpr uint64_t sve_dotprod = bit(KAI_CPU_SVE) | bit(KAI_CPU_DOTPROD);
[[maybe_unused]] constexpr uint64_t sve_i8mm = bit(KAI_CPU_SVE) | bit(KAI_CPU_SVE_I8MM);
[[maybe_unused]] constexpr uint64_t sme = bit(KAI_CPU_SME);
[[maybe_unused]] constexpr uint64_t sme2 = bit(KAI_CPU_SME) | bit(KAI_CPU_SME2);
}  // namespace needs

/// The signature, by the types of run and of the packed offset of the LHS.
template <typename Run>
[[maybe_unused]] constexpr kai_ukernel_signature signature_of(Run*, kai_get_packed_offset_bl_fn*) {
    return KAI_UKERNEL_MATMUL_BL;
}
[[maybe_unused]] constexpr kai_ukernel_signature signature_of(kai_run_matmul_fn*, kai_get_packed_offset_fn*) {
    return KAI_UKERNEL_MATMUL;
}
[[maybe_unused]] constexpr kai_ukernel_signature signature_of(kai_run_matmul_f32_fn*, kai_get_packed_offset_fn*) {
    return KAI_UKERNEL_MATMUL;
}
[[maybe_unused]] constexpr kai_ukernel_signature signature_of(kai_run_matmul_bl_fn*, kai_get_packed_offset_fn*) {
    return KAI_UKERNEL_MATMUL_RHS_BL;
}
[[maybe_unused]] constexpr kai_ukernel_signature signature_of(kai_run_matmul_bl_f32_fn*, kai_get_packed_offset_fn*) {
    return KAI_UKERNEL_MATMUL_RHS_BL;
}
[[maybe_unused]] constexpr kai_ukernel_signature signature_of(kai_run_matmul_lut_f32_fn*, kai_get_packed_offset_fn*) {
    return KAI_UKERNEL_MATMUL_LUT;
}

/// The result type stands in the name: matmul_clamp_<type>_...
[[maybe_unused]] constexpr kai_datatype dst_type_of(const char* family) {
    const char* type = family;
    for (int underscores = 0; *type != 0 && underscores < 2; ++type) {
        underscores += *type == '_';
    }
    return type[0] == 'f' && type[1] == '3' ? kai_dt_f32
           : type[0] == 'f'                 ? kai_dt_f16
           : type[0] == 'b'                 ? kai_dt_bf16
                                            : kai_dt_unknown;
}

const kai_ukernel kUkernels[] = {
#define KAI_UKERNEL(ISA, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                                            \
    KAI_IF_BUILT(                                                                                                   \
        ISA,                                                                                                        \
        {#NAME, KAI_STRING(KAI_FAMILY), signature_of(&kai_run_##NAME, &kai_get_lhs_packed_offset_##NAME),           \
         dst_type_of(KAI_STRING(KAI_FAMILY)), #LHS, #RHS, needs::ISA, kai_get_m_step_##NAME, kai_get_n_step_##NAME, \
         kai_get_mr_##NAME, kai_get_nr_##NAME, kai_get_kr_##NAME, kai_get_sr_##NAME,                                \
         KAI_ANY(kai_get_lhs_packed_offset_##NAME), KAI_ANY(kai_get_rhs_packed_offset_##NAME),                      \
         kai_get_dst_offset_##NAME, kai_get_dst_size_##NAME, KAI_ANY(kai_run_##NAME)}, )
#include "kai/ukernels/matmul/families.def"
#undef KAI_UKERNEL
    {}  // the end; also keeps the table from being empty
};

/// The condition of a catalogue line: 0 accepts any value.
#define KAI_ACCEPTS(ROWS, KR, SR)                                                                         \
    [](size_t rows, size_t kr, size_t sr) {                                                               \
        return ((ROWS) == 0 || rows == (ROWS)) && ((KR) == 0 || kr == (KR)) && ((SR) == 0 || sr == (SR)); \
    }

#define KAI_PACKER(SIGNATURE, ISA, SIDE, NAME, FORMAT, ROWS, KR, SR, SOURCE)                      \
    KAI_IF_BUILT(                                                                                 \
        ISA,                                                                                      \
        {#NAME, SIGNATURE, #SOURCE, #FORMAT, needs::ISA, KAI_ACCEPTS(ROWS, KR, SR),               \
         KAI_ANY(kai_get_##SIDE##_offset_##NAME), KAI_ANY(kai_get_##SIDE##_packed_offset_##NAME), \
         KAI_ANY(kai_get_##SIDE##_packed_size_##NAME), KAI_ANY(kai_run_##NAME)}, )

const kai_packer kPackers[] = {
#define KAI_LHS_PACK_BL(ISA, ...) KAI_PACKER(KAI_LHS_PACK_BL, ISA, lhs, __VA_ARGS__)
#define KAI_LHS_PACK(ISA, ...) KAI_PACKER(KAI_LHS_PACK, ISA, lhs, __VA_ARGS__)
#define KAI_LHS_QUANT_PACK(ISA, ...) KAI_PACKER(KAI_LHS_QUANT_PACK, ISA, lhs, __VA_ARGS__)
#define KAI_RHS_PACK_NXK_BL(ISA, ...) KAI_PACKER(KAI_RHS_PACK_NXK_BL, ISA, rhs, __VA_ARGS__)
#define KAI_RHS_PACK_NXK_BL_ZERO(ISA, ...) KAI_PACKER(KAI_RHS_PACK_NXK_BL_ZERO, ISA, rhs, __VA_ARGS__)
#define KAI_RHS_PACK_NXK_BL_BF16(ISA, ...) KAI_PACKER(KAI_RHS_PACK_NXK_BL_BF16, ISA, rhs, __VA_ARGS__)
#define KAI_RHS_PACK_KXN_BL_BF16(ISA, ...) KAI_PACKER(KAI_RHS_PACK_KXN_BL_BF16, ISA, rhs, __VA_ARGS__)
#define KAI_RHS_PACK_CX(SIGNATURE, ISA, ...) KAI_PACKER(SIGNATURE, ISA, rhs, __VA_ARGS__)
#define KAI_RHS_PACK_KXN(ISA, ...) KAI_PACKER(KAI_RHS_PACK_KXN, ISA, rhs, __VA_ARGS__)
#define KAI_RHS_PACK_NXK(ISA, ...) KAI_PACKER(KAI_RHS_PACK_NXK, ISA, rhs, __VA_ARGS__)
#include "kai/ukernels/pack/packs.def"
    {}};

constexpr size_t kUkernelCount = sizeof(kUkernels) / sizeof(kUkernels[0]) - 1;
constexpr size_t kPackerCount = sizeof(kPackers) / sizeof(kPackers[0]) - 1;

const kai_packer* matching_packer(bool lhs, const char* format, size_t rows, size_t kr, size_t sr, size_t index) {
    for (size_t i = 0; i < kPackerCount; ++i) {
        const kai_packer& p = kPackers[i];
        const bool is_lhs = p.signature <= KAI_LHS_QUANT_PACK;
        if (is_lhs == lhs && strcmp(p.format, format) == 0 && kai_registry_runnable(p.features, nullptr, 0) &&
            p.accepts(rows, kr, sr) && index-- == 0) {
            return &p;
        }
    }
    return nullptr;
}

bool same_rhs(const kai_ukernel& a, const kai_ukernel& b) {
    return strcmp(a.rhs_format, b.rhs_format) == 0 && a.get_nr() == b.get_nr() && a.get_kr() == b.get_kr() &&
           a.get_sr() == b.get_sr();
}

}  // namespace

extern "C" {

size_t kai_registry_ukernel_count() {
    return kUkernelCount;
}

const kai_ukernel* kai_registry_ukernel(size_t index) {
    return index < kUkernelCount ? &kUkernels[index] : nullptr;
}

size_t kai_registry_packer_count() {
    return kPackerCount;
}

const kai_packer* kai_registry_packer(size_t index) {
    return index < kPackerCount ? &kPackers[index] : nullptr;
}

const kai_ukernel* kai_registry_find_ukernel(const char* name) {
    for (size_t i = 0; i < kUkernelCount; ++i) {
        if (strcmp(kUkernels[i].name, name) == 0) {
            return &kUkernels[i];
        }
    }
    return nullptr;
}

const kai_packer* kai_registry_find_packer(const char* name) {
    for (size_t i = 0; i < kPackerCount; ++i) {
        if (strcmp(kPackers[i].name, name) == 0) {
            return &kPackers[i];
        }
    }
    return nullptr;
}

bool kai_registry_runnable(uint64_t features, char* reason, size_t reason_size) {
    for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {
        const auto feature = static_cast<kai_cpu_feature>(i);
        if ((features & bit(feature)) == 0) {
            continue;
        }
        const kai_cpu_answer answer = kai_cpu_query(feature);
        if (!answer.present) {
            if (reason != nullptr) {
                snprintf(reason, reason_size, "needs %s: %s", kai_cpu_feature_name(feature), answer.reason);
            }
            return false;
        }
    }
    return true;
}

const kai_packer* kai_registry_lhs_packer(const kai_ukernel* u, size_t index) {
    return matching_packer(true, u->lhs_format, u->get_mr(), u->get_kr(), u->get_sr(), index);
}

const kai_packer* kai_registry_rhs_packer(const kai_ukernel* u, size_t index) {
    return matching_packer(false, u->rhs_format, u->get_nr(), u->get_kr(), u->get_sr(), index);
}

const kai_ukernel* kai_registry_best(
    const kai_registry_request* request, kai_registry_explain_fn* explain, void* context) {
    // Two rounds: the first wants a kernel made for this m, the second takes any. A catalogue lists the best first.
    const kai_ukernel* best = nullptr;
    for (int round = 0; round < 2 && best == nullptr; ++round) {
        for (size_t i = 0; i < kUkernelCount && best == nullptr; ++i) {
            const kai_ukernel& u = kUkernels[i];
            if (strcmp(u.family, request->family) == 0 && kai_registry_runnable(u.features, nullptr, 0) &&
                (request->same_rhs_as == nullptr || same_rhs(u, *request->same_rhs_as)) &&
                (round == 1 || (u.get_m_step() == 1) == (request->m <= 1))) {
                best = &u;
            }
        }
    }
    for (size_t i = 0; explain != nullptr && i < kUkernelCount; ++i) {
        const kai_ukernel& u = kUkernels[i];
        char reason[256];
        if (strcmp(u.family, request->family) != 0) {
            continue;
        }
        if (&u == best) {
            explain(context, &u, "chosen");
        } else if (!kai_registry_runnable(u.features, reason, sizeof(reason))) {
            explain(context, &u, reason);
        } else if (request->same_rhs_as != nullptr && !same_rhs(u, *request->same_rhs_as)) {
            explain(context, &u, "reads another packed RHS");
        } else if ((u.get_m_step() == 1) != (request->m <= 1)) {
            explain(context, &u, u.get_m_step() == 1 ? "is for one row" : "is for many rows");
        } else {
            explain(context, &u, "the chosen one is preferred");
        }
    }
    return best;
}

}  // extern "C"
