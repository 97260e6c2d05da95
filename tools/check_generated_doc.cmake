# Fails if FILE is not what TOOL prints. TARGET writes it (update_docs).
if(NOT TARGET)
    set(TARGET update_docs)
endif()
execute_process(COMMAND "${TOOL}" ${ARGUMENTS} OUTPUT_VARIABLE now COMMAND_ERROR_IS_FATAL ANY)
file(READ "${FILE}" kept)
if(NOT now STREQUAL kept)
    message(FATAL_ERROR "${FILE} is out of date. Build the target ${TARGET} and commit the file.")
endif()
