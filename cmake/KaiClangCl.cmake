# For projects that cl.exe compiles: it cannot compile this library (GNU attributes, builtins, assembly), so the
# clang-cl that comes with Visual Studio does, in a build of its own. The targets are the same: kleidiai, kleidiai_gemm
# and their aliases, imported. Objects of both compilers link together.
#
# KLEIDIAI_CLANG_CL: the compiler, if it is not where Visual Studio has it.
#
# SPDX-License-Identifier: Apache-2.0

# .../VC/Tools/MSVC/14.41/bin/Hostx64/arm64/cl.exe -> .../VC/Tools/Llvm/{x64,ARM64}/bin, and Llvm/bin
get_filename_component(kai_vc_tools "${CMAKE_CXX_COMPILER}/../../../../../../Llvm" ABSOLUTE)
find_program(KLEIDIAI_CLANG_CL clang-cl
    HINTS "${kai_vc_tools}/$ENV{VSCMD_ARG_HOST_ARCH}/bin" "${kai_vc_tools}/ARM64/bin" "${kai_vc_tools}/x64/bin"
        "${kai_vc_tools}/bin" "$ENV{VCINSTALLDIR}/Tools/Llvm/ARM64/bin" "$ENV{VCINSTALLDIR}/Tools/Llvm/x64/bin"
    DOC "clang-cl, which compiles this library where cl.exe compiles the rest")
if(NOT KLEIDIAI_CLANG_CL)
    message(FATAL_ERROR "KleidiAI: cl.exe cannot compile this library, clang-cl does it for projects of cl.exe, and "
        "there is none. Install the component \"C++ Clang Compiler for Windows\" with the Visual Studio Installer, or "
        "say where clang-cl is: -DKLEIDIAI_CLANG_CL=C:/path/to/clang-cl.exe")
endif()
foreach(kai_part TESTS BENCHMARK EXAMPLES TOOLS)
    if(KLEIDIAI_BUILD_${kai_part})
        message(STATUS "KleidiAI: no ${kai_part} in a build by cl.exe: take clang-cl for all of it")
    endif()
endforeach()

# Flags of the parent are cl.exe's; what decides about linking goes along.
include(ExternalProject)
set(kai_clang_cl "${PROJECT_BINARY_DIR}/clang-cl")
set(kai_config "$<IF:$<BOOL:$<CONFIG>>,$<CONFIG>,Release>")
set(kai_clang_cl_args -DKLEIDIAI_BUILD_TESTS=OFF -DKLEIDIAI_BUILD_EXAMPLES=OFF -DKLEIDIAI_INSTALL=ON
    -DBUILD_SHARED_LIBS=OFF "-DCMAKE_INSTALL_PREFIX=${kai_clang_cl}/${kai_config}"
    -DCMAKE_INSTALL_LIBDIR=lib)
foreach(kai_variable CMAKE_MSVC_RUNTIME_LIBRARY KLEIDIAI_ASSERTIONS KLEIDIAI_ERROR_TRAP KLEIDIAI_PREFETCH_BYTES
    KLEIDIAI_REQUIRE_ISAS CMAKE_SYSTEM_VERSION)
    if(DEFINED ${kai_variable})
        string(REPLACE ";" "|" kai_value "${${kai_variable}}")
        list(APPEND kai_clang_cl_args "-D${kai_variable}=${kai_value}")
    endif()
endforeach()
if(CMAKE_GENERATOR MATCHES "Visual Studio")
    set(kai_generator CMAKE_GENERATOR "${CMAKE_GENERATOR}" CMAKE_GENERATOR_PLATFORM "${CMAKE_GENERATOR_PLATFORM}"
        CMAKE_GENERATOR_TOOLSET ClangCL)
    get_filename_component(kai_llvm "${KLEIDIAI_CLANG_CL}/../.." ABSOLUTE)
    list(APPEND kai_clang_cl_args "-DLLVMInstallDir=${kai_llvm}")
