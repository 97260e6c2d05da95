# The only list of source files, by the instruction set that a file may use. Paths are relative to the repository.

# Every host.
set(KAI_SOURCES_any
    kai/kai_common.cpp
    kai/kai_cpu.cpp
    kai/kai_registry.cpp
    kai/ukernels/pack/lhs_quant_pack_qai8dxp.cpp
    kai/ukernels/pack/lhs_quant_pack_qsi8d32p.cpp
    kai/ukernels/pack/rhs_pack_qai4c32p.cpp
    kai/ukernels/pack/rhs_pack_qsi4c32p.cpp
    kai/ukernels/pack/rhs_pack_qsi4c32p_bf16.cpp
    kai/ukernels/pack/rhs_pack_qsi4cxp.cpp
    kai/ukernels/pack/rhs_pack_qsi8cxp.cpp
    kai/ukernels/pack/rhs_pack_qsu2cxp.cpp)

# AArch64 only, from here on. Armv8.0 with Advanced SIMD:
set(KAI_SOURCES_aarch64
    kai/src/matmul_qai8dxp_neon_decode.S
    kai/src/vector_length.S)

set(KAI_SOURCES_neon_dotprod
    kai/src/matmul_qai8dxp_neon_dotprod.S
    kai/src/matmul_qai8dxp_neon_dotprod.cpp
    kai/src/matmul_qai8dxp_row_neon_dotprod.S
    kai/src/matmul_qai8dxp_row_neon_dotprod.cpp
    kai/ukernels/matmul/matmul_clamp_bf16_qai8dxp_qsi4c32p/neon_dotprod.cpp
    kai/ukernels/matmul/matmul_clamp_bf16_qai8dxp_qsi4cxp/neon_dotprod.cpp
    kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi4cxp/neon_dotprod.cpp
    kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi8cxp/neon_dotprod.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4c32p/neon_dotprod.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4cxp/neon_dotprod.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi8cxp/neon_dotprod.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsu2cxp/neon_dotprod.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/neon_dotprod.S
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/neon_dotprod.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/neon_dotprod_row.S
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/neon_dotprod.S
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/neon_dotprod.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/neon_dotprod_row.S)

set(KAI_SOURCES_neon_i8mm
    kai/src/matmul_qai8dxp_neon_i8mm.S
    kai/src/matmul_qai8dxp_neon_i8mm.cpp
    kai/ukernels/matmul/matmul_clamp_bf16_qai8dxp_qsi4c32p/neon_i8mm.cpp
    kai/ukernels/matmul/matmul_clamp_bf16_qai8dxp_qsi4cxp/neon_i8mm.cpp
    kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi4cxp/neon_i8mm.cpp
    kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi8cxp/neon_i8mm.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4c32p/neon_i8mm.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4cxp/neon_i8mm.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi8cxp/neon_i8mm.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/neon_i8mm.S
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/neon_i8mm.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/neon_i8mm.S
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/neon_i8mm.cpp)

# Half-precision arithmetic; bf16.
set(KAI_SOURCES_neon_fp16)
set(KAI_SOURCES_neon_bf16)

set(KAI_SOURCES_sve)
set(KAI_SOURCES_sve2p1)
set(KAI_SOURCES_sve_dotprod
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/sve_dotprod.cpp)
set(KAI_SOURCES_sve_i8mm
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/sve_i8mm.S
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/sve_i8mm.cpp)
set(KAI_SOURCES_sme
    kai/src/matmul_panels_float_sme.S
    kai/src/matmul_panels_float_sme.cpp
    kai/src/matmul_qai8dxp_row_sme.S
    kai/src/matmul_row_sme.S
    kai/src/matmul_row_sme.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4cxp/sme.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4cxp/sme_mopa.S
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi8cxp/sme.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi8cxp/sme_mopa.S
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/sme.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/sme_mopa.S
    kai/ukernels/pack/sme_pack_columns.S
    kai/ukernels/pack/sme_pack_rows.S
    kai/ukernels/pack/sme_pack_rows.cpp
    kai/ukernels/pack/sme_rhs_pack_kxn.cpp
    kai/ukernels/pack/sme_rhs_pack_unified.cpp)

set(KAI_SOURCES_sme2
    kai/src/matmul_panels_float_sme2.S
    kai/src/matmul_panels_float_sme2.cpp
    kai/src/matmul_qai8dxp_row_sme2.S
    kai/src/matmul_row_sme2.S
    kai/src/matmul_row_sme2.cpp
    kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi4cxp/sme2.cpp
    kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi4cxp/sme2_mopa.S
    kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi8cxp/sme2.cpp
    kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi8cxp/sme2_mopa.S
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4c32p/sme2.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4c32p/sme2_mopa.S
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4cxp/sme2.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4cxp/sme2_mopa.S
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi8cxp/sme2.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi8cxp/sme2_mopa.S
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsu2cxp/sme2.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsu2cxp/sme2_mopa.S
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/sme2.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/sme2_dot.S
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/sme2_mopa.S
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/sme2.cpp
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/sme2_dot.S
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/sme2_mopa.S
    kai/ukernels/pack/sme2_pack_rows.S
    kai/ukernels/pack/sme2_pack_rows.cpp)

