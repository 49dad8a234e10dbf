#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The shared library exports the functions of the public headers (that one, and those beside it) and nothing else; the static one (where it is given)
# defines no other global symbol either; and the module of Signature V2 (where it is given) shows its one entry.
# usage: exports.sh HEADER SHARED-LIBRARY [STATIC-LIBRARY [MODULE]]
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

headers=("$(dirname -- "$1")"/*.h)
declared=$(sed -nE 's/^OS_API [^(]*\b(os_[a-z0-9_]+)\(.*/\1/p' "${headers[@]}" | sort -u)
looked_at=$(grep -c . <<<"$declared")
(($(cat "${headers[@]}" | grep -c '^OS_API ') == $(grep -c . <<<"$declared"))) ||
    violation "${headers[*]} have an OS_API line without the name of its function"

compare() { # LIBRARY SYMBOLS
    local symbol
    while read -r symbol; do
        violation "$1 shows $symbol, which no public header declares"
    done < <(comm -13 <(echo "$declared") <(echo "$2") | grep .)
    while read -r symbol; do
        violation "$1 lacks $symbol, which a public header declares"
    done < <(comm -23 <(echo "$declared") <(echo "$2") | grep .)
}

shown() { # SHARED-LIBRARY
    nm -D --defined-only "$1" | awk 'NF == 3 { print $3 }' | sort -u
}

compare "$2" "$(shown "$2")"
if (($# > 2)); then
    compare "$3" "$(nm -g --defined-only "$3" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u)"
fi
if (($# > 3)); then
    seen
    [[ $(shown "$4") == oscommit_sigv2_module ]] || violation "$4 shows $(shown "$4" | tr '\n' ' ')instead of oscommit_sigv2_module alone"
fi
finish "exports"
