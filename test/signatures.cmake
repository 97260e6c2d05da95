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

# Interface tables exist on both sides: those of the specification get another name, and the sizes are compared.
set(comparison "")
file(GLOB spec_headers "${KLEIDIAI_SPEC_DIR}/*.h")
set(includes "")
foreach(header IN LISTS spec_headers)
    file(READ "${header}" text)
    get_filename_component(name "${header}" NAME)
    string(REGEX MATCHALL "struct kai_[a-z0-9_]+_ukernel {" tables "${text}")
    string(REGEX REPLACE "struct (kai_[a-z0-9_]+_ukernel) {" "struct spec_\\1 {" text "${text}")
    file(WRITE "${folder}/${name}" "${text}")
    string(APPEND includes "#include \"${folder}/${name}\"\n")
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

set(ours "")
foreach(header IN LISTS KAI_HEADERS)
    string(APPEND ours "#include \"${header}\"\n")
endforeach()
file(WRITE "${folder}/signatures.h" "// Written by test/signatures.cmake.\n${ours}${includes}${comparison}")
foreach(extension c cpp)
    file(WRITE "${folder}/signatures.${extension}" "#include \"${folder}/signatures.h\"\n")
endforeach()

add_library(kleidiai_signatures OBJECT "${folder}/signatures.c" "${folder}/signatures.cpp")
set_target_properties(kleidiai_signatures PROPERTIES C_STANDARD 11 CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
target_include_directories(kleidiai_signatures PRIVATE $<TARGET_PROPERTY:kleidiai,INTERFACE_INCLUDE_DIRECTORIES>)
