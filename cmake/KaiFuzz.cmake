# kai_add_fuzz_test(NAME SOURCE SECONDS): a libFuzzer program of the GEMM layer and the portable part of the library,
# with the sanitizers for addresses and undefined behaviour, and a test that runs it so long. Only on the host, and only
# if there is a Clang that has libFuzzer; it need not be the compiler of the build.

find_program(KAI_FUZZ_CLANG NAMES clang++ clang++-23 clang++-22 clang++-21 clang++-20 clang++-19
    DOC "A Clang with libFuzzer (-fsanitize=fuzzer)")
if(KAI_FUZZ_CLANG AND NOT CMAKE_CROSSCOMPILING AND NOT DEFINED KAI_HAS_FUZZER)
    file(WRITE "${CMAKE_BINARY_DIR}/fuzzer.cpp"
        "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, __SIZE_TYPE__) { return 0; }\n")
    execute_process(COMMAND "${KAI_FUZZ_CLANG}" -fsanitize=fuzzer,address,undefined fuzzer.cpp -o fuzzer
        WORKING_DIRECTORY "${CMAKE_BINARY_DIR}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed)
        message(STATUS "KleidiAI: ${KAI_FUZZ_CLANG} has no libFuzzer: no fuzz tests")
    endif()
    string(COMPARE EQUAL "${failed}" "0" has)
    set(KAI_HAS_FUZZER ${has} CACHE INTERNAL "")
endif()

function(kai_add_fuzz_test name source seconds)
    if(CMAKE_CROSSCOMPILING OR NOT KAI_HAS_FUZZER)
        return()
    endif()
    set(sources ${KAI_SOURCES_any} ${KAI_GEMM_SOURCES})
    list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/")
    set(builds "")
    foreach(isa IN LISTS KAI_ISAS)
        list(APPEND builds -DKAI_BUILD_${isa}=0)
    endforeach()
    list(REMOVE_ITEM builds -DKAI_BUILD_any=0)
    get_filename_component(source "${source}" ABSOLUTE)
    set(flags -std=c++17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -ffp-contract=off
        -DKAI_BUILD_any=1 ${builds} -DKLEIDIAI_ASSERTIONS=1 -DKAI_PREFETCH_BYTES=0 "-I${PROJECT_SOURCE_DIR}")
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kai/*.h" "${PROJECT_SOURCE_DIR}/kai/*.hpp"
        "${PROJECT_SOURCE_DIR}/kai/*.def")
    # Objects one by one, so that they are built in parallel.
    set(objects "")
    foreach(file IN LISTS sources source)
        file(RELATIVE_PATH object "${PROJECT_SOURCE_DIR}" "${file}")
        string(REPLACE "/" "_" object "fuzz_${object}.o")
        list(APPEND objects "${object}")
        add_custom_command(OUTPUT "${object}" DEPENDS "${file}" ${headers}
            COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${KAI_FUZZ_CLANG}" ${flags} -c "${file}" -o "${object}" VERBATIM)
    endforeach()
    add_custom_command(OUTPUT "${name}" DEPENDS ${objects}
        COMMAND "${KAI_FUZZ_CLANG}" -fsanitize=fuzzer,address,undefined ${objects} -o "${name}" VERBATIM)
    add_custom_target(${name}_program ALL DEPENDS "${name}")
    add_test(NAME ${name} COMMAND "${CMAKE_CURRENT_BINARY_DIR}/${name}" -max_total_time=${seconds} -max_len=4096
        -rss_limit_mb=1000 -verbosity=0 -print_final_stats=1)
    set_tests_properties(${name} PROPERTIES COST 100)
endfunction()
