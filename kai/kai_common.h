// Common declarations: error macros, data types, conversions, vector lengths, parameter structs.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#include <arm_neon.h>
#endif

/// @name Around declarations
/// Functions have C linkage in C++ as well, and a shared library exports them whatever -fvisibility= says (on Windows,
/// CMake exports all symbols). KAI_API is for a single declaration.
/// @{
#if defined(__GNUC__) && !defined(_WIN32) && !defined(__CYGWIN__)
#define KAI_API __attribute__((visibility("default")))
#define KAI_BEGIN_EXPORTS _Pragma("GCC visibility push(default)")
#define KAI_END_EXPORTS _Pragma("GCC visibility pop")
#else
#define KAI_API
#define KAI_BEGIN_EXPORTS
#define KAI_END_EXPORTS
#endif
#ifdef __cplusplus
#define KAI_BEGIN_DECLARATIONS KAI_BEGIN_EXPORTS extern "C" {
#define KAI_END_DECLARATIONS \
    }                        \
    KAI_END_EXPORTS
#else
#define KAI_BEGIN_DECLARATIONS KAI_BEGIN_EXPORTS
#define KAI_END_DECLARATIONS KAI_END_EXPORTS
#endif
/// @}

/// A conversion in C and in C++, where -Wold-style-cast may be on.
#ifdef __cplusplus
#define KAI_CAST(type, value) static_cast<type>(value)
#else
#define KAI_CAST(type, value) ((type)(value))
#endif

KAI_BEGIN_DECLARATIONS

/// @name Version
/// The version of the KleidiAI interface that this library implements (find_package and pkg-config use it), and the
/// library's own version: of its packages, its shared libraries and kai_version(). docs/versioning.md says what may
/// change with which number.
/// @{
#define KAI_INTERFACE_VERSION "1.32.0"
#define KAI_LIBRARY_VERSION "1.1.0"
#define KAI_LIBRARY_VERSION_MAJOR 1
#define KAI_LIBRARY_VERSION_MINOR 1
#define KAI_LIBRARY_VERSION_PATCH 0

/// The version of the library that is linked or loaded: KAI_LIBRARY_VERSION when it was built. Compare it with the
/// macro to detect headers of another version.
const char* kai_version(void);
/// @}

/// @name Errors
///
/// `KAI_ASSERT*` and `KAI_ASSUME*` state preconditions. With KLEIDIAI_ASSERTIONS = 1 a violation prints
/// `function: message` to stderr and aborts. KLEIDIAI_ASSERTIONS defaults to 1 without NDEBUG and to 0 with it; the
/// CMake option of the same name sets it for the library's own build. With 0 a precondition is not evaluated: it is
/// passed to the optimizer as an assumption if KLEIDIAI_HAS_BUILTIN_UNREACHABLE is 1, otherwise dropped.
/// `KAI_ASSERT_ALWAYS*` and `KAI_ASSUME_ALWAYS*` are checked in every build.
/// In the forms ending in `IF`, the second condition must hold if the first one does.
/// @{
#ifndef KLEIDIAI_ERROR_TRAP
#define KLEIDIAI_ERROR_TRAP 0
#endif
#ifndef KLEIDIAI_HAS_BUILTIN_UNREACHABLE
#define KLEIDIAI_HAS_BUILTIN_UNREACHABLE 0
#endif
#ifndef KLEIDIAI_HAS_BUILTIN_ASSUME0
#define KLEIDIAI_HAS_BUILTIN_ASSUME0 0
#endif
#ifndef KLEIDIAI_ASSERTIONS
#ifdef NDEBUG
#define KLEIDIAI_ASSERTIONS 0
#else
#define KLEIDIAI_ASSERTIONS 1
#endif
#endif

#if KLEIDIAI_ERROR_TRAP
#define KAI_ABORT() __builtin_trap()
#else
#define KAI_ABORT() abort()
#endif

#if KLEIDIAI_HAS_BUILTIN_UNREACHABLE
#define KAI_UNREACHABLE() __builtin_unreachable()
#elif KLEIDIAI_HAS_BUILTIN_ASSUME0
#define KAI_UNREACHABLE() __assume(0)
#else
#define KAI_UNREACHABLE() ((void)0)
#endif

