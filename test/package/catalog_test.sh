#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The catalog of the examples: eight processes race on it, some are killed after each of their requests, a gc follows, and a
# judge reads the history. Every commit has seen the versions of both tables. So the history is serializable only if the
# commits form one line, in which each has seen what the one before left.
# Runs: docs/catalog.md
# usage: catalog_test.sh OSCOMMIT EXAMPLE_CATALOG [STORE]; without a store, one of files
set -uo pipefail
oscommit=$1
catalog=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
killed=0

fail() {
    echo "$*"
    status=1
}

# The commands of the page, in which the compiler gives the program of this build.
run_page() {
    local bin=$work/bin
    mkdir "$bin" "$work/page" && cd -- "$work/page" || return 1
    printf '#!/bin/sh\ncp "%s" catalog\n' "$catalog" >"$bin/cc"
    printf '#!/bin/sh\n' >"$bin/pkg-config"
    chmod +x "$bin/cc" "$bin/pkg-config"
    ln -s "$oscommit" "$bin/oscommit"
    PATH=$bin:$PATH
    eval "$(awk '/^```/ { inside = $0 == "```sh"; next } inside' "$1")"
}
if [[ $# == 2 ]]; then
    (run_page "$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../docs" && pwd)/catalog.md") >"$work/page.out" 2>&1
    # Of six commits two are of both tables; and each of the three kinds moves something.
    [[ $(grep -c '/metadata/' "$work/page.out") == 16 && $(tail -n 1 "$work/page.out") == '0 removed, 0 failed' ]] ||
        fail "the commands of docs/catalog.md: $(cat "$work/page.out")"
fi

store=${3:-file://$work/store}
run() {
    "$catalog" "$store" "$@"
}
[[ $# == 3 ]] || "$oscommit" init "$work/store" >/dev/null || exit 1
run create || exit 1

# Each version of a table once, from 1; each commit whole; all in one line; nothing in the store that the history does not
# name; what was said to be committed is there, and what was said not to be is not.
judge() { # WHEN [leftovers]
    run log >"$work/log" || fail "$1: the history cannot be read"
    sort "$work"/said.* | awk -v when="$1" '
        function complain(text) { print when ": " text; bad = 1 }
        FILENAME == ARGV[1] {
            table = $1; version = $2; id = $3
            if (has[table, version]++) complain(table " has version " version " twice")
            if (version > last[table]) last[table] = version
            count[table]++
            if (moved[id, table]++) complain(id " has moved " table " twice")
            if ((id in events) && (events[id] != $4 || orders[id] != $5)) complain(id " has seen two states")
            events[id] = $4; orders[id] = $5
            if (version != (table == "events" ? $4 : $5) + 1) complain(id " has left out a version of " table)
            next
        }
        { said[$1] = substr($0, length($1) + 2) }
        END {
            for (table in count) if (count[table] != last[table]) complain(table " has a gap")
            for (id in events) {
                part = id; sub(/.*-/, "", part); part %= 3
                if (((id, "events") in moved) != (part != 2) || ((id, "orders") in moved) != (part != 1))
                    complain(id " is half")
                place = events[id] + orders[id]
                if (place in at) complain(id " and " at[place] " have seen the same state")
                at[place] = id
                if (said[id] != "" && said[id] != "committed" && said[id] != "unknown")
                    complain(id " is there, and was said to be " said[id])
            }
            for (id in said) if (said[id] == "committed" && !(id in events)) complain(id " is lost")
            a = b = commits = 0
            while ((a + b) in at) {
                id = at[a + b]
                if (events[id] != a || orders[id] != b) { complain(id " has seen " events[id] "," orders[id] " at " a "," b); break }
                a += ((id, "events") in moved); b += ((id, "orders") in moved); commits++
            }
            for (id in events) commits--
            if (commits != 0) complain("the history is not one line")
            exit bad
        }' "$work/log" - || status=1
    [[ ${2:-} == leftovers ]] && return
    diff <(cut -d ' ' -f 6 "$work/log" | sort) <("$oscommit" ls -r "$store/db/" | sed 's/.* //; s/.*\(db\/[eo]\)/\1/' | sort) >"$work/diff" ||
        fail "$1: the store and the history differ: $(head -n 5 "$work/diff")"
    [[ $(run gc now) == '0 removed, 0 failed' ]] || fail "$1: a second gc had something to do"
}

race() { # ROUND KILLED-FROM
    local i pids=() died
    for i in 0 1 2 3 4 5 6 7; do
        died=0
        ((i < 4 && $2 > 0)) && died=$(($2 + i))
        CATALOG_DIE_AT=$died run commit "r$1p$i" 6 >"$work/said.$1.$i" 2>"$work/err.$1.$i" &
        pids+=($!)
    done
    for i in "${!pids[@]}"; do
        wait "${pids[i]}" 2>/dev/null
        case $? in
        0) ;;
        137) ((killed++)) ;;
        *) fail "a writer failed: $(cat "$work/err.$1.$i")" ;;
        esac
    done
}

touch "$work/said.0"
stride=${CATALOG_STRIDE:-4} # a larger one leaves steps out
rounds=0
for ((step = 1; step <= 29; step += stride)); do
    ((++rounds))
    race "$step" "$step"
    judge "killed from $step on" leftovers
    run gc now >/dev/null || fail "gc failed"
    judge "gc after $step"
done 2>/dev/null
((killed >= 3 * rounds)) || fail "only $killed were killed"

# A gc that is killed after each of its requests, twice: the second meets what the first has begun.
race 100 4
gcs=0
for ((step = 2; step < 200; step++)); do
    CATALOG_DIE_AT=$((step / 2)) run gc now >/dev/null 2>&1
    [[ $? == 137 ]] || break
    ((gcs++))
    judge "gc killed at $step" leftovers
done 2>/dev/null
((gcs > 6)) || fail "only $gcs gcs were killed"
run gc now >/dev/null
judge "gc after those that were killed"

# A gc of any age beside writers, none of which is killed: they begin anew, and nothing is lost nor left.
(while [[ ! -e $work/over ]]; do run gc now >/dev/null || touch "$work/gc-failed"; done) &
beside=$!
race 200 0
touch "$work/over"
wait "$beside"
[[ ! -e $work/gc-failed ]] || fail "a gc beside writers failed"
judge "gc beside writers" leftovers
run gc now >/dev/null
judge "gc behind it"
echo "$(wc -l <"$work/log") metadata objects, $killed processes killed"
exit "$status"
