# Installs the library and builds a C client against it: with find_package, with pkg-config, and as a sub-project; and checks
# what a shared library exports.
#
# cmake -DSOURCE=... -DBUILD=... -DWORK=... -DC_COMPILER=... -DGENERATOR=... -P package_test.cmake

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "failed: ${ARGN}\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
step(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/installed")
foreach(mode find_package add_subdirectory)
    step(${CMAKE_COMMAND} -S "${SOURCE}/test/package" -B "${WORK}/${mode}" -G "${GENERATOR}" -DMODE=${mode}
        "-DCMAKE_PREFIX_PATH=${WORK}/installed" "-DKLEIDIAI_SOURCE=${SOURCE}" -DBUILD_SHARED_LIBS=ON)
    step(${CMAKE_COMMAND} --build "${WORK}/${mode}")
    step("${WORK}/${mode}/client")
    message(STATUS "${mode}: ${output}")
endforeach()

# The sub-project was a shared library: it exports kai_* and needs no C++ runtime.
file(GLOB shared "${WORK}/add_subdirectory/kleidiai/libkleidiai.so")
if(shared AND NM)
    step(${NM} -D --defined-only "${shared}")
    string(REGEX MATCHALL "[^\n]+" lines "${output}")
    foreach(line IN LISTS lines)
        if(NOT line MATCHES " T kai_")
            message(FATAL_ERROR "the shared library exports: ${line}")
        endif()
    endforeach()
    step(${NM} -D --undefined-only "${shared}")
    if(output MATCHES "_Z|__cxa_[a-eg-z]|__gxx")
        message(FATAL_ERROR "the shared library needs a C++ runtime:\n${output}")
    endif()
endif()

find_program(pkg_config pkg-config)
if(pkg_config)
    file(GLOB_RECURSE pc "${WORK}/installed/*/kleidiai.pc")
    cmake_path(GET pc PARENT_PATH folder)
    set(ENV{PKG_CONFIG_PATH} "${folder}")
    step(${pkg_config} --cflags --libs --define-variable=prefix=${WORK}/installed kleidiai)
    string(STRIP "${output}" flags)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    step(${C_COMPILER} -std=c99 -Wall -Werror "${SOURCE}/test/package/client.c" ${flags} -o "${WORK}/client")
    step("${WORK}/client")
    message(STATUS "pkg-config: ${output}")
endif()
