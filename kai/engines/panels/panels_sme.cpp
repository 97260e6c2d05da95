// Matmuls of two packed sides with SME: the formulas are in the interface headers, the work in panels_sme.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/panels/panels_sme.hpp"

KAI_DEFINE_PANELS_KERNELS(sme, qai8_near)

extern "C" {

#define KAI_ISA_sme KAI_LINES(KAI_DEFINE_PANELS)
#include "kai/engines/panels/panels_sme_families.inc"

}  // extern "C"
