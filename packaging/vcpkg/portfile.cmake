# An overlay port: vcpkg install libkleidiai --overlay-ports=<libkleidiai>/packaging/vcpkg
# It builds the tree that it lies in, or that of the environment variable KLEIDIAI_SOURCE.
#
# SPDX-License-Identifier: Apache-2.0
if(DEFINED ENV{KLEIDIAI_SOURCE})
    set(SOURCE_PATH "$ENV{KLEIDIAI_SOURCE}")
else()
    get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
endif()

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DKLEIDIAI_BUILD_TESTS=OFF -DKLEIDIAI_BUILD_EXAMPLES=OFF -DKLEIDIAI_INSTALL=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME KleidiAI CONFIG_PATH lib/cmake/KleidiAI)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
