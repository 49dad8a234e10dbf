# SPDX-License-Identifier: Apache-2.0
#
# The target `docs`: the reference of the C interface as HTML, in docs/html of the build folder.

find_program(DOXYGEN doxygen)
if(DOXYGEN)
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/docs
    COMMAND sh -c "{ cat docs/Doxyfile && echo 'OUTPUT_DIRECTORY = \"${PROJECT_BINARY_DIR}/docs\"'; } | '${DOXYGEN}' -"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM COMMENT "Making the reference in ${PROJECT_BINARY_DIR}/docs/html")
endif()
