# cmake -DREADELF=llvm-readelf "-DOBJECTS=a.o|b.o|..." -P bti.cmake
#
# Every object says that all its indirect entries have landing pads (BTI): one without the note takes it from the whole
# program.
#
# SPDX-License-Identifier: Apache-2.0

string(REPLACE "|" ";" objects "${OBJECTS}")
set(wrong "")
set(checked 0)
foreach(object IN LISTS objects)
    execute_process(COMMAND "${READELF}" --notes "${object}" OUTPUT_VARIABLE notes RESULT_VARIABLE status)
    if(NOT status EQUAL 0 OR NOT notes MATCHES "aarch64 feature: [^\n]*BTI")
        list(APPEND wrong "${object}")
    endif()
    math(EXPR checked "${checked} + 1")
endforeach()
if(wrong OR checked EQUAL 0)
    string(REPLACE ";" "\n  " wrong "${wrong}")
    message(FATAL_ERROR "${checked} objects checked; without BTI:\n  ${wrong}")
endif()
message(STATUS "${checked} objects checked")
