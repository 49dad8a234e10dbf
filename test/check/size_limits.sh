#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files of at most 500 lines (Rust, too), functions of at most 70 with a cyclomatic complexity of at most 15. The public header,
# which is mostly prose, may be as long as its interface asks for. In the library and the programs: functions of at most
# 7 parameters, structs of at most 35 fields, folders of src of at most 5,500 lines.
# usage: size_limits.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1

mapfile -t folders < <(for name in src tool lab test fuzz bench examples python; do [[ -d $root/$name ]] && echo "$root/$name"; done)
mapfile -d '' -t sources < <(find "${folders[@]}" -name '*.[ch]' -print0 | sort -z)
for source in "${sources[@]}"; do
    seen
    lines=$(wc -l <"$source")
    ((lines <= 500)) || violation "$source has $lines lines, more than 500"
    # A function's body stands between a { and a } in the first column (.clang-format), its signature before it.
    while read -r line length; do
        violation "$source:$line: a function of $length lines, more than 70"
    done < <(awk '/^[^ \t#}\/*{]/ && !open { head = FNR } /^{/ { open = head ? head : FNR }
        /^}/ { if (open && FNR - open + 1 > 70) print open, FNR - open + 1; open = 0; head = 0 }
        /^$/ && !open { head = 0 }' "$source")
done

while IFS= read -r -d '' source; do
    seen
    lines=$(wc -l <"$source")
    ((lines <= 500)) || violation "$source has $lines lines, more than 500"
done < <(find "${folders[@]}" "$root/include" -name '*.[ch]pp' -print0 2>/dev/null
    find "$root" \( -name .git -o -path "$root/build" -o -path "$root/rust/target" \) -prune -o -name '*.rs' -print0)

if ! command -v pmccabe >/dev/null; then
    violation "pmccabe is not installed: the complexity cannot be checked"
elif ((${#sources[@]} > 0)); then
    # Columns: modified complexity (a switch counts once), complexity, statements, line, lines, place and name.
    while IFS=$'\t' read -r complexity _ _ _ _ place; do
        ((complexity <= 15)) || violation "$place has a complexity of $complexity, more than 15"
    done < <(pmccabe "${sources[@]}" 2>/dev/null)
fi

mapfile -d '' -t sources < <(find "${folders[@]}" -name '*.[ch]' \( -path "$root/src/*" -o -path "$root/tool/*" -o -path "$root/lab/*" \) -print0 |
    sort -z)
while read -r said; do
    violation "$said"
done < <(python3 -B "$(dirname -- "${BASH_SOURCE[0]}")/shapes.py" 7 35 "${sources[@]}" 2>&1)
for folder in "$root"/src/*/; do
    [[ -d $folder ]] || continue
    lines=$(find "$folder" -name '*.[ch]' -exec cat {} + | wc -l)
    ((lines <= 5500)) || violation "$folder has $lines lines, more than 5500"
done
finish "sizes"