else()
    set(kai_generator CMAKE_GENERATOR "${CMAKE_GENERATOR}")
    list(APPEND kai_clang_cl_args "-DCMAKE_C_COMPILER=${KLEIDIAI_CLANG_CL}" "-DCMAKE_CXX_COMPILER=${KLEIDIAI_CLANG_CL}"
        "-DCMAKE_BUILD_TYPE=${kai_config}")
    if(CMAKE_CXX_COMPILER_ARCHITECTURE_ID)  # cl.exe builds for ARM64; clang-cl for the host unless told
        string(TOLOWER "${CMAKE_CXX_COMPILER_ARCHITECTURE_ID}" kai_architecture)
        string(REPLACE "x64" "x86_64" kai_architecture "${kai_architecture}")
        list(APPEND kai_clang_cl_args "-DCMAKE_C_COMPILER_TARGET=${kai_architecture}-pc-windows-msvc"
            "-DCMAKE_CXX_COMPILER_TARGET=${kai_architecture}-pc-windows-msvc")
    endif()
    foreach(kai_variable CMAKE_SYSTEM_NAME CMAKE_SYSTEM_PROCESSOR)
        if(CMAKE_CROSSCOMPILING)
            list(APPEND kai_clang_cl_args "-D${kai_variable}=${${kai_variable}}")
        endif()
    endforeach()
endif()
set(kai_configurations ${CMAKE_CONFIGURATION_TYPES} ${CMAKE_BUILD_TYPE})
if(NOT kai_configurations)
    set(kai_configurations Release)
endif()
set(kai_byproducts "")
foreach(kai_library kleidiai kleidiai_gemm kleidiai_attention)
    set(kai_file "lib/${CMAKE_STATIC_LIBRARY_PREFIX}${kai_library}${CMAKE_STATIC_LIBRARY_SUFFIX}")
    add_library(${kai_library} STATIC IMPORTED GLOBAL)
    foreach(kai_configuration IN LISTS kai_configurations)
        string(TOUPPER "${kai_configuration}" kai_upper)
        file(MAKE_DIRECTORY "${kai_clang_cl}/${kai_configuration}/include")  # must exist when CMake generates
        set_property(TARGET ${kai_library} APPEND PROPERTY IMPORTED_CONFIGURATIONS ${kai_upper})
        set_target_properties(${kai_library} PROPERTIES
            IMPORTED_LOCATION_${kai_upper} "${kai_clang_cl}/${kai_configuration}/${kai_file}"
            IMPORTED_LINK_INTERFACE_LANGUAGES_${kai_upper} C)
        list(APPEND kai_byproducts "${kai_clang_cl}/${kai_configuration}/${kai_file}")
    endforeach()
    set_target_properties(${kai_library} PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${kai_clang_cl}/${kai_config}/include")
endforeach()
target_link_libraries(kleidiai_gemm INTERFACE kleidiai)
target_link_libraries(kleidiai_attention INTERFACE kleidiai_gemm)
ExternalProject_Add(kleidiai_clang_cl
    SOURCE_DIR "${PROJECT_SOURCE_DIR}"
    BINARY_DIR "${kai_clang_cl}/build"
    PREFIX "${kai_clang_cl}/stamps"
    ${kai_generator}
    LIST_SEPARATOR |
    CMAKE_ARGS ${kai_clang_cl_args}
    BUILD_COMMAND "${CMAKE_COMMAND}" --build <BINARY_DIR> --config ${kai_config}
    INSTALL_COMMAND "${CMAKE_COMMAND}" --install <BINARY_DIR> --config ${kai_config}
        --prefix "${kai_clang_cl}/${kai_config}"
    BUILD_BYPRODUCTS ${kai_byproducts}
    BUILD_ALWAYS ON)  # its sources are of this project
add_dependencies(kleidiai kleidiai_clang_cl)
add_dependencies(kleidiai_gemm kleidiai_clang_cl)
add_dependencies(kleidiai_attention kleidiai_clang_cl)
add_library(KleidiAI::kleidiai ALIAS kleidiai)
add_library(KleidiAI::gemm ALIAS kleidiai_gemm)
add_library(KleidiAI::attention ALIAS kleidiai_attention)
if(KLEIDIAI_INSTALL)
    install(DIRECTORY "${kai_clang_cl}/${kai_config}/" DESTINATION .)
endif()
