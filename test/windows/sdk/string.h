// Stands for the header of the Windows SDK: what public headers use of it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void* __cdecl memcpy(void* to, const void* from, size_t size);
#ifdef __cplusplus
}
#endif
