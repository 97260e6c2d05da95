// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((noreturn)) void abort(void);
char* getenv(const char*);
#ifdef __cplusplus
}
#endif
