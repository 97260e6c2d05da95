# Configures the library as users do and checks the result: a compiler's target without a toolchain
# file, an assembler that fails, a -mcpu for everything, KLEIDIAI_ERROR_TRAP, clang-cl. Compiles a few objects.
#
# cmake -DSOURCE=... -DWORK=... -DCLANG=clang -DCLANGXX=clang++ -DOBJDUMP=llvm-objdump -DNM=llvm-nm
# [-DGXX=aarch64-linux-gnu-g++]
#     [-DLLD_LINK=... -DLLVM_LIB=... -DLLVM_MT=... -DLLVM_RC=...] -P configure_test.cmake
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.16)

# Configures build `name` with the options in ARGN; output and exit code -> `output`, `result`. A launcher in the
# environment, such as ccache, may not know clang-cl.
function(configure name)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env --unset=CMAKE_C_COMPILER_LAUNCHER
        --unset=CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/${name}" -G Ninja -DCMAKE_BUILD_TYPE=Release
        -DKLEIDIAI_BUILD_TESTS=OFF -DKLEIDIAI_BUILD_EXAMPLES=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${ARGN}
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    string(REGEX REPLACE "[ \n]+" " " output "${output}")  # CMake breaks the lines of messages
    set(output "${output}" PARENT_SCOPE)
    set(result "${result}" PARENT_SCOPE)
endfunction()

function(expect condition_holds what)
    if(NOT condition_holds)
        message(FATAL_ERROR "${what}\n${output}")
    endif()
    message(STATUS "ok: ${what}")
endfunction()

macro(expect_success what)
    if(result EQUAL 0)
        expect(TRUE "${what}")
    else()
        expect(FALSE "${what}")
    endif()
endmacro()

macro(expect_match text regex what)
    if("${text}" MATCHES "${regex}")
        expect(TRUE "${what}")
    else()
        expect(FALSE "${what}")
    endif()
endmacro()

macro(expect_no_match text regex what)
    if("${text}" MATCHES "${regex}")
        expect(FALSE "${what}")
    else()
        expect(TRUE "${what}")
    endif()
endmacro()

# Builds objects of build `name`; their paths -> `objects`, with | between them, and their hashes -> `hashes`.
function(build name)
    set(objects ${ARGN})
    list(TRANSFORM objects REPLACE "(.+)" "CMakeFiles/kleidiai.dir/\\1.o")
    execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/${name}" --target ${objects}
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    list(TRANSFORM objects PREPEND "${WORK}/${name}/")
    set(hashes "")
    foreach(object IN LISTS objects)
        if(EXISTS "${object}")
            file(SHA256 "${object}" hash)
            list(APPEND hashes ${hash})
        endif()
    endforeach()
    string(REPLACE ";" "|" objects "${objects}")
    foreach(variable objects hashes output result)
        set(${variable} "${${variable}}" PARENT_SCOPE)
    endforeach()
endfunction()

file(REMOVE_RECURSE "${WORK}")
set(cross -DCMAKE_C_COMPILER=${CLANG} -DCMAKE_CXX_COMPILER=${CLANGXX} -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld
    -DCMAKE_C_COMPILER_TARGET=aarch64-linux-gnu -DCMAKE_CXX_COMPILER_TARGET=aarch64-linux-gnu)

# The target reaches the assembler, named for it or not.
foreach(asm "" -DCMAKE_ASM_COMPILER_TARGET=aarch64-linux-gnu)
    configure(target ${cross} ${asm} "-DKLEIDIAI_REQUIRE_ISAS=neon_i8mm\;sve2p1\;sme2")
    expect_success("a compiler's target without a toolchain file, ${asm}")
    expect_no_match("${output}" "LEFT OUT" "nothing is left out")
    build(target kai/engines/row/row_sme2.S kai/engines/float/float_neon.S)
    expect_success("assembly is built for it")
    file(REMOVE_RECURSE "${WORK}/target")
endforeach()

# What is skipped is said, with the assembler's words; what is required is not left out.
configure(broken ${cross} -DCMAKE_ASM_FLAGS=-Wa,--no-such-option)
expect_success("an assembler that fails")
expect_match("${output}" "CMake Warning[^\n]*LEFT OUT: the sme2 [^\n]*no-such-option[^\n]*kleidiai_probes/sme2.log"
    "the warning says why")
file(READ "${WORK}/broken/kleidiai_probes/sme2.log" log)
expect_match("${log}" "no-such-option" "the log says why")
configure(broken "-DKLEIDIAI_REQUIRE_ISAS=neon_i8mm\;sme\;sme2")
expect_match("${result} ${output}" "^1 .*CMake Error.*KLEIDIAI_REQUIRE_ISAS asks for sme;sme2"
    "what is required is an error")
configure(broken -DKLEIDIAI_REQUIRE_ISAS=sme3)
expect_match("${result} ${output}" "^1 .*no ISA named .sme3" "an unknown ISA is an error")

# A compiler that lacks an ISA leaves out what needs it, and nothing else.
file(WRITE "${WORK}/no_sve.h" "#ifdef __ARM_FEATURE_SVE\n#error no SVE here\n#endif\n")
configure(no_sve ${cross} "-DCMAKE_CXX_FLAGS=-include ${WORK}/no_sve.h")
expect_success("a compiler without SVE")
expect_match("${output}" "LEFT OUT: the sve_i8mm [^\n]*no SVE here" "what needs SVE is left out")
expect_no_match("${output}" "LEFT OUT: the (neon|sme)" "NEON and SME are not")

