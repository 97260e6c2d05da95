# What to build, derived from the source tree. There are no lists of files.
#
# kai_find_sources(<root> [CONFIGURE_DEPENDS]) sets
#
#     KAI_ISAS                                    the instruction sets of kai/isas.def
#     KAI_TITLE_<isa>, KAI_CXX_ARCH_<isa>, KAI_ASM_ARCH_<isa>, KAI_INSTRUCTION_<isa>   its columns
#     KAI_SOURCES_<isa>                           source files by the ISA in their stem, paths below <root>
#     KAI_GEMM_SOURCES                            the GEMM layer
#     KAI_GEMM_ASSEMBLY                           more of it, for AArch64
#     KAI_ATTENTION_SOURCES_<isa>                 attention, as KAI_SOURCES_<isa>
#     KAI_HEADERS, KAI_CATALOGUES               public headers, and the catalogues that kai/ukernels/families.h includes
#
# SPDX-License-Identifier: Apache-2.0

function(kai_find_sources root)
    set(isas "")
    file(STRINGS "${root}/kai/isas.def" lines REGEX "^KAI_ISA\\(")
    foreach(line IN LISTS lines)
        if(NOT line MATCHES
            "^KAI_ISA\\(([a-z0-9_]+), +\"([^\"]+)\",[^\"]+\"([^\"]+)\", +\"([^\"]+)\", +\"([^\"]+)\"\\)$")
            message(FATAL_ERROR "KleidiAI: kai/isas.def: cannot read ${line}")
        endif()
        set(isa ${CMAKE_MATCH_1})
        list(APPEND isas ${isa})
        set(KAI_TITLE_${isa} "${CMAKE_MATCH_2}" PARENT_SCOPE)
        set(KAI_CXX_ARCH_${isa} "${CMAKE_MATCH_3}" PARENT_SCOPE)
        set(KAI_ASM_ARCH_${isa} "${CMAKE_MATCH_4}" PARENT_SCOPE)
        set(KAI_INSTRUCTION_${isa} "${CMAKE_MATCH_5}" PARENT_SCOPE)
        set(sources_${isa} "")
        set(attention_${isa} "")
    endforeach()

    file(GLOB attention ${ARGN} RELATIVE "${root}" "${root}/kai/attention/*.cpp" "${root}/kai/attention/*.S")
    file(GLOB sources ${ARGN} RELATIVE "${root}"
        "${root}/kai/*.cpp" "${root}/kai/engines/*/*.cpp" "${root}/kai/engines/*/*.S")
    foreach(source IN LISTS sources attention)
        get_filename_component(stem "${source}" NAME_WE)
        set(found any)
        if(source MATCHES "\\.S$")
            set(found neon)
        endif()
        set(length 0)
        foreach(isa IN LISTS isas)  # the longest name: neon_i8mm, not neon
            string(LENGTH "${isa}" n)
            if(n GREATER length AND stem MATCHES "_${isa}(_|$)")
                set(found ${isa})
                set(length ${n})
            endif()
        endforeach()
        if(source MATCHES "^kai/attention/")
            list(APPEND attention_${found} "${source}")
        else()
            list(APPEND sources_${found} "${source}")
        endif()
    endforeach()
    foreach(isa IN LISTS isas)
        set(KAI_ATTENTION_SOURCES_${isa} "${attention_${isa}}" PARENT_SCOPE)
        set(KAI_SOURCES_${isa} "${sources_${isa}}" PARENT_SCOPE)
    endforeach()

    file(GLOB gemm ${ARGN} RELATIVE "${root}" "${root}/kai/gemm/*.cpp" "${root}/kai/packed_file/*.cpp"
        "${root}/kai/gguf_file/*.cpp" "${root}/kai/conv/*.cpp")
    set(KAI_GEMM_SOURCES ${gemm} PARENT_SCOPE)
    file(GLOB assembly ${ARGN} RELATIVE "${root}" "${root}/kai/conv/*.S")
    set(KAI_GEMM_ASSEMBLY ${assembly} PARENT_SCOPE)

    file(GLOB headers ${ARGN} RELATIVE "${root}" "${root}/kai/*.h" "${root}/kai/gemm/*.h")
    file(GLOB_RECURSE more ${ARGN} RELATIVE "${root}" "${root}/kai/ukernels/*.h")
    set(KAI_HEADERS ${headers} ${more} PARENT_SCOPE)
    file(GLOB_RECURSE catalogues ${ARGN} RELATIVE "${root}" "${root}/kai/ukernels/*.def")
    set(KAI_CATALOGUES ${catalogues} PARENT_SCOPE)
    set(KAI_ISAS ${isas} PARENT_SCOPE)
endfunction()
