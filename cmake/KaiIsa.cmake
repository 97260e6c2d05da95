# Which instruction sets this toolchain can build, and the flags of each.
#
# kai_probe_isas() sets, for every ISA of KAI_ISAS, KAI_BUILD_<isa> (0 or 1) and KAI_FLAGS_<isa>, and warns at configure
# time about the micro-kernels that a toolchain leaves out: what it said is in kleidiai_probes/<isa>.log of the build
# directory. KLEIDIAI_REQUIRE_ISAS names those that must be available. KAI_ASM_FLAGS_<isa>: what assembly
# sources of the ISA need (none of KAI_FLAGS_<isa>: they name their extensions themselves, .arch).

set(KLEIDIAI_REQUIRE_ISAS "" CACHE
    STRING "Fail if the toolchain cannot build one of these, for instance neon_i8mm;sme2")

# kai_compiler_flags(<variable> <flag>...): as this compiler wants them. clang-cl ignores most of them, with a warning
# only, unless /clang: stands before each.
function(kai_compiler_flags variable)
    set(flags "${ARGN}")
    if(CMAKE_CXX_COMPILER_FRONTEND_VARIANT STREQUAL "MSVC")
        list(TRANSFORM flags PREPEND "/clang:")
    endif()
    set(${variable} "${flags}" PARENT_SCOPE)
endfunction()

# kai_set_flags(<isa> <architecture>): the last -march of a command line counts, so it wins over the caller's: each
# object uses what its ISA names and nothing else. A -mcpu of the caller would still add its features (Clang: the last
# one counts) or draw a warning about the conflict on every file (GCC, where kai_drop_cpu removes it).
function(kai_set_flags isa architecture)
    set(flags "-march=${architecture}")
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        list(APPEND flags -mcpu=generic)
    endif()
    kai_compiler_flags(flags ${flags})
    set(KAI_FLAGS_${isa} "${flags}" PARENT_SCOPE)
endfunction()

# Takes -mcpu out of the flags of C++ in this directory and out of what <target> inherited from add_compile_options.
function(kai_drop_cpu target)
    set(configs "${CMAKE_CONFIGURATION_TYPES}")
    if(CMAKE_BUILD_TYPE)
        list(APPEND configs "${CMAKE_BUILD_TYPE}")
    endif()
    set(variables CMAKE_CXX_FLAGS)
    foreach(config IN LISTS configs)
        string(TOUPPER "${config}" config)
        list(APPEND variables CMAKE_CXX_FLAGS_${config})
    endforeach()
    foreach(variable IN LISTS variables)
        string(REGEX REPLACE "(^| )-mcpu=[^ ]*" " " flags "${${variable}}")
        set(${variable} "${flags}" PARENT_SCOPE)
    endforeach()
    get_target_property(options ${target} COMPILE_OPTIONS)
    if(options)
        list(FILTER options EXCLUDE REGEX "^-mcpu=")
        set_target_properties(${target} PROPERTIES COMPILE_OPTIONS "${options}")
    endif()
endfunction()

# Macros with the names of the mnemonics that an assembler may lack.
get_filename_component(KAI_ENCODINGS_sme2 "${CMAKE_CURRENT_LIST_DIR}/../kai/engines/asm/sme2_gas.inc" ABSOLUTE)
set(KAI_ENCODINGS_sme_mop4 "${KAI_ENCODINGS_sme2}")
set(KAI_ENCODINGS_sme_f8f32 "${KAI_ENCODINGS_sme2}")

