#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two judges, one opinion: what lab/history says of thousands of small histories, true ones and ones with one thing
# changed, Porcupine says too; and of the history of a real race. The same of histories of transactions.
# usage: porcupine_test.sh HISTORY_CASES TRANSACTION_CASES OSCOMMIT WORK_FOLDER
#   OSCOMMIT_TEST_PORCUPINE          the other judge (scripts/servers.sh builds it); if not given, it is built here
#   OSCOMMIT_TEST_HISTORIES          how many [6000]
#   OSCOMMIT_REQUIRE_SERVERS=1       fails where it would be skipped
set -uo pipefail
history_cases=$1
transaction_cases=$2
oscommit=$3
work=$4
source=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/porcupine" && pwd)
porcupine=${OSCOMMIT_TEST_PORCUPINE:-}

fail() {
    echo "FAILED: $*"
    exit 1
}

skip() {
    [[ ${OSCOMMIT_REQUIRE_SERVERS:-} != 1 ]] || fail "$*"
    echo "SKIPPED: $*"
    exit 77
}

build() {
    local go=
    for go in go /usr/local/go/bin/go /usr/lib/go-1.*/bin/go; do
        command -v "$go" >/dev/null && break
    done
    command -v "$go" >/dev/null || skip "there is no go to build Porcupine with (scripts/servers.sh install brings one)"
    porcupine=$work/porcupine
    (cd -- "$source" &&
        GOTOOLCHAIN=${GOTOOLCHAIN:-auto} GOFLAGS="${GOFLAGS:-} -mod=readonly" "$go" build -o "$porcupine" .) ||
        skip "Porcupine cannot be built: see above"
}

compare_cases() { # PROGRAM WHAT
    local difference refused
    "$1" "${OSCOMMIT_TEST_HISTORIES:-6000}" "$work/cases.jsonl" "$work/ours" || fail "no $2 could be made"
    "$porcupine" "$work/cases.jsonl" >"$work/theirs" || fail "Porcupine cannot read the $2"
    difference=$(diff "$work/ours" "$work/theirs") ||
        fail "the judges do not agree on $2 (ours <, Porcupine's >): $difference"
    refused=$(grep -c ' refuse$' "$work/ours")
    echo "$(wc -l <"$work/ours") $2, of which $refused are refused: both judges agree on each"
}

# Our findings name the keys that are refused; the other judge says it of each key.
compare_race() { # HISTORY
    "$oscommit" check "$1" >"$work/race.ours" || fail "a real race is not accepted: $(cat "$work/race.ours")"
    "$porcupine" "$1" >"$work/race.theirs" || fail "Porcupine cannot read the history of a race"
    ! grep -v ' accept$' "$work/race.theirs" || fail "Porcupine does not accept a real race"
    [[ -s $work/race.theirs ]] || fail "the history of a race has no key"
    echo "a real race: $(wc -l <"$work/race.theirs") keys, accepted by both"
}

mkdir -p "$work"
[[ -n $porcupine ]] || build
compare_cases "$history_cases" "histories"
compare_cases "$transaction_cases" "histories of transactions"

rm -rf "$work/store" "$work/race.jsonl"
"$oscommit" init "$work/store" >/dev/null || fail "there is no store for a race"
"$oscommit" race "file://$work/store" --writers 4 --keys 20 --updates 10 --history "$work/race.jsonl" \
    >"$work/race.out" 2>&1 || fail "the race failed: $(cat "$work/race.out")"
compare_race "$work/race.jsonl"
