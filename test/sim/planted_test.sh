#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A planted defect (an unknown creation is told as committed) is found, minimised to a few faults, and its replay fails
# again, with the same digest.
# usage: planted_test.sh PATH_OF_OSCOMMIT_SIM
set -uo pipefail
sim=$1

fail() {
    printf '%s\n' "$1" "$output" | head -60
    exit 1
}

# Where a call has a long deadline it takes many faults to keep it from the truth for so long: one of these needs few.
for first in 20 40 60 80; do
    output=$("$sim" --planted --first "$first" --seeds 400 2>&1)
    [[ $? == 1 ]] || fail "the planted defect was not found:"
    left=$(sed -nE 's/^minimised in [0-9]+ tries: ([0-9]+) faults are left$/\1/p' <<<"$output")
    [[ -n $left ]] || fail "the schedule was not minimised:"
    ((left > 3)) || break
done
((left <= 3)) || fail "the schedule has $left faults left, more than 3:"

replay=$(sed -nE 's/^replay: oscommit_sim (.*)$/\1/p' <<<"$output" | tail -1)
digest=$(sed -nE 's/^digest ([0-9a-f]+)$/\1/p' <<<"$output" | tail -1)
read -ra arguments <<<"$replay"
again=$("$sim" "${arguments[@]}")
[[ $? == 1 && $again == *"FAILS, digest $digest"* ]] || fail "the replay ($replay) did not fail in the same way:"
echo "found, minimised to $left faults, replayed: $replay"
