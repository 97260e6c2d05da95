# Tests on every kind of CPU: on AArch64 hosts as they are; elsewhere under QEMU, once for each CPU model and vector length.
#
# kai_add_test(NAME COMMAND ... [ONCE]): adds the test NAME; under emulation NAME.<cpu> for each of KAI_EMULATED_CPUS, or,
# with ONCE, for the first of them.

# The first one runs everything. After it, NEON code is left out of what differs from it in the vector length only.
set(KAI_EMULATED_CPUS
    "svl512|max,sve-default-vector-length=64,sme-default-vector-length=64"
    "svl128|max,sve-default-vector-length=16,sme-default-vector-length=16|KLEIDIAI_TEST_SCALABLE_ONLY=1"
    "svl256|max,sve-default-vector-length=32,sme-default-vector-length=32|KLEIDIAI_TEST_SCALABLE_ONLY=1"
    "svl1024|max,sve-default-vector-length=128,sme-default-vector-length=128|KLEIDIAI_TEST_SCALABLE_ONLY=1"
    "svl2048|max,sve-default-vector-length=256,sme-default-vector-length=256|KLEIDIAI_TEST_SCALABLE_ONLY=1"
    "neoverse-n1|neoverse-n1"  # dotprod, but neither i8mm nor SVE nor SME
    "cortex-a72|cortex-a72"    # Armv8.0: not even dotprod
    "neoverse-v1|neoverse-v1|KLEIDIAI_TEST_SCALABLE_ONLY=1")  # SVE, but no SME

if(CMAKE_CROSSCOMPILING AND KAI_TARGET_IS_AARCH64)
    find_program(KLEIDIAI_EMULATOR qemu-aarch64 HINTS "${PROJECT_SOURCE_DIR}/.cache/qemu/usr/bin"
        DOC "QEMU user mode for AArch64, 10.1 or newer (older ones lack SME2 and compute SMOPA wrongly)")
    if(KLEIDIAI_EMULATOR)
        execute_process(COMMAND "${KLEIDIAI_EMULATOR}" --version OUTPUT_VARIABLE version)
        string(REGEX MATCH "[0-9]+\\.[0-9]+" version "${version}")
        if(version VERSION_LESS 10.1)
            message(FATAL_ERROR "${KLEIDIAI_EMULATOR} is version ${version}: 10.1 is needed. `./kai.sh setup` fetches one; "
                "or set -DKLEIDIAI_EMULATOR=/path/to/qemu-aarch64.")
        endif()
    else()
        message(WARNING "No qemu-aarch64 found: tests are built, but ctest has none to run.")
    endif()
endif()

function(kai_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "ONCE" "" "COMMAND")
    if(NOT CMAKE_CROSSCOMPILING)
        add_test(NAME ${name} COMMAND ${arg_COMMAND})
        return()
    endif()
    if(NOT KLEIDIAI_EMULATOR)
        return()
    endif()
    set(cpus ${KAI_EMULATED_CPUS})
    if(arg_ONCE)
        list(GET cpus 0 cpus)
    endif()
    list(POP_FRONT arg_COMMAND program)
    foreach(entry IN LISTS cpus)
        string(REPLACE "|" ";" entry "${entry}")
        list(GET entry 0 label)
        list(GET entry 1 cpu)
        add_test(NAME ${name}.${label}
            COMMAND "${KLEIDIAI_EMULATOR}" -cpu "${cpu}" "$<TARGET_FILE:${program}>" ${arg_COMMAND})
        list(LENGTH entry count)
        if(count GREATER 2)
            list(GET entry 2 variable)
            set_tests_properties(${name}.${label} PROPERTIES ENVIRONMENT "${variable}")
        endif()
    endforeach()
endfunction()