# A -mcpu for all files neither adds instructions nor warnings.
set(sources kai/kai_common.cpp kai/engines/pack/pack_rhs_float.cpp kai/engines/pack/pack_rhs_channels.cpp
    kai/engines/pack/pack_lhs_qai8dxp.cpp kai/engines/qai8dxp/qai8dxp_neon_i8mm.cpp
    kai/engines/portable/portable_int.cpp kai/engines/blocks/blocks_neon_i8mm.cpp)
configure(clang_cpu ${cross} -DCMAKE_CXX_FLAGS=-mcpu=neoverse-v1 -DKLEIDIAI_WERROR=ON -DKLEIDIAI_ERROR_TRAP=ON)
set(builds clang_cpu)
if(GXX)
    string(REGEX REPLACE "g\\+\\+" "gcc" gcc "${GXX}")
    configure(gcc_cpu -DCMAKE_C_COMPILER=${gcc} -DCMAKE_CXX_COMPILER=${GXX} -DCMAKE_CXX_FLAGS=-mcpu=neoverse-v1
        -DKLEIDIAI_WERROR=ON -DKLEIDIAI_ERROR_TRAP=ON)
    list(APPEND builds gcc_cpu)
endif()
foreach(name IN LISTS builds)
    build(${name} ${sources})
    set(hashes_${name} ${hashes})
    expect_success("${name}: -mcpu=neoverse-v1 in the flags of C++")
    expect_no_match("${output}" "[Ww]arning" "${name}: without a warning")
    execute_process(COMMAND "${CMAKE_COMMAND}" -DOBJDUMP=${OBJDUMP} "-DOBJECTS=${objects}" -DROOT=${SOURCE} -P
        "${SOURCE}/test/isa.cmake" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    expect_success("${name}: each object has the instructions of its ISA")
    execute_process(COMMAND "${NM}" -u "${WORK}/${name}/CMakeFiles/kleidiai.dir/kai/kai_common.cpp.o"
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    expect_no_match("${output}" "abort|print|fput" "${name}: with KLEIDIAI_ERROR_TRAP neither abort nor stdio")
endforeach()

# Flags that would change results change no object.
foreach(name IN LISTS builds)
    configure(${name} "-DCMAKE_CXX_FLAGS=-mcpu=neoverse-v1 -ffast-math -ffp-contract=fast -fassociative-math"
        -DKLEIDIAI_WERROR=OFF)
    build(${name} ${sources})
    expect_success("${name}: is built with -ffast-math")
    expect_match("${hashes_${name}}" "^${hashes}$" "${name}: -ffast-math changes no object")
endforeach()

# clang-cl takes the flags that decide about results.
if(LLD_LINK AND LLVM_LIB AND LLVM_MT AND LLVM_RC)
    file(MAKE_DIRECTORY "${WORK}/bin")
    get_filename_component(clang "${CLANG}" REALPATH)
    file(CREATE_LINK "${clang}" "${WORK}/bin/clang-cl" SYMBOLIC)
    set(options "")
    foreach(language C CXX ASM)
        list(APPEND options "-DCMAKE_${language}_COMPILER=${WORK}/bin/clang-cl")
    endforeach()
    configure(clang_cl -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR=ARM64 ${options}
        -DCMAKE_C_COMPILER_TARGET=aarch64-pc-windows-msvc -DCMAKE_CXX_COMPILER_TARGET=aarch64-pc-windows-msvc
        -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DCMAKE_LINKER=${LLD_LINK} -DCMAKE_AR=${LLVM_LIB}
        -DCMAKE_MT=${LLVM_MT} -DCMAKE_RC_COMPILER=${LLVM_RC} "-DCMAKE_CXX_FLAGS=/fp:fast /EHsc"
        "-DKLEIDIAI_REQUIRE_ISAS=neon_i8mm\;sme2")
    expect_success("clang-cl")
    file(STRINGS "${WORK}/clang_cl/compile_commands.json" lines REGEX "\"command\".*qai8dxp_neon_i8mm.cpp\"")
    string(REGEX REPLACE ".*\"command\": \"([^\"]*) -c -- .*" "\\1" command "${lines}")
    separate_arguments(command UNIX_COMMAND "${command}")
    file(WRITE "${WORK}/clang_cl/empty.cpp" "")
    execute_process(COMMAND ${command} "-###" -c empty.cpp WORKING_DIRECTORY "${WORK}/clang_cl"
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    foreach(flag "\"-ffp-contract=off\"" "\"-O2\"" "\"[+]i8mm\"" "\"[+]reserve-x18\"" "\"-ffreestanding\""
        "\"-ffunction-sections\"")
        expect_match("${output}" "${flag}" "clang-cl has ${flag}")
    endforeach()
    expect_no_match("${output}" "-ffast-math|-funsafe-math|-freciprocal|-mreassociate|-menable-no|-ffp-contract=fast"
        "clang-cl: /fp:fast of a parent is without effect")
    expect_no_match("${output}" "unknown argument|fcxx-exceptions|fmath-errno" "clang-cl knows all flags")
endif()