#if KLEIDIAI_ASSERTIONS
#define KAI_ERROR(msg)                              \
    do {                                            \
        fflush(stdout);                             \
        fprintf(stderr, "%s: %s\n", __func__, msg); \
        KAI_ABORT();                                \
    } while (0)
#else
#define KAI_ERROR(msg) KAI_ABORT()
#endif

#define KAI_ASSERT_ALWAYS_MSG(cond, msg) \
    do {                                 \
        if (!(cond)) {                   \
            KAI_ERROR(msg);              \
        }                                \
    } while (0)
#define KAI_ASSERT_ALWAYS(cond) KAI_ASSERT_ALWAYS_MSG(cond, #cond)
#define KAI_ASSERT_ALWAYS_IF_MSG(precond, cond, msg) KAI_ASSERT_ALWAYS_MSG(!(precond) || (cond), msg)
#define KAI_ASSERT_ALWAYS_IF(precond, cond) KAI_ASSERT_ALWAYS_IF_MSG(precond, cond, #precond " |-> " #cond)

#if KLEIDIAI_ASSERTIONS
#define KAI_ASSERT_MSG(cond, msg) KAI_ASSERT_ALWAYS_MSG(cond, msg)
#elif KLEIDIAI_HAS_BUILTIN_UNREACHABLE || KLEIDIAI_HAS_BUILTIN_ASSUME0
#define KAI_ASSERT_MSG(cond, msg) \
    do {                          \
        if (!(cond)) {            \
            KAI_UNREACHABLE();    \
        }                         \
    } while (0)
#else
#define KAI_ASSERT_MSG(cond, msg) ((void)sizeof(!(cond)))
#endif
#define KAI_ASSERT(cond) KAI_ASSERT_MSG(cond, #cond)
#define KAI_ASSERT_IF_MSG(precond, cond, msg) KAI_ASSERT_MSG(!(precond) || (cond), msg)
#define KAI_ASSERT_IF(precond, cond) KAI_ASSERT_IF_MSG(precond, cond, #precond " |-> " #cond)

#define KAI_ASSUME_ALWAYS_MSG(cond, msg) KAI_ASSERT_ALWAYS_MSG(cond, msg)
#define KAI_ASSUME_ALWAYS(cond) KAI_ASSERT_ALWAYS(cond)
#define KAI_ASSUME_ALWAYS_IF_MSG(precond, cond, msg) KAI_ASSERT_ALWAYS_IF_MSG(precond, cond, msg)
#define KAI_ASSUME_ALWAYS_IF(precond, cond) KAI_ASSERT_ALWAYS_IF(precond, cond)
#define KAI_ASSUME_MSG(cond, msg) KAI_ASSERT_MSG(cond, msg)
#define KAI_ASSUME(cond) KAI_ASSERT(cond)
#define KAI_ASSUME_IF_MSG(precond, cond, msg) KAI_ASSERT_IF_MSG(precond, cond, msg)
#define KAI_ASSUME_IF(precond, cond) KAI_ASSERT_IF(precond, cond)
/// @}

#define KAI_UNUSED(x) (void)(x)
#define KAI_MIN(a, b) (((a) < (b)) ? (a) : (b))  ///< Evaluates its arguments twice.
#define KAI_MAX(a, b) (((a) > (b)) ? (a) : (b))  ///< Evaluates its arguments twice.

#define KAI_SPEC_kai_constants
enum {
    KAI_SME_VEC_LENGTH_MAX_BYTES = 256,  ///< The longest streaming vector that the architecture allows.
    KAI_VSCALE_UNIT_BYTES = 16,          ///< A vector length is a multiple of this.
    KAI_VSCALE_MAX = 16
};

/// Type of an element. Bits 8-15: bytes; bits 4-7: kind (1 float, 2 int, 3 unsigned, 4 bool); bits 0-3: variant.
#define KAI_SPEC_kai_datatype
enum kai_datatype {
    kai_dt_unknown = 0x0000,
    kai_dt_f32 = 0x0411,
    kai_dt_f16 = 0x0212,
    kai_dt_bf16 = 0x0213,
    kai_dt_int32 = 0x0421,
    kai_dt_int16 = 0x0222,
    kai_dt_int8 = 0x0124,
    kai_dt_uint32 = 0x0431,
    kai_dt_uint16 = 0x0232,
    kai_dt_uint8 = 0x0134,
    kai_dt_bool = 0x0441
};

