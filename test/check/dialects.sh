#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The public headers, and every macro of theirs that initialises a struct, compile without a warning as C99 to C17 and as C++11
# to C++20, by every compiler that is there; and the structs are then what the macro says.
# usage: dialects.sh HEADER, with the others beside it
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
header=$1
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror)
cpp_warnings=(-Wold-style-cast -Wzero-as-null-pointer-constant)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ran=0

# A program that makes each struct in each place where an initialiser may stand, and looks at it.
headers=("$(dirname -- "$header")"/*.h)
mapfile -t macros < <(sed -nE 's/^#define (OS_[A-Z_]+_INIT)\b.*/\1/p' "${headers[@]}")
{
    for file in "${headers[@]}"; do
        printf '#include <%s>\n' "$(basename -- "$file")"
    done
    printf '#include <string.h>\n'
    for macro in "${macros[@]}"; do
        type=${macro%_INIT} && type=${type,,}
        printf 'static %s global_%s = %s;\nstatic int wrong_%s(void)\n{\n    %s local = %s, zero;\n' "$type" "$type" "$macro" "$type" "$type" "$macro"
        printf '    if (local.size != sizeof(local) || memcmp(&local, &global_%s, sizeof(local)) != 0) return 1;\n' "$type"
        printf '    memset(&zero, 0, sizeof(zero));\n    local.size = 0;\n    return memcmp(&local, &zero, sizeof(zero)) != 0;\n}\n'
    done
    printf 'static const char text[] = "text";\nint main(void)\n{\n    os_body memory = OS_BODY_MEMORY(text, sizeof(text) - 1);\n'
    printf '    os_body number = OS_BODY_MEMORY("12", 2);\n    os_body file = OS_BODY_FILE(text);\n    int wrong = 0;\n'
    for macro in "${macros[@]}"; do
        type=${macro%_INIT} && printf '    wrong += wrong_%s();\n' "${type,,}"
    done
    printf '    wrong += memory.size != sizeof(os_body) || memory.data != text || memory.length != 4 || memory.file || memory.read;\n'
    printf '    wrong += number.length != 2 || file.size != sizeof(os_body) || file.file != text || file.data || file.length;\n'
    printf '    return wrong;\n}\n'
} >"$work/all.c"
cp "$work/all.c" "$work/all.cpp"
((${#macros[@]} >= 10)) || violation "$header has only ${#macros[@]} macros that initialise a struct"

try() { # COMPILER STANDARD FILE WARNING...
    seen
    if ! "$1" "-std=$2" "${warnings[@]}" "${@:4}" -O2 -I"$(dirname -- "$header")" "$work/$3" -o "$work/all" >"$work/said" 2>&1; then
        violation "$1 -std=$2 finds something in $header: $(head -n 3 "$work/said") ($(grep -c 'error:' "$work/said") errors)"
    elif ! "$work/all"; then
        violation "$1 -std=$2: a struct is not what its macro says"
    fi
}

for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    ran=$((ran + 1))
    for standard in c99 c11 c17; do
        try "$compiler" "$standard" all.c
    done
done
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    ran=$((ran + 1))
    for standard in c++11 c++14 c++17 c++20; do
        try "$compiler" "$standard" all.cpp "${cpp_warnings[@]}"
    done
done
command -v g++ clang++ >/dev/null || violation "neither g++ nor clang++ is installed"
finish "dialects ($ran compilers)"
