# SPDX-License-Identifier: Apache-2.0
#
# Run as a script: makes a C file of text files, so that the program carries them.
#
#   cmake -D OUTPUT=FILE.c -D HEADER=report/asset.h -D TYPE=report_asset [-D LIST=TYPE]
#     "-D ASSETS=NAME=FILE[+FILE...];..." -P OscommitEmbed.cmake
#
# Defines for each NAME `const struct TYPE TYPE_NAME`: the bytes of its files one after another, and their SHA-256 in
# base64, as a Content-Security-Policy wants it. An array of numbers, since compilers need not take long strings.
# With LIST also `const struct LIST LIST[]`: pairs of a first file's name without its ending and the asset; then {0}.

function(hex_to_base64 hex ret)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(LENGTH "${hex}" length)
  set(text "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${hex}" ${at} 6 group)
    string(LENGTH "${group}" digits)
    string(SUBSTRING "${group}00000" 0 6 group)
    math(EXPR bits "0x${group}")
    foreach(shift 18 12 6 0)
      math(EXPR index "(${bits} >> ${shift}) & 63")
      string(SUBSTRING "${alphabet}" ${index} 1 letter)
      # Two digits fill two letters, four fill three: the rest is padding.
      math(EXPR used "${digits} * 4 + ${shift}")
      if(used GREATER 18)
        string(APPEND text "${letter}")
      else()
        string(APPEND text "=")
      endif()
    endforeach()
    math(EXPR at "${at} + 6")
  endwhile()
  set(${ret} "${text}" PARENT_SCOPE)
endfunction()

set(code "/* Made by OscommitEmbed.cmake. */\n#include \"${HEADER}\"\n")
set(pairs "")
foreach(asset IN LISTS ASSETS)
  string(REGEX MATCH "^([a-z0-9_]+)=(.+)$" parts "${asset}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "+" ";" files "${CMAKE_MATCH_2}")
  set(hex "")
  set(joined "${OUTPUT}.${name}")
  file(WRITE "${joined}" "")
  foreach(file IN LISTS files)
    file(READ "${file}" part HEX)
    string(APPEND hex "${part}")
  endforeach()
  # The digest is of the bytes, which a CMake string cannot carry in every case: cat writes them.
  execute_process(COMMAND ${CMAKE_COMMAND} -E cat ${files} OUTPUT_FILE "${joined}" COMMAND_ERROR_IS_FATAL ANY)
  file(SHA256 "${joined}" digest)
  file(REMOVE "${joined}")
  hex_to_base64("${digest}" digest)
  string(REGEX REPLACE "(................................)" "\\1\n" lines "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," lines "${lines}")
  string(APPEND code "\nstatic const unsigned char ${name}[] = {\n${lines}\n0};\n"
    "const struct ${TYPE} ${TYPE}_${name} = {(const char *)${name}, sizeof(${name}) - 1, \"${digest}\"};\n")
  list(GET files 0 first)
  get_filename_component(stem "${first}" NAME_WLE)
  string(APPEND pairs "    {\"${stem}\", &${TYPE}_${name}},\n")
endforeach()
if(LIST)
  string(APPEND code "\nconst struct ${LIST} ${LIST}[] = {\n${pairs}    {0},\n};\n")
endif()
file(WRITE "${OUTPUT}" "${code}")
