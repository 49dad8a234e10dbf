#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes the figures of docs/verification.md: what can be counted in the source, and what runs have measured.
#
#   scripts/figures.sh [--check] [--root ROOT] [FOLDER]
#
#   FOLDER   where scripts/prove.sh has built [build/prove, if it is there]: takes over what its last runs measured
#   --check  writes nothing: exit status 1 if the page does not show what is counted, or what docs/figures.tsv has
#   --root   another tree than the one of this script
#
# docs/figures.tsv has a line for each measurement: what, extent, day, commit ("-": not recorded), figures, with tabs
# between. scripts/prove.sh leaves such lines in FOLDER/figures; others are written by hand, from what a command printed.
set -euo pipefail
export LC_ALL=C

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
check=0
folder=
while (($# > 0)); do
    case $1 in
    --check) check=1 ;;
    --root)
        root=$2
        shift
        ;;
    -*)
        sed -n '3,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
        exit 2
        ;;
    *) folder=$1 ;;
    esac
    shift
done
page=$root/docs/verification.md
table=$root/docs/figures.tsv
begin='<!-- written by scripts/figures.sh -->'
end='<!-- end of the figures -->'

# --------------------------------------------------------------------------------------------------------- counted

with_commas() { # NUMBER
    sed -E ':again; s/^([0-9]+)([0-9]{3})/\1,\2/; t again' <<<"$1"
}

files_in() { # FOLDER NAME
    find "$root/$1" -name "$2" -type f 2>/dev/null | wc -l
}

lines_in() { # FOLDER NAME PATTERN
    find "$root/$1" -name "$2" -type f -exec cat {} + 2>/dev/null | grep -cE -- "$3" || true
}

# With a fixture and without one, and a row of a table is a test.
unit_tests() {
    local rows
    rows=$(grep -rlZE --include='*.c' '^TEST_ROWS' "$root/test/unit" | xargs -0 -r grep -ohE '\{\.name = ' | wc -l)
    echo $(($(lines_in test/unit '*.c' '^TEST(_WITH|_WITH_AS|_AGAIN_AS|_BETWEEN)?\(') + rows))
}

counted_row() { # WHAT COUNT [WORDS]
    printf '| %s | %s%s |\n' "$1" "$(with_commas "$2")" "${3:-}"
}

counted() {
    printf '| counted in the source | |\n|---|---|\n'
    counted_row 'rules' "$(lines_in docs rules.md '^### [A-Z]+[0-9]+\. ')"
    counted_row 'mutants' "$(files_in test/mutants/patches '*.patch')" \
        ", of which $(lines_in test/mutants/patches '*.patch' '^Class: io$') are of the class io"
    counted_row 'unit tests' "$(unit_tests)"
    counted_row 'programs of integration tests' "$(files_in test/integration '*_test.*')"
    counted_row 'checks' "$(($(files_in test/check '*.sh') - $(files_in test/check lib.sh)))"
    counted_row 'fuzz targets' "$(files_in fuzz '*_fuzz.c')" ", with $(with_commas "$(files_in fuzz/corpus '*')") inputs that are kept"
}

# -------------------------------------------------------------------------------------------------------- measured

refuse() { # WORDS
    echo "$table: $*" >&2
    exit 1
}

check_table() {
    local what extent day commit figures rest
    while IFS=$'\t' read -r what extent day commit figures rest; do
        [[ -n $what && -n $extent && -n $figures && -z $rest ]] || refuse "\"$what\" has not five fields"
        [[ $day =~ ^20[0-9]{2}-[0-9]{2}-[0-9]{2}$ ]] || refuse "\"$what\" has the day \"$day\""
        [[ $commit =~ ^([0-9a-f]{7,40}|-)$ ]] || refuse "\"$what\" has the commit \"$commit\""
    done < <(grep -v '^#' "$table")
}

# A row of the folder replaces the one of the same thing and extent.
take_over() { # FOLDER
    local kept
    kept=$(mktemp)
    find "$1/figures" -type f -exec cat {} + | cat - "$table" | awk -F'\t' '/^#/ { print; next } !seen[$1, $2]++' >"$kept"
    { grep '^#' "$kept" && grep -v '^#' "$kept" | sort -t $'\t' -k 1,1 -k 2,2; } >"$table"
    rm -f "$kept"
}

measured() {
    printf '| measured | extent | day | commit | figures |\n|---|---|---|---|---|\n'
    grep -v '^#' "$table" | awk -F'\t' '{ printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, $4 == "-" ? "–" : "`" $4 "`", $5 }'
}

# ------------------------------------------------------------------------------------------------------------ page

block() {
    printf '%s\n\n' "$begin"
    counted
    echo
    measured
    printf '\n%s\n' "$end"
}

page_with() { # FILE: the block
    awk -v begin="$begin" -v end="$end" -v file="$1" '
        $0 == begin { while ((getline line < file) > 0) print line; inside = 1 }
        !inside { print }
        $0 == end { inside = 0 }' "$page"
}

if ! grep -qxF -- "$begin" "$page" || ! grep -qxF -- "$end" "$page"; then
    echo "$page has no place for the figures: the lines \"$begin\" and \"$end\"." >&2
    exit 1
fi
if ((!check)); then
    [[ -n $folder ]] || folder=$root/build/prove
    [[ ! -d $folder/figures ]] || take_over "$folder"
fi
check_table
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
block >"$new/block"
page_with "$new/block" >"$new/page"
if ((check)); then
    diff "$page" "$new/page" >"$new/difference" && exit 0
    echo "$page is not up to date: run scripts/figures.sh." >&2
    cat "$new/difference" >&2
    exit 1
fi
cat "$new/page" >"$page"
