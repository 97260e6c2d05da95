# Public headers as cl.exe reads them: Clang in its MSVC mode, with the macros of cl.exe (neither __clang__ nor
# __aarch64__), /W4, -pedantic and no extensions of GNU, in C and in C++, all headers in one unit and each alone.
# test/windows/sdk stands for the headers of the SDK.
#
# cmake -DCLANG=clang -DROOT=repository -DWORK=folder -P headers.cmake
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.16)
file(MAKE_DIRECTORY "${WORK}")
file(GLOB_RECURSE headers RELATIVE "${ROOT}" "${ROOT}/kai/*.h")
list(FILTER headers EXCLUDE REGEX "^kai/(engines|attention|conv)/")
set(all "")
foreach(header IN LISTS headers)
    string(APPEND all "#include \"${header}\"\n")
endforeach()
file(WRITE "${WORK}/all.c" "${all}")
file(WRITE "${WORK}/all.cpp" "${all}")

function(read what)
    execute_process(COMMAND "${CLANG}" --driver-mode=cl /Zs /W4 /WX -Wpedantic -Wgnu /clang:-ffreestanding
        -fms-compatibility-version=19.40 -U__clang__ -U__aarch64__ -Wno-builtin-macro-redefined
        -D__ARM_NEON_H  # cl.exe has an arm_neon.h of its own
        /imsvc "${ROOT}/test/windows/sdk" "-I${ROOT}" "-I${WORK}" ${ARGN} WORKING_DIRECTORY "${ROOT}"
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${what}\n${output}")
    endif()
endfunction()

foreach(target aarch64-pc-windows-msvc x86_64-pc-windows-msvc)
    foreach(language "/std:c11;all.c" "/std:c17;all.c" "/std:c++17;/permissive-;all.cpp" "/std:c++20;all.cpp")
        list(TRANSFORM language REPLACE "^all" "--;${WORK}/all")
        read("${target} ${language}" --target=${target} ${language})
    endforeach()
endforeach()
set(alone --target=aarch64-pc-windows-msvc -Wno-pragma-once-outside-header -Wno-unused-function)
read("each alone" ${alone} /std:c11 /TC -- ${headers})
read("each alone, C++" ${alone} /std:c++17 /permissive- /TP -- ${headers})
list(LENGTH headers count)
message(STATUS "${count} headers, in C and C++")