/// Size in bytes of an element of type `dt` (4 for bool).
static inline size_t kai_get_datatype_size_in_bytes(enum kai_datatype dt) {
    return KAI_CAST(size_t, dt) >> 8;
}

/// The version of the interface that this library implements.
static inline const char* kai_get_version(void) {
    return KAI_INTERFACE_VERSION;
}

/// memcpy that is expanded inline in freestanding code too (there, plain memcpy is a call).
#if defined(__GNUC__)
#define KAI_MEMCPY __builtin_memcpy
#else
#define KAI_MEMCPY memcpy
#endif

/// @name Conversions (rounding: to nearest, ties to even; NaN stays NaN; conversions to bf16 do not depend on FPCR)
/// @{
static inline float kai_cast_f32_f16(uint16_t f16) {
#if defined(__aarch64__)
    __fp16 h;
    KAI_MEMCPY(&h, &f16, sizeof(h));
    return KAI_CAST(float, h);
#else
    // Exponent and fraction move up by 13 bits; the bias grows by 112. Subnormals are normalised by a subtraction.
    const uint32_t sign = KAI_CAST(uint32_t, f16 & 0x8000u) << 16;
    uint32_t bits = KAI_CAST(uint32_t, f16 & 0x7FFFu) << 13;
    float value;
    if (bits >= 0x0F800000u) {
        bits += 0x70000000u;  // infinity, NaN
        if (bits & 0x007FFFFFu) {
            bits |= 0x00400000u;
        }
    } else if (bits >= 0x00800000u) {
        bits += 0x38000000u;
    } else {
        const uint32_t magic = 0x38800000u;  // 2^-14
        float scale;
        bits += magic;
        KAI_MEMCPY(&value, &bits, sizeof(value));
        KAI_MEMCPY(&scale, &magic, sizeof(scale));
        value -= scale;
        KAI_MEMCPY(&bits, &value, sizeof(bits));
    }
    bits |= sign;
    KAI_MEMCPY(&value, &bits, sizeof(value));
    return value;
#endif
}

static inline uint16_t kai_cast_f16_f32(float f32) {
#if defined(__aarch64__)
    const __fp16 h = KAI_CAST(__fp16, f32);
    uint16_t f16;
    KAI_MEMCPY(&f16, &h, sizeof(f16));
    return f16;
#else
    uint32_t bits;
    KAI_MEMCPY(&bits, &f32, sizeof(bits));
    const uint16_t sign = KAI_CAST(uint16_t, (bits >> 16) & 0x8000u);
    bits &= 0x7FFFFFFFu;
    if (bits > 0x7F800000u) {
        return KAI_CAST(uint16_t, sign | 0x7E00u | ((bits >> 13) & 0x3FFu));  // NaN, made quiet
    }
    if (bits >= 0x477FF000u) {
        return KAI_CAST(uint16_t, sign | 0x7C00u);  // rounds to infinity
    }
    if (bits < 0x38800000u) {
        // Subnormal or zero: the addition aligns and rounds the fraction.
        const uint32_t magic = 0x3F000000u;  // 0.5
        float value, half;
        KAI_MEMCPY(&value, &bits, sizeof(value));
        KAI_MEMCPY(&half, &magic, sizeof(half));
        value += half;
        KAI_MEMCPY(&bits, &value, sizeof(bits));
        return KAI_CAST(uint16_t, sign | (bits - magic));
    }
    bits += 0xC8000FFFu + ((bits >> 13) & 1u);
    return KAI_CAST(uint16_t, sign | (bits >> 13));
#endif
}

static inline float kai_cast_f32_bf16(uint16_t bf16) {
    const uint32_t bits = KAI_CAST(uint32_t, bf16) << 16;
    float f32;
    KAI_MEMCPY(&f32, &bits, sizeof(f32));
    return f32;
}

static inline uint16_t kai_cast_bf16_f32(float f32) {
    uint32_t bits;
    KAI_MEMCPY(&bits, &f32, sizeof(bits));
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
        return KAI_CAST(uint16_t, (bits >> 16) | 0x0040u);
    }
    bits += 0x7FFFu + ((bits >> 16) & 1u);
    return KAI_CAST(uint16_t, bits >> 16);
}

