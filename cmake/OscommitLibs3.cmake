# SPDX-License-Identifier: Apache-2.0
#
# libs3, for the module of Signature V2 and nothing else (OSCOMMIT_HAVE_LIBS3): it brings neither a pkg-config file nor a
# CMake package.

set(OSCOMMIT_HAVE_LIBS3 FALSE)
if(OSCOMMIT_WITH_LIBS3)
  find_path(OSCOMMIT_LIBS3_INCLUDE_DIR libs3.h)
  find_library(OSCOMMIT_LIBS3_LIBRARY s3)
  mark_as_advanced(OSCOMMIT_LIBS3_INCLUDE_DIR OSCOMMIT_LIBS3_LIBRARY)
  if(OSCOMMIT_LIBS3_INCLUDE_DIR AND OSCOMMIT_LIBS3_LIBRARY)
    add_library(oscommit_libs3 INTERFACE IMPORTED GLOBAL)
    target_include_directories(oscommit_libs3 SYSTEM INTERFACE ${OSCOMMIT_LIBS3_INCLUDE_DIR})
    target_link_libraries(oscommit_libs3 INTERFACE ${OSCOMMIT_LIBS3_LIBRARY})
    set(OSCOMMIT_HAVE_LIBS3 TRUE)
  elseif(OSCOMMIT_WITH_LIBS3 STREQUAL "ON")
    message(FATAL_ERROR "OSCOMMIT_WITH_LIBS3 is ON, but libs3.h or the library s3 was not found (Debian: libs3-dev).")
  endif()
endif()
message(STATUS "The module liboscommit-sigv2 (Signature V2 through libs3): ${OSCOMMIT_HAVE_LIBS3}")
