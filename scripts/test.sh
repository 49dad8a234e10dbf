#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests everything: installs what that needs, starts the servers, runs the stages, stops the servers.
#
#   scripts/test.sh [--only STAGE,STAGE...] [--no-install] [--no-servers]
#
#   gcc       debug build, every test (but the probe's of every store: scripts/probe.sh, the large ones, and the torture,
#             which is in coverage), the slow ones, the checks and the package test too
#   large     the build of gcc: 1 GiB put and copied, 200 MiB raced for, peak memory measured (test/large); on versitygw
#             as well when it is the only stage
#   clang     optimised build; unit tests, models, simulator and checks. Only when it is named: asan and tsan are
#             optimised builds of clang, too
#   asan      address and undefined behaviour sanitizers, every test but the slow ones
#   tsan      thread sanitizer, every test but the slow ones and the torture
#   minimal   hardened release build by gcc without the module of Signature V2; unit tests, checks, package
#   valgrind  unit tests under valgrind
#   install   the README's install lines, both generators and both examples, in a Debian root without the test packages
#             (scripts/check-install.sh); left out by --no-install
#   coverage  branch coverage by the unit tests, the fuzz corpora and torture: all of src/commit, 95 % of each parser, and
#             test/coverage/uncovered.txt says why not more
#
#   --no-install  installs no Debian package      --no-servers  starts no server: tests that need one are skipped
#
# Warnings are errors. A skipped test is a failure, unless --no-servers is given. The last line says how many tests
# passed and failed, of all stages together; the exit status is 0 when none failed.
# OSCOMMIT_BUILD_DIR    where to build [build/test]; the log of each stage stands there too
# OSCOMMIT_TEST_RESULTS a file to which "STAGE PASSED FAILED" is added for each stage
set -uo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$(cd -- "$scripts_dir/.." && pwd)
out=${OSCOMMIT_BUILD_DIR:-$root/build/test}
jobs=$(nproc)
test_jobs=$((jobs * 4)) # most tests count as two (test/CMakeLists.txt), and wait half of their time
all_stages=(gcc large clang asan tsan minimal valgrind install coverage)
named_only=(clang)
stages=()
install=1
servers=1
passed=0
failed=0

