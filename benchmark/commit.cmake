# Writes OUT, a header with the commit of SOURCE: cmake -DSOURCE= -DOUT= -P commit.cmake
#
# SPDX-License-Identifier: Apache-2.0
set(commit "unknown")
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS "${SOURCE}/.git")
    execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${SOURCE}" rev-parse --short=12 HEAD OUTPUT_VARIABLE name
        RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${SOURCE}" status --porcelain --untracked-files=no
        OUTPUT_VARIABLE changes ERROR_QUIET)
    if(result EQUAL 0)
        set(commit "${name}")
        if(changes)
            string(APPEND commit ", changed")
        endif()
    endif()
endif()
set(text "#define KAI_BENCH_COMMIT \"${commit}\"\n")
if(EXISTS "${OUT}")
    file(READ "${OUT}" old)
endif()
if(NOT text STREQUAL "${old}")
    file(WRITE "${OUT}" "${text}")
endif()
