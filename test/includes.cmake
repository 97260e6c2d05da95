# cmake -DROOT=. -P includes.cmake
#
# Dependencies point one way: a folder includes only from those that are listed for it here. Of the GEMM layer, only
# kai/packed_file and the tag of packed matrices, which know packed formats, see more than the library's interface.
#
# SPDX-License-Identifier: Apache-2.0

cmake_minimum_required(VERSION 3.20)

set(public kai/kai_common.h kai/kai_cpu.h kai/kai_fn_types.h kai/kai_lowp.h)
set(allowed_ukernels "${public}" kai/ukernels)
set(allowed_asm kai/engines/asm)
set(allowed_core ${allowed_ukernels} kai/engines/asm kai/engines/core)
set(allowed_int_neon ${allowed_core} kai/engines/int_neon)
foreach(engine bf16 dwconv f8 float lowp pack panels row)
    set(allowed_${engine} ${allowed_core} kai/engines/${engine})
endforeach()
list(APPEND allowed_bf16 kai/engines/float/float_args.h kai/engines/float/float_neon_panels.hpp
    kai/engines/float/float_panels_row.inc)
list(APPEND allowed_f8 kai/engines/bf16/bf16_neon_bf16_groups.inc)
set(allowed_qai8 ${allowed_lowp} kai/engines/qai8
    kai/engines/qai8dxp/qai8dxp_args.h kai/engines/qai8dxp/qai8dxp_neon_panels_row.hpp)
set(allowed_inplace ${allowed_core} kai/engines/inplace)
set(allowed_plain ${allowed_core} kai/engines/plain
    kai/engines/float/float_neon.hpp kai/engines/float/float_widened.hpp kai/engines/float/float_sve_rows.inc)
set(allowed_gguf ${allowed_pack} kai/kai_gguf.h kai/engines/gguf kai/engines/superblocks)
set(allowed_portable ${allowed_core} kai/engines/superblocks/superblocks.hpp kai/engines/portable
    kai/engines/gguf/gguf.hpp kai/engines/inplace/inplace.hpp
    kai/engines/qai8dxp/qai8dxp_args.h
    kai/engines/qai8dxp/qai8dxp_families.inc kai/engines/lowp/lowp.hpp kai/engines/lowp/lowp_families.inc
    kai/engines/lowp/lowp_nxk.inc kai/engines/lowp/lowp_scalar.hpp kai/engines/lowp/lowp_sums.inc
    kai/engines/lowp/lowp_table.inc)
set(allowed_qai8dxp ${allowed_int_neon} kai/engines/qai8dxp)
set(allowed_blocks ${allowed_int_neon} kai/engines/blocks kai/engines/qai8dxp/qai8dxp_args.h)
set(allowed_superblocks ${allowed_blocks} kai/engines/superblocks)
set(allowed_gemm ${public} kai/kai_call.h kai/kai_registry.h kai/kai_gguf.h kai/call.hpp kai/reserved.hpp kai/gemm
    kai/engines/core/float_rules.hpp kai/engines/core/halves.hpp kai/engines/core/sentences.hpp)
set(allowed_packed_file ${allowed_gemm} kai/packed_file kai/isas.def kai/ukernels/families.h
    kai/ukernels/families.def kai/engines/core/layout.hpp)
set(allowed_attention ${allowed_gemm} kai/attention kai/engines/asm/asm.h kai/engines/core/base.hpp
    kai/engines/core/fields.h kai/ukernels/pack/kai_rhs_append.h)
set(allowed_conv ${allowed_gemm} kai/conv kai/engines/asm/asm.h kai/engines/core/fields.h
    kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h)
set(allowed_gguf_file kai/gemm/kai_gguf_file.h kai/kai_gguf.h)

file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/kai/engines/*" "${ROOT}/kai/gemm/*"
    "${ROOT}/kai/packed_file/*" "${ROOT}/kai/gguf_file/*" "${ROOT}/kai/attention/*" "${ROOT}/kai/conv/*"
    "${ROOT}/kai/ukernels/*")
set(checked 0)
set(wrong "")
foreach(file IN LISTS files)
    string(REGEX REPLACE "^kai/(engines/)?([a-z0-9_]+)/.*" "\\2" folder "${file}")
    if(file STREQUAL "kai/gemm/tag.hpp")
        set(folder packed_file)
    endif()
    if(NOT DEFINED allowed_${folder})
        list(APPEND wrong "${file}: no rule for ${folder}")
        continue()
    endif()
    file(STRINGS "${ROOT}/${file}" lines REGEX "^#include \"kai/")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
        set(fine FALSE)
        foreach(path IN LISTS allowed_${folder})
            if(included STREQUAL path OR included MATCHES "^${path}/")
                set(fine TRUE)
            endif()
        endforeach()
        if(NOT fine)
            list(APPEND wrong "${file} includes ${included}")
        endif()
        math(EXPR checked "${checked} + 1")
    endforeach()
endforeach()
if(wrong OR checked EQUAL 0)
    list(JOIN wrong "\n  " wrong)
    message(FATAL_ERROR "${checked} includes checked\n  ${wrong}")
endif()
message(STATUS "${checked} includes checked")
