# Installs the library, moves the installed tree elsewhere, and builds a C client against it: with find_package in every
# version that a client may ask for, with pkg-config, and as a sub-project; and checks what a shared library exports.
#
# cmake -DSOURCE=... -DBUILD=... -DWORK=... -DC_COMPILER=... -DGENERATOR=... [-DNM=...]
#     [-DTOOLCHAIN=file -DEMULATOR=program -DC_FLAGS=...] -P package_test.cmake
#
# With a TOOLCHAIN (another CPU) only what is installed is tried.
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.16)

include("${CMAKE_CURRENT_LIST_DIR}/../step.cmake")

# Configures the client in `mode`; whether that worked -> `result`.
function(configure mode)
    set(options "")
    if(TOOLCHAIN)
        list(APPEND options "-DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN}")
    endif()
    execute_process(COMMAND ${CMAKE_COMMAND} -S "${SOURCE}/test/package" -B "${WORK}/${mode}" -G "${GENERATOR}"
        -DMODE=${mode} "-DCMAKE_PREFIX_PATH=${WORK}/moved" "-DKLEIDIAI_SOURCE=${SOURCE}" -DBUILD_SHARED_LIBS=ON
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${options} ${ARGN}
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    set(result ${result} PARENT_SCOPE)
    set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
step(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/installed")
file(RENAME "${WORK}/installed" "${WORK}/moved")
file(GLOB_RECURSE license "${WORK}/moved/*/LICENSE")
if(NOT license)
    message(FATAL_ERROR "no LICENSE is installed")
endif()

set(modes find_package)
if(NOT TOOLCHAIN)
    list(APPEND modes add_subdirectory)
endif()
foreach(mode IN LISTS modes)
    set(options "")
    if(mode STREQUAL "add_subdirectory")  # of a parent that hides symbols, joins sources and warns about all
        set(warnings "-Wall -Wextra -Wpedantic -Wshadow -Werror")
        set(options -DCMAKE_C_VISIBILITY_PRESET=hidden -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_UNITY_BUILD=ON
            "-DCMAKE_C_FLAGS=${warnings}" "-DCMAKE_CXX_FLAGS=${warnings} -Wold-style-cast")
    endif()
    configure(${mode} ${options})
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${mode}: ${output}")
    endif()
    step(${CMAKE_COMMAND} --build "${WORK}/${mode}")
    foreach(client client gemm_client)
        step(${EMULATOR} "${WORK}/${mode}/${client}")
        message(STATUS "${mode}: ${output}")
    endforeach()
    if(mode STREQUAL "add_subdirectory")  # and the client has no build type
        file(STRINGS "${WORK}/${mode}/compile_commands.json" commands REGEX "\"command\".*kai/engines/.*\\.cpp\"")
        list(LENGTH commands count)
        list(FILTER commands EXCLUDE REGEX "-DKLEIDIAI_ASSERTIONS=0 .* -O2 ")
        if(count EQUAL 0 OR commands)
            message(FATAL_ERROR "without a build type, of ${count} commands: ${commands}")
        endif()
    endif()
endforeach()

# The version is that of the interface: older clients find it, newer ones do not.
foreach(version 1.24 1.30 1.31 1.32 1.32.0)
    configure(find_package -DVERSION=${version})
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "find_package(KleidiAI ${version}): ${output}")
    endif()
endforeach()
foreach(version 1.33 2.0 0.9)
    configure(find_package -DVERSION=${version})
    if(result EQUAL 0 OR NOT output MATCHES "compatible with requested")
        message(FATAL_ERROR "find_package(KleidiAI ${version}) is content: ${output}")
    endif()
endforeach()

# The sub-project was made of shared libraries: they export kai_* and need no C++ runtime.
# What they export is what public headers declare: the functions that the preprocessor finds there.
file(STRINGS "${SOURCE}/kai/kai_common.h" version REGEX "^#define KAI_LIBRARY_VERSION \"")
string(REGEX REPLACE ".*\"([0-9]+)[.].*" "\\1" version "${version}")
file(GLOB headers RELATIVE "${SOURCE}" "${SOURCE}/kai/*.h" "${SOURCE}/kai/gemm/*.h" "${SOURCE}/kai/ukernels/*.h"
    "${SOURCE}/kai/ukernels/*/*.h" "${SOURCE}/kai/ukernels/*/*/*.h")
list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"")
list(JOIN headers "\n" headers)
file(WRITE "${WORK}/headers.c" "${headers}\n")
step(${C_COMPILER} -E -P "-I${SOURCE}" "${WORK}/headers.c")
string(REGEX REPLACE "\n *" " " declared "${output}")
file(GLOB libraries "${WORK}/add_subdirectory/kleidiai/libkleidiai.so"
    "${WORK}/add_subdirectory/kleidiai/libkleidiai_gemm.so")
