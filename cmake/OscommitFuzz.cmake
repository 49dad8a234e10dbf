# SPDX-License-Identifier: Apache-2.0
#
# Compiles everything so that libFuzzer sees which branches an input takes, and so that the sanitizers see what it breaks.

if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "OSCOMMIT_FUZZ needs clang, which brings libFuzzer: -DCMAKE_C_COMPILER=clang.")
endif()
if(NOT OSCOMMIT_SANITIZE MATCHES "address")
  message(FATAL_ERROR "OSCOMMIT_FUZZ needs sanitizers to notice anything: -DOSCOMMIT_SANITIZE=address,undefined.")
endif()
add_compile_options(-fsanitize=fuzzer-no-link)
