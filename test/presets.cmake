# Every preset of CMakePresets.json can be read, also those of systems that are not here: cmake -N prints what it would
# set. cmake -DSOURCE=repository -P presets.cmake
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.21)
# cmake-lint: disable=E1120
file(READ "${SOURCE}/CMakePresets.json" text)
string(JSON count LENGTH "${text}" configurePresets)
math(EXPR last "${count} - 1")
set(seen 0)
foreach(i RANGE ${last})
    string(JSON name GET "${text}" configurePresets ${i} name)
    string(JSON hidden ERROR_VARIABLE error GET "${text}" configurePresets ${i} hidden)
    if(hidden STREQUAL "ON")
        continue()
    endif()
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env ANDROID_NDK_HOME=/ndk "${CMAKE_COMMAND}" --preset ${name} -N
        WORKING_DIRECTORY "${SOURCE}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0 OR NOT output MATCHES "CMAKE_BUILD_TYPE=")
        message(FATAL_ERROR "${name}: ${output}")
    endif()
    string(JSON toolchain ERROR_VARIABLE error GET "${text}" configurePresets ${i} toolchainFile)
    string(REPLACE "\${sourceDir}" "${SOURCE}" toolchain "${toolchain}")
    if(toolchain MATCHES "^/" AND NOT EXISTS "${toolchain}")
        message(FATAL_ERROR "${name}: there is no ${toolchain}")
    endif()
    math(EXPR seen "${seen} + 1")
endforeach()
if(seen LESS 12)
    message(FATAL_ERROR "found ${seen} presets only")
endif()
message(STATUS "${seen} presets")
