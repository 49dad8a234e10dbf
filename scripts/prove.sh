#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Attacks the protocol and the code with everything that there is for it, and prints one table of what was done.
#
#   scripts/prove.sh [--long] [--resume] [--only STEP,STEP...] [--mutants K/N] [--no-install]
#
#   explorer   every schedule of two and three real guards, and of leases, in small worlds (test/model)
#   simulator  the whole library in seeded worlds of clocks, faults and processes, and worlds of transactions (test/sim)
#   mutants    one rule taken out at a time: somebody must notice (test/mutants)
#   torture    every allocation, and every call of libcurl, SQLite and files fails once, under the blocking calls and
#              under the started ones (test/torture); the power fails after every change of an embedded store's disk
#              (test/powerloss)
#   fuzz       hostile bytes for every parser, and hostile events for the guard (fuzz)
#   coverage   branches that the unit tests and the corpora reach: src/commit, src/transaction and src/document all, each parser 95 % or more
#
# Needs no server. Without --long it takes about twenty minutes on two cores: over 1e6 states, 5,000 seeds, 8 s of each
# fuzz target. With it about eight hours: over 1e7 states, 1e6 seeds, the whole matrix of mutants, an hour of each target.
# --resume goes on with a run that was interrupted: what has gone well to the same extent, with the very same programs, is
# not run again, and its row says when it was. Exit status 0 when nothing was found.
# --mutants K/N plays every Nth mutant only, from the Kth.
# OSCOMMIT_BUILD_DIR: where to build, and where the logs and the rows stand [build/prove].
set -uo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$(cd -- "$scripts_dir/.." && pwd)
out=${OSCOMMIT_BUILD_DIR:-$root/build/prove}
jobs=$(nproc)
all_steps=(explorer simulator mutants torture fuzz coverage)
steps=("${all_steps[@]}")
long=0
resume=0
install=1
failed=0
mutants_slice=0/1
table=()

