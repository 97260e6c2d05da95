// A structure that C++ hands to assembly is declared once, as a list of its fields:
//
//     #define KAI_POINT(field) field(const float*, 8, at) field(int32_t, 4, x) field(int32_t, 4, y, = 0)
//
//     KAI_STRUCT(Point, KAI_POINT);     C++: the structure, without gaps but at its end
//     KAI_OFFSETS(POINT, KAI_POINT)     assembly: POINT_at, POINT_x, POINT_y, and POINT: the sum of their bytes
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__ASSEMBLER__)

// A macro of asm.h: one statement, since `;` ends one for some assemblers and opens a comment for others.
#define KAI_OFFSETS(PREFIX, FIELDS) kai_offsets_ PREFIX FIELDS(KAI_FIELD_OFFSET_)
#define KAI_FIELD_OFFSET_(TYPE, BYTES, NAME, ...) , NAME, BYTES

#else

#include <stddef.h>
#include <stdint.h>

#define KAI_OFFSETS(PREFIX, FIELDS)
#define KAI_STRUCT(NAME, FIELDS)       \
    struct NAME {                      \
        FIELDS(KAI_FIELD_)             \
    };                                 \
    namespace NAME##_fields {          \
        using Struct = NAME;           \
        struct [[gnu::packed]] Dense { \
            FIELDS(KAI_FIELD_)         \
        };                             \
        FIELDS(KAI_CHECK_FIELD_)       \
    }                                  \
    static_assert(sizeof(NAME) - sizeof(NAME##_fields::Dense) < alignof(NAME))
#define KAI_FIELD_(TYPE, BYTES, NAME, ...) TYPE NAME __VA_ARGS__;
#define KAI_CHECK_FIELD_(TYPE, BYTES, NAME, ...) \
    static_assert(sizeof(TYPE) == BYTES && offsetof(Struct, NAME) == offsetof(Dense, NAME));

namespace kai {
namespace {

using Float4 = float[4];
using Float2x4 = float[2][4];
using Float4x4 = float[4][4];
using Byte12 = uint8_t[12];
using Byte16 = uint8_t[16];

}  // namespace
}  // namespace kai

#endif
