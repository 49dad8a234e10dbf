# SPDX-License-Identifier: Apache-2.0
#
# The target `docs`: the site, with the documents and the reference of the C interface, in docs/html of the build folder.

find_program(DOXYGEN doxygen)
find_program(OSCOMMIT_DOCS_PYTHON python3)
if(DOXYGEN AND OSCOMMIT_DOCS_PYTHON)
  add_custom_target(docs
    COMMAND ${OSCOMMIT_DOCS_PYTHON} -B docs/site.py ${PROJECT_BINARY_DIR}/docs
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM COMMENT "Making the site in ${PROJECT_BINARY_DIR}/docs/html")
endif()
