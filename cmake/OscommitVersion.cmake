# SPDX-License-Identifier: Apache-2.0

# Reads OS_VERSION_MAJOR, _MINOR and _PATCH out of the public header into `ret`, as "1.2.3".
function(oscommit_read_version header ret)
  set(version "")
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${header} line REGEX "^#define OS_VERSION_${part} +[0-9]+$")
    if(NOT line MATCHES "([0-9]+)$")
      message(FATAL_ERROR "${header} has no line '#define OS_VERSION_${part} NUMBER'.")
    endif()
    list(APPEND version ${CMAKE_MATCH_1})
  endforeach()
  list(JOIN version "." version)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  set(${ret} ${version} PARENT_SCOPE)
endfunction()
