#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every C and C++ file is as clang-format would write it.
# usage: format.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1

mapfile -t folders < <(for name in include src tool lab test fuzz bench examples python; do [[ -d $root/$name ]] && echo "$root/$name"; done)
mapfile -d '' -t sources < <(find "${folders[@]}" \( -name '*.[ch]' -o -name '*.[ch]pp' \) -print0 | sort -z)
looked_at=${#sources[@]}
if ((looked_at > 0)); then
    found=$(printf '%s\0' "${sources[@]}" |
        xargs -0 -n 20 -P "$(nproc)" clang-format --style="file:$root/.clang-format" --dry-run 2>&1)
    # One line for each file: the first place, without the text that stands there.
    while read -r place; do
        violation "$place is not formatted"
    done < <(grep -E '^[^ ]+:[0-9]+:[0-9]+: ' <<<"$found" | cut -d : -f 1-2 | sort -t : -k 1,1 -u)
    [[ -z $found ]] || ((violations > 0)) || violation "clang-format: $found"
fi
finish "format"
