// How a source reads the catalogues: it defines what lines of its own ISA expand to; those of other ISAs expand to
// nothing.
//
//     #define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_SOMETHING)    for each line: KAI_DEFINE_SOMETHING(name, ...)
//     #define KAI_UKERNEL KAI_LINE
//     #include "kai/ukernels/matmul/<family>/ukernels.def"
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

// KAI_ISA_<isa> is defined as `, macro`, or undefined, hence a single token: the second argument below is `macro` or
// KAI_NO_LINE.
#define KAI_LINES(MACRO) , MACRO
#define KAI_LINE(ISA, ...) KAI_LINE_(KAI_ISA_##ISA, KAI_NO_LINE, ~)(__VA_ARGS__)
#define KAI_LINE_(...) KAI_SECOND(__VA_ARGS__)
#define KAI_SECOND(FIRST, SECOND, ...) SECOND
#define KAI_NO_LINE(...)

// MACRO(...) for panels of NEON, whose nr is a number, or of SME: VL(n).
#define KAI_OF_NEON(NR, ...) KAI_OF_(KAI_NR_##NR, __VA_ARGS__)
#define KAI_OF_SME(NR, ...) KAI_OF_(KAI_NOT_NR_##NR, __VA_ARGS__)
#define KAI_OF_(IS, ...) KAI_OF__(IS, __VA_ARGS__)
#define KAI_OF__(IS, ...) KAI_OF_##IS(__VA_ARGS__)
#define KAI_OF_1(MACRO, ...) MACRO(__VA_ARGS__)
#define KAI_OF_0(...)
#define KAI_NR_4 1
#define KAI_NR_8 1
#define KAI_NR_12 1
#define KAI_NR_16 1
#define KAI_NR_32 1
#define KAI_NR_VL(N) 0
#define KAI_NOT_NR_4 0
#define KAI_NOT_NR_8 0
#define KAI_NOT_NR_12 0
#define KAI_NOT_NR_16 0
#define KAI_NOT_NR_32 0
#define KAI_NOT_NR_VL(N) 1

// Sources ignore the lines about the family, and those that order or extend micro-kernels.
#define KAI_FAMILY(...)
#define KAI_INDIRECT(...)
#define KAI_PREFER(...)
#define KAI_COLUMNS(...)
#define KAI_OTHER_BITS(...)
