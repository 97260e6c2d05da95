# The compatibility include tree: one forwarding header per micro-kernel and packer, at the path that frameworks include.
#
#     kai/ukernels/matmul/<family>/kai_<micro-kernel>.h  ->  the header of the family
#     kai/ukernels/matmul/pack/kai_<packer>.h            ->  kai/ukernels/pack/kai_{lhs,rhs}_pack.h
#
# kai_write_compat_headers(OUT) reads the catalogues and writes the tree into OUT; files that are right stay untouched.

function(kai_write_forward path target)
    set(text "// Generated: forwards to the header that declares the functions.\n#pragma once\n#include \"${target}\"  // IWYU pragma: export\n")
    if(EXISTS "${path}")
        file(READ "${path}" old)
        if(old STREQUAL text)
            return()
        endif()
    endif()
    file(WRITE "${path}" "${text}")
endfunction()

function(kai_write_compat_headers out)
    file(GLOB catalogues CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kai/ukernels/matmul/*/ukernels.def")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
        ${catalogues} "${PROJECT_SOURCE_DIR}/kai/ukernels/pack/packs.def")
    foreach(catalogue IN LISTS catalogues)
        cmake_path(GET catalogue PARENT_PATH folder)
        cmake_path(GET folder FILENAME family)
        file(STRINGS "${catalogue}" lines REGEX "^KAI_UKERNEL")
        foreach(line IN LISTS lines)
            string(REGEX REPLACE "^[A-Z_]+\\([a-z0-9_]+, *([a-z0-9_]+),.*" "\\1" name "${line}")
            kai_write_forward("${out}/kai/ukernels/matmul/${family}/kai_${name}.h"
                "kai/ukernels/matmul/${family}/kai_${family}_interface.h")
        endforeach()
    endforeach()
    file(STRINGS "${PROJECT_SOURCE_DIR}/kai/ukernels/pack/packs.def" lines REGEX "^KAI_(LHS|RHS)_PACK")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^KAI_(LHS|RHS)_PACK[A-Z0-9_]*\\([a-z0-9_]+, *([a-z0-9_]+),.*" "\\1;\\2" parts "${line}")
        list(GET parts 0 side)
        list(GET parts 1 name)
        string(TOLOWER "${side}" side)
        kai_write_forward("${out}/kai/ukernels/matmul/pack/kai_${name}.h" "kai/ukernels/pack/kai_${side}_pack.h")
    endforeach()
endfunction()
