#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manual of the C interface: each function that the library shows has a page with a synopsis, a description, what it
# returns and what goes wrong; whatever a page names has a page; and groff and mandoc read all of them without a warning.
# usage: manual.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
python3 -B "$root/docs/man/make.py" "$root" "$pages" || violation "the pages could not be made"

has() { # PAGE HEADING...
    local page=$1 heading
    shift
    for heading in "$@"; do
        grep -qx "\.SH \"\?$heading\"\?" "$page" || violation "${page##*/} has no section $heading"
    done
}

while read -r name _; do
    seen
    page=$pages/$name.3
    [[ -s $page ]] || { violation "$name has no page" && continue; }
    has "$page" NAME SYNOPSIS DESCRIPTION "SEE ALSO"
    tr '\n' ' ' <"$root/include/$(sed -n 's/.*#include <\(.*\)>.*/\1/p' "$page" | head -n 1)" | grep -qE "OS_API (const )?[a-z0-9_]+ \*?$name\(" ||
        violation "$name is not in the header that its page names"
    prototype=$(sed -n "/^\\\\fB.*$name(/,/^\.fi/p" "$page")
    [[ -n $prototype ]] || violation "the synopsis of $name does not declare it"
    [[ $prototype == '\fBvoid '"$name"* ]] || has "$page" "RETURN VALUE"
    [[ $prototype != '\fBos_'*os_error* ]] || has "$page" ERRORS
done <"$root/packaging/symbols"

for page in "$pages"/*.3; do
    while read -r name; do
        [[ -e $pages/$name.3 || -e $root/docs/man/$name.1 ]] || violation "${page##*/} names $name, which has no page"
    done < <(sed -nE 's/^\.BR ([^ ]*) \([13]\).*/\1/p' "$page" | sed 's/\\//g')
done
while read -r said; do
    violation "groff on $said"
done < <(cd "$pages" && groff -ww -man -Tutf8 -z ./*.3 2>&1)

# Its complaints about long lines are of names and prototypes, which have the length that they have.
if command -v mandoc >/dev/null; then
    while read -r said; do
        violation "mandoc on ${said#mandoc: }"
    done < <(cd "$pages" && mandoc -T lint -W style ./*.3 2>&1 | grep -v 'longer than 80 bytes')
else
    violation "mandoc is not installed: nobody else says what is wrong with a page"
fi
finish "the manual of the C interface"
