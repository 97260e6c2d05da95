# cmake -DCLANG=clang -DLINKER=ld64.lld -DNM=llvm-nm -DROOT=. -DWORK=folder -DASSEMBLY=a.S|b.S -P macho.cmake
#
# The library's common files and all its assembly link as a library of macOS, although no SDK is here: test/macho has
# the few declarations that they need and a list of symbols of libSystem. Nothing else is undefined, and nothing weak.
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.16)

include("${CMAKE_CURRENT_LIST_DIR}/step.cmake")

set(compile "${CLANG}" --target=arm64-apple-macos14 -nostdlibinc "-I${ROOT}" -isystem "${ROOT}/test/macho/include")
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(objects "")
foreach(source kai_common kai_cpu kai_cpu_core)
    step(${compile} -x c++ -std=c++17 -O2 -fno-exceptions -fno-rtti -c "${ROOT}/kai/${source}.cpp" -o
        "${WORK}/${source}.o")
    list(APPEND objects "${WORK}/${source}.o")
endforeach()
string(REPLACE "|" ";" sources "${ASSEMBLY}")
foreach(source IN LISTS sources)
    string(MAKE_C_IDENTIFIER "${source}" name)
    step(${compile} -c "${ROOT}/${source}" -o "${WORK}/${name}.o")
    list(APPEND objects "${WORK}/${name}.o")
endforeach()
step("${LINKER}" -arch arm64 -platform_version macos 14.0 14.0 -dylib ${objects} "${ROOT}/test/macho/libSystem.tbd"
    -o "${WORK}/libkleidiai.dylib")
step("${NM}" -m "${WORK}/libkleidiai.dylib")
if(NOT output MATCHES "external _kai_commit_za" OR output MATCHES "weak")
    message(FATAL_ERROR "${output}")
endif()
list(LENGTH objects count)
message(STATUS "${count} objects linked")
