# Tests on every kind of CPU: on AArch64 hosts as they are; elsewhere under QEMU, once for each CPU model and vector
# length.
#
# kai_add_test(NAME COMMAND ... [ONCE | RUNS ...]): adds the test NAME; under emulation NAME.<label> for each of
# KAI_EMULATED_CPUS, with ONCE for the first of them, with RUNS for these: "label|part|variable=value|..." each. Two
# runs on one CPU differ in their part: NAME.<label>.<part>. A program that returns 77 could test nothing here: skipped.
# With QUICK, only `./kai.sh test --quick` runs these (ctest -C quick -L quick): a part of what others run.

# label|CPU for QEMU
set(KAI_EMULATED_CPUS
    "svl512|max,sve-default-vector-length=64,sme-default-vector-length=64"
    "svl128|max,sve-default-vector-length=16,sme-default-vector-length=16"
    "svl256|max,sve-default-vector-length=32,sme-default-vector-length=32"
    "svl1024|max,sve-default-vector-length=128,sme-default-vector-length=128"
    "svl2048|max,sve-default-vector-length=256,sme-default-vector-length=256"
    "neoverse-n1|neoverse-n1"   # dotprod, but neither i8mm nor SVE nor SME
    "cortex-a53|cortex-a53"     # Armv8.0: not even dotprod (Raspberry Pi 3)
    "cortex-a72|cortex-a72"     # the same (Raspberry Pi 4)
    "neoverse-v1|neoverse-v1")  # SVE, but no SME

# Which part of the suite runs where (docs/testing.md). The first run has all of it. At other vector lengths code of a
# fixed width is skipped: it is the same. Tests about values alone run at 512 and 128 bits and on Neoverse V1, and so do
# those of clamps and of what is rejected; those of strides beyond 32 bits, of recorded products and of kernels that
# agree there and at 1024 bits, since some kernels for SME have other loops from 1024 bits on. At 2048 bits, where
# everything takes long, those of threads and of how kernels and packers are called are skipped, too: no code of theirs
# depends on the length. CPUs without SVE run the same program: tests of shapes and depths, which reach every function
# that a kernel or packer calls, show that nothing traps. (No kernel asks for the CPU but those of SME2, about
# quarter-tile outer products; kleidiai_isa has read what instructions there are.) Cortex-A72 has the instructions of
# Cortex-A53: it runs what depends on the class of cores. kai_shapes: shapes and splits; kai_paths: shapes and depths;
# kai_calls, kai_few: few calls of each kernel; kai_no_...: without these tests.
set(kai_shapes "Registry*:*Empty*:*.GettersAgree/*:*.Shapes/*:*.Rectangles/*:*.Exact*:*.PartsByPointer/*")
string(APPEND kai_shapes ":*.KeepsTheCallersZa/*:*.SizesAndPadding/*")
set(kai_paths "Registry*:*Empty*:*.GettersAgree/*:*.Shapes/*:*.Depths/*:*.Exact*")
set(kai_few "Registry*:*Empty*:*.GettersAgree/*:*.RowsOfOneCall/*:*.Exact*:*.KeepsTheCallersZa/*:*.Channels/*")
set(kai_calls "${kai_few}:*.Threads/*:*.PartsByPointer/*")
set(kai_no_values "-*.Long*:*.LargeSums/*:*.SpecialValues/*:*.EveryTail/*:*.TwosComplementNibbles/*")
string(APPEND kai_no_values ":*.RoundsIn16Bits/*")
set(kai_no_far "*.StridesBeyond32Bits/*:GgufProduct.*:*/GgmlQ80.*:*/Agreement.*")
set(kai_no_bounds "*.Clamps*:*.FpcrModes/*:*/CheckUkernel.*")
set(kai_no_ways "*.Threads/*:*.ByKaiCall/*:*.WithTheLibrarysPackers/*")
set(KAI_RUNS
    "svl512|"
    "svl512|without_mop4|KLEIDIAI_CPU_DISABLE=smemop4|GTEST_FILTER=*Matmul.Shapes/*mop4*:*FewRows.*"
    "svl128||KLEIDIAI_TEST_ONLY=scalable"
    "svl256||KLEIDIAI_TEST_ONLY=scalable|GTEST_FILTER=${kai_no_values}:${kai_no_far}:${kai_no_bounds}"
    "svl1024||KLEIDIAI_TEST_ONLY=scalable|GTEST_FILTER=${kai_no_values}:${kai_no_bounds}"
    "svl2048||KLEIDIAI_TEST_ONLY=scalable|GTEST_FILTER=${kai_no_values}:${kai_no_far}:${kai_no_bounds}:${kai_no_ways}"
    "neoverse-n1||GTEST_FILTER=${kai_paths}"
    "cortex-a53||GTEST_FILTER=${kai_paths}"
    "cortex-a72||GTEST_FILTER=Registry*:Cpu*:*.GettersAgree/*"
    "neoverse-v1||KLEIDIAI_TEST_ONLY=scalable")