set(exported 0)
foreach(shared IN LISTS libraries)
    if(NOT EXISTS "${shared}.${version}")
        message(FATAL_ERROR "the SONAME is not ${shared}.${version}")
    endif()
    if(NOT NM)
        break()
    endif()
    step(${NM} -D --defined-only "${shared}")
    string(REGEX MATCHALL "[^\n]+" lines "${output}")
    foreach(line IN LISTS lines)
        if(NOT line MATCHES " T kai_")
            message(FATAL_ERROR "the shared library exports: ${line}")
        endif()
        math(EXPR exported "${exported} + 1")
    endforeach()
    step(${NM} -D --undefined-only "${shared}")
    if(output MATCHES "_Z|__cxa_[a-eg-z]|__gxx")
        message(FATAL_ERROR "the shared library needs a C++ runtime:\n${output}")
    endif()
    file(GET_RUNTIME_DEPENDENCIES LIBRARIES "${shared}" RESOLVED_DEPENDENCIES_VAR needed
        UNRESOLVED_DEPENDENCIES_VAR missing)
    if("${needed};${missing}" MATCHES "c[+][+]")
        message(FATAL_ERROR "the shared library is linked to a C++ runtime: ${needed};${missing}")
    endif()
endforeach()

# Everything that this part of the library defines is exported: what public headers declare, of the static library.
if(NM AND libraries AND EXISTS "${BUILD}/libkleidiai.a")
    set(defined 0)
    foreach(library kleidiai kleidiai_gemm)
        step(${NM} -g --defined-only "${BUILD}/lib${library}.a")
        string(REGEX MATCHALL " T kai_[a-z0-9_]+" names "${output}")
        foreach(name IN LISTS names)
            string(SUBSTRING "${name}" 3 -1 name)
            # A declaration: name( or name; behind a type. Two are for tests: kai_cpu_forget, kai_cpu_core_by_files.
            if(" ${declared} " MATCHES "[ *]${name}[(;]" OR name MATCHES "^kai_cpu_(forget|core_by_files)$")
                math(EXPR defined "${defined} + 1")
            endif()
        endforeach()
    endforeach()
    if(exported LESS 500 OR NOT exported EQUAL defined)
        message(FATAL_ERROR "shared libraries export ${exported} functions, of ${defined} that public headers declare")
    endif()
    message(STATUS "${exported} functions are exported, all that public headers declare")
endif()

find_program(pkg_config pkg-config)
if(pkg_config)
    file(GLOB_RECURSE pc "${WORK}/moved/*/kleidiai.pc")
    get_filename_component(folder "${pc}" DIRECTORY)
    set(ENV{PKG_CONFIG_LIBDIR} "${folder}")
    step(${pkg_config} --atleast-version=1.32 kleidiai)
    separate_arguments(c_flags UNIX_COMMAND "${C_FLAGS}")
    foreach(pair kleidiai|client kleidiai_gemm|gemm_client)
        string(REPLACE "|" ";" pair "${pair}")
        list(GET pair 0 library)
        list(GET pair 1 client)
        step(${pkg_config} --cflags --libs ${library})
        string(STRIP "${output}" flags)
        separate_arguments(flags UNIX_COMMAND "${flags}")
        list(APPEND flags ${c_flags})
        step(${C_COMPILER} -std=c99 -Wall -Werror "${SOURCE}/test/package/${client}.c" ${flags} -o "${WORK}/${client}")
        step(${EMULATOR} "${WORK}/${client}")
        message(STATUS "pkg-config: ${output}")
    endforeach()
endif()
