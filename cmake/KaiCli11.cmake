# The target CLI11::CLI11. It is headers alone: a cross build takes the host's, through a folder that has no others.
#
# SPDX-License-Identifier: Apache-2.0
find_package(CLI11 QUIET)
if(NOT TARGET CLI11::CLI11)
    find_path(KAI_CLI11 CLI/CLI.hpp NO_CMAKE_FIND_ROOT_PATH PATHS /usr/include /usr/local/include /opt/homebrew/include)
    if(KAI_CLI11)
        set(kai_headers "${PROJECT_BINARY_DIR}/cli11")
        file(COPY "${KAI_CLI11}/CLI" DESTINATION "${kai_headers}")
        add_library(kai_cli11 INTERFACE IMPORTED GLOBAL)
        target_include_directories(kai_cli11 SYSTEM INTERFACE "${kai_headers}")
        add_library(CLI11::CLI11 ALIAS kai_cli11)
    else()
        message(STATUS "KleidiAI: no CLI11 installed: fetching it")
        include(FetchContent)
        FetchContent_Declare(CLI11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG v2.3.2 GIT_SHALLOW ON)
        FetchContent_MakeAvailable(CLI11)
    endif()
endif()
