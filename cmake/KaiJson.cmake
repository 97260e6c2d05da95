# kai_link_json(TARGET): nlohmann's JSON and KAI_HAS_JSON, if it is installed. It is headers alone: a cross build takes
# the host's, through a folder that has no others. Without it kai-pack refuses files of safetensors.
#
# SPDX-License-Identifier: Apache-2.0
find_path(KAI_JSON nlohmann/json.hpp NO_CMAKE_FIND_ROOT_PATH
    PATHS /usr/include /usr/local/include /opt/homebrew/include)
if(KAI_JSON)
    set(KAI_JSON_HEADERS "${PROJECT_BINARY_DIR}/json")
    file(COPY "${KAI_JSON}/nlohmann" DESTINATION "${KAI_JSON_HEADERS}")
else()
    message(STATUS "KleidiAI: no nlohmann-json: kai-pack does not read safetensors")
endif()

function(kai_link_json target)
    if(KAI_JSON)
        target_include_directories(${target} SYSTEM PRIVATE "${KAI_JSON_HEADERS}")
        target_compile_definitions(${target} PRIVATE KAI_HAS_JSON)
    endif()
endfunction()
