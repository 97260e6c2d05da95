// Stands for the header of the Windows SDK: what kai/kai_cpu.cpp uses of it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int IsProcessorFeaturePresent(unsigned long feature);
#ifdef __cplusplus
}
#endif
