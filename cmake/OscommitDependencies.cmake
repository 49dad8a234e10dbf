# SPDX-License-Identifier: Apache-2.0
#
# The libraries that oscommit stands on, as imported targets. Used by the build, and installed for programs that link
# the static library, so that both find them in the same way. OSCOMMIT_DEPENDENCIES_MODE is REQUIRED (default) or QUIET;
# OSCOMMIT_DEPENDENCIES_FOUND says whether all are there.

if(NOT DEFINED OSCOMMIT_DEPENDENCIES_MODE)
  set(OSCOMMIT_DEPENDENCIES_MODE REQUIRED)
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads ${OSCOMMIT_DEPENDENCIES_MODE})
find_package(PkgConfig ${OSCOMMIT_DEPENDENCIES_MODE})

set(OSCOMMIT_DEPENDENCIES_FOUND ${Threads_FOUND})
# name of the imported target, pkg-config module, oldest version that is tried by the tests
foreach(dependency "CURL libcurl 7.88" "CRYPTO libcrypto 3.0" "SQLITE sqlite3 3.40" "EXPAT expat 2.5" "JANSSON jansson 2.14")
  separate_arguments(dependency)
  list(GET dependency 0 name)
  list(GET dependency 1 module)
  list(GET dependency 2 oldest)
  if(NOT TARGET PkgConfig::OSCOMMIT_${name} AND PkgConfig_FOUND)
    pkg_check_modules(OSCOMMIT_${name} ${OSCOMMIT_DEPENDENCIES_MODE} IMPORTED_TARGET GLOBAL ${module}>=${oldest})
  endif()
  if(NOT TARGET PkgConfig::OSCOMMIT_${name})
    set(OSCOMMIT_DEPENDENCIES_FOUND FALSE)
  endif()
endforeach()
