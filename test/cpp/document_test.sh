#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The examples of docs/cpp.md are compiled, and do on an embedded store what the page says of them.
# Runs: docs/cpp.md
# usage: document_test.sh SOURCE-FOLDER LIBRARY COMPILERS [FLAG...]
set -euo pipefail
source=$1 library=$2 compilers=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names=(first result update lease lock coroutine) # in the order of the page
ran=0

# Each block of C++ becomes a file. The environment says where the store is; what is included stands above the program.
awk -v folder="$work" -v names="${names[*]}" '
    BEGIN { split(names, name, " ") }
    $0 == "```cpp" { inside = 1; file = folder "/" name[++n] ".inc"; next }
    /^```/ { inside = 0 }
    inside && !/^#include/ { sub(/^options.store_url = .*$/, ""); print > file }
    END { print n > (folder "/count") }' "$source/docs/cpp.md"
if [[ $(<"$work/count") != "${#names[@]}" ]]; then
    echo "docs/cpp.md has $(<"$work/count") examples, and this test knows ${#names[@]}: add to run.cpp what runs the others." >&2
    exit 1
fi

for compiler in $compilers; do
    command -v "$compiler" >/dev/null || continue
    flags=("${@:4}")
    [[ $compiler != g++ ]] || flags+=(-Wno-subobject-linkage) # it says so of coroutines in a file that is included
    "$compiler" -std=c++20 -Wall -Wextra -Werror -pthread "${flags[@]}" "-I$source/include" "-I$work" "$source/test/cpp/document/run.cpp" \
        "$library" "-Wl,-rpath,$(dirname -- "$library")" -o "$work/run"
    env -u OSCOMMIT_LEDGER "$work/run" "$work/store-$compiler"
    ran=$((ran + 1))
done
if ((ran == 0)); then
    echo "SKIPPED: there is no C++ compiler ($compilers)."
    exit 77
fi
echo "docs/cpp.md: ${#names[@]} examples, $ran compilers"
