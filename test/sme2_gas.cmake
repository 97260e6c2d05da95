# cmake -DREFERENCE=clang -DASSEMBLERS=gcc|clang -DOBJDUMP=llvm-objdump -DROOT=. -DWORK=folder -DSOURCES=a.S|b.S
# -DSVE2P1_SOURCES=c.S -P sme2_gas.cmake
#
# kai/engines/asm/sme2_gas.inc encodes what an assembler that knows SME2 encodes: each source makes the same code from
# REFERENCE without the file and from each of ASSEMBLERS with it, section by section. kai/engines/asm/sve2p1.inc has
# encodings, or the instructions of SVE2.1. sme_mop4.inc, fp8.inc and lut.inc there have encodings, too: OBJDUMP says of
# each instruction in test/<name>_forms.S what the comment beside it says. core/faminmax.hpp encodes an instruction for
# C++, which the test kleidiai_isa disassembles. No other file contains encodings.
#
# SPDX-License-Identifier: Apache-2.0

# Assembles `source` with the command and options in ARGN -> `variable`: names and bytes of its .text sections.
function(text_of source variable)
    execute_process(COMMAND ${ARGN} "-I${ROOT}" -c "${source}" -o text.o WORKING_DIRECTORY "${WORK}"
        RESULT_VARIABLE status ERROR_VARIABLE errors)
    if(status EQUAL 0)
        execute_process(COMMAND "${OBJDUMP}" -s text.o WORKING_DIRECTORY "${WORK}"
            OUTPUT_VARIABLE dump RESULT_VARIABLE status ERROR_VARIABLE errors)
        string(REGEX REPLACE "  [^\n]*" "" dump "${dump}")  # the bytes as characters
        string(REGEX MATCHALL "section \\.text[^:\n]*:(\n [0-9a-f]+ [0-9a-f ]+)+" text "${dump}")
        if(NOT text)
            set(status "no code")
        endif()
    endif()
    if(NOT status EQUAL 0)
        list(JOIN ARGN " " command)
        string(SUBSTRING "${errors}" 0 2000 errors)
        message(FATAL_ERROR "${source}: ${command}: ${status}\n${errors}")
    endif()
    set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# The command of an assembler for AArch64.
function(command_of assembler variable)
    if(assembler MATCHES "clang")
        list(APPEND assembler --target=aarch64-linux-gnu)
    endif()
    set(${variable} "${assembler}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY "${WORK}")
command_of("${REFERENCE}" reference)
file(WRITE "${WORK}/probe.S" ".arch armv8-a+sme2\nluti4 {z0.b-z1.b}, zt0, z2[0]\n")
execute_process(COMMAND ${reference} -c probe.S -o probe.o WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE status
    ERROR_QUIET)
if(NOT status EQUAL 0)
    message(STATUS "SKIPPED: ${REFERENCE} does not know SME2")
    return()
endif()

string(REPLACE "|" ";" assemblers "${ASSEMBLERS}")
string(REPLACE "|" ";" sources "${SOURCES}")
set(wrong "")
set(compared 0)
foreach(source IN LISTS sources)
    text_of("${source}" expected ${reference})
    foreach(assembler IN LISTS assemblers)
        command_of("${assembler}" command)
        text_of("${source}" encoded ${command} -include "${ROOT}/kai/engines/asm/sme2_gas.inc")
        if(NOT encoded STREQUAL expected)
            list(APPEND wrong "${source}: code differs with ${assembler}")
        endif()
        math(EXPR compared "${compared} + 1")
    endforeach()
endforeach()

string(REPLACE "|" ";" sources "${SVE2P1_SOURCES}")
foreach(source IN LISTS sources)
    text_of("${source}" expected ${reference} -DKAI_SVE2P1_MNEMONICS)
    foreach(assembler IN LISTS assemblers)
        command_of("${assembler}" command)
        text_of("${source}" encoded ${command})
        if(NOT encoded STREQUAL expected)
            list(APPEND wrong "${source}: code differs with ${assembler}")
        endif()
        math(EXPR compared "${compared} + 1")
    endforeach()
endforeach()

# Instructions that only newer versions of LLVM know: quarter-tile outer products and FMMLA of FP8 20, other FP8 and LUT
# 19.
foreach(forms_of "sme_mop4|+sme2p1,+sme-mop4" "fp8|+fp8,+fp8dot4,+sme-f8f32" "f8f32mm|+fp8,+f8f32mm" "lut|+lut")
    string(REPLACE "|" ";" forms_of "${forms_of}")
    list(POP_FRONT forms_of name features)
    set(forms "${ROOT}/test/${name}_forms.S")
    file(STRINGS "${forms}" expected REGEX "^    .*// ")
    list(TRANSFORM expected REPLACE "^.*// +" "")
    execute_process(COMMAND ${reference} "-I${ROOT}" -c "${forms}" -o forms.o COMMAND_ERROR_IS_FATAL ANY
        WORKING_DIRECTORY "${WORK}")
    execute_process(COMMAND "${OBJDUMP}" -d --no-show-raw-insn "--mattr=${features}" forms.o
        WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE dump ERROR_VARIABLE errors)
    if(errors MATCHES "not a recognized feature")
        message(STATUS "NOT COMPARED: ${forms}: ${OBJDUMP} does not know ${features}")
        continue()
    endif()
    string(REGEX MATCHALL "[a-z0-9]+\t[^\n]+" said "${dump}")
    list(TRANSFORM said REPLACE "\t" " ")
    if(NOT said STREQUAL expected)
        list(APPEND wrong "${forms}: ${said}")
    endif()
    math(EXPR compared "${compared} + 1")
endforeach()

file(GLOB_RECURSE files "${ROOT}/kai/*.S" "${ROOT}/kai/*.inc" "${ROOT}/kai/*.h" "${ROOT}/kai/*.hpp" "${ROOT}/kai/*.cpp")
list(REMOVE_ITEM files "${ROOT}/kai/engines/asm/sme2_gas.inc" "${ROOT}/kai/engines/asm/sve2p1.inc"
    "${ROOT}/kai/engines/asm/sme_mop4.inc" "${ROOT}/kai/engines/asm/fp8.inc" "${ROOT}/kai/engines/asm/lut.inc"
    "${ROOT}/kai/engines/core/faminmax.hpp")
foreach(file IN LISTS files)
    file(STRINGS "${file}" lines REGEX "\\.inst[ \t]")
    if(lines)
        list(APPEND wrong "${file} has .inst")
    endif()
endforeach()

if(wrong OR compared EQUAL 0)
    list(JOIN wrong "\n  " wrong)
    message(FATAL_ERROR "${compared} comparisons\n  ${wrong}")
endif()
message(STATUS "${compared} comparisons")
