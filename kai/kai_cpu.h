// Features of this CPU, queried from the operating system once, at run time. Nothing here depends on compiler flags.
// All functions are thread-safe.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kai/kai_common.h"

KAI_BEGIN_DECLARATIONS

/// Features that micro-kernels need. SME and SME2 are separate: there are CPUs with SME but without SME2.
enum kai_cpu_feature {
    KAI_CPU_NEON,       ///< Advanced SIMD: every AArch64 CPU.
    KAI_CPU_FP16,       ///< Half-precision arithmetic (FEAT_FP16).
    KAI_CPU_DOTPROD,    ///< SDOT, UDOT (FEAT_DotProd).
    KAI_CPU_I8MM,       ///< SMMLA, UMMLA, USMMLA (FEAT_I8MM).
    KAI_CPU_BF16,       ///< BFMMLA, BFDOT, BFCVT (FEAT_BF16).
    KAI_CPU_SVE,        ///< FEAT_SVE.
    KAI_CPU_SVE_I8MM,   ///< FEAT_I8MM together with SVE.
    KAI_CPU_SVE2,       ///< FEAT_SVE2.
    KAI_CPU_SVE2P1,     ///< FEAT_SVE2p1.
    KAI_CPU_SME,        ///< FEAT_SME.
    KAI_CPU_SME2,       ///< FEAT_SME2.
    KAI_CPU_SME2P1,     ///< FEAT_SME2p1.
    KAI_CPU_FHM,        ///< FMLAL: products of f16 added to f32 (FEAT_FHM).
    KAI_CPU_FAMINMAX,   ///< FAMAX, FAMIN: maximum and minimum of absolute values (FEAT_FAMINMAX).
    KAI_CPU_LUT,        ///< LUTI2, LUTI4 of NEON and SVE (FEAT_LUT).
    KAI_CPU_FP8DOT4,    ///< FDOT: sums of four products of FP8 in f32 (FEAT_FP8DOT4).
    KAI_CPU_F8F32MM,    ///< FMMLA: products of small matrices of FP8 in f32 (FEAT_F8F32MM).
    KAI_CPU_SME_F8F32,  ///< FMOPA: outer products of FP8 in f32 (FEAT_SME_F8F32).
    KAI_CPU_SME_MOP4,   ///< SMOP4A, FMOP4A, ...: outer products of quarter tiles (FEAT_SME_MOP4).
    KAI_CPU_FEATURE_COUNT
};

/// An answer and where it comes from. The strings are constants.
struct kai_cpu_answer {
    bool present;
    const char* reason;
};

/// Whether this CPU has `feature`, and why the library thinks so: "HWCAP2 bit 37 is not set", ... An unknown feature is
/// not present.
///
/// The environment variable KLEIDIAI_CPU_DISABLE, a list of names such as "i8mm,sme2" in upper or lower case, hides
/// features (and those that depend on them), to test the kernels of smaller CPUs. "all" hides everything except neon.
/// It is read once, at the first query; unknown words are then reported on stderr.
struct kai_cpu_answer kai_cpu_query(enum kai_cpu_feature feature);

/// The features that are present, bit `1 << feature` each.
uint64_t kai_cpu_features(void);

/// "neon", "dotprod", "sme2", ...; NULL if there is no such feature.
const char* kai_cpu_feature_name(enum kai_cpu_feature feature);

/// Vector length of SVE in bytes; 0 without SVE.
size_t kai_cpu_sve_bytes(void);

/// Streaming vector length of SME in bytes; 0 without SME.
size_t kai_cpu_sme_bytes(void);

/// Classes of cores, the fastest first. Cores have a class of their own if their features alone do not tell which
/// micro-kernels are the fastest: the catalogues list those (KAI_PREFER in kai/ukernels/families.def).
enum kai_cpu_core {
    KAI_CORE_AUTO,         ///< In a request: the class that kai_cpu_fastest_core returns.
    KAI_CORE_GENERIC,      ///< All other cores, known or not: features alone count.
    KAI_CORE_CORTEX_A510,  ///< Cortex-A510, A520, C1-Nano: in order, loads of 128 bits.
    KAI_CORE_CORTEX_A55,   ///< Cortex-A53 and A55: in order, loads of 64 bits.
    KAI_CORE_COUNT
};

/// A class, and how it was determined. The string is a constant.
struct kai_cpu_core_answer {
    enum kai_cpu_core core;
    const char* reason;
};

/// The class of the fastest cores of this machine, online or not, whatever cores the process may use. A core that does
/// not say what it is counts as generic. The first call reads files or registers of the system (docs/platforms.md), but
/// never executes an instruction that the CPU lacks.
///
/// The environment variable KLEIDIAI_CPU_CORE replaces it, also for kai_cpu_this_core: "generic", "cortex-a55", or the
/// name of a core such as "cortex-a53", in upper or lower case. It is read once; an unknown name is then reported on
/// stderr and ignored.
struct kai_cpu_core_answer kai_cpu_fastest_core(void);

/// The class of the core that this thread runs on at this moment, for threads that stay on it. Where the system does
/// not say, the same as kai_cpu_fastest_core.
struct kai_cpu_core_answer kai_cpu_this_core(void);

/// The class of a core by its register MIDR_EL1.
enum kai_cpu_core kai_cpu_core_of(uint64_t midr);

/// "generic", "cortex-a510", "cortex-a55"; NULL for KAI_CORE_AUTO and numbers that are no class.
const char* kai_cpu_core_name(enum kai_cpu_core core);

KAI_END_DECLARATIONS