# kai_probe(<variable> <name> <extension> <source> [flags]): whether <source> compiles or assembles, cached in
# <variable>. What the compiler said is in kleidiai_probes/<name>.log.
function(kai_probe variable name extension source)
    if(DEFINED ${variable})
        return()
    endif()
    set(folder "${PROJECT_BINARY_DIR}/kleidiai_probes")
    file(WRITE "${folder}/${name}${extension}" "${source}\n")
    set(sources "${folder}/${name}${extension}")
    if(extension STREQUAL ".S")  # a library of assembly alone is not made well for clang-cl
        file(WRITE "${folder}/empty.c" "extern int empty;\n")
        list(APPEND sources "${folder}/empty.c")
    endif()
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    # CMake hands on the targets of C and C++, not that of assembly.
    list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_ASM_COMPILER_TARGET)
    string(REPLACE ";" " " flags "${ARGN}")
    try_compile(${variable} "${folder}/${name}" SOURCES ${sources}
        CMAKE_FLAGS "-DCOMPILE_DEFINITIONS:STRING=${flags}"
        OUTPUT_VARIABLE output)
    file(WRITE "${folder}/${name}.log" "${output}")
    if(${variable})
        message(STATUS "KleidiAI: probing ${name}: yes")
    else()
        message(STATUS "KleidiAI: probing ${name}: no")
    endif()
endfunction()

# The first error of a probe's log.
function(kai_probe_error name variable)
    file(STRINGS "${PROJECT_BINARY_DIR}/kleidiai_probes/${name}.log" errors REGEX "[Ee]rror")
    list(APPEND errors "no error message")
    list(GET errors 0 error)
    set(${variable} "${error}" PARENT_SCOPE)
endfunction()

# What the compiler, or the assembler, must accept for these ISAs.
function(kai_cxx_probe variable)
    set(headers "#include <arm_neon.h>\n")
    if("${ARGN}" MATCHES "sve")
        string(APPEND headers "#include <arm_sve.h>\n")
    endif()
    set(instructions "")
    foreach(isa IN LISTS ARGN)
        string(APPEND instructions "${KAI_INSTRUCTION_${isa}}\\n")
    endforeach()
    set(${variable} "${headers}int main() { __asm__(\"${instructions}\"); }" PARENT_SCOPE)
endfunction()
function(kai_assembly_probe variable)
    set(lines "")
    foreach(isa IN LISTS ARGN)
        string(APPEND lines "    .arch ${KAI_ASM_ARCH_${isa}}\n    ${KAI_INSTRUCTION_${isa}}\n")
    endforeach()
    set(${variable} "${lines}" PARENT_SCOPE)
endfunction()

# A probe takes half a second, and most toolchains have everything: one probe for all ISAs of C++ together, one for
# those of assembly (not those that macros can encode). If it succeeds, KAI_TOOLCHAIN_HAS_<isa> is set for the caller,
# and kai_probe has nothing left to do for them.
macro(kai_probe_all)
    set(cxx_isas "")
    set(assembly_isas "")
    set(extensions "")
    foreach(isa IN LISTS KAI_ISAS)
        if(KAI_CXX_ARCH_${isa} MATCHES "^armv8.2-a(\\+.+)$")
            list(APPEND cxx_isas ${isa})
            string(APPEND extensions "${CMAKE_MATCH_1}")
        elseif(NOT isa STREQUAL "any" AND NOT KAI_CXX_ARCH_${isa} MATCHES "\\+" AND NOT KAI_ENCODINGS_${isa})
            list(APPEND assembly_isas ${isa})
        endif()
    endforeach()
    kai_set_flags(all "armv8.2-a${extensions}")
    kai_cxx_probe(source ${cxx_isas})
    kai_probe(KAI_TOOLCHAIN_HAS_all_cxx all_cxx .cpp "${source}" ${KAI_FLAGS_all})
    kai_assembly_probe(source ${assembly_isas})
    kai_probe(KAI_TOOLCHAIN_HAS_all_assembly all_assembly .S "${source}")
    foreach(language cxx assembly)
        if(KAI_TOOLCHAIN_HAS_all_${language})
            foreach(isa IN LISTS ${language}_isas)
                set(KAI_TOOLCHAIN_HAS_${isa} ON)
            endforeach()
        endif()
    endforeach()
endmacro()

