# cmake -DREADELF=llvm-readelf "-DOBJECTS=a.o|b.o|..." -P bti.cmake
#
# Every object says that all its indirect entries have landing pads (BTI): one without the note takes it from the whole
# program.
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.16)

string(REPLACE "|" ";" objects "${OBJECTS}")
list(LENGTH objects count)
# One process for all of them: to start it takes longer than to read an object.
execute_process(COMMAND "${READELF}" --notes ${objects} OUTPUT_VARIABLE notes RESULT_VARIABLE status)
string(REPLACE ";" "," notes "${notes}")
string(REGEX REPLACE "(^|\n)File: " ";" notes "${notes}")  # a list: of each object its name and its notes
list(FILTER notes INCLUDE REGEX ".")
list(LENGTH notes checked)
list(FILTER notes EXCLUDE REGEX "[Aa][Aa]rch64 feature: [^\n]*BTI")
if(notes OR count EQUAL 0 OR NOT checked EQUAL count OR NOT status EQUAL 0)
    list(TRANSFORM notes REPLACE "\n.*" "")
    list(JOIN notes "\n  " notes)
    message(FATAL_ERROR "${checked} of ${count} objects checked (status ${status}); without BTI:\n  ${notes}")
endif()
message(STATUS "${checked} objects checked")