usage() {
    sed -n '3,27s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

while (($# > 0)); do
    case $1 in
    --only)
        (($# > 1)) || usage
        IFS=, read -ra stages <<<"$2"
        shift
        ;;
    --no-install) install=0 ;;
    --no-servers) servers=0 ;;
    *) usage ;;
    esac
    shift
done
if ((${#stages[@]} == 0)); then
    for stage in "${all_stages[@]}"; do
        [[ $install == 0 && $stage == install ]] || [[ " ${named_only[*]} " == *" $stage "* ]] || stages+=("$stage")
    done
fi
for stage in "${stages[@]}"; do
    [[ " ${all_stages[*]} " == *" $stage "* ]] || die "There is no stage named $stage (there are: ${all_stages[*]})."
done

# ----------------------------------------------------------------------------------------------------------- stages

build() { # STAGE CMAKE-ARGUMENT...
    local folder=$out/$1
    shift
    cmake -S "$root" -B "$folder" -G Ninja -DOSCOMMIT_WERROR=ON -DOSCOMMIT_TESTS=ON "$@" && cmake --build "$folder" --parallel "$jobs" -- -k 0 # every error, not the first
}

# Runs ctest in a stage's build, and adds up what it says. A test that was skipped counts as failed.
run_tests() { # STAGE CTEST-ARGUMENT...
    local stage=$1 report=$out/$1.xml status=0
    shift
    rm -f "$report"
    "${before_ctest[@]}" ctest --test-dir "$out/$stage" --parallel "$test_jobs" --output-on-failure --no-tests=error --output-junit "$report" "$@" ||
        status=1
    count_results "$report" || status=1
    return "$status"
}

attribute() { # FILE NAME: of the suite
    sed -n '/<testsuite/,/>/s/.*[[:space:]]'"$2"'="\([0-9]*\)".*/\1/p' "$1" | head -n 1
}

count_results() { # JUNIT-FILE
    local tests failures skipped disabled
    [[ -f $1 ]] || return 1
    tests=$(attribute "$1" tests)
    failures=$(attribute "$1" failures)
    skipped=$(attribute "$1" skipped)
    disabled=$(attribute "$1" disabled)
    stage_failed=$((stage_failed + failures))
    if ((servers)); then
        stage_failed=$((stage_failed + skipped + disabled))
    fi
    stage_passed=$((stage_passed + tests - failures - skipped - disabled))
    if ((servers && skipped + disabled > 0)); then
        echo "$((skipped + disabled)) tests were skipped, and none may be:"
        sed -n 's/.*<testcase name="\([^"]*\)".*status="\(notrun\|disabled\|skipped\)".*/    \1/p' "$1"
        return 1
    fi
}

build_gcc() {
    build gcc -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=gcc
}

stage_gcc() {
    build_gcc && run_tests gcc --label-exclude '^(torture|large|stores)$'
}

stage_large() {
    local which=(--label-regex '^large$')
    ((${#stages[@]} == 1)) || which+=(--label-exclude '^slow$')
    build_gcc && run_tests gcc "${which[@]}"
}

stage_clang() {
    build clang -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang &&
        run_tests clang --label-regex '^(unit|model|sim|fuzz|check)$' --label-exclude '^slow$'
}

stage_asan() {
    build asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DOSCOMMIT_SANITIZE=address,undefined &&
        run_tests asan --label-exclude '^(slow|large|stores)$'
}

# The runtime of clang 14 does not bear every address layout that newer kernels give: without randomisation where that
# may be asked for (a container may refuse it).
stage_tsan() {
    if setarch --addr-no-randomize true 2>/dev/null; then
        before_ctest=(setarch --addr-no-randomize)
    fi
    build tsan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DOSCOMMIT_SANITIZE=thread &&
        run_tests tsan --label-exclude '^(slow|torture|large|stores)$'
}

stage_minimal() {
    build minimal -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc -DOSCOMMIT_WITH_LIBS3=OFF &&
        run_tests minimal --label-regex '^(unit|check|package)$'
}

stage_valgrind() {
    local launcher="valgrind;--quiet;--error-exitcode=99;--leak-check=full;--errors-for-leak-kinds=definite,indirect;--trace-children=no"
    build valgrind -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=gcc "-DOSCOMMIT_TEST_LAUNCHER=$launcher" &&
        OSCOMMIT_TEST_SEQUENCES=2000 run_tests valgrind --label-regex '^unit$'
}

stage_install() {
    local status
    "$scripts_dir/check-install.sh" | tee "$out/install.txt"
    status=${PIPESTATUS[0]}
    stage_passed=$(sed -nE 's/^([0-9]+) passed, .* failed$/\1/p' "$out/install.txt")
    stage_failed=$(sed -nE 's/^.* passed, ([0-9]+) failed$/\1/p' "$out/install.txt")
    return "$status"
}

# The asserts are left out: their failing branch is not there to be taken.
stage_coverage() {
    build coverage -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=gcc -DOSCOMMIT_COVERAGE=ON || return 1
    find "$out/coverage" -name '*.gcda' -delete
    local status=0
    run_tests coverage --label-regex '^(unit|fuzz|torture)$' || status=1
    gcovr --root "$root" --filter "$root/src/" --exclude-lines-by-pattern '^\s*assert\(.*' --branches --json "$out/coverage.json" \
        "$out/coverage" || return 1
    python3 -B "$root/test/coverage/check.py" "$out/coverage.json" "$root" || {
        stage_failed=$((stage_failed + 1))
        return 1
    }
    stage_passed=$((stage_passed + 1))
    return "$status"
}

# -------------------------------------------------------------------------------------------------------------- run

# What the failed tests said, wherever in the log that stands; then its end.
show_failures() { # LOG
    awk '/^ *[0-9]+\/[0-9]+ Test +#/ { failed = /\*\*\*/; lines = 0 }
        failed && !/^ +Start +[0-9]+: / && lines++ < 120' "$1"
    tail -n 40 "$1"
}

run_stage() { # STAGE
    local start=$SECONDS word=ok
    before_ctest=(env)
    stage_passed=0
    stage_failed=0
    if ! "stage_$1" </dev/null >"$out/$1.log" 2>&1; then
        word=FAILED
        ((stage_failed > 0)) || stage_failed=1 # it did not come to its tests
        show_failures "$out/$1.log"
        say "The whole log: $out/$1.log"
    fi
    passed=$((passed + stage_passed))
    failed=$((failed + stage_failed))
    printf '%-6s %-9s %5d s   %d passed, %d failed\n' "$word" "$1" $((SECONDS - start)) "$stage_passed" "$stage_failed"
    if [[ -n ${OSCOMMIT_TEST_RESULTS:-} ]]; then
        echo "$1 $stage_passed $stage_failed" >>"$OSCOMMIT_TEST_RESULTS"
    fi
}

stop_servers() {
    if ((servers)); then
        "$scripts_dir/servers.sh" stop "$out/servers"
        rm -rf "$out/servers/minio" "$out/servers/versitygw"
    fi
}

start_servers() {
    local start=$SECONDS
    trap stop_servers EXIT
    trap 'exit 130' INT TERM HUP
    "$scripts_dir/servers.sh" stop "$out/servers" # of a run that was killed
    OSCOMMIT_NO_INSTALL=$((1 - install)) "$scripts_dir/servers.sh" install || die "Not every server could be installed."
    "$scripts_dir/servers.sh" start "$out/servers" || die "Not every server could be started."
    # shellcheck source=/dev/null
    . "$out/servers/env"
    export OSCOMMIT_REQUIRE_SERVERS=1
    printf '%-6s %-9s %5d s\n' ok servers $((SECONDS - start))
}

mkdir -p "$out"
if ((install)); then
    start=$SECONDS
    install_packages build test
    printf '%-6s %-9s %5d s\n' ok packages $((SECONDS - start))
fi
if ((servers)); then
    start_servers
fi
for stage in "${stages[@]}"; do
    run_stage "$stage"
done
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0 && passed > 0))
