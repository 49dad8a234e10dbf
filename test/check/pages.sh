#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each page that the README's table "who uses it" names has a test that runs its commands: one that says "Runs: PAGE". And a
# block of commands of such a page says its language, as one without would not be run.
# usage: pages.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1
mapfile -t places < <(find "$root/test" "$root/python" "$root/rust" -type d \( -name target -o -name check \) -prune -o -type f -print 2>/dev/null)
mapfile -t pages < <(sed -n '/^| who uses it /,/^$/p' "$root/README.md" | grep -oE '\(docs/[a-z]+\.md\)' | tr -d '()' | sort -u)

for page in "${pages[@]}"; do
    seen
    grep -qE "Runs:.*(^| )$page( |\"|\$)" "${places[@]}" || violation "no test runs the commands of $page: none says \"Runs: $page\""
    while read -r line; do
        violation "$page: line $line opens a block that does not say what it is: sh, console, ... (\"text\" for what is none)"
    done < <(awk '/^```/ { inside = !inside; if (inside && $0 == "```") print NR }' "$root/$page")
done
finish "pages"
