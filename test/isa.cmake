# cmake -DOBJDUMP=llvm-objdump "-DOBJECTS=a.o|b.o|..." -P isa.cmake
#
# Every object uses only the extensions that its name states: each is disassembled with those enabled, and nothing may be
# unknown. The file name of a source has its ISA: neon_i8mm.S, sme2_mopa.S, matmul_qai8dxp_row_sme2.S; packers: sme_*; the
# others are portable.
#
# SPDX-License-Identifier: Apache-2.0

cmake_minimum_required(VERSION 3.18)

set(rules  # the first match counts
    "/vector_length\\." "+sve,+sme"
    "[/_]neon_dotprod" "+dotprod"
    "[/_]neon_i8mm" "+i8mm"
    "[/_]sve_dotprod" "+sve,+dotprod"
    "[/_]sve_i8mm" "+sve,+i8mm"
    "[/_]sve2p1" "+sve2p1"
    "[/_]sve_" "+sve"
    "[/_]sme2[^/]*\\.S" "+sme2"
    "[/_]sme(_[^/]*)?\\.S" "+sme"
    "." "+neon")

string(REPLACE "|" ";" objects "${OBJECTS}")
set(wrong "")
set(checked 0)
foreach(object IN LISTS objects)
    set(rest ${rules})
    while(TRUE)
        list(POP_FRONT rest pattern extensions)
        if(object MATCHES "${pattern}")
            break()
        endif()
    endwhile()
    execute_process(COMMAND "${OBJDUMP}" -d --no-show-raw-insn "--mattr=${extensions}" "${object}"
        OUTPUT_VARIABLE text RESULT_VARIABLE status)
    if(NOT status EQUAL 0 OR NOT text MATCHES "\n +[0-9a-f]+:")
        list(APPEND wrong "cannot disassemble ${object}")
    elseif(text MATCHES "<unknown>")
        list(APPEND wrong "${object} has more than ${extensions}")
    endif()
    math(EXPR checked "${checked} + 1")
endforeach()
if(wrong OR checked EQUAL 0)
    list(JOIN wrong "\n  " wrong)
    message(FATAL_ERROR "${checked} objects checked\n  ${wrong}")
endif()
message(STATUS "${checked} objects checked")
