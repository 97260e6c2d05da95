# For scripts of tests.
#
# SPDX-License-Identifier: Apache-2.0

# step(command...): runs it; its output -> `output`. Ends the script if it fails.
function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "failed: ${ARGN}\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()
