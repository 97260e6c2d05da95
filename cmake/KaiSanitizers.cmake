# kai_add_sanitized_test(NAME FLAGS ... SOURCES ... [FILTER tests]): a test program of these sources, the GEMM layer and
# the portable part of the library, which are compiled with these flags. Objects among the sources stay as they are.
# Only on the host, in Release builds, and only if such programs can be built and run there.
#
# SPDX-License-Identifier: Apache-2.0

include(CheckCXXSourceRuns)

function(kai_add_sanitized_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILTER" "FLAGS;SOURCES")
    if(CMAKE_CROSSCOMPILING OR NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR
        NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang|AppleClang)$")
        return()
    endif()
    list(APPEND arg_FLAGS -fno-sanitize=enum)  # enumerators may be anything in a C program
    string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "${arg_FLAGS}")
    check_cxx_source_runs("#include <thread>\nint main() { std::thread([] {}).join(); }" KAI_RUNS_${name})
    if(NOT KAI_RUNS_${name})
        message(STATUS "KleidiAI: no ${name}: programs with ${CMAKE_REQUIRED_FLAGS} do not run here")
        return()
    endif()
    list(TRANSFORM KAI_SOURCES_any PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE library)
    list(TRANSFORM KAI_GEMM_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE layer)
    add_executable(${name} ${library} ${layer} ${arg_SOURCES})
    foreach(isa IN LISTS KAI_ISAS)
        string(COMPARE EQUAL "${isa}" "any" built)
        target_compile_definitions(${name} PRIVATE KAI_BUILD_${isa}=${built})
    endforeach()
    target_compile_definitions(${name} PRIVATE KLEIDIAI_ASSERTIONS=1 KAI_PREFETCH_BYTES=0)
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_features(${name} PRIVATE cxx_std_17)
    target_link_libraries(${name} PRIVATE GTest::gtest Threads::Threads)
    target_compile_options(${name} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-O1> $<$<COMPILE_LANGUAGE:CXX>:-g1> -ffp-contract=off ${arg_FLAGS})
    target_link_options(${name} PRIVATE ${arg_FLAGS})
    add_test(NAME ${name} COMMAND ${name})
    set(environment KLEIDIAI_GEMM_CASES=40)
    if(arg_FILTER)
        list(APPEND environment "GTEST_FILTER=${arg_FILTER}")
    endif()
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
endfunction()

# kai_add_call_test(NAME SOURCE): a program of this source, the GEMM layer and the portable part of the library, where
# Clang checks that every call through a pointer has the type of the function (UBSan's function, and CFI, which Android
# uses), with the rest of UBSan. It traps and needs no runtime of the sanitizers. Only on the host, and only if there is
# a Clang with LLD.
find_program(KAI_CALLS_CLANG NAMES clang++-23 clang++-22 clang++-21 clang++-20 clang++-19 clang++
    DOC "A Clang for -fsanitize=function,cfi-icall")
set(KAI_CALLS_FLAGS -flto -fvisibility=hidden -fsanitize=undefined,function,cfi-icall -fno-sanitize=enum
    -fsanitize-trap=all -fno-sanitize-ignorelist)

function(kai_add_call_test name source)
    if(CMAKE_CROSSCOMPILING OR NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT KAI_CALLS_CLANG)
        return()
    endif()
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_objects")
    if(NOT DEFINED KAI_RUNS_${name})
        file(WRITE "${folder}/probe.cpp" "int main() { return 0; }\n")
        execute_process(COMMAND "${KAI_CALLS_CLANG}" ${KAI_CALLS_FLAGS} -fuse-ld=lld probe.cpp -o probe
            WORKING_DIRECTORY "${folder}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
        string(COMPARE EQUAL "${failed}" "0" runs)
        set(KAI_RUNS_${name} ${runs} CACHE INTERNAL "")
    endif()
    if(NOT KAI_RUNS_${name})
        message(STATUS "KleidiAI: no ${name}: ${KAI_CALLS_CLANG} cannot build programs with ${KAI_CALLS_FLAGS}")
        return()
    endif()
    set(definitions -DKAI_BUILD_any=1 -DKLEIDIAI_ASSERTIONS=1 -DKAI_PREFETCH_BYTES=0)
    foreach(isa IN LISTS KAI_ISAS)
        if(NOT isa STREQUAL "any")
            list(APPEND definitions -DKAI_BUILD_${isa}=0)
        endif()
    endforeach()
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kai/*.h" "${PROJECT_SOURCE_DIR}/kai/*.hpp"
        "${PROJECT_SOURCE_DIR}/kai/*.def")
    list(TRANSFORM KAI_SOURCES_any PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE library)
    list(TRANSFORM KAI_GEMM_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE layer)
    set(objects "")
    foreach(file IN LISTS library layer source)
        get_filename_component(stem "${file}" NAME_WE)
        add_custom_command(OUTPUT "${folder}/${stem}.o" DEPENDS "${file}" ${headers}
            COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${KAI_CALLS_CLANG}" -std=c++17 -g1 -O1 -Wno-pass-failed
                -ffp-contract=off ${KAI_CALLS_FLAGS} ${definitions} "-I${PROJECT_SOURCE_DIR}" -c "${file}"
                -o "${folder}/${stem}.o"
            VERBATIM)
        list(APPEND objects "${folder}/${stem}.o")
    endforeach()
    set(program "${CMAKE_CURRENT_BINARY_DIR}/${name}")
    add_custom_command(OUTPUT "${program}" DEPENDS ${objects}
        COMMAND "${KAI_CALLS_CLANG}" ${KAI_CALLS_FLAGS} -fuse-ld=lld -Wl,--lto-O0 ${objects}
            -o "${program}"
        VERBATIM)
    add_custom_target(${name}_program ALL DEPENDS "${program}")
    add_test(NAME ${name} COMMAND "${program}")
endfunction()
