#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manual page renders without a warning, and names every command and flag that --help names, and no other flag.
# usage: manual_test.sh OSCOMMIT MANUAL
set -u
oscommit=$1
manual=$2
failures=0

fail() {
    echo "FAILED $*"
    failures=$((failures + 1))
}

for page in "$manual" "$(dirname "$manual")/oscommit.toml.5"; do
    warnings=$(groff -ww -z -man -Tutf8 "$page" 2>&1)
    [[ -z $warnings ]] || fail "groff warns of $page: $warnings"
done
text=$(groff -man -Tascii -P-c -P-b -P-u "$manual" 2>/dev/null)

in_help=$({
    "$oscommit" --help --all
    "$oscommit" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\( [a-z]*\)\{0,1\}\)  .*/\1/p' | while read -ra words; do
        "$oscommit" "${words[@]}" --help --all
    done
} | grep -oE '^  (-., |    )--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u)
in_manual=$(sed 's/\\-/-/g' "$manual" | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u)
difference=$(diff <(echo "$in_help") <(echo "$in_manual")) || fail "flags of --help (<) and of the manual (>) differ: $difference"

statuses=$("$oscommit" --help | sed -n '/^Exit status:/,/^$/s/^ *\([0-9]\{1,\}\)  .*/\1/p')
[[ $(grep -c . <<<"$statuses") -gt 5 ]] || fail "--help lists no exit statuses"
difference=$(diff <(echo "$statuses") <(sed -n '/^.SH EXIT STATUS/,/^.SH/s/^\.B \([0-9]\{1,\}\)$/\1/p' "$manual")) ||
    fail "exit statuses of --help (<) and of the manual (>) differ: $difference"
operations=$(dirname "$manual")/../operations.md
difference=$(diff <(echo "$statuses") <(sed -n 's/^| \([0-9]\{1,\}\) | .*/\1/p' "$operations")) ||
    fail "exit statuses of --help (<) and of operations.md (>) differ: $difference"

# The synopsis has them as `oscommit table create | check ...`, the description by their own name.
synopsis=$(sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' <<<"$text" | tr '\n' ' ' | sed 's/oscommit /\n/g')
described=$(sed -n '/^COMMANDS/,$p' <<<"$text")
while read -r command; do
    grep -qE "^ +$command( |\$)" <<<"$described" || fail "the manual does not describe $command"
    grep -qE "^${command%% *} (.* )?${command##* }|^$command( |\$)" <<<"$synopsis" ||
        fail "the manual's synopsis does not have $command"
done < <("$oscommit" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\( [a-z]*\)\{0,1\}\)  .*/\1/p')

if ((failures > 0)); then
    exit 1
fi
echo "manual: all as expected"
