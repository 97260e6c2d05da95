// The loops of integer micro-kernels for x86-64 are compiled twice, for all of its CPUs and for those of x86-64-v3
// (AVX2, FMA, F16C), from one source: portable_<what>_x86_64_v3.cpp includes portable_<what>.cpp. A run takes those of
// its CPU. The bits are the same. (x86-64-v4 gains nothing here.)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Whether loops are compiled twice. Compilers must know the name of these CPUs, and whether this is one of them. What
// is built for CPUs with AVX2 anyway needs no more.
#if defined(__x86_64__) && !defined(__AVX2__) && !defined(KLEIDIAI_NO_X86_64_V3) && !defined(_MSC_VER) && \
    !defined(__APPLE__) && (defined(__clang__) ? __clang_major__ >= 19 : __GNUC__ >= 12)
#define KAI_COMPILES_TWICE 1
#else
#define KAI_COMPILES_TWICE 0
#endif

// Whether AVX2, FMA and F16C may be used here. KAI_X86_64_V3: this is a source for x86-64-v3.
#if defined(KAI_X86_64_V3) || (defined(__AVX2__) && defined(__FMA__) && defined(__F16C__))
#define KAI_HAS_AVX2 1
#else
#define KAI_HAS_AVX2 0
#endif

// KAI_LOOPS(NAME, LOOPS): kai_loops_NAME(problem), which calls LOOPS, void(const void*), as compiled for this CPU.
// KAI_ENTRY(...): the rest of a micro-kernel, which is compiled once.
#if defined(KAI_X86_64_V3)
#define KAI_LOOPS(NAME, LOOPS)                                                       \
    extern "C" [[gnu::visibility("hidden")]] void kai_x86_64_v3_##NAME(const void*); \
    void kai_x86_64_v3_##NAME(const void* problem) {                                 \
        (LOOPS)(problem);                                                            \
    }
#define KAI_ENTRY(...)
#else
#define KAI_LOOPS(NAME, LOOPS)                                                       \
    extern "C" [[gnu::visibility("hidden")]] void kai_x86_64_v3_##NAME(const void*); \
    static void kai_loops_##NAME(const void* problem) {                              \
        KAI_LOOPS_OF_CPU(NAME, LOOPS)(problem);                                      \
    }
#define KAI_ENTRY(...) __VA_ARGS__
#if KAI_COMPILES_TWICE
#define KAI_LOOPS_OF_CPU(NAME, LOOPS) (__builtin_cpu_supports("x86-64-v3") ? kai_x86_64_v3_##NAME : (LOOPS))
#else
#define KAI_LOOPS_OF_CPU(NAME, LOOPS) (LOOPS)
#endif
#endif