# The other compiler's library. Its kernels for SME are assembly, the same bytes as Clang's (kleidiai_same_assembly):
# tests of shapes, splits and the calling convention are enough; at 2048 bits, few calls of each kernel. The other
# kernels run everything but results in many parts and threads, which are the same calls with other pointers, the
# largest sums, and the tests of the reference.
set(kai_no_parts "-*Rectangles/*:*.PartsBy*:*.Threads/*:*.LongColumns/*:*.LargeSums/*:*/Layout.*")
set(KAI_RUNS_gcc
    "svl512|without_sme|KLEIDIAI_TEST_ONLY=without_sme|GTEST_FILTER=${kai_no_parts}"
    "svl512|sme|KLEIDIAI_TEST_ONLY=sme|GTEST_FILTER=${kai_shapes}"
    "svl128||KLEIDIAI_TEST_ONLY=scalable|GTEST_FILTER=${kai_shapes}"
    "svl2048||KLEIDIAI_TEST_ONLY=scalable|GTEST_FILTER=${kai_few}"
    "neoverse-n1||GTEST_FILTER=${kai_few}")

# A sample for the developer's loop: one CPU, calls of every kind with each kernel and packer, and a few products of the
# GEMM layer with each kind of weights.
set(KAI_RUNS_quick
    "svl512|quick|GTEST_FILTER=${kai_shapes}:*.Depths/*:*.Threads/*:*.ClampsForReal/*:*.SpecialFloats/*:Cpu.*:Gguf*")
set(kai_quick_gemm "GemmProduct.*:GemmKernels.*:GemmChoice.*:GemmTensor*:GemmGguf.Any*")
set(KAI_RUNS_gemm_quick "svl512|quick|KLEIDIAI_GEMM_CASES=20|GTEST_FILTER=${kai_quick_gemm}")

# With assertions. One vector length is enough, and tests of calls, depths and of what is rejected. (The conformance
# check has Clang's.)
set(KAI_RUNS_gcc_debug
    "svl512||GTEST_FILTER=${kai_calls}:*.Depths/*:*Preconditions*:*Refuse*:*/Check*:*/PackRules.*:Common.*:KaiCall.*")

