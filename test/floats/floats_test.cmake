# Builds the library as a part of projects whose flags would change results, and compares what it computes with a build
# without these flags (floats.cpp). Also: sources compiled in another way are refused, and a shared library does not
# change how the process that loads it treats subnormal values.
#
# cmake -DSOURCE=... -DBUILD=... -DCXX=... -DWORK=... -DGXX=g++ -DCLANGXX=clang++ -P floats_test.cmake
#
# BUILD: a build of the library on this host; CXX: a compiler for it. GXX, CLANGXX: empty if there is none.
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.16)

include("${CMAKE_CURRENT_LIST_DIR}/../step.cmake")

# hashes(COMPILER FOLDER): what the library in the folder computes -> `hashes`, one of each line.
function(hashes cxx folder)
    set(include "${folder}/include")
    # Without the flags of the project: these are about the library.
    step(${cxx} -std=c++17 -O1 "${SOURCE}/test/floats/floats.cpp" "-I${include}" "-L${folder}" "-Wl,-rpath,${folder}"
        -lkleidiai_gemm -lkleidiai -o "${WORK}/floats")
    step("${WORK}/floats")
    string(REGEX MATCHALL "[^\n]+" hashes "${output}")
    set(hashes "${hashes}" PARENT_SCOPE)
endfunction()

set(failed "")
# same(COMPILER SHARED|STATIC WAY FLAGS): a project that sets these flags in that way.
function(same cxx type way flags)
    string(REGEX REPLACE "clang[+][+]" "clang" cc "${cxx}")
    string(REGEX REPLACE "g[+][+]" "gcc" cc "${cc}")
    string(COMPARE EQUAL "${type}" "SHARED" shared)
    file(REMOVE_RECURSE "${WORK}/build")
    step("${CMAKE_COMMAND}" -S "${SOURCE}/test/floats" -B "${WORK}/build" -G Ninja -DCMAKE_BUILD_TYPE=Release
        "-DKLEIDIAI_SOURCE=${SOURCE}" -DCMAKE_C_COMPILER=${cc} -DCMAKE_CXX_COMPILER=${cxx} -DBUILD_SHARED_LIBS=${shared}
        -DWAY=${way} "-DFLAGS=${flags}")
    step("${CMAKE_COMMAND}" --build "${WORK}/build" --target kleidiai_gemm -j 2)
    hashes(${cxx} "${WORK}/build/kleidiai")
    set(different "")
    foreach(expected line IN ZIP_LISTS base hashes)
        # f32 products in portable C++ round once where there is such an instruction (portable_float.cpp).
        if(NOT expected STREQUAL line AND NOT (flags MATCHES "-march" AND line MATCHES "f32_f32_f32p|gemm"))
            list(APPEND different "${line}")
        endif()
    endforeach()
    list(LENGTH different count)
    message(STATUS "${cxx} ${flags} (${type}, ${way}): ${count} differences")
    if(different)
        string(REPLACE ";" "\n    " different "${different}")
        set(failed "${failed}${cxx} ${flags} (${type}, ${way}):\n    ${different}\n" PARENT_SCOPE)
    endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
hashes(${CXX} "${BUILD}")
set(base "${hashes}")
list(LENGTH base count)
if(count LESS 500)
    message(FATAL_ERROR "only ${count} results")
endif()
message(STATUS "${count} results")
# Each way to set flags once, each kind of flag with both compilers. With shared libraries where subnormal values also
# show what crtfastmath.o does to the process: GCC links it for -Ofast as for -ffast-math.
if(GXX)
    same(${GXX} SHARED variable "-Ofast")
    same(${GXX} STATIC release
        "-funsafe-math-optimizations -fno-math-errno -ffinite-math-only -ffp-contract=fast -march=native")
endif()
if(CLANGXX)
    same(${CLANGXX} SHARED options "-ffast-math")
    same(${CLANGXX} STATIC interface "-ffp-model=fast -fno-finite-math-only -march=native")
endif()

# Compiled in another way: each source says so, if it computes with floats.
file(GLOB sources "${SOURCE}/kai/engines/*/*.cpp" "${SOURCE}/kai/gemm/*.cpp")
list(FILTER sources EXCLUDE REGEX "_(neon|sve|sme)|gguf_file|violation")
set(refused 0)
foreach(source IN LISTS sources)
    execute_process(COMMAND ${CXX} -std=c++17 -E -ffast-math "-I${SOURCE}" "${source}" RESULT_VARIABLE result
        OUTPUT_QUIET ERROR_VARIABLE error)
    if(result EQUAL 0 OR NOT error MATCHES "compile this library without")
        string(APPEND failed "compiled with -ffast-math without a word: ${source}\n")
    else()
        math(EXPR refused "${refused} + 1")
    endif()
endforeach()
message(STATUS "${refused} sources refuse -ffast-math")
if(failed)
    message(FATAL_ERROR "${failed}")
endif()
