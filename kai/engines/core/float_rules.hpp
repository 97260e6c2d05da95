// The rules of floating point, before anything else is included.
//
// Results are specified to the last bit (docs/arithmetic.md). The build systems say so after all flags of a parent
// (cmake/KaiFloats.cmake); anyone who compiles these files differently gets
// an error here, as far as the compiler reveals its flags.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "compile this library without -ffast-math, -Ofast and the like: -fno-fast-math -ffp-contract=off"
#endif
#if defined(__clang__) && __clang_major__ >= 16  // has no macros for the parts of -ffast-math
#pragma float_control(precise, on)
#pragma clang fp contract(off)
#endif
