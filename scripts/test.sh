#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests: installs what that needs, starts the servers, runs the tests, stops the servers.
#
#   scripts/test.sh [OPTION...]             one build, and every test of it: the stage gcc
#   scripts/test.sh --all [OPTION...]       every stage
#   scripts/test.sh --only STAGE,STAGE...   these stages
#   scripts/test.sh FILE|REGEX              a test's source file, a source file with its unit tests, or a part of the tests'
#                                           names: builds what these need, and starts servers only for those that need one
#
#   --part K/N    of the slow tests, and of the integration tests and the torture under the sanitizers, every Nth, from the Kth;
#                 and each under one sanitizer: what runs the tool under asan, the programs in C, whose threads are the
#                 library's, and the mixed fleet under tsan
#   --no-install  installs no Debian package      --no-servers  starts no server: tests that need one are skipped
#
# The stages, and the defects that only they have found, as far as the history tells. Where it tells of none, it is said
# what only this stage could find.
#
#   gcc       debug build; every test, the checks and the package test too, but not the slow and the large ones, the torture
#             (in coverage) and the probe of every store (scripts/probe.sh). Found nearly all that tests have found; for
#             instance that versitygw may answer a GET with the bytes of one version and the ETag of another
#   slow      the build of gcc: each fault of a race alone, takeovers in all their ways, and whether each check can fail (the
#             slow unit tests are in coverage). None known. Only here is a fault without others beside it
#   large     the build of gcc: 1 GiB put and copied, 200 MiB raced for, peak memory measured (test/large); on versitygw
#             as well when it is the only stage. None known. Only here is anything larger than some 20 MiB
#   asan      address and undefined behaviour sanitizers, optimised; every test but the slow ones and the explorers. None
#             known. Only here are reads behind the end, leaks on the paths of the torture, and undefined arithmetic
#   tsan      thread sanitizer, optimised; as asan, without the torture, and without what has one thread: simulator, corpora,
#             the unit tests of requests, answers and steps. Found a lock inside tzset, which is libc's and harmless. Only here
#             are races between threads
#   minimal   hardened release build by gcc without the module of Signature V2; the unit tests of what opens a store, package,
#             the checks of what is built. None known. Only here is the code compiled that stands in for the module, and as it
#             is shipped
#   install   the README's install lines, both generators and both examples, in a Debian root without the test packages
#             (scripts/check-install.sh); left out by --no-install. Found lines that named too little to install
#   packages  the packages for Debian, looked at by lintian, and installed in a Debian root that has nothing else; the wheel in
#             one with Python, and the static tool in an empty one (scripts/check-packages.sh); left out by --no-install.
#             Found a library that began to look for keys that it could not wait for
#   container the image of packaging/Containerfile is built and used (scripts/check-container.sh); left out by --no-install.
#             None known. Only here is the Containerfile
#   rust      the crates of rust/ with the debug build (scripts/rust.sh): the tests of object_store for whoever implements
#             its trait, races through it, dropped futures. None known. Only here is the header compared with Rust
#   python    the wheel of the Python package (scripts/python.sh): its types, its binary interface, and its tests, fsspec's own
#             among them, with the embedded store, MinIO and DynamoDB Local. None known. Only here is the package
#   coverage  branch coverage by the unit tests, the fuzz corpora and torture: all of src/commit, src/transaction and
#             src/document, 95 % of each parser, and test/coverage/uncovered.txt says why not more. Its torture found an
#             upload that left the event loop pointing at freed memory, a loop that took a whole processor, and a busy
#             database that knew no deadline
#   valgrind  unit tests under valgrind. None known. Only here are reads of memory that nothing was written to
#   clang     optimised build; unit tests, models, simulator and checks. Only when it is named: none known, and asan and
#             tsan are optimised builds of clang, too
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
test_jobs=$((jobs * 16)) # units: test/CMakeLists.txt says how many a test takes
all_stages=(gcc slow large clang asan tsan minimal valgrind install packages container rust python coverage)
named_only=(clang)
stages=()
wanted=""
part=""
install=1
servers=1
may_skip=0
passed=0
failed=0

