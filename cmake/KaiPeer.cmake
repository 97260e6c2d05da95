# KleidiAI's own library, beside this one in one program: Debian's package for arm64, which tools/setup.sh (need_peer)
# unpacks into .cache. Its functions are renamed: they begin with peer_ (test/peer/make_table.cmake).
#
# kai_can_link_peer: whether it is there. kai_peer_version: which one.
# kai_link_peer(TARGET): links it, with a table of all functions (test/peer/peer.hpp).
#
# SPDX-License-Identifier: Apache-2.0

find_library(KLEIDIAI_PEER kleidiai PATHS "${PROJECT_SOURCE_DIR}/.cache/peer/usr/lib/aarch64-linux-gnu"
    NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
find_program(KAI_PEER_OBJCOPY NAMES llvm-objcopy-23 llvm-objcopy-22 llvm-objcopy-21 llvm-objcopy-20 llvm-objcopy-19
    llvm-objcopy aarch64-linux-gnu-objcopy)
set(kai_can_link_peer OFF)
if(KLEIDIAI_PEER AND KAI_PEER_OBJCOPY AND CMAKE_NM AND KAI_TARGET_IS_AARCH64)
    set(kai_can_link_peer ON)
    get_filename_component(kai_peer_folder "${KLEIDIAI_PEER}" DIRECTORY)
    set(kai_peer_version "of an unknown version")
    file(GLOB kai_peer_config "${kai_peer_folder}/cmake/KleidiAI/*ersion.cmake")
    if(kai_peer_config)
        file(STRINGS "${kai_peer_config}" kai_peer_lines REGEX "set\\(PACKAGE_VERSION \"")
        string(REGEX REPLACE ".*PACKAGE_VERSION \"([0-9.]+)\".*" "\\1" kai_peer_version "${kai_peer_lines}")
    endif()
endif()

function(kai_link_peer target)
    set(peer "${CMAKE_CURRENT_BINARY_DIR}/peer")
    set(table "${PROJECT_SOURCE_DIR}/test/peer/make_table.cmake")
    file(MAKE_DIRECTORY "${peer}")
    add_custom_command(OUTPUT "${peer}/peer_table.cpp" "${peer}/libpeer.a"
        COMMAND "${CMAKE_COMMAND}" -DNM=${CMAKE_NM} -DOBJCOPY=${KAI_PEER_OBJCOPY} -DPEER=${KLEIDIAI_PEER}
            -DOURS=$<TARGET_FILE:kleidiai> -DOUT=${peer} -P "${table}"
        DEPENDS kleidiai "${table}" "${KLEIDIAI_PEER}" VERBATIM)
    target_sources(${target} PRIVATE "${peer}/peer_table.cpp")
    target_link_libraries(${target} PRIVATE kleidiai "${peer}/libpeer.a")
endfunction()
