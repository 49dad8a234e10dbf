#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every picture of the documents is what its text gives, and every picture is shown by a document. The picture of the
# guard's states names all states of the code, and no other.
# usage: pictures.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1
folder=$root/docs/pictures

drawn=$(python3 -B "$(dirname -- "${BASH_SOURCE[0]}")/../../docs/pictures/draw.py" --check --folder "$folder" 2>&1) || violation "$drawn"

for picture in "$folder"/*.svg; do
    seen
    name=pictures/$(basename -- "$picture")
    grep -qF -- "$name)" "$root"/docs/*.md || violation "$name is shown by no document"
done

states=$(sed -n '/^enum guard_state {/,/^}/p' "$root/src/commit/guard.h" | sed -nE 's/^ +GUARD_([A-Z_]+).*/\1/p' | sort)
shown=$(sed -n '/^box /p' "$folder/states.txt" | grep -oE '\| [A-Z_]+( |$)' | tr -d '| ' | sort)
while read -r state; do
    seen
    violation "the state $state stands in one of src/commit/guard.h and docs/pictures/states.txt"
done < <(comm -3 <(echo "$states") <(echo "$shown") | tr -d '\t')
[[ -n $states ]] || violation "src/commit/guard.h has no states"
finish "pictures"
