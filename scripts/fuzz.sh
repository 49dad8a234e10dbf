#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Looks for inputs that break something: builds the fuzz targets with clang and runs them, two at a time.
#
#   scripts/fuzz.sh [--seconds N] [--jobs N] [--hang-seconds N] [--resume] [--no-build] [TARGET...]
#
#   --seconds N       how long each target runs [60]      --jobs N  how many at a time [2]
#   --hang-seconds N  an input that takes longer is a finding [20]: more where other work starves the targets
#   --resume          a target that has run for as long before, as the same program and without a finding, is not run
#                     again: its line stays
#
# One line for each target: TARGET EXECUTIONS CRASHES SECONDS, and behind them what it found: corpus inputs and covered
# branches, before and after. The same lines stand in OUT/summary.txt. Exit status 1 when an input crashed, hung,
# leaked or took over 2 GiB: it is kept in OUT/TARGET/artifacts, is named and printed, and is played again alone by
# giving it to OUT/fuzz/fuzz_TARGET.
# OSCOMMIT_FUZZ_DIR  where to build and to keep what was found (OUT) [build/fuzz]
set -uo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$(cd -- "$scripts_dir/.." && pwd)
out=${OSCOMMIT_FUZZ_DIR:-$root/build/fuzz}
seconds=60
jobs=2
hang_seconds=20
resume=0
build=1
targets=()

usage() {
    sed -n '3,17s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

while (($# > 0)); do
    case $1 in
    --seconds | --jobs | --hang-seconds)
        [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage
        case $1 in
        --seconds) seconds=$2 ;;
        --jobs) jobs=$2 ;;
        *) hang_seconds=$2 ;;
        esac
        shift
        ;;
    --resume) resume=1 ;;
    --no-build) build=0 ;;
    -*) usage ;;
    *) targets+=("$1") ;;
    esac
    shift
done

mapfile -t all < <(sed -n 's/^oscommit_fuzz(\([a-z0-9_]*\) .*/\1/p' "$root/fuzz/CMakeLists.txt")
((${#targets[@]} > 0)) || targets=("${all[@]}")
for target in "${targets[@]}"; do
    [[ " ${all[*]} " == *" $target "* ]] || die "There is no target named $target (there are: ${all[*]})."
done

build_targets() {
    command -v clang >/dev/null || die "clang is missing (Debian: clang libclang-rt-14-dev)."
    cmake -S "$root" -B "$out" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang \
        -DOSCOMMIT_SANITIZE=address,undefined -DOSCOMMIT_FUZZ=ON -DOSCOMMIT_TESTS=ON &&
        cmake --build "$out" --parallel 2 --target "${targets[@]/#/fuzz_}"
}

# A line of libFuzzer's: "#123 INITED cov: 45 ft: 67 corp: 8/90b ..."; the n-th of its fields behind a word.
field() { # LOG WORD WHICH-LINES
    sed -n "/$3/s/.* $2: \([0-9]*\).*/\1/p" "$1" | tail -n 1
}

program_of() { # TARGET: what tells this program from every other
    sha256sum <"$out/fuzz/fuzz_$1"
}

# OUT/TARGET/done: the program that ran without a finding, and for how many seconds it was to.
is_done() { # TARGET
    local program done_seconds
    [[ -f $out/$1/done && -f $out/$1/line ]] || return 1
    { read -r program && read -r done_seconds; } <"$out/$1/done"
    [[ $program == "$(program_of "$1")" ]] && ((done_seconds >= seconds))
}

# Where only the log is left of a machine, the input is made of its line: base64 -d | gunzip.
print_input() { # FILE
    [[ -f $1 ]] || return 0
    printf '    the input: %s\n' "$1"
    (($(stat -c %s "$1") > 16384)) || printf '    gzip | base64: %s\n' "$(gzip -9n <"$1" | base64 -w 0)"
}

run_target() { # TARGET: writes OUT/TARGET/line
    local target=$1 folder=$out/$1 start=$SECONDS status=0 executions crashes
    local dict=$root/fuzz/dict/$1.dict arguments=()
    mkdir -p "$folder/corpus" "$folder/artifacts"
    rm -f "$folder/line" "$folder/log" "$folder/done"
    [[ -f $dict ]] && arguments+=("-dict=$dict")
    # Twice the time, and it is killed: a target that hangs where libFuzzer's own alarm does not reach.
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
        timeout --signal=KILL $((seconds * 2 + 120)) \
        "$out/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout="$hang_seconds" -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$folder/artifacts/" "${arguments[@]}" "$folder/corpus" "$root/fuzz/corpus/$target" \
        </dev/null >"$folder/log" 2>&1 || status=$?
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log" | tail -n 1)
    [[ -n $executions ]] || executions=$(sed -n 's/^#\([0-9]*\).*/\1/p' "$folder/log" | tail -n 1)
    crashes=$((status != 0 ? 1 : 0))
    printf '%s %s %s %s   corpus %s -> %s, coverage %s -> %s\n' "$target" "${executions:-0}" "$crashes" \
        $((SECONDS - start)) "$(field "$folder/log" corp INITED)" "$(field "$folder/log" corp '^#.*corp:')" \
        "$(field "$folder/log" cov INITED)" "$(field "$folder/log" cov '^#.*cov:')" >"$folder/line"
    if ((crashes)); then
        {
            printf '    exit status %d; the log: %s\n' "$status" "$folder/log"
            print_input "$(sed -n 's/.*Test unit written to //p' "$folder/log" | tail -n 1)"
            grep -m 3 -E 'this must hold|SUMMARY|ERROR|runtime error' "$folder/log" | sed 's/^/    /'
        } >>"$folder/line"
    else
        {
            program_of "$target"
            echo "$seconds"
        } >"$folder/done"
    fi
    cat "$folder/line"
}

mkdir -p "$out"
if ((build)); then
    build_targets >"$out/build.log" 2>&1 || {
        tail -n 30 "$out/build.log"
        die "The targets could not be built; the whole log: $out/build.log"
    }
fi
trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM HUP
for target in "${targets[@]}"; do
    if ((resume)) && is_done "$target"; then
        cat "$out/$target/line"
        continue
    fi
    while (($(jobs -rp | wc -l) >= jobs)); do
        wait -n
    done
    rm -f "$out/$target/line"
    run_target "$target" &
done
wait
: >"$out/summary.txt"
for target in "${targets[@]}"; do
    cat "$out/$target/line" >>"$out/summary.txt" || echo "$target 0 1 0   no result" >>"$out/summary.txt"
done
! grep -qE '^[a-z0-9_]+ [0-9]+ 1 ' "$out/summary.txt"
