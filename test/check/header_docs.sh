#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every function of the public headers has a comment of its own: in front of it, or behind it on its line.
# usage: header_docs.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
headers=("$1"/include/*.h)

while read -r header line how name; do
    seen
    [[ $how == described ]] || violation "$header:$line: $name has no comment"
done < <(awk '
    function end() {
        if (name != "")
            print FILENAME, line, (commented || $0 ~ /; *\/\*/ ? "described" : "bare"), name
        name = ""
    }
    /^OS_API / {
        line = FNR
        commented = before ~ /\*\/$/ && before !~ /\); *\/\*/ && before !~ /^\/\* ---/
        name = $0
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
    }
    name != "" && /;/ { end() }
    { before = $0 }' "${headers[@]}")
finish "comments of the header"
