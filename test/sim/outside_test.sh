#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Worlds outside the bounds that F2 to F4, E9 and X1 name: each must find its hole. One that finds none plays nothing.
# usage: outside_test.sh PATH_OF_OSCOMMIT_SIM
set -uo pipefail
sim=$1
status=0

# What is wrong, and from which seed on few are needed. Without fleets that need no record: these bounds are its.
while read -r what first; do
    output=$("$sim" --outside "$what" --first "$first" --seeds 400 --no-shrink --without forward-only --without counter 2>&1)
    if [[ $? == 1 ]]; then
        echo "$what: $(grep -m 1 -E '^seed [0-9]+ fails' <<<"$output")"
    else
        printf '%s: nothing was found in 400 seeds from %s on\n%s\n' "$what" "$first" "$output"
        status=1
    fi
done <<'END'
slow-store 1400
draining-link 900
stalled-bodies 11900
unmarked-store 801
rows-twice 1001
END
exit "$status"
