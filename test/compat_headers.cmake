# kleidiai_compat_headers: a C99 file and a C++ file for each public header, which includes nothing else, and one of
# each for all of them and all paths of the compatibility tree, which lead to those headers. Compiled, not run.
#
# In cross builds these last ones alone: the build for the host shows that each header has what it needs, there without
# what kai_common.h includes for Arm.
#
# SPDX-License-Identifier: Apache-2.0

set(folder "${CMAKE_CURRENT_BINARY_DIR}/compat_headers")
file(GLOB_RECURSE headers RELATIVE "${PROJECT_BINARY_DIR}/compat" "${PROJECT_BINARY_DIR}/compat/*.h")
set(sources "")
set(alone ${KAI_HEADERS})
if(CMAKE_CROSSCOMPILING)
    set(alone kai/kai_common.h)
endif()
foreach(header IN LISTS alone)
    string(MAKE_C_IDENTIFIER "${header}" name)
    foreach(extension c cpp)
        file(CONFIGURE OUTPUT "${folder}/${name}.${extension}" CONTENT "#include \"${header}\"\nextern int ${name};\n")
        list(APPEND sources "${folder}/${name}.${extension}")
    endforeach()
endforeach()
set(includes ${headers} ${KAI_HEADERS})
list(TRANSFORM includes REPLACE "(.+)" "#include \"\\1\"")
list(JOIN includes "\n" includes)
foreach(extension c cpp)
    file(CONFIGURE OUTPUT "${folder}/all.${extension}" CONTENT "${includes}\nextern int all;\n")
    list(APPEND sources "${folder}/all.${extension}")
endforeach()

# Every path of the specification is there, but for what the library lacks.
set(missing)
file(GLOB spec_headers "${KLEIDIAI_SPEC_DIR}/*.h" "${KLEIDIAI_SPEC_DIR}_next/*.h")
foreach(spec_header IN LISTS spec_headers)
    file(STRINGS "${spec_header}" lines REGEX "^/\\* kai/[^ ]+\\.h")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^/\\* (kai/[^ ]+\\.h).*" "\\1" path "${line}")
        if(path IN_LIST missing AND path IN_LIST headers)
            message(FATAL_ERROR "The list of missing paths has ${path}, which is there")
        elseif(NOT path IN_LIST headers AND NOT path IN_LIST KAI_HEADERS AND NOT path IN_LIST missing)
            message(FATAL_ERROR "No header at ${path}, which clients of the specification include")
        endif()
    endforeach()
endforeach()

add_library(kleidiai_compat_headers OBJECT ${sources})
set_target_properties(kleidiai_compat_headers PROPERTIES
    C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF CXX_STANDARD 11 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
target_compile_options(kleidiai_compat_headers PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Werror
    $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>)
target_link_libraries(kleidiai_compat_headers PRIVATE kleidiai)
