// Just enough of Apple's headers to compile the library's common files where there is no SDK (test/macho.cmake).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdarg.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct FILE FILE;
extern FILE *__stdoutp, *__stderrp;
#define stdout __stdoutp
#define stderr __stderrp
int fflush(FILE*);
int fprintf(FILE*, const char*, ...);
int snprintf(char*, size_t, const char*, ...);
int vfprintf(FILE*, const char*, va_list);
int fputc(int, FILE*);
int fputs(const char*, FILE*);
#ifdef __cplusplus
}
#endif
