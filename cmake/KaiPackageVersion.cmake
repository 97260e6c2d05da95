# Read by CPack (KaiPackage.cmake): headers and static libraries belong to the shared libraries of the same version.
#
# SPDX-License-Identifier: Apache-2.0

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} (= ${CPACK_PACKAGE_VERSION}), ${CPACK_DEBIAN_PACKAGE_DEPENDS}")
