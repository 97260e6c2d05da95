// Stands for the header of the Windows SDK: what kai/kai_cpu.cpp uses of it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
typedef unsigned int DWORD;
typedef void* HKEY;
#define HKEY_LOCAL_MACHINE ((HKEY)(unsigned long long)0x80000002)
#define RRF_RT_REG_QWORD 0x40
int IsProcessorFeaturePresent(unsigned long feature);
int RegGetValueA(HKEY key, const char* path, const char* name, DWORD types, DWORD* type, void* value, DWORD* size);
DWORD GetCurrentProcessorNumber(void);
#ifdef __cplusplus
}
#endif
