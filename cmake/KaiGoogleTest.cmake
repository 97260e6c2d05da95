# GTest::gtest: the installed one (not when cross compiling), else built from sources: KLEIDIAI_GTEST_SOURCE, which
# Debian and Ubuntu install, else fetched (KLEIDIAI_FETCH_GTEST). If there is none, no tests are built.
#
# SPDX-License-Identifier: Apache-2.0

if(NOT CMAKE_CROSSCOMPILING)
    find_package(GTest QUIET)
endif()
if(TARGET GTest::gtest)
    return()
endif()

set(KLEIDIAI_GTEST_SOURCE "/usr/src/googletest" CACHE PATH "Source tree of GoogleTest")
option(KLEIDIAI_FETCH_GTEST "Download GoogleTest if it is not installed" ON)
set(INSTALL_GTEST OFF)
set(BUILD_GMOCK OFF)
set(kai_gtest "${KLEIDIAI_GTEST_SOURCE}")
if(NOT EXISTS "${kai_gtest}/CMakeLists.txt" AND KLEIDIAI_FETCH_GTEST)
    # Downloaded here, since a download that FetchContent cannot make is an error: then there are no tests, that is all.
    set(kai_gtest_archive "${PROJECT_BINARY_DIR}/googletest-1.14.0.tar.gz")
    set(kai_gtest_hash 8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7)
    set(kai_gtest_found "")
    if(EXISTS "${kai_gtest_archive}")
        file(SHA256 "${kai_gtest_archive}" kai_gtest_found)
    endif()
    if(NOT kai_gtest_found STREQUAL kai_gtest_hash)
        message(STATUS "KleidiAI: downloading GoogleTest (KLEIDIAI_FETCH_GTEST)")
        file(DOWNLOAD https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz "${kai_gtest_archive}"
            TIMEOUT 60 INACTIVITY_TIMEOUT 20)
        file(SHA256 "${kai_gtest_archive}" kai_gtest_found)
    endif()
    if(kai_gtest_found STREQUAL kai_gtest_hash)
        include(FetchContent)
        if(POLICY CMP0135)
            cmake_policy(SET CMP0135 NEW)
        endif()
        FetchContent_Declare(kai_googletest URL "${kai_gtest_archive}" URL_HASH SHA256=${kai_gtest_hash}
            SOURCE_SUBDIR none)  # only unpacked here
        FetchContent_MakeAvailable(kai_googletest)
        set(kai_gtest "${kai_googletest_SOURCE_DIR}")
    endif()
endif()
if(NOT EXISTS "${kai_gtest}/CMakeLists.txt")
    message(WARNING "GoogleTest not found: NO TESTS ARE BUILT. Install it (libgtest-dev on Debian and Ubuntu, "
        "googletest with Homebrew, gtest-devel on Fedora), set KLEIDIAI_GTEST_SOURCE to its source tree, or configure "
        "with -DKLEIDIAI_BUILD_TESTS=OFF.")
    set(KLEIDIAI_BUILD_TESTS OFF)
    return()
endif()
add_subdirectory("${kai_gtest}" "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL)
if(NOT TARGET GTest::gtest)
    add_library(GTest::gtest ALIAS gtest)
endif()
