# Windows on Arm with llvm-mingw (https://github.com/mstorsjo/llvm-mingw), whose bin folder is on PATH, or LLVM_MINGW in
# the environment is its root.
#
# SPDX-License-Identifier: Apache-2.0
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR ARM64)
foreach(kai_pair C|clang CXX|clang++ ASM|clang)
    string(REPLACE "|" ";" kai_pair "${kai_pair}")
    list(GET kai_pair 0 kai_language)
    list(GET kai_pair 1 kai_compiler)
    if(DEFINED ENV{LLVM_MINGW})
        set(CMAKE_${kai_language}_COMPILER "$ENV{LLVM_MINGW}/bin/aarch64-w64-mingw32-${kai_compiler}")
    else()
        set(CMAKE_${kai_language}_COMPILER "aarch64-w64-mingw32-${kai_compiler}")
    endif()
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
