# kai_add_sanitized_test(NAME FLAGS ... SOURCES ...): a test program of these sources, the GEMM layer and the portable
# part of the library, which are compiled with these flags. Objects among the sources stay as they are. Only on the
# host, in Release builds, and only if such programs can be built and run there.
#
# SPDX-License-Identifier: Apache-2.0

include(CheckCXXSourceRuns)

function(kai_add_sanitized_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FLAGS;SOURCES")
    if(CMAKE_CROSSCOMPILING OR NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR
        NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang|AppleClang)$")
        return()
    endif()
    # Enumerators may be anything in a C program; calls through call.hpp pass void* for float*.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        list(APPEND arg_FLAGS -fno-sanitize=enum)
    else()
        list(APPEND arg_FLAGS -fno-sanitize=enum,function)
    endif()
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
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "KLEIDIAI_GEMM_CASES=40")
endfunction()
