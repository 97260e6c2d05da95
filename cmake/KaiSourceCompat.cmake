# The target source_compat: source files at the paths of KleidiAI, for clients that list those files in
# their own build, in source_compat/ of the build directory (tools/source_compat.py, docs/migration.md).

function(kai_add_source_compat)
    find_program(KLEIDIAI_PYTHON NAMES python3 python DOC "Python 3, for the target source_compat")
    if(NOT KAI_TARGET_IS_AARCH64 OR WIN32 OR APPLE OR NOT KLEIDIAI_PYTHON)
        add_custom_target(source_compat
            COMMAND "${CMAKE_COMMAND}" -E echo
            "source_compat needs Python 3 and a build for AArch64 with ELF (Linux, Android, BSD)"
            COMMAND "${CMAKE_COMMAND}" -E false)
        return()
    endif()
    set(lists "${PROJECT_BINARY_DIR}/source_compat_lists")
    file(GENERATE OUTPUT "${lists}/objects.txt" CONTENT "$<JOIN:$<TARGET_OBJECTS:kleidiai>,\n>\n")
    string(REPLACE ";" "\n" names "${KAI_COMPAT_NAMES}")
    file(WRITE "${lists}/names.txt" "${names}\n")
    string(REPLACE ";" "\n" headers "${KAI_HEADERS};${KAI_CATALOGUES}")
    file(WRITE "${lists}/headers.txt" "${headers}\n")
    add_custom_target(source_compat
        COMMAND "${KLEIDIAI_PYTHON}" "${PROJECT_SOURCE_DIR}/tools/source_compat.py" --root "${PROJECT_SOURCE_DIR}"
            --objects "${lists}/objects.txt" --names "${lists}/names.txt" --headers "${lists}/headers.txt"
            --compat "${kai_compat_include}" --out "${PROJECT_BINARY_DIR}/source_compat"
        DEPENDS kleidiai VERBATIM)
endfunction()
