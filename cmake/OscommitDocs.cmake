# SPDX-License-Identifier: Apache-2.0
#
# The manual of the C interface, section 3, which is made from the comments of the headers where Python is installed. And the
# target `docs`: the site, with the documents and the same reference, in docs/html of the build folder.

find_program(DOXYGEN doxygen)
find_program(OSCOMMIT_DOCS_PYTHON python3)
if(OSCOMMIT_DOCS_PYTHON)
  set(pages ${PROJECT_BINARY_DIR}/docs/man3)
  set(compressed "")
  if(OSCOMMIT_PACKAGES) # Debian Policy, 12.1
    set(compressed --gzip)
  endif()
  set(makers docs/man/make.py docs/man/header.py docs/man/roff.py)
  list(TRANSFORM makers PREPEND ${PROJECT_SOURCE_DIR}/)
  file(GLOB described CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
  file(GLOB shown CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
  add_custom_command(OUTPUT ${pages}.made
    COMMAND ${OSCOMMIT_DOCS_PYTHON} -B docs/man/make.py . ${pages} --examples ${CMAKE_INSTALL_FULL_DOCDIR}/examples ${compressed}
    COMMAND ${CMAKE_COMMAND} -E touch ${pages}.made
    DEPENDS ${makers} ${described} ${shown}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM COMMENT "Making the manual of the C interface")
  add_custom_target(oscommit_manual ALL DEPENDS ${pages}.made)
  # OPTIONAL: whoever has built the library alone can install that.
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT development OPTIONAL)
endif()
if(DOXYGEN AND OSCOMMIT_DOCS_PYTHON)
  add_custom_target(docs
    COMMAND ${OSCOMMIT_DOCS_PYTHON} -B docs/site.py ${PROJECT_BINARY_DIR}/docs
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM COMMENT "Making the site in ${PROJECT_BINARY_DIR}/docs/html")
endif()
