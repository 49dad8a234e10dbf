# SPDX-License-Identifier: Apache-2.0
#
# What is installed, and how other projects find it: a CMake package and a pkg-config file. Both find their prefix from
# where they stand, so that an installed tree may be moved.

include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tool) # the components are packages, too (OscommitPackage.cmake)

# ---------------------------------------------------------------------------------- libraries, header, tool, documents

install(TARGETS oscommit EXPORT oscommit-shared
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS oscommit_static EXPORT oscommit-static
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
file(GLOB headers CONFIGURE_DEPENDS include/*.h include/*.hpp)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
file(GLOB headers CONFIGURE_DEPENDS include/oscommit/*.hpp)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/oscommit COMPONENT development)

set(OSCOMMIT_PROGRAMS oscommit_tool)
if(NOT OSCOMMIT_ONE_PROGRAM)
  list(APPEND OSCOMMIT_PROGRAMS oscommit_race)
endif()
install(TARGETS ${OSCOMMIT_PROGRAMS} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
file(GLOB manuals CONFIGURE_DEPENDS docs/man/*.[1-8])
foreach(manual IN LISTS manuals)
  cmake_path(GET manual EXTENSION LAST_ONLY section)
  string(SUBSTRING ${section} 1 1 section)
  if(OSCOMMIT_PACKAGES) # Debian Policy, 12.1
    cmake_path(GET manual FILENAME name)
    execute_process(COMMAND gzip -9nc ${manual} OUTPUT_FILE ${PROJECT_BINARY_DIR}/${name}.gz COMMAND_ERROR_IS_FATAL ANY)
    set(manual ${PROJECT_BINARY_DIR}/${name}.gz)
  endif()
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(FILES tool/completion/oscommit.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME oscommit)
install(FILES tool/completion/oscommit.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES tool/completion/oscommit.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _oscommit)
if(OSCOMMIT_PACKAGES STREQUAL DEB) # Debian's zsh does not look there when it is installed below /usr
  install(FILES tool/completion/oscommit.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _oscommit)
endif()
install(FILES README.md LICENSE SECURITY.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB documents CONFIGURE_DEPENDS docs/*.md)
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
file(GLOB pictures CONFIGURE_DEPENDS docs/pictures/*.svg docs/pictures/*.png)
install(FILES ${pictures} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs/pictures)
install(FILES examples/catalog.c examples/catalog.py examples/chain.c examples/counter.c examples/documents.c examples/epoll.c examples/iceberg.c examples/libuv.c examples/many.c
  examples/pool.c examples/compact.sh examples/publish.c examples/publish.cpp examples/publish.py examples/publish.sh examples/transfer.c
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

# The module under another licence: a component, and so a package, of its own. Nobody links it, so it needs no other name.
if(OSCOMMIT_HAVE_LIBS3)
  install(TARGETS oscommit-sigv2 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP COMPONENT oscommit-sigv2)
  install(FILES src/sigv2/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/liboscommit-sigv2 COMPONENT oscommit-sigv2)
endif()

# ---------------------------------------------------------------------------------------------------- CMake package

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/oscommit)
foreach(kind shared static)
  install(EXPORT oscommit-${kind} NAMESPACE oscommit:: FILE oscommit-${kind}.cmake DESTINATION ${package_dir}
    COMPONENT development)
endforeach()
configure_package_config_file(cmake/oscommit-config.cmake.in ${PROJECT_BINARY_DIR}/oscommit-config.cmake
  INSTALL_DESTINATION ${package_dir})
# While the major version is 0, another minor version is another interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/oscommit-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/oscommit-config.cmake ${PROJECT_BINARY_DIR}/oscommit-config-version.cmake
  cmake/OscommitDependencies.cmake DESTINATION ${package_dir} COMPONENT development)

# ------------------------------------------------------------------------------------------------------- pkg-config

# Not Requires.private: with --static, pkg-config would add what libcurl itself needs when it is linked statically, and
# Debian's libcurl package does not bring those libraries. Ours is static, what it stands on is shared.
set(OSCOMMIT_PC_PRIVATE_LIBS "-lcurl -lcrypto -lsqlite3 -lexpat -ljansson")
foreach(library IN LISTS CMAKE_DL_LIBS)
  string(APPEND OSCOMMIT_PC_PRIVATE_LIBS " -l${library}")
endforeach()
string(APPEND OSCOMMIT_PC_PRIVATE_LIBS " -pthread")
file(RELATIVE_PATH OSCOMMIT_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" OSCOMMIT_PC_TO_PREFIX "${OSCOMMIT_PC_TO_PREFIX}")
foreach(name LIBDIR INCLUDEDIR)
  file(RELATIVE_PATH OSCOMMIT_PC_${name} ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_${name}})
endforeach()
configure_file(cmake/oscommit.pc.in ${PROJECT_BINARY_DIR}/oscommit.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/oscommit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
