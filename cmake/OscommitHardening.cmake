# SPDX-License-Identifier: Apache-2.0
#
# What makes a defect harder to use, as far as compiler and libc have it. test/check/hardening.sh looks for it in what was
# built.

include(CheckCCompilerFlag)
include(CheckCSourceCompiles)

function(oscommit_compile_option_if_known option)
  string(MAKE_C_IDENTIFIER "OSCOMMIT_HAS${option}" known)
  set(CMAKE_REQUIRED_FLAGS -Werror) # clang only warns of an option that the processor does not have
  check_c_compiler_flag(${option} ${known})
  if(${known})
    add_compile_options(${option})
  endif()
endfunction()

oscommit_compile_option_if_known(-fstack-protector-strong)
oscommit_compile_option_if_known(-fstack-clash-protection)
# Jumps and returns where the program did not mean to: x86-64 and arm64.
oscommit_compile_option_if_known(-fcf-protection=full)
oscommit_compile_option_if_known(-mbranch-protection=standard)

# Without optimisation libc cannot know the size of anything, and says so.
set(CMAKE_REQUIRED_FLAGS "-Werror -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_c_source_compiles("#include <string.h>
  int main(int argc, char **argv) { char to[8]; memcpy(to, argv[0], (size_t)argc); return to[0]; }" OSCOMMIT_HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
set(fortify 2)
if(OSCOMMIT_HAS_FORTIFY_3)
  set(fortify 3)
endif()
add_compile_options("$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${fortify}>")

if(OSCOMMIT_STATIC_TOOL)
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static-pie>)
endif()
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