usage() {
    sed -n '3,21s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

while (($# > 0)); do
    case $1 in
    --long) long=1 ;;
    --resume) resume=1 ;;
    --no-install) install=0 ;;
    --mutants)
        (($# > 1)) || usage
        mutants_slice=$2
        shift
        ;;
    --only)
        (($# > 1)) || usage
        IFS=, read -ra steps <<<"$2"
        shift
        ;;
    *) usage ;;
    esac
    shift
done
for step in "${steps[@]}"; do
    [[ " ${all_steps[*]} " == *" $step "* ]] || die "There is no step named $step (there are: ${all_steps[*]})."
done

# ------------------------------------------------------------------------------------------------------------ steps

# Each step writes its log to standard output, sets `figure` to what it did in figures, and fails when it found
# something.

# The explorers, at the same time.
step_explorer() {
    local extent=--slice program pids=() status=0
    ((long)) && extent=--long
    for program in explore explore_leases explore_transactions; do
        "$build/test/model/$program" "$extent" >"$out/$program.txt" 2>&1 &
        pids+=($!)
    done
    for program in "${pids[@]}"; do
        wait "$program" || status=1
    done
    cat "$out/explore.txt" "$out/explore_leases.txt" "$out/explore_transactions.txt"
    figure=$(sed -n 's/^explore.*: configurations=\([0-9]*\) failed=[0-9]* states=\([0-9]*\) transitions=\([0-9]*\).*/\1 \2 \3/p' \
        "$out/explore.txt" "$out/explore_leases.txt" "$out/explore_transactions.txt" |
        awk '{ c += $1; s += $2; t += $3 } END { if (NR == 3) print s " states, " t " transitions in " c " configurations" }')
    [[ -n $figure ]] && ((status == 0))
}

seeds_run() { # FILE
    sed -n 's/^\([0-9]* seeds\) in [0-9.]* s: \([0-9]* seeds\/s\);.*/\1, \2/p' "$1"
}

step_simulator() {
    local seeds=5000 transactions=2000 status=0 objects rows
    ((long)) && seeds=1000000 transactions=200000
    "$build/test/sim/oscommit_sim" --seeds "$seeds" --jobs "$jobs" >"$out/simulator.txt" || status=1
    "$build/test/sim/oscommit_sim" --transactions --seeds "$transactions" --jobs "$jobs" >"$out/simulator-transactions.txt" || status=1
    cat "$out/simulator.txt" "$out/simulator-transactions.txt"
    objects=$(seeds_run "$out/simulator.txt")
    rows=$(seeds_run "$out/simulator-transactions.txt")
    figure="$objects; transactions: $rows"
    [[ -n $objects && -n $rows ]] && ((status == 0))
}

# Each tree is built before its first mutant: more than one for each processor only where there are many mutants.
step_mutants() {
    local matrix=() trees=$((jobs * 2))
    ((long)) && matrix=(--matrix)
    ((${mutants_slice#*/} < 16)) || trees=$jobs
    rm -f "$out/mutants.txt"
    "$root/test/mutants/run.py" --out "$out/mutants" --jobs "$trees" --slice "$mutants_slice" --summary "$out/mutants.txt" "${matrix[@]}"
    local status=$?
    [[ -f $out/mutants.txt ]] || return 1
    local killed total
    read -r killed total <"$out/mutants.txt"
    figure="$killed of $total killed"
    return "$status"
}

# It mostly waits for deadlines: the whole of it in many shares at a time.
torture_in_shares() { # PROGRAM SHARES ARGUMENT...
    local program=$1 shares=$2 share status=0 pids=()
    shift 2
    for ((share = 0; share < shares; share++)); do
        "$build/test/torture/$program" "$@" --shard "$share/$shares" >"$out/$program-$share.txt" 2>&1 &
        pids+=($!)
    done
    for share in "${!pids[@]}"; do
        wait "${pids[$share]}" || status=1
        cat "$out/$program-$share.txt"
    done
    return "$status"
}

step_torture() {
    local status lost shares=1 extent=()
    if ((long)); then
        shares=$((jobs * 16))
        extent=(--all)
    fi
    torture_in_shares oscommit_torture "$shares" "${extent[@]}" >"$out/torture.txt"
    status=$?
    # Half as many: each has a server, and the threads of a client; more starve each other.
    torture_in_shares oscommit_torture_started "$(((shares + 1) / 2))" "${extent[@]}" >>"$out/torture.txt" || status=1
    cat "$out/torture.txt"
    "$build/test/powerloss/oscommit_powerloss" "${extent[@]}" | tee "$out/powerloss.txt"
    lost=${PIPESTATUS[0]}
    local injections images
    injections=$(awk '/^[0-9]+ injections, [0-9]+ failures$/ { runs++; injections += $1; failures += $3 }
        END { if (runs) printf "%d injections, %d failures", injections, failures }' "$out/torture.txt")
    images=$(sed -n 's/^[0-9]* instants, \([0-9]* images\), \([0-9]* failures\)$/\1 of power failures, \2/p' "$out/powerloss.txt")
    figure="$injections; $images"
    [[ -n $injections && -n $images ]] && ((status == 0 && lost == 0))
}

# More targets than processors, so that the hour of each is not half a day.
step_fuzz() {
    local seconds=8 options=()
    ((long)) && seconds=3600
    ((resume)) && options+=(--resume)
    OSCOMMIT_FUZZ_DIR=$out/fuzz "$scripts_dir/fuzz.sh" --seconds "$seconds" --jobs $((jobs * 3 / 2)) --hang-seconds 60 "${options[@]}"
    local status=$?
    figure=$(awk '/^[a-z0-9_]+ [0-9]+ [0-9]+ [0-9]+( |$)/ { targets++; executions += $2; crashes += $3 }
        END { if (targets) printf "%.0f executions of %d targets, %d crashes", executions, targets, crashes }' "$out/fuzz/summary.txt")
    [[ -n $figure ]] && return "$status"
}

step_coverage() {
    OSCOMMIT_BUILD_DIR=$out/coverage "$scripts_dir/test.sh" --only coverage --no-install --no-servers
    local status=$?
    cat "$out/coverage/coverage.log"
    figure=$(grep '^src/commit: .*; parsers: ' "$out/coverage/coverage.log" | tail -n 1)
    [[ -n $figure ]] && return "$status"
}

# -------------------------------------------------------------------------------------------------------------- run

# What a step is made of: when that is the same, it would do the same again.
identity_of() { # STEP
    {
        echo "long $long, mutants $mutants_slice"
        case $1 in
        explorer) sha256sum "$build/test/model/explore" "$build/test/model/explore_leases" "$build/test/model/explore_transactions" ;;
        simulator) sha256sum "$build/test/sim/oscommit_sim" ;;
        torture) sha256sum "$build/test/torture/oscommit_torture" "$build/test/torture/oscommit_torture_started" "$build/test/powerloss/oscommit_powerloss" ;;
        mutants) (cd "$root" && find CMakeLists.txt cmake include src test docs/rules.md -type f ! -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum) ;;
        esac
    } | sha256sum
}

# fuzz.sh looks at each target itself; coverage takes three minutes.
is_resumable() { # STEP
    [[ $1 != fuzz && $1 != coverage ]]
}

# OUT/rows/STEP: the identity of a step that went well, and its row.
kept_row() { # STEP
    local identity row
    ((resume)) && is_resumable "$1" && [[ -f $out/rows/$1 ]] || return 1
    { read -r identity && IFS= read -r row; } <"$out/rows/$1"
    [[ $identity == "$(identity_of "$1")" ]] && printf '%s\n' "$row"
}

run_step() { # STEP
    local start=$SECONDS word=ok figure="" row
    if row=$(kept_row "$1"); then
        table+=("$row")
        say "$row"
        return
    fi
    rm -f "$out/rows/$1"
    if ! "step_$1" </dev/null >"$out/$1.log" 2>&1; then
        word=FAILED
        failed=$((failed + 1))
        tail -n 120 "$out/$1.log"
        say "The whole log: $out/$1.log"
    fi
    row=$(printf '%-9s  %-6s %6d s  %s' "$1" "$word" $((SECONDS - start)) "$figure")
    if [[ $word == ok ]] && is_resumable "$1"; then
        printf '%s\n%s, ended %s\n' "$(identity_of "$1")" "$row" "$(date -u +'%Y-%m-%d %H:%M UTC')" >"$out/rows/$1"
    fi
    [[ $word != ok ]] || keep_figure "$1" "$figure"
    table+=("$row")
    say "$row"
}

# OUT/figures/STEP: what a step that went well has done, for scripts/figures.sh.
keep_figure() { # STEP FIGURE
    local form=short
    ((long)) && form=long
    [[ $mutants_slice == 0/1 || $1 != mutants ]] || form="short, slice $mutants_slice"
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$form" "$(date -u +%F)" "$commit" "$2" >"$out/figures/$1"
}

# The programs of the steps that are to be run; mutants, fuzzers and coverage have builds of their own.
build_attackers() {
    local step targets=()
    for step in "${steps[@]}"; do
        case $step in
        explorer) targets+=(explore explore_leases explore_transactions) ;;
        simulator) targets+=(oscommit_sim) ;;
        torture) targets+=(oscommit_torture oscommit_torture_started oscommit_powerloss) ;;
        esac
    done
    ((${#targets[@]} == 0)) || {
        cmake -S "$root" -B "$build" -G Ninja -DOSCOMMIT_WERROR=ON -DOSCOMMIT_TESTS=ON -DCMAKE_BUILD_TYPE=Release &&
            cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"
    }
}

mkdir -p "$out/rows" "$out/figures"
commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo -)
build=$out/release
if ((install)); then
    install_packages build test
fi
if ! build_attackers >"$out/build.log" 2>&1; then
    tail -n 60 "$out/build.log"
    die "The build failed; the whole log: $out/build.log"
fi
for step in "${steps[@]}"; do
    run_step "$step"
done
echo
printf '%-9s  %-6s %8s  %s\n' what result time figures
printf '%s\n' "${table[@]}"
echo "$((${#steps[@]} - failed)) passed, $failed failed"
((failed == 0))