# The GEMM layer. The layer is the same as natively, only the kernels differ: fewer random problems, and after the first
# CPU neither the division of work nor files, nor the choice of kernels: the first one plays all CPUs of that table but
# one, whose vectors of SVE have 256 bits. What the layer does around a kernel (rows that are shared or kept, threads,
# tags, batches, experts, epilogues) runs with kernels for SME there, with others on Neoverse N1: further CPUs have the
# tests of plans and kernels. Cortex-A72 differs from Cortex-A53 in what is chosen.
set(kai_no_choices "-GemmDivision*:GgufFile.*:GemmFile.*:GemmChosen.*")
set(kai_kernels_of_gemm "${kai_no_choices}:*GemmProducts.*:*GemmTag*:GemmBusy.*:GemmExperts.*:GemmBatch.*")
string(APPEND kai_kernels_of_gemm ":GemmEpilogue.*:*GemmProduct.RowsMadeBefore/*:*GemmProduct.SameBits*")
set(kai_beside_sme "GemmMixed.Bits*Worker:GemmPair.ColumnsThatThePlanDivides")  # at every length: panels depend on it
set(KAI_RUNS_gemm
    "svl512||KLEIDIAI_GEMM_CASES=100"
    "svl128||KLEIDIAI_GEMM_CASES=20|GTEST_FILTER=${kai_kernels_of_gemm}"
    "svl512|first_sme|KLEIDIAI_CPU_DISABLE=sme2|KLEIDIAI_GEMM_CASES=20|GTEST_FILTER=GemmProduct.*:GemmChoice.*"
    "svl256||GTEST_FILTER=${kai_beside_sme}:GemmTensor*:GemmChoice.*:GemmChosen.OfTheTable"
    "svl1024||GTEST_FILTER=${kai_beside_sme}:GemmTensor*"
    "svl2048||KLEIDIAI_GEMM_CASES=10|GTEST_FILTER=${kai_beside_sme}:GemmTensor*:GemmProduct.Random*"
    "neoverse-n1||KLEIDIAI_GEMM_CASES=40|GTEST_FILTER=${kai_no_choices}"
    "cortex-a53||KLEIDIAI_GEMM_CASES=60|GTEST_FILTER=${kai_kernels_of_gemm}:GemmMixed.*"
    "cortex-a72||KLEIDIAI_GEMM_CASES=10|GTEST_FILTER=GemmChoice.*:GemmTensor*:GemmKernels.*:*GemmProduct.*"
    "neoverse-v1||KLEIDIAI_GEMM_CASES=20|GTEST_FILTER=${kai_kernels_of_gemm}:GemmMixed.*")

# Attention: kernels differ by CPU and by the length of vectors.
set(kai_attention_kernels "AttentionRandom.*:*Attention.Prefill/*:*Attention.Decode/*")
string(APPEND kai_attention_kernels ":*Attention.NothingOf*:*Attention.BytesOfPages/*:*Attention.AllIsHidden/*")
string(APPEND kai_attention_kernels ":*AttentionBlock.*:AttentionFused.*")
set(KAI_RUNS_attention
    "svl512||KLEIDIAI_ATTENTION_CASES=10"
    "svl128||KLEIDIAI_ATTENTION_CASES=10"
    "svl256||KLEIDIAI_ATTENTION_CASES=5|GTEST_FILTER=${kai_attention_kernels}"
    "svl1024||KLEIDIAI_ATTENTION_CASES=5|GTEST_FILTER=${kai_attention_kernels}"
    "svl2048||KLEIDIAI_ATTENTION_CASES=5|GTEST_FILTER=${kai_attention_kernels}"
    "neoverse-n1||KLEIDIAI_ATTENTION_CASES=10"
    "neoverse-n2||KLEIDIAI_ATTENTION_CASES=10"  # bf16 without SME: P as panels
    "cortex-a53||KLEIDIAI_ATTENTION_CASES=5|GTEST_FILTER=${kai_attention_kernels}"
    "neoverse-v1||KLEIDIAI_ATTENTION_CASES=5|GTEST_FILTER=${kai_attention_kernels}")

# CPUs for the tests of the CPU queries alone: each has features without others that a mistake could confuse them with.
# What they have stands in test/cpu_test.cpp, by the name of the run.
set(KAI_CPU_MODELS
    "no-sve|max,sve=off"        # i8mm and bf16 without SVE
    "no-sme|max,sme=off"        # SVE2.1 without SME
    "no-sve-no-sme|max,sve=off,sme=off"
    "neoverse-n2|neoverse-n2"   # SVE2 without SVE2.1
    "a64fx|a64fx"               # SVE without dotprod and bf16
    "cortex-a55|cortex-a55"     # a class of cores of its own, as
    "cortex-a510|max,sme=off,sve-default-vector-length=16,midr=0x411fd461")  # this one, which QEMU does not have
