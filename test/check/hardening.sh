#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What was built can be attacked as little as compiler, linker and libc allow: no program or library of the build folder
# looks for libraries in a folder that is not named in full; and what is shipped is hardened (cmake/OscommitHardening.cmake).
# usage: hardening.sh BUILD PROCESSOR CONFIGURATION SHARED-LIBRARY... PROGRAM... STATIC-LIBRARY
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
build=$1
processor=$2
configuration=$3
shift 3
static=${*: -1}
shipped=("${@:1:$#-1}")

is_elf() { # FILE
    [[ $(head -c 4 "$1" | od -An -c | tr -d ' ') == '177ELF' ]]
}

# An empty element is the working directory; so is a relative one, in the end.
check_search_path() { # FILE
    local path element elements
    while read -r path; do
        IFS=: read -ra elements <<<"$path:end"
        for element in "${elements[@]}"; do
            # shellcheck disable=SC2016 # the loader's word
            [[ $element == /* || $element == '$ORIGIN'* || $element == end ]] ||
                violation "$1 looks for libraries in \"$element\", which is the working directory (search path \"$path\")"
        done
    done < <(readelf --wide --dynamic "$1" | sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]$/\2/p')
}

while IFS= read -r -d '' file; do
    is_elf "$file" || continue
    seen
    check_search_path "$file"
done < <(find "$build" -type f \( -perm -u+x -o -name '*.so*' \) ! -path '*/CMakeFiles/*' -print0)

check_shipped() { # FILE
    local segments dynamic symbols
    segments=$(readelf --wide --segments "$1")
    dynamic=$(readelf --wide --dynamic "$1")
    symbols=$(readelf --wide --dyn-syms "$1")
    [[ $(sed -nE 's/.*GNU_STACK +.* (R.?.?) +0x.*/\1/p' <<<"$segments") == "RW " ]] || violation "$1: the stack may be executed"
    grep -q ' LOAD .* RWE ' <<<"$segments" && violation "$1: memory that can be written can be executed"
    grep -q ' GNU_RELRO ' <<<"$segments" || violation "$1: no relro segment"
    grep -q 'BIND_NOW\|FLAGS_1.*NOW' <<<"$dynamic" || violation "$1: symbols are bound late, so that their table stays writable"
    grep -q 'TEXTREL' <<<"$dynamic" && violation "$1: its code is changed by the loader"
    [[ $1 == *.so* || $dynamic == *FLAGS_1*PIE* ]] || violation "$1: not position independent"
    grep -q '__stack_chk_fail' <<<"$symbols" || violation "$1: no stack protector"
    [[ $configuration == Debug ]] || grep -q '__[a-z]*_chk@' <<<"$symbols" || violation "$1: _FORTIFY_SOURCE is not in effect"
}

for file in "${shipped[@]}"; do
    seen
    check_shipped "$file"
done

# A program has the mark only when all that it is linked of has, libc's own start files too; all of ours does.
marks=$(readelf --wide --notes "$static" 2>/dev/null | sed -n 's/.*Properties: //p' | sort -u)
case $processor in
x86_64) [[ $marks == "x86 feature: IBT, SHSTK"* ]] || violation "$static: compiled without -fcf-protection=full (it is marked \"$marks\")" ;;
aarch64) [[ $marks == *BTI*PAC* ]] || violation "$static: compiled without -mbranch-protection=standard (it is marked \"$marks\")" ;;
esac
finish "hardening"
