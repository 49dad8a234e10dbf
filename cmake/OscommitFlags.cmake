# SPDX-License-Identifier: Apache-2.0
#
# How everything here is compiled: the dialect, the warnings, the hardening, and what the presets switch on.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

if(NOT OSCOMMIT_STATIC_TOOL) # whose programs are linked by another option, which -pie would undo
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C)
endif()

add_compile_definitions(_GNU_SOURCE)
add_compile_options(
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -fno-common
  # Asserts state invariants of code that decides whether data was written: they stay on in release builds.
  -UNDEBUG)
if(OSCOMMIT_WERROR)
  add_compile_options(-Werror)
endif()

if(OSCOMMIT_SANITIZE)
  add_compile_options(-fsanitize=${OSCOMMIT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${OSCOMMIT_SANITIZE})
else()
  include(OscommitHardening)
endif()

if(OSCOMMIT_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