set(KAI_RUNS_cpu "")
foreach(model svl512 no-sve no-sme no-sve-no-sme neoverse-n2 neoverse-v1 a64fx neoverse-n1 cortex-a53 cortex-a55
    cortex-a510)
    list(APPEND KAI_RUNS_cpu "${model}||KLEIDIAI_CPU_MODEL=${model}")
endforeach()

if(CMAKE_CROSSCOMPILING AND KAI_TARGET_IS_AARCH64)
    find_program(KLEIDIAI_EMULATOR qemu-aarch64 HINTS "${PROJECT_SOURCE_DIR}/.cache/qemu/usr/bin"
        DOC "QEMU user mode for AArch64, 10.1 or newer (older ones lack SME2 and compute SMOPA wrongly)")
    if(KLEIDIAI_EMULATOR)
        execute_process(COMMAND "${KLEIDIAI_EMULATOR}" --version OUTPUT_VARIABLE version)
        string(REGEX MATCH "[0-9]+\\.[0-9]+" version "${version}")
        if(version VERSION_LESS 10.1)
            message(FATAL_ERROR
                "${KLEIDIAI_EMULATOR} is version ${version}: 10.1 is needed. `./kai.sh setup` fetches one; "
                "or set -DKLEIDIAI_EMULATOR=/path/to/qemu-aarch64.")
        endif()
    else()
        message(WARNING "No qemu-aarch64 found: tests are built, but ctest has none to run.")
    endif()
endif()

function(kai_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "ONCE;QUICK" "" "COMMAND;RUNS")
    if(arg_QUICK)
        if(NOT CMAKE_CROSSCOMPILING)
            return()
        endif()
        set(configurations CONFIGURATIONS quick)
    else()
        set(configurations "")
    endif()
    if(NOT CMAKE_CROSSCOMPILING)
        add_test(NAME ${name} COMMAND ${arg_COMMAND})
        set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
        return()
    endif()
    if(NOT KLEIDIAI_EMULATOR)
        return()
    endif()
    foreach(entry IN LISTS KAI_EMULATED_CPUS)
        string(REGEX MATCH "^([^|]+)[|]([^|]+)$" match "${entry}")
        list(APPEND labels ${CMAKE_MATCH_1})
        set(cpu_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endforeach()
    foreach(entry IN LISTS KAI_CPU_MODELS)
        string(REGEX MATCH "^([^|]+)[|]([^|]+)$" match "${entry}")
        set(cpu_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endforeach()
    if(arg_ONCE)
        list(GET labels 0 arg_RUNS)
    elseif(NOT arg_RUNS)
        set(arg_RUNS ${labels})
    endif()
    list(POP_FRONT arg_COMMAND program)
    foreach(run IN LISTS arg_RUNS)
        string(REPLACE "|" ";" environment "${run}")
        list(POP_FRONT environment label part)
        set(test ${name}.${label})
        if(part)
            string(APPEND test ".${part}")
        endif()
        add_test(NAME ${test}
            COMMAND "${KLEIDIAI_EMULATOR}" -cpu "${cpu_${label}}" "$<TARGET_FILE:${program}>" ${arg_COMMAND}
            ${configurations})
        # Code is translated once if it all fits: 7 to 12 % less time than with QEMU's default.
        set_tests_properties(${test} PROPERTIES ENVIRONMENT "QEMU_TB_SIZE=512;${environment}" SKIP_RETURN_CODE 77)
        if(arg_QUICK)
            set_tests_properties(${test} PROPERTIES LABELS quick)
        endif()
    endforeach()
endfunction()
