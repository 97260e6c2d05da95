# A project whose compiler is cl.exe: the library is built by another compiler behind the same targets
# (cmake/KaiClangCl.cmake). This host's compiler stands for cl.exe, Clang for clang-cl; clients are linked and run.
#
# cmake -DSOURCE=repository -DWORK=folder -DCLANG=clang -DGENERATOR=... -P cl_test.cmake
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.16)
include("${CMAKE_CURRENT_LIST_DIR}/../step.cmake")
file(REMOVE_RECURSE "${WORK}")

# Without clang-cl: a sentence that says where to get it.
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}/test/windows/client" -B "${WORK}/without" -G "${GENERATOR}"
    "-DKLEIDIAI_SOURCE=${SOURCE}" -DHIDES_PROGRAMS=ON
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REGEX REPLACE "[ \n]+" " " output "${output}")
if(result EQUAL 0 OR NOT output MATCHES "C[+][+] Clang Compiler for Windows.*-DKLEIDIAI_CLANG_CL=")
    message(FATAL_ERROR "without clang-cl: ${result} ${output}")
endif()

foreach(type Debug "")  # a project without a build type gets Release
    step("${CMAKE_COMMAND}" -S "${SOURCE}/test/windows/client" -B "${WORK}/with" -G "${GENERATOR}"
        "-DKLEIDIAI_SOURCE=${SOURCE}" "-DKLEIDIAI_CLANG_CL=${CLANG}" "-DCMAKE_BUILD_TYPE=${type}"
        "-DCMAKE_INSTALL_PREFIX=${WORK}/installed")
    if(type STREQUAL "")
        file(GLOB paths "${WORK}/with/kleidiai/clang-cl/Release/include")
        if(NOT paths)
            message(FATAL_ERROR "no build type: no folder of headers")
        endif()
        break()  # building it twice would take long
    endif()
    step("${CMAKE_COMMAND}" --build "${WORK}/with")
    foreach(client client gemm_client)
        step("${WORK}/with/${client}")
        message(STATUS "${output}")
    endforeach()
    file(READ "${WORK}/with/kleidiai/clang-cl/build/CMakeCache.txt" cache)
    if(NOT cache MATCHES "CMAKE_CXX_COMPILER:[A-Z]+=${CLANG}\n" OR NOT cache MATCHES "CMAKE_BUILD_TYPE:[A-Z]+=Debug\n")
        message(FATAL_ERROR "the library was not built by ${CLANG}, or not as its parent")
    endif()
    step("${CMAKE_COMMAND}" --install "${WORK}/with")
    step("${CMAKE_COMMAND}" -S "${SOURCE}/test/package" -B "${WORK}/package" -G "${GENERATOR}" -DMODE=find_package
        -DVERSION=1.32 "-DCMAKE_PREFIX_PATH=${WORK}/installed")
endforeach()
