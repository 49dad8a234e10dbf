#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Doxygen makes the reference from the public headers without a warning, and describes every function of it there.
# Skipped (77) where Doxygen is not installed.
# usage: doxygen.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1
command -v doxygen >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$root" || exit 1
# XML, so that what became of each comment can be read.
said=$({
    cat docs/Doxyfile
    printf 'OUTPUT_DIRECTORY = "%s"\nGENERATE_HTML = NO\nGENERATE_XML = YES\n' "$work"
} | doxygen - 2>&1) || violation "doxygen ended with $?"
[[ -z $said ]] || violation "$said"

python3 - "$work"/xml/oscommit*_8h.xml >"$work/functions" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree

for file in sys.argv[1:]:
    for member in tree.parse(file).getroot().iter("memberdef"):
        if member.get("kind") == "function":
            words = "".join("".join(part.itertext()) for part in member if part.tag.endswith("description"))
            print(member.findtext("name"), "described" if words.strip() else "bare")
PYTHON
while read -r function how; do
    seen
    [[ $how == described ]] || violation "$function has no description in the reference"
done <"$work/functions"
declared=$(cat include/*.h | grep -c '^OS_API ')
((looked_at == declared)) || violation "the reference has $looked_at functions, the headers declare $declared"
finish "doxygen"
