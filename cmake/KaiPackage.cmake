# Packages by CPack: `cpack -G DEB` (or RPM, TGZ) in the build directory. Configure with -DCMAKE_INSTALL_PREFIX=/usr for
# Debian's folder of libraries.
#
# SPDX-License-Identifier: Apache-2.0

set(CPACK_PACKAGE_NAME libkleidiai-cleanroom-dev)  # Debian has a libkleidiai-dev: KleidiAI itself
set(CPACK_PACKAGE_VENDOR "libkleidiai")
set(CPACK_PACKAGE_CONTACT "the maintainers of libkleidiai <maintainers@localhost>")
set(CPACK_PACKAGE_VERSION "${kai_library_version}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_PROVIDES "libkleidiai-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PACKAGE_CONFLICTS libkleidiai-dev)  # the same files
set(CPACK_DEBIAN_PACKAGE_REPLACES libkleidiai-dev)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libstdc++6")  # kai-pack
if(KAI_TARGET_IS_AARCH64)
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)  # otherwise that of the host
endif()
include(CPack)
