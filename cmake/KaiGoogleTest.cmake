# GTest::gtest: the installed one, or, when cross compiling, built from the sources that Debian and Ubuntu ship.

if(NOT CMAKE_CROSSCOMPILING)
    find_package(GTest QUIET)
endif()
if(NOT TARGET GTest::gtest)
    set(KLEIDIAI_GTEST_SOURCE "/usr/src/googletest" CACHE PATH "Source tree of GoogleTest")
    if(NOT EXISTS "${KLEIDIAI_GTEST_SOURCE}/CMakeLists.txt")
        message(FATAL_ERROR "GoogleTest not found. Install libgtest-dev (Debian, Ubuntu), set KLEIDIAI_GTEST_SOURCE to its "
            "source tree, or configure with -DKLEIDIAI_BUILD_TESTS=OFF.")
    endif()
    set(INSTALL_GTEST OFF)
    set(BUILD_GMOCK OFF)
    add_subdirectory("${KLEIDIAI_GTEST_SOURCE}" "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL SYSTEM)
    if(NOT TARGET GTest::gtest)
        add_library(GTest::gtest ALIAS gtest)
    endif()
endif()
