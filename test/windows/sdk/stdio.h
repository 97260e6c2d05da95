// Stands for the header of the Windows SDK: what public headers use of it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>
typedef struct _iobuf FILE;
FILE* __cdecl __acrt_iob_func(unsigned index);
#define stdout (__acrt_iob_func(1))
#define stderr (__acrt_iob_func(2))
#ifdef __cplusplus
extern "C" {
#endif
int __cdecl fprintf(FILE* stream, const char* format, ...);
int __cdecl fflush(FILE* stream);
#ifdef __cplusplus
}
#endif