function(kai_probe_isas)
    kai_probe(KAI_TARGET_IS_AARCH64 aarch64 .cpp "
        #if !defined(__aarch64__) && !defined(_M_ARM64)
        #error not AArch64
        #endif
        int main() { return 0; }")
    # A compiler for many targets assembles for the one that C has.
    if(NOT CMAKE_ASM_COMPILER_TARGET AND CMAKE_C_COMPILER_TARGET)
        set(CMAKE_ASM_COMPILER_TARGET "${CMAKE_C_COMPILER_TARGET}")
        set(CMAKE_ASM_COMPILER_TARGET "${CMAKE_C_COMPILER_TARGET}" PARENT_SCOPE)
    endif()
    if(KAI_TARGET_IS_AARCH64)
        kai_probe_all()
    endif()
    set(left_out "")
    foreach(isa IN LISTS KAI_ISAS)
        set(built 1)
        kai_set_flags(${isa} ${KAI_CXX_ARCH_${isa}})
        set(KAI_FLAGS_${isa} "${KAI_FLAGS_${isa}}" PARENT_SCOPE)
        if(NOT isa STREQUAL "any")
            set(built 0)
            if(KAI_TARGET_IS_AARCH64)
                if(KAI_CXX_ARCH_${isa} MATCHES "\\+")
                    kai_cxx_probe(source ${isa})
                    kai_probe(KAI_TOOLCHAIN_HAS_${isa} ${isa} .cpp "${source}" ${KAI_FLAGS_${isa}})
                else()
                    kai_assembly_probe(assembly ${isa})
                    kai_probe(KAI_TOOLCHAIN_HAS_${isa} ${isa} .S "${assembly}")
                    if(NOT KAI_TOOLCHAIN_HAS_${isa} AND KAI_ENCODINGS_${isa})
                        kai_probe(KAI_TOOLCHAIN_ENCODES_${isa} ${isa}_encoded .S
                            "#include \"${KAI_ENCODINGS_${isa}}\"\n${assembly}")
                    endif()
                endif()
                if(KAI_TOOLCHAIN_HAS_${isa})
                    set(built 1)
                elseif(KAI_TOOLCHAIN_ENCODES_${isa})
                    set(built 1)
                    set(KAI_ASM_FLAGS_${isa} "-include;${KAI_ENCODINGS_${isa}}" PARENT_SCOPE)
                    message(STATUS "KleidiAI: this assembler lacks ${isa}: macros encode its instructions")
                else()
                    list(APPEND left_out ${isa})
                    kai_probe_error(${isa} error)
                    message(WARNING
                        "KleidiAI: LEFT OUT: the ${isa} micro-kernels and packers, which this toolchain cannot "
                        "build: ${error}\nAll that it said: ${PROJECT_BINARY_DIR}/kleidiai_probes/${isa}.log")
                endif()
            endif()
        endif()
        set(KAI_BUILD_${isa} ${built} PARENT_SCOPE)
        set(KAI_BUILD_${isa} ${built})
    endforeach()
    if(NOT KAI_TARGET_IS_AARCH64)
        message(STATUS "KleidiAI: not AArch64: portable micro-kernels and packers, and the registry, only")
    endif()
    set(missing "")
    foreach(isa IN LISTS KLEIDIAI_REQUIRE_ISAS)
        if(NOT isa IN_LIST KAI_ISAS)
            message(FATAL_ERROR "KleidiAI: KLEIDIAI_REQUIRE_ISAS: no ISA named \"${isa}\". There are: ${KAI_ISAS}")
        elseif(NOT KAI_BUILD_${isa})
            list(APPEND missing ${isa})
        endif()
    endforeach()
    if(missing)
        message(FATAL_ERROR "KleidiAI: KLEIDIAI_REQUIRE_ISAS asks for ${missing}: this toolchain cannot build them.")
    endif()
    set(KAI_TARGET_IS_AARCH64 ${KAI_TARGET_IS_AARCH64} PARENT_SCOPE)
endfunction()
