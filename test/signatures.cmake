# kleidiai_signatures: a C and a C++ file that include the library's headers and then the prototypes of the
# specification. A function that both declare must have one type, or the compiler stops. It is built with everything
# else.
#
# SPDX-License-Identifier: Apache-2.0

if(NOT EXISTS "${KLEIDIAI_SPEC_DIR}/common_types.h")
    message(STATUS "KleidiAI: no specification at KLEIDIAI_SPEC_DIR: signatures are not compared")
    return()
endif()

set(folder "${CMAKE_CURRENT_BINARY_DIR}/signatures")
file(MAKE_DIRECTORY "${folder}")

# api/ is the interface of 1.30, api_next/ what 1.31 and 1.32 add (KAI_NEXT: to the structures, too).
#
# Interface tables exist on both sides: those of the specification get another name, and the sizes are compared.
set(comparison "")
file(GLOB spec_headers "${KLEIDIAI_SPEC_DIR}/*.h" "${KLEIDIAI_SPEC_DIR}_next/*.h")
set(includes "")
set(unified "")
foreach(header IN LISTS spec_headers)
    file(READ "${header}" text)
    get_filename_component(name "${header}" NAME)
    get_filename_component(part "${header}" DIRECTORY)
    get_filename_component(part "${part}" NAME)
    string(REGEX MATCHALL "struct kai_[a-z0-9_]+_ukernel {" tables "${text}")
    string(REPLACE ";" "@" structs "${text}")  # a list has semicolons of its own
    string(REGEX MATCHALL "struct kai_i?matmul_[a-z_]*uker_[a-z_]+ {[^}]*}" structs "${structs}")
    list(APPEND unified ${structs})
    string(REGEX REPLACE "struct (kai_[a-z0-9_]+_ukernel) {" "struct spec_\\1 {" text "${text}")
    file(WRITE "${folder}/${part}/${name}" "${text}")
    string(APPEND includes "#include \"${folder}/${part}/${name}\"\n")
    foreach(table IN LISTS tables)
        string(REGEX REPLACE "struct (kai_[a-z0-9_]+_ukernel) {" "\\1" table "${table}")
        string(REGEX REPLACE "^kai_(.+)_ukernel$" "\\1" family "${table}")  # KAI_DECLARE_TABLE(LIST, family, run, ...)
        foreach(ours IN LISTS KAI_HEADERS)
            file(STRINGS "${PROJECT_SOURCE_DIR}/${ours}" found REGEX "struct ${table} {|[A-Z], ${family}, run_")
            if(found)
                string(APPEND comparison "typedef char ${table}_has_the_size_of_the_specification"
                    "[sizeof(struct ${table}) == sizeof(struct spec_${table}) ? 1 : -1];\n")
            endif()
        endforeach()
    endforeach()
endforeach()

# So do the structures of the unified API: their sizes and the places of their members are compared.
set(compared "")
foreach(struct IN LISTS unified)
    string(REGEX MATCH "kai_i?matmul_[a-z_]+" name "${struct}")
    if(name IN_LIST compared)
        continue()
    endif()
    list(APPEND compared ${name})
    string(REGEX MATCHALL "[a-z_]+@|[*][a-z_]+[)]" members "${struct}")
    string(REPLACE "struct kai_" "struct spec_kai_" struct "${struct}")
    string(REPLACE "@" ";" struct "${struct}")
    string(APPEND comparison "${struct};\n"
        "typedef char ${name}_has_the_size_of_the_specification"
        "[sizeof(struct ${name}) == sizeof(struct spec_${name}) ? 1 : -1];\n")
    foreach(member IN LISTS members)
        string(REGEX REPLACE "[^a-z_]" "" member "${member}")
        string(APPEND comparison "typedef char ${name}_${member}_is_where_the_specification_has_it"
            "[offsetof(struct ${name}, ${member}) == offsetof(struct spec_${name}, ${member}) ? 1 : -1];\n")
    endforeach()
endforeach()

set(ours "")
foreach(header IN LISTS KAI_HEADERS)
    string(APPEND ours "#include \"${header}\"\n")
endforeach()
file(WRITE "${folder}/signatures.h"
    "// Written by test/signatures.cmake.\n#define KAI_NEXT\n${ours}${includes}${comparison}")
foreach(extension c cpp)
    file(WRITE "${folder}/signatures.${extension}" "#include \"${folder}/signatures.h\"\n")
endforeach()

add_library(kleidiai_signatures OBJECT "${folder}/signatures.c" "${folder}/signatures.cpp")
set_target_properties(kleidiai_signatures PROPERTIES C_STANDARD 11 CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
target_include_directories(kleidiai_signatures PRIVATE $<TARGET_PROPERTY:kleidiai,INTERFACE_INCLUDE_DIRECTORIES>)
