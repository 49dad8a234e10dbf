#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# oscommit.hpp, by each of the C++ compilers that is there: as C++17 with and without exceptions, and as C++20 with coroutines.
# With flags, such as a sanitizer's, as C++20 only, which has all of it. Each program uses an embedded store; so does the example.
# usage: cpp_test.sh SOURCE-FOLDER LIBRARY COMPILERS [FLAG...]
set -uo pipefail
source=$1 library=$2 compilers=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Werror -pthread "${@:4}")
variants=("17" "17 -fno-exceptions" "20")
(($# < 4)) || variants=("20")
status=0 ran=0
# As one, since each would read the standard headers again.
for part in "$source"/test/cpp/*.cpp; do
    printf '#include "%s"\n' "$part"
done >"$work/all.cpp"

fail() {
    echo "$1" >&2
    status=1
}

says() { # STATUS WORD PROGRAM
    local said
    said=$(OSCOMMIT_LEDGER='' "$3" "file://$work/store-$ran")
    local status=$?
    [[ $status == "$1" && $said == "$2"* ]] || fail "The example ended with $status: $said"
}

try() { # COMPILER STANDARD [FLAG...]
    local name="$1 -std=c++$2 ${*:3}" program=$work/$ran
    local command=("$1" "-std=c++$2" "${flags[@]}" "${@:3}" "-I$source/include")
    local libraries=("$library" "-Wl,-rpath,$(dirname -- "$library")")
    ran=$((ran + 1))
    [[ $1 != g++ ]] || command+=(-Wno-subobject-linkage) # it says so of coroutines in what all.cpp includes
    if ! "${command[@]}" "$work/all.cpp" "${libraries[@]}" -o "$program"; then
        fail "$name does not compile."
    elif ! "$program" "$work/store-$ran"; then
        fail "$name: the program failed."
    elif ! "${command[@]}" "$source/examples/publish.cpp" "${libraries[@]}" -o "$program-publish"; then
        fail "$name: the example does not compile."
    else
        says 0 committed "$program-publish"
        says 3 conflict "$program-publish"
    fi
}

for compiler in $compilers; do
    command -v "$compiler" >/dev/null || continue
    for variant in "${variants[@]}"; do
        # shellcheck disable=SC2086 # its words are arguments
        try "$compiler" $variant
    done
done
if ((ran == 0)); then
    echo "SKIPPED: there is no C++ compiler ($compilers)."
    exit 77
fi
((status != 0)) || echo "oscommit.hpp: $ran variants"
exit "$status"
