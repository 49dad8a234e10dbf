# SPDX-License-Identifier: Apache-2.0
#
# In the build folder the library lies as far from the tool as it is installed, so that one path, relative to the program,
# fits both. CMake would else pad the path of the build folder, which it means to replace, with empty elements, and the
# loader takes those for the working directory. Where library and tool are installed far apart, the program has both
# paths.

file(RELATIVE_PATH OSCOMMIT_BIN_TO_LIB ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
cmake_path(SET lib_output NORMALIZE tool/${OSCOMMIT_BIN_TO_LIB})
set(OSCOMMIT_TOOL_RPATH "$ORIGIN/${OSCOMMIT_BIN_TO_LIB}")
if(lib_output MATCHES "^\\.\\.")
  set(lib_output lib)
  set(OSCOMMIT_TOOL_RPATH "$ORIGIN/../lib;${CMAKE_INSTALL_FULL_LIBDIR}")
endif()
if(OSCOMMIT_STATIC_TOOL) # glibc 2.36 ends a program at once that has a path and no loader
  set(OSCOMMIT_TOOL_RPATH "")
endif()

set(output ${PROJECT_BINARY_DIR})
get_property(several_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(several_configurations)
  string(APPEND output "/$<CONFIG>")
endif()
set(OSCOMMIT_TOOL_OUTPUT ${output}/tool)
set(OSCOMMIT_LIB_OUTPUT ${output}/${lib_output})
