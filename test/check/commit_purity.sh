#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The protocol core has no undefined symbol for an allocator, a clock, a socket, a file, the environment or a thread:
# beyond its own symbols it may need memory and string functions, and what the compiler puts in.
# usage: commit_purity.sh OBJECT...
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# With _FORTIFY_SOURCE, memcpy is __memcpy_chk. Formatting is left out on purpose: printf takes memory.
allowed='^(mem(cpy|move|set|cmp|chr)|str(n?len|n?cmp|n?cpy|n?cat|r?chr|str|spn|cspn)|__(mem|str)[a-z]+_chk|__assert_fail|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$'

own=$(nm --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort -u)
for object in "$@"; do
    seen
    while read -r symbol; do
        if [[ ! $symbol =~ $allowed ]] && ! grep -qxF -- "$symbol" <<<"$own"; then
            violation "$object needs $symbol"
        fi
    done < <(nm -u "$object" | awk '$1 == "U" || $1 == "w" { print $2 }')
done
finish "purity of the protocol core"