usage() {
    sed -n '3,/^# OSCOMMIT_TEST_RESULTS/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

stages_of_all() {
    local stage
    for stage in "${all_stages[@]}"; do
        [[ $install == 0 && $stage == @(install|packages|container) ]] || [[ " ${named_only[*]} " == *" $stage "* ]] || stages+=("$stage")
    done
}

all=0
while (($# > 0)); do
    case $1 in
    --all) all=1 ;;
    --only)
        (($# > 1)) || usage
        IFS=, read -ra stages <<<"$2"
        shift
        ;;
    --part)
        [[ ${2:-} =~ ^[0-9]+/[1-9][0-9]*$ ]] || usage
        part=$2
        shift
        ;;
    --no-install) install=0 ;;
    --no-servers) servers=0 may_skip=1 ;;
    -*) usage ;;
    *)
        [[ -z $wanted ]] || usage
        wanted=$1
        ;;
    esac
    shift
done
[[ -z $wanted ]] || ((all + ${#stages[@]} == 0)) || usage
((all == 0)) || stages_of_all
((${#stages[@]} > 0)) || stages=(gcc)
for stage in "${stages[@]}"; do
    [[ " ${all_stages[*]} " == *" $stage "* ]] || die "There is no stage named $stage (there are: ${all_stages[*]})."
done

# ----------------------------------------------------------------------------------------------------------- stages

configure() { # STAGE CMAKE-ARGUMENT...
    cmake -S "$root" -B "$out/$1" -G Ninja -DOSCOMMIT_WERROR=ON -DOSCOMMIT_TESTS=ON "${@:2}"
}

make_targets() { # STAGE [TARGET...]
    ninja -C "$out/$1" -j "$jobs" -k 0 "${@:2}" # every error, not the first
}

build() { # STAGE CMAKE-ARGUMENT...
    configure "$@" && make_targets "$1"
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
    ((may_skip)) || stage_failed=$((stage_failed + skipped + disabled))
    stage_passed=$((stage_passed + tests - failures - skipped - disabled))
    if ((!may_skip && skipped + disabled > 0)); then
        echo "$((skipped + disabled)) tests were skipped, and none may be:"
        sed -n 's/.*<testcase name="\([^"]*\)".*status="\(notrun\|disabled\|skipped\)".*/    \1/p' "$1"
        return 1
    fi
}

configure_gcc() {
    configure gcc -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=gcc
}

build_gcc() {
    configure_gcc && make_targets gcc
}

stage_gcc() {
    build_gcc && run_tests gcc --label-exclude '^(torture|slow|large|stores)$'
}

# The first of these patterns that names a test.
first_that_names() { # REGEX...
    local regex
    for regex in "$@"; do
        if [[ $(ctest --test-dir "$out/gcc" --show-only --tests-regex "$regex") != *"Total Tests: 0"* ]]; then
            printf '%s\n' "$regex"
            return 0
        fi
    done
    return 1
}

# A regular expression of the tests that a file is, or that look at it; any other word as it is.
tests_wanted() { # FILE|REGEX
    local path name folder
    if [[ ! -f $1 ]]; then
        first_that_names "$1"
        return
    fi
    path=$(realpath --relative-to="$root" -- "$1")
    name=$(basename -- "${path%.*}")
    name=${name%_test}
    folder=$(basename -- "$(dirname -- "$path")")
    case $path in
    test/integration/* | test/interop/*) first_that_names "^${folder}_$name(\\.|\$)" "^${folder}_" ;;
    fuzz/*) first_that_names "^fuzz_${name%_fuzz}\$" "^fuzz_" ;;
    test/unit/* | src/* | tool/* | lab/*)
        first_that_names "^unit_${folder}_$name\$" "^unit_${folder}_${name}_" "^unit_${folder}_" "^unit_tool_" ;;
    test/*) first_that_names "^${folder}_$name\$" "^$folder" "^unit_${folder}_" ;;
    *) return 1 ;;
    esac
}

# Builds what stage_named is to run. The large tests and the probe of every store are run only by their names.
build_wanted() {
    local needs targets
    configure_gcc >"$out/named.log" 2>&1 || { cat "$out/named.log" && die "The build could not be configured."; }
    regex=$(tests_wanted "$wanted") || die "No test is named by $wanted. For the cases of a rule: OSCOMMIT_TEST_CASES=R12 scripts/test.sh unit_"
    excluded='^(large|stores)$'
    [[ $regex != *large* && $regex != *stores* ]] || excluded='^$'
    mapfile -t needs < <("$scripts_dir/needs_of_tests.py" "$out/gcc" "$regex" "$excluded")
    read -r tests_named tests_with_servers <<<"${needs[0]}"
    ((tests_named > 0)) || die "No test is named by $wanted."
    say "${needs[1]}"
    read -ra targets <<<"${needs[2]}"
    make_targets gcc "${targets[@]}" >>"$out/named.log" 2>&1 || { tail -n 60 "$out/named.log" && die "The build failed."; }
}

stage_named() {
    run_tests gcc --tests-regex "$regex" --label-exclude "$excluded"
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

# What the two sanitizers leave to each other where there is --part.
by_the_tool='^(integration_tool|report_|history_)'
by_the_library='^(integration_(api|fake|libs3|multipart|store)_|interop_)'
# Their functions are called by one thread at a time, and start none.
in_one_thread='^unit_(syntax|commit|lease|profile|item|aws|s3|dynamo|delta|history|race|report)_'

# The names of the tests that ctest selects, a line each.
names_of() { # STAGE CTEST-ARGUMENT...
    ctest --test-dir "$out/$1" --show-only "${@:2}" | sed -n 's/^ *Test *#[0-9]*: //p'
}

# A regular expression of exactly the tests whose names come in.
regex_of_names() {
    local names
    names=$(paste -sd'|')
    printf '^(%s)$' "${names//./\\.}"
}

# With --part: the lines that are not of it.
not_of_the_part() {
    [[ -z $part ]] || awk -v part="${part%/*}" -v parts="${part#*/}" 'NR % parts != part % parts'
}

stage_slow() {
    local others
    configure_gcc || return 1
    others=$(names_of gcc --label-regex '^slow$' --label-exclude '^(unit|large)$' | not_of_the_part | regex_of_names)
    make_targets gcc && run_tests gcc --label-regex '^slow$' --label-exclude '^(unit|large)$' --exclude-regex "$others"
}

# Builds what its tests need, and runs them.
sanitize() { # STAGE SANITIZERS LABELS-THAT-ARE-LEFT-OUT TESTS-THAT-ARE-LEFT-OUT [TESTS-OF-THE-OTHER-SANITIZER]
    local left_out=$4 tests needs targets
    configure "$1" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DOSCOMMIT_SANITIZE="$2" || return 1
    if [[ -n $part ]]; then
        left_out="$left_out|$5"
        left_out="$left_out|$(names_of "$1" --label-regex '^(integration|interop|torture)$' --label-exclude "$3" --exclude-regex "$left_out" |
            not_of_the_part | regex_of_names)"
    fi
    tests=$(names_of "$1" --label-exclude "$3" --exclude-regex "$left_out" | regex_of_names)
    mapfile -t needs < <("$scripts_dir/needs_of_tests.py" "$out/$1" "$tests" "$3")
    read -ra targets <<<"${needs[2]}"
    make_targets "$1" "${targets[@]}" && run_tests "$1" --tests-regex "$tests"
}

stage_asan() {
    sanitize asan address,undefined '^(slow|large|stores|model|package)$' '^examples$' "$by_the_library"
}

# The runtime of clang 14 does not bear every address layout that newer kernels give: without randomisation where that
# may be asked for (a container may refuse it).
stage_tsan() {
    if setarch --addr-no-randomize true 2>/dev/null; then
        before_ctest=(setarch --addr-no-randomize)
    fi
    sanitize tsan thread '^(slow|torture|large|stores|model|sim|fuzz|check|package)$' "^examples\$|$in_one_thread" "$by_the_tool"
}

# The other unit tests are optimised, too, under the sanitizers.
stage_minimal() {
    local units='^unit_(store|client)_' needs targets status=0
    configure minimal -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc -DOSCOMMIT_WITH_LIBS3=OFF || return 1
    mapfile -t needs < <("$scripts_dir/needs_of_tests.py" "$out/minimal" "$units" '^$')
    read -ra targets <<<"${needs[2]}"
    make_targets minimal src/all tool/all lab/all oscommit_manual "${targets[@]}" || return 1
    run_tests minimal --tests-regex "$units" || status=1
    run_tests minimal --label-regex '^(built|package)$' || status=1
    return "$status"
}

stage_valgrind() {
    local launcher="valgrind;--quiet;--error-exitcode=99;--leak-check=full;--errors-for-leak-kinds=definite,indirect;--trace-children=no"
    build valgrind -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=gcc "-DOSCOMMIT_TEST_LAUNCHER=$launcher" &&
        OSCOMMIT_TEST_SEQUENCES=2000 run_tests valgrind --label-regex '^unit$'
}

# What a script that counts by itself has said in its last line.
run_script() { # NAME SCRIPT [ARGUMENT...]
    local said=$out/$1.txt status
    "${@:2}" | tee "$said"
    status=${PIPESTATUS[0]}
    stage_passed=$(sed -nE 's/^([0-9]+) passed, .* failed$/\1/p' "$said")
    stage_failed=$(sed -nE 's/^.* passed, ([0-9]+) failed$/\1/p' "$said")
    return "$status"
}

stage_install() {
    run_script install "$scripts_dir/check-install.sh"
}

stage_packages() {
    OSCOMMIT_BUILD_DIR=$out/packages run_script packages "$scripts_dir/check-packages.sh"
}

stage_container() {
    run_script container "$scripts_dir/check-container.sh"
}

# What cmake installs of the build of gcc.
stage_rust() {
    configure_gcc && make_targets gcc src/all tool/all lab/all || return 1
    OSCOMMIT_BUILD_DIR=$out/rust OSCOMMIT_NO_INSTALL=$((1 - install)) run_script rust "$scripts_dir/rust.sh" "$out/gcc"
}

stage_python() {
    local options=() skipped status
    ((install)) || options+=(--no-install)
    OSCOMMIT_BUILD_DIR=$out "$scripts_dir/python.sh" "${options[@]}" | tee "$out/python.txt"
    status=${PIPESTATUS[0]}
    read -r stage_passed stage_failed skipped < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' "$out/python.txt")
    ((may_skip)) || stage_failed=$((stage_failed + ${skipped:-0}))
    return "$((status || stage_failed > 0))"
}

# The asserts are left out: their failing branch is not there to be taken.
stage_coverage() {
    build coverage -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=gcc -DOSCOMMIT_COVERAGE=ON || return 1
    find "$out/coverage" -name '*.gcda' -delete
    local status=0
    run_tests coverage --label-regex '^(unit|fuzz|torture)$' || status=1
    gcovr --root "$root" --filter "$root/src/" --filter "$root/tool/cli/(config_read|toml|trace_parse)\.c" --exclude-lines-by-pattern '^\s*assert\(.*' --branches --json "$out/coverage.json" \
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
if [[ -n $wanted ]]; then
    build_wanted
    stages=(named)
    if ((tests_with_servers == 0)); then
        servers=0
    elif ((servers)); then
        say "Starting the servers: $tests_with_servers of the $tests_named tests talk to them."
    fi
elif ((install)); then
    start=$SECONDS
    install_packages build test
    printf '%-6s %-9s %5d s\n' ok packages $((SECONDS - start))
fi
[[ " ${stages[*]} " =~ \ (named|gcc|slow|large|asan|tsan|packages|rust|python)\  ]] || servers=0
if ((servers)); then
    start_servers
fi
for stage in "${stages[@]}"; do
    run_stage "$stage"
done
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0 && passed > 0))
