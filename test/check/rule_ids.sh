#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every rule of docs/protocol.md is named in the code or in a test, and every rule that those name is in the document.
# usage: rule_ids.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1

defined=$(sed -nE 's/^([VTRE][0-9]{1,2})\. .*/\1/p' "$root/docs/protocol.md" | sort -u)
named=$(find "$root/src" "$root/test" "$root/include" -path "$root/test/check" -prune -o \
    \( -name '*.[ch]' -o -name '*.py' -o -name '*.sh' \) -print0 | sort -z |
    xargs -0 grep -ohE '\b[VTRE][0-9]{1,2}\b' | sort -u)
# The document says itself which rules this release does not have yet: "What this release does not have yet: R14 ...".
later=$(sed -n '/^What this release does not have yet/,/^$/p' "$root/docs/protocol.md" | grep -oE '\b[VTRE][0-9]{1,2}\b' | sort -u)

while read -r rule; do
    seen
    if ! grep -qx "$rule" <<<"$named" && ! grep -qx "$rule" <<<"$later"; then
        violation "$rule of docs/protocol.md is named by no code and no test"
    fi
done < <(grep . <<<"$defined")
finish "rule ids"
