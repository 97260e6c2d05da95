# Packages by CPack: `cpack -G DEB` (or RPM, TGZ) in the build directory. Configure with -DCMAKE_INSTALL_PREFIX=/usr for
# Debian's folder of libraries, and with -DKLEIDIAI_BUILD_BOTH=ON: then there are two, as Debian has them,
#
#   libkleidiai-cleanroom1      the shared libraries, by the number of their SONAME: what programs need to run
#   libkleidiai-cleanroom-dev   headers, static libraries, the links by which linkers find the shared ones, tools
#
# else one, with all that is installed.
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
set(kai_same_files libkleidiai-dev)  # which has the same files
set(CPACK_DEBIAN_PACKAGE_PROVIDES "libkleidiai-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PACKAGE_CONFLICTS ${kai_same_files})
set(CPACK_DEBIAN_PACKAGE_REPLACES ${kai_same_files})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libstdc++6")  # kai-pack
if(KAI_TARGET_IS_AARCH64)
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)  # otherwise that of the host
endif()
if(KLEIDIAI_BUILD_BOTH)
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_COMPONENTS_ALL runtime development)
    set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Shared libraries.")
    set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers, static libraries, and tools.")
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME ${CPACK_PACKAGE_NAME})
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_PROVIDES "${CPACK_DEBIAN_PACKAGE_PROVIDES}")
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_CONFLICTS ${kai_same_files})
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_REPLACES ${kai_same_files})
    set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libkleidiai-cleanroom${kai_soversion})
    set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
    set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS libc6)
    unset(CPACK_DEBIAN_PACKAGE_PROVIDES)
    unset(CPACK_DEBIAN_PACKAGE_CONFLICTS)
    unset(CPACK_DEBIAN_PACKAGE_REPLACES)
    # The libraries are found after ldconfig has run; a program that is packaged depends on this version or a later one.
    file(WRITE "${PROJECT_BINARY_DIR}/debian/triggers" "activate-noawait ldconfig\n")
    set(kai_shlibs "")
    foreach(kai_name libkleidiai libkleidiai_gemm libkleidiai_attention)
        string(APPEND kai_shlibs
            "${kai_name} ${kai_soversion} ${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} (>= ${kai_library_version})\n")
    endforeach()
    file(WRITE "${PROJECT_BINARY_DIR}/debian/shlibs" "${kai_shlibs}")
    set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
        "${PROJECT_BINARY_DIR}/debian/triggers" "${PROJECT_BINARY_DIR}/debian/shlibs")
    set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_STRICT_PERMISSION ON)
    # The version is known to CPack only (./kai.sh release).
    set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/KaiPackageVersion.cmake")
endif()
include(CPack)
