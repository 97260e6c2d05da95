# cmake -DNM=nm -DLIBRARY=libkleidiai.a -P symbols.cmake
#
# The static library defines `kai_*` and no other global symbol, nothing weak (the same template compiled for two CPUs
# must never become one symbol), and needs no runtime of the compiler. Symbols of Mach-O have one more underscore.
#
# SPDX-License-Identifier: Apache-2.0

execute_process(COMMAND "${NM}" -g "${LIBRARY}" OUTPUT_VARIABLE output RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${NM} failed on ${LIBRARY}")
endif()
string(REGEX MATCHALL "[^\n]+" lines "${output}")

set(wrong "")
set(defined 0)
foreach(line IN LISTS lines)
    if(NOT line MATCHES "^[0-9a-fA-F]* +([A-Za-z]) ([^ ]+)$")
        continue()  # name of a member
    endif()
    set(type "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    if(type MATCHES "^[Uw]$")
        if(name MATCHES "^_?(_Z|__cxa|__gxx|_Unwind|__aarch64_)")
            list(APPEND wrong "needs a compiler's runtime: ${name}")
        elseif(type STREQUAL "w" AND NOT name MATCHES "^_?__arm_tpidr2_save$")
            list(APPEND wrong "weak reference: ${name}")
        endif()
    elseif(type MATCHES "^[VvWu]$")
        list(APPEND wrong "weak or unique definition: ${name}")
    elseif(NOT name MATCHES "^_?kai_")
        list(APPEND wrong "foreign definition: ${name}")
    else()
        math(EXPR defined "${defined} + 1")
    endif()
endforeach()

if(defined EQUAL 0)
    list(APPEND wrong "defines nothing")
endif()
if(wrong)
    list(REMOVE_DUPLICATES wrong)
    list(JOIN wrong "\n  " wrong)
    message(FATAL_ERROR "${LIBRARY}:\n  ${wrong}")
endif()
message(STATUS "${defined} global symbols, all kai_*")
