// Before a source includes the catalogue of its family: what it does with the lines of ISAs that it is not for,
// nothing. The source has defined KAI_ISA_<its own>. No include guard: a source may include several catalogues.
//
//     #define KAI_ISA_sme2(NAME, ...) ...
//     #include "kai/engines/core/other_isas.hpp"
//     #define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
//     #include "kai/ukernels/matmul/<family>/ukernels.def"
//
// SPDX-License-Identifier: Apache-2.0

#ifndef KAI_ISA_neon
#define KAI_ISA_neon(...)
#endif
#ifndef KAI_ISA_neon_fp16
#define KAI_ISA_neon_fp16(...)
#endif
#ifndef KAI_ISA_neon_bf16
#define KAI_ISA_neon_bf16(...)
#endif
#ifndef KAI_ISA_neon_dotprod
#define KAI_ISA_neon_dotprod(...)
#endif
#ifndef KAI_ISA_neon_i8mm
#define KAI_ISA_neon_i8mm(...)
#endif
#ifndef KAI_ISA_sve
#define KAI_ISA_sve(...)
#endif
#ifndef KAI_ISA_sve2p1
#define KAI_ISA_sve2p1(...)
#endif
#ifndef KAI_ISA_sve_dotprod
#define KAI_ISA_sve_dotprod(...)
#endif
#ifndef KAI_ISA_sve_i8mm
#define KAI_ISA_sve_i8mm(...)
#endif
#ifndef KAI_ISA_sme
#define KAI_ISA_sme(...)
#endif
#ifndef KAI_ISA_sme2
#define KAI_ISA_sme2(...)
#endif
