# The folders that clients include from.
#
# kai_write_public_headers(OUT) writes for each of KAI_HEADERS and KAI_CATALOGUES a header at its path that forwards to
# the one in the source tree. Installed are the headers themselves.
#
# The compatibility include tree: one forwarding header per micro-kernel and packer, at the path that frameworks
# include.
#
#     kai/ukernels/matmul/<family>/kai_<micro-kernel>.h  ->  the header of the family
#     kai/ukernels/matmul/pack/kai_<packer>.h            ->  kai/ukernels/pack/kai_{lhs,rhs}_pack.h
#
# kai_write_compat_headers(OUT) reads the catalogues and writes the tree into OUT; up-to-date files are not touched.
# It sets
# KAI_COMPAT_NAMES: <folder>/<micro-kernel or packer> for each.

function(kai_write_forward path target)
    set(once "#pragma once\n")
    if(path MATCHES "\\.def$")  # a list, read as often as somebody wants it
        set(once "")
    endif()
    string(CONCAT text "// Generated: forwards to the header that declares the functions.\n${once}"
        "#include \"${target}\"  // IWYU pragma: export\n")
    if(EXISTS "${path}")
        file(READ "${path}" old)
        if(old STREQUAL text)
            return()
        endif()
    endif()
    file(WRITE "${path}" "${text}")
endfunction()

function(kai_write_public_headers out)
    foreach(header IN LISTS KAI_HEADERS KAI_CATALOGUES)
        kai_write_forward("${out}/${header}" "${PROJECT_SOURCE_DIR}/${header}")
    endforeach()
endfunction()

function(kai_write_compat_headers out)
    set(names "")
    file(GLOB catalogues CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kai/ukernels/matmul/*/ukernels.def"
        "${PROJECT_SOURCE_DIR}/kai/ukernels/dwconv/*/ukernels.def")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
        ${catalogues} "${PROJECT_SOURCE_DIR}/kai/ukernels/pack/packs.def")
    foreach(catalogue IN LISTS catalogues)
        get_filename_component(folder "${catalogue}" DIRECTORY)
        file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${folder}")
        file(GLOB interface RELATIVE "${PROJECT_SOURCE_DIR}" "${folder}/*_interface.h")
        file(STRINGS "${catalogue}" lines REGEX "^KAI_[A-Z_]+\\([a-z0-9_]+, *[a-z0-9_]+,")
        list(FILTER lines EXCLUDE REGEX "^KAI_COLUMNS")  # another function of a micro-kernel
        foreach(line IN LISTS lines)
            string(REGEX REPLACE "^[A-Z_]+\\([a-z0-9_]+, *([a-z0-9_]+),.*" "\\1" name "${line}")
            # Two folders of bf16: the SME kernels are included from the one named fp32.
            string(REGEX REPLACE "f32_bf16p_bf16p$" "fp32_bf16p_bf16p" other "${path}")
            if(name MATCHES "bf16p2vlx2")
                kai_write_forward("${out}/${other}/kai_${name}.h" "${interface}")
                list(APPEND names "${other}/${name}")
                get_filename_component(file "${interface}" NAME)
                kai_write_forward("${out}/${other}/${file}" "${interface}")
            else()
                kai_write_forward("${out}/${path}/kai_${name}.h" "${interface}")
                list(APPEND names "${path}/${name}")
            endif()
        endforeach()
    endforeach()
    file(STRINGS "${PROJECT_SOURCE_DIR}/kai/ukernels/pack/packs.def" lines REGEX "^KAI_[A-Z_]+_PACKER\\([A-Z]")
    foreach(line IN LISTS lines)
        if(NOT line MATCHES "^KAI_([A-Z_]+)_PACKER\\((LHS|RHS)[A-Z0-9_]*, *[a-z0-9_]+, *([a-z0-9_]+),")
            message(FATAL_ERROR "KleidiAI: packs.def: cannot read ${line}")
        endif()
        set(name "${CMAKE_MATCH_3}")
        string(TOLOWER "${CMAKE_MATCH_2}" side)
        if(CMAKE_MATCH_1 STREQUAL "DWCONV")
            kai_write_forward("${out}/kai/ukernels/dwconv/pack/kai_${name}.h"
                "kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h")
            list(APPEND names "kai/ukernels/dwconv/pack/${name}")
        elseif(NOT CMAKE_MATCH_1 STREQUAL "UNIFIED")  # those have no header of their own
            kai_write_forward("${out}/kai/ukernels/matmul/pack/kai_${name}.h" "kai/ukernels/pack/kai_${side}_pack.h")
            list(APPEND names "kai/ukernels/matmul/pack/${name}")
        endif()
    endforeach()
    set(KAI_COMPAT_NAMES "${names}" PARENT_SCOPE)
endfunction()
