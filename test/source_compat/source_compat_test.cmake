# Makes the folder of source files and builds a client that lists them (CMakeLists.txt here) with each C compiler; runs
# it.
#
# cmake -DSOURCE=... -DBUILD=... -DWORK=... -DGENERATOR=... -DTOOLCHAINS=a.cmake|b.cmake -DNM=...
# -DLIBRARY=libkleidiai.a
#     [-DEMULATOR=qemu-aarch64] -P source_compat_test.cmake
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.16)

include("${CMAKE_CURRENT_LIST_DIR}/../step.cmake")

# The functions of micro-kernels and packers in what nm prints.
function(functions_of text variable)
    string(REGEX MATCHALL "[TW] kai_(run|get|commit|matmul|lhs|rhs)_[a-z0-9_]+" names "${text}")
    list(TRANSFORM names REPLACE "^[TW] " "")
    list(SORT names)
    list(REMOVE_DUPLICATES names)
    set(${variable} "${names}" PARENT_SCOPE)
endfunction()

step("${CMAKE_COMMAND}" --build "${BUILD}" --target source_compat)
file(REMOVE_RECURSE "${WORK}")
string(REPLACE "|" ";" toolchains "${TOOLCHAINS}")
foreach(toolchain IN LISTS toolchains)
    get_filename_component(name "${toolchain}" NAME_WE)
    set(options "-DMARCH=-march=armv8.2-a+dotprod+i8mm+sve+sve2")
    if(EXISTS "${toolchain}")
        list(APPEND options "-DCMAKE_TOOLCHAIN_FILE=${toolchain}")
    endif()
    step("${CMAKE_COMMAND}" -S "${SOURCE}/test/source_compat" -B "${WORK}/${name}" -G "${GENERATOR}" ${options}
        "-DFETCHCONTENT_SOURCE_DIR_KLEIDIAI_DOWNLOAD=${BUILD}/source_compat")
    step("${CMAKE_COMMAND}" --build "${WORK}/${name}")
    if(EMULATOR)
        step("${EMULATOR}" -cpu max,sve-default-vector-length=32,sme-default-vector-length=64 "${WORK}/${name}/client")
        message(STATUS "${name}: ${output}")
        step("${EMULATOR}" -cpu neoverse-n1 "${WORK}/${name}/client")
    else()
        step("${WORK}/${name}/client")
    endif()
    message(STATUS "${name}: ${output}")

    # All files together define what the library does.
    step("${NM}" -D --defined-only "${WORK}/${name}/libeverything.so")
    functions_of("${output}" defined)
    step("${NM}" -g --defined-only "${LIBRARY}")
    functions_of("${output}" expected)
    list(LENGTH expected count)
    if(count LESS 1000 OR NOT defined STREQUAL expected)
        message(FATAL_ERROR "${name}: the files do not define the ${count} functions of the library")
    endif()
    message(STATUS "${name}: ${count} functions, each once")
endforeach()