# The ISAs that the catalogues name, and the public headers.
# `neon`: packers with NEON that have portable code for other hosts; `aarch64`: code of AArch64 alone.
set(KAI_ISAS any neon aarch64 neon_fp16 neon_bf16 neon_dotprod neon_i8mm sve sve2p1 sve_dotprod sve_i8mm sme sme2)
set(KAI_HEADERS
    kai/kai_common.h
    kai/kai_cpu.h
    kai/kai_fn_types.h
    kai/kai_registry.h
    kai/ukernels/dwconv/dwconv_f16_f16_f16p/kai_dwconv_clamp_f16_f16_f16p_interface.h
    kai/ukernels/dwconv/dwconv_f32_f32_f32p/kai_dwconv_clamp_f32_f32_f32p_interface.h
    kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h
    kai/ukernels/families.h
    kai/ukernels/matmul/imatmul_clamp_f16_f16p_f16p/kai_imatmul_clamp_f16_f16p_f16p_interface.h
    kai/ukernels/matmul/imatmul_clamp_f32_f32_f32p/kai_imatmul_clamp_f32_f32_f32p_interface.h
    kai/ukernels/matmul/imatmul_clamp_f32_f32p_f32p/kai_imatmul_clamp_f32_f32p_f32p_interface.h
    kai/ukernels/matmul/imatmul_clamp_qai8_qai8p_qsi8cxp/kai_imatmul_clamp_qai8_qai8p_qsi8cxp_interface.h
    kai/ukernels/matmul/kai_matmul.h
    kai/ukernels/matmul/kai_matmul_pack_lhs.h
    kai/ukernels/matmul/kai_matmul_pack_lhs_types.h
    kai/ukernels/matmul/kai_matmul_pack_rhs.h
    kai/ukernels/matmul/kai_matmul_pack_rhs_types.h
    kai/ukernels/matmul/kai_matmul_types.h
    kai/ukernels/matmul/matmul_clamp_bf16_qai8dxp_qsi4c32p/kai_matmul_clamp_bf16_qai8dxp_qsi4c32p_interface.h
    kai/ukernels/matmul/matmul_clamp_bf16_qai8dxp_qsi4cxp/kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_interface.h
    kai/ukernels/matmul/matmul_clamp_f16_bf16p_bf16p/kai_matmul_clamp_f16_bf16p_bf16p_interface.h
    kai/ukernels/matmul/matmul_clamp_f16_f16_f16p/kai_matmul_clamp_f16_f16_f16p_interface.h
    kai/ukernels/matmul/matmul_clamp_f16_f16p_f16p/kai_matmul_clamp_f16_f16p_f16p_interface.h
    kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi4cxp/kai_matmul_clamp_f16_qai8dxp_qsi4cxp_interface.h
    kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi8cxp/kai_matmul_clamp_f16_qai8dxp_qsi8cxp_interface.h
    kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/kai_matmul_clamp_f16_qsi8d32p_qai4c32p_interface.h
    kai/ukernels/matmul/matmul_clamp_f32_bf16p_bf16p/kai_matmul_clamp_f32_bf16p_bf16p_interface.h
    kai/ukernels/matmul/matmul_clamp_f32_f16p_qsi4c32p/kai_matmul_clamp_f32_f16p_qsi4c32p_interface.h
    kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/kai_matmul_clamp_f32_f32_f32p_interface.h
    kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p/kai_matmul_clamp_f32_f32p_f32p_interface.h
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4c32p/kai_matmul_clamp_f32_qai8dxp_qsi4c32p_interface.h
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4cxp/kai_matmul_clamp_f32_qai8dxp_qsi4cxp_interface.h
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi8cxp/kai_matmul_clamp_f32_qai8dxp_qsi8cxp_interface.h
    kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsu2cxp/kai_matmul_clamp_f32_qai8dxp_qsu2cxp_interface.h
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/kai_matmul_clamp_f32_qsi8d32p_qai4c32p_interface.h
    kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_interface.h
    kai/ukernels/matmul/matmul_clamp_qai8_qai8_qsi8cxp/kai_matmul_clamp_qai8_qai8_qsi8cxp_interface.h
    kai/ukernels/matmul/matmul_clamp_qai8_qai8p_qsi8cxp/kai_matmul_clamp_qai8_qai8p_qsi8cxpsb_interface.h
    kai/ukernels/pack/kai_lhs_pack.h
    kai/ukernels/pack/kai_rhs_pack.h)
