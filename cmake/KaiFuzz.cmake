# kai_add_fuzz_test(NAME SOURCE SECONDS [CORPUS] [WITH SOURCE...]): a libFuzzer program of the GEMM layer, the portable
# part of the library and sources WITH it, with the sanitizers for addresses and undefined behaviour, and a test that
# runs it so long. Only on the host, and only if there is a Clang that has libFuzzer; it need not be the compiler of the
# build. The test starts from seeds/NAME.zip beside the source: inputs that together reach what minutes of fuzzing
# found. CORPUS: a folder of more files to start from, which is only read.

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

# Enumerators may be anything in a C program.
set(KAI_FUZZ_FLAGS -fsanitize=fuzzer,address,undefined -fno-sanitize=enum -fno-sanitize-recover=all)

# kai_add_fuzz_object(SOURCE RESULT): compiles a source.
function(kai_add_fuzz_object source result)
    file(RELATIVE_PATH object "${PROJECT_SOURCE_DIR}" "${source}")
    string(REPLACE "/" "_" object "${object}.o")
    set(object "${CMAKE_BINARY_DIR}/fuzz/${object}")
    set(enumerators "")
    if(source MATCHES "/(packed_file|gguf_file)/[a-z_]*file\\.cpp$")
        set(enumerators -fsanitize=enum)  # those in files are checked before they become some
    endif()
    set(builds -DKAI_BUILD_any=1)
    foreach(isa IN LISTS KAI_ISAS)
        if(NOT isa STREQUAL "any")
            list(APPEND builds -DKAI_BUILD_${isa}=0)
        endif()
    endforeach()
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kai/*.h" "${PROJECT_SOURCE_DIR}/kai/*.hpp"
        "${PROJECT_SOURCE_DIR}/kai/*.def" "${PROJECT_SOURCE_DIR}/examples/llm/*.hpp"
        "${PROJECT_SOURCE_DIR}/examples/convnet/*.hpp")
    add_custom_command(OUTPUT "${object}" DEPENDS "${source}" ${headers}
        COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${KAI_FUZZ_CLANG}" -std=c++17 -gline-tables-only -O1 -ffp-contract=off
            ${KAI_FUZZ_FLAGS}
            ${enumerators} ${builds} -DKLEIDIAI_ASSERTIONS=1 -DKAI_PREFETCH_BYTES=0 "-I${PROJECT_SOURCE_DIR}"
            -c "${source}" -o "${object}"
        VERBATIM)
    set(${result} "${object}" PARENT_SCOPE)
endfunction()

function(kai_add_fuzz_test name source seconds)
    if(CMAKE_CROSSCOMPILING OR NOT KAI_HAS_FUZZER)
        return()
    endif()
    if(NOT TARGET kai_fuzz_library)
        file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
        set(objects "")
        foreach(file IN LISTS KAI_SOURCES_any KAI_GEMM_SOURCES)
            kai_add_fuzz_object("${PROJECT_SOURCE_DIR}/${file}" object)
            list(APPEND objects "${object}")
        endforeach()
        add_custom_target(kai_fuzz_library DEPENDS ${objects})
        set_property(GLOBAL PROPERTY KAI_FUZZ_OBJECTS ${objects})
    endif()
    get_property(objects GLOBAL PROPERTY KAI_FUZZ_OBJECTS)
    cmake_parse_arguments(arg "" "" "WITH" ${ARGN})
    foreach(file IN LISTS arg_WITH)
        kai_add_fuzz_object("${PROJECT_SOURCE_DIR}/${file}" object)
        list(APPEND objects "${object}")
    endforeach()
    kai_add_fuzz_object("${CMAKE_CURRENT_SOURCE_DIR}/${source}" object)
    set(program "${CMAKE_BINARY_DIR}/fuzz/${name}")
    add_custom_command(OUTPUT "${program}" DEPENDS "${object}" kai_fuzz_library ${objects}
        COMMAND "${KAI_FUZZ_CLANG}" ${KAI_FUZZ_FLAGS} "${object}" ${objects} -o "${program}" VERBATIM)
    add_custom_target(${name} ALL DEPENDS "${program}")
    add_dependencies(${name} kai_fuzz_library)
    get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}/${source}" DIRECTORY)
    set(archive "${folder}/seeds/${name}.zip")
    set(corpus "${CMAKE_BINARY_DIR}/fuzz/${name}_corpus" "${CMAKE_BINARY_DIR}/fuzz/${name}_seeds")
    file(REMOVE_RECURSE "${CMAKE_BINARY_DIR}/fuzz/${name}_seeds")
    file(MAKE_DIRECTORY ${corpus})  # what is found goes to the first one
    execute_process(COMMAND "${CMAKE_COMMAND}" -E tar xf "${archive}" RESULT_VARIABLE failed
        WORKING_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz/${name}_seeds")
    file(GLOB seeds "${CMAKE_BINARY_DIR}/fuzz/${name}_seeds/*")
    if(failed OR NOT seeds)
        message(FATAL_ERROR "${archive} has no inputs (${failed})")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${archive}")
    if(arg_UNPARSED_ARGUMENTS)
        list(APPEND corpus "${CMAKE_CURRENT_SOURCE_DIR}/${arg_UNPARSED_ARGUMENTS}")
    endif()
    add_test(NAME ${name} COMMAND "${program}" -max_total_time=${seconds} -max_len=4096 -len_control=0
        -rss_limit_mb=1000 -verbosity=0 -print_final_stats=1 ${corpus})
    set_tests_properties(${name} PROPERTIES COST 100 WORKING_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
endfunction()
