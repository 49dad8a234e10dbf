# SPDX-License-Identifier: Apache-2.0
#
# Packages for Debian and for RPM systems, by CPack: a library, what programs are built with, the tool, and apart the
# module under another licence. scripts/package.sh makes them. They are for a build with the prefix /usr.

set(library_package liboscommit${OSCOMMIT_SOVERSION})
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
set(made ${PROJECT_BINARY_DIR}/packaging)

set(CPACK_PACKAGE_NAME oscommit)
set(CPACK_PACKAGE_VENDOR "The oscommit authors")
set(OSCOMMIT_MAINTAINER "oscommit <nobody@localhost>" CACHE STRING "Who answers for the packages: NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT "${OSCOMMIT_MAINTAINER}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "exactly-once conditional writes to object stores")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR ${OSCOMMIT_PACKAGES})
set(CPACK_COMPONENTS_ALL library development tool)
if(OSCOMMIT_HAVE_LIBS3)
  list(APPEND CPACK_COMPONENTS_ALL oscommit-sigv2)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)

# ---------------------------------------------------------------------------------------------------------- Debian

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${OSCOMMIT_LIB_OUTPUT}) # our own library, for the tool
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(what "Writes to an object store that happen exactly once, and only if
nothing changed, on any S3-like store: with the store's own conditions
where they are proven, else with small records in DynamoDB. Without a
server it works on files and SQLite.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "exactly-once writes to object stores - library\n${what}\n.\nThis package has the shared library.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS liboscommit-sigv2)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${made}/triggers ${made}/shlibs ${made}/symbols)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME liboscommit-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${library_package} (= ${PROJECT_VERSION}-1), libcurl4-openssl-dev, libssl-dev, libsqlite3-dev, libexpat1-dev, libjansson-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "exactly-once writes to object stores - development files\n${what}\n.\nThis package has the headers, the static library, and what CMake and\npkg-config need.")

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME oscommit)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION}-1)")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "exactly-once writes to object stores - command-line tool\n${what}\n.\nThis package has the tool, its manual, completions and documents.")

set(CPACK_DEBIAN_OSCOMMIT-SIGV2_PACKAGE_NAME liboscommit-sigv2)
set(CPACK_DEBIAN_OSCOMMIT-SIGV2_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_OSCOMMIT-SIGV2_PACKAGE_CONTROL_EXTRA ${made}/triggers ${made}/sigv2/shlibs)
set(CPACK_DEBIAN_OSCOMMIT-SIGV2_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION}-1)")
set(CPACK_COMPONENT_OSCOMMIT-SIGV2_DESCRIPTION "exactly-once writes to object stores - Signature V2\n${what}\n.\nThis package has the module for servers that only speak Signature V2.\nIt is linked with libs3, and so under GPL-3.")

# The version in each is that of the first release with the function; all are of this one so far.
file(CONFIGURE OUTPUT ${made}/triggers CONTENT "activate-noawait ldconfig\n")
file(CONFIGURE OUTPUT ${made}/shlibs
  CONTENT "liboscommit ${OSCOMMIT_SOVERSION} ${library_package} (>= ${PROJECT_VERSION})\n")
file(CONFIGURE OUTPUT ${made}/sigv2/shlibs
  CONTENT "liboscommit-sigv2 ${OSCOMMIT_SOVERSION} liboscommit-sigv2 (>= ${PROJECT_VERSION})\n")
file(STRINGS ${packaging}/symbols symbols)
list(TRANSFORM symbols REPLACE "^([a-z0-9_]+) (.+)$" " \\1@Base \\2")
list(JOIN symbols "\n" symbols)
file(CONFIGURE OUTPUT ${made}/symbols
  CONTENT "liboscommit.so.${OSCOMMIT_SOVERSION} ${library_package} #MINVER#\n${symbols}\n")

# Debian Policy, 12.5 and 12.7: each package has both.
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${made}/changelog
  CONTENT "oscommit (${PROJECT_VERSION}-1) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${today}\n")
find_program(OSCOMMIT_GZIP gzip)
if(OSCOMMIT_PACKAGES STREQUAL DEB AND OSCOMMIT_GZIP)
  execute_process(COMMAND ${OSCOMMIT_GZIP} -9nkf ${made}/changelog)
  foreach(pair library:${library_package} development:liboscommit-dev tool:oscommit oscommit-sigv2:liboscommit-sigv2)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 component)
    list(GET pair 1 package)
    set(copyright ${packaging}/copyright)
    if(component STREQUAL oscommit-sigv2)
      set(copyright ${packaging}/copyright-sigv2)
    endif()
    install(FILES ${copyright} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
      COMPONENT ${component} EXCLUDE_FROM_ALL)
    install(FILES ${made}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
      RENAME changelog.Debian.gz COMPONENT ${component} EXCLUDE_FROM_ALL)
  endforeach()
endif()

# ------------------------------------------------------------------------------------------------------------- RPM

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE "Apache-2.0")
set(CPACK_RPM_LIBRARY_PACKAGE_NAME oscommit-libs)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_NAME oscommit-devel)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_REQUIRES "oscommit-libs = ${PROJECT_VERSION}, pkgconfig(libcurl), pkgconfig(libcrypto), pkgconfig(sqlite3), pkgconfig(expat), pkgconfig(jansson)")
set(CPACK_RPM_TOOL_PACKAGE_NAME oscommit)
set(CPACK_RPM_TOOL_PACKAGE_REQUIRES "oscommit-libs = ${PROJECT_VERSION}")
# Folders of other packages: whose package has them with other rights cannot be installed beside.
set(shared_folders bash-completion bash-completion/completions fish fish/vendor_completions.d licenses man man/man1 man/man3 man/man5 zsh
  zsh/site-functions)
list(TRANSFORM shared_folders PREPEND ${CMAKE_INSTALL_FULL_DATADIR}/)
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION ${shared_folders} ${CMAKE_INSTALL_FULL_LIBDIR}/cmake ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
if(OSCOMMIT_PACKAGES STREQUAL RPM)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/oscommit-libs COMPONENT library EXCLUDE_FROM_ALL)
endif()
set(CPACK_RPM_LIBRARY_POST_INSTALL_SCRIPT_FILE ${made}/ldconfig)
set(CPACK_RPM_LIBRARY_POST_UNINSTALL_SCRIPT_FILE ${made}/ldconfig)
file(CONFIGURE OUTPUT ${made}/ldconfig CONTENT "/sbin/ldconfig\n")

include(CPack)