/// Sign-extends a 4-bit two's complement value, given as 0 to 15, to 8 bits.
static inline int8_t kai_ext_sign_i8_i4(int8_t value) {
    return KAI_CAST(int8_t, (value ^ 0x8) - 8);
}
/// @}

/// ceil(a / b), b > 0.
static inline size_t kai_div_ceil(size_t a, size_t b) {
    return (a + b - 1) / b;
}

/// `a` rounded up to a multiple of `b`, b > 0.
static inline size_t kai_roundup(size_t a, size_t b) {
    return ((a + b - 1) / b) * b;
}

/// @name Vector lengths. The functions ending in u8, u16, u32 count lanes of that width.
/// @{
#define KAI_SPEC_kai_common_functions
/// Streaming vector length in bytes (RDSVL). Only on a CPU with SME; kai_cpu_sme_bytes works on any CPU.
uint64_t kai_get_sme_vector_length_u8(void);
/// SVE vector length in bytes (CNTB). Only on a CPU with SVE.
uint64_t kai_get_sve_vector_length_u8(void);
/// Call this before using ZA: performs the AAPCS64 lazy save that a caller has set up through TPIDR2_EL0,
/// if any, then clears TPIDR2_EL0. It calls `__arm_tpidr2_save` if the compiler's runtime has it (ELF), otherwise it
/// saves ZA itself. Only on a CPU with SME.
void kai_commit_za(void);

static inline uint64_t kai_get_sme_vector_length_u16(void) {
    return kai_get_sme_vector_length_u8() / 2;
}
static inline uint64_t kai_get_sme_vector_length_u32(void) {
    return kai_get_sme_vector_length_u8() / 4;
}
static inline uint64_t kai_get_sme_vscale(void) {
    return kai_get_sme_vector_length_u8() / KAI_VSCALE_UNIT_BYTES;
}
static inline uint64_t kai_get_sve_vector_length_u16(void) {
    return kai_get_sve_vector_length_u8() / 2;
}
static inline uint64_t kai_get_sve_vector_length_u32(void) {
    return kai_get_sve_vector_length_u8() / 4;
}
static inline uint64_t kai_get_sve_vscale(void) {
    return kai_get_sve_vector_length_u8() / KAI_VSCALE_UNIT_BYTES;
}
/// @}

/// @name Parameters of packers and kernels
/// @{

/// RHS of int8 with a scale per channel.
#define KAI_SPEC_kai_rhs_pack_qsi8cx_params
struct kai_rhs_pack_qsi8cx_params {
    int32_t lhs_zero_point;  ///< The packed row sums are multiplied by it.
    float scale_multiplier;  ///< The packed scales are multiplied by it.
};

/// RHS of int4, N x K, with a scale per block of a channel.
#define KAI_SPEC_kai_rhs_pack_nxk_qsi4c32p_qsu4c32s1s0_params
struct kai_rhs_pack_nxk_qsi4c32p_qsu4c32s1s0_params {
    int8_t lhs_zero_point;
    uint8_t rhs_zero_point;
    enum kai_datatype scale_dt;
};

/// RHS of int4, K x N, with a scale per block of a channel.
#define KAI_SPEC_kai_rhs_pack_kxn_qsi4c32p_qsu4c32s1s0_params
struct kai_rhs_pack_kxn_qsi4c32p_qsu4c32s1s0_params {
    int8_t lhs_zero_point;
    uint8_t rhs_zero_point;
    enum kai_datatype scale_dt;
};

/// RHS of int4 and int2: the zero points that the source assumes.
#define KAI_SPEC_kai_rhs_pack_qs4cxs1s0_param
struct kai_rhs_pack_qs4cxs1s0_param {
    int8_t lhs_zero_point;
    uint8_t rhs_zero_point;
};

/// Output of the static int8 kernels.
#define KAI_SPEC_kai_matmul_requantize32_params
struct kai_matmul_requantize32_params {
    int32_t min_value;
    int32_t max_value;
    int32_t output_zero_point;
};
/// @}

KAI_END_DECLARATIONS
