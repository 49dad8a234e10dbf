#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests the Rust crates of rust/: their format, clippy, their tests with every release of object_store, what is
# dropped under valgrind, each release alone, and the example with the C library that the crate builds itself.
#
#   scripts/rust.sh [BUILD]   BUILD: a folder in which cmake has built the C library [built anew]
#
# Servers are found by the environment, as the integration tests find them (scripts/servers.sh start DIR, then
# . DIR/env). The last line says how many tests passed and failed.
# OSCOMMIT_BUILD_DIR  where to build [build/rust]
set -euo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/servers/common.sh
. "$scripts_dir/servers/common.sh" # need_cargo
root=$(cd -- "$scripts_dir/.." && pwd)
out=${OSCOMMIT_BUILD_DIR:-$root/build/rust}
features=object_store_0_12,object_store_0_13,object_store_0_14
passed=0
failed=0

export CARGO_BUILD_JOBS=2 CARGO_TARGET_DIR=$out/target CARGO_TERM_COLOR=never
export PKG_CONFIG_PATH=$out/prefix/lib/pkgconfig LD_LIBRARY_PATH=$out/prefix/lib
export RUST_TEST_THREADS=8 # tests mostly wait
unset OSCOMMIT_LIB_DIR

# As whoever uses the crate has it: installed, and found by pkg-config.
install_library() { # BUILD
    cmake --install "$1" --prefix "$out/prefix" >/dev/null
    local described
    described=$(find "$out/prefix" -name oscommit.pc)
    [[ -n $described ]] || die "cmake has installed no oscommit.pc below $out/prefix."
    PKG_CONFIG_PATH=$(dirname -- "$described")
    LD_LIBRARY_PATH=$(dirname -- "$PKG_CONFIG_PATH")
}

build_library() {
    install_packages build
    cmake -S "$root" -B "$out/library" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DOSCOMMIT_TESTS=OFF -DOSCOMMIT_WITH_LIBS3=OFF >/dev/null
    ninja -C "$out/library" -j 2 >/dev/null
}

# A step that is no test of its own counts as one.
step() { # NAME COMMAND...
    say "== $1"
    if "${@:2}"; then
        passed=$((passed + 1))
    else
        say "FAILED: $1"
        failed=$((failed + 1))
    fi
}

in_rust() {
    (cd -- "$root/rust" && "$cargo" "$@")
}

# Debian has the two in packages of their own, which nothing else here needs.
step_if_there() { # NAME SUBCOMMAND ARGUMENT...
    if in_rust "$2" --version >/dev/null 2>&1; then
        step "$1" in_rust "${@:2}"
    else
        say "== $1: left out, as cargo $2 is not installed"
    fi
}

# Adds up what the test programs say.
run_tests() { # ARGUMENT...
    local log=$out/tests.log good bad status=0
    say "== cargo test $*"
    in_rust test --locked "$@" 2>&1 | tee "$log" || status=1
    good=$(awk '/^test result:/ { sum += $4 } END { print sum + 0 }' "$log")
    bad=$(awk '/^test result:/ { sum += $6 } END { print sum + 0 }' "$log")
    ((status == 0 || bad > 0)) || bad=1
    ((good + bad > 0)) || bad=1
    passed=$((passed + good))
    failed=$((failed + bad))
}

# The first run makes the object, and the second one finds it.
run_example() {
    local program=$out/target/debug/examples/publish store=$out/example first second
    rm -rf "$store"
    first=$("$program" "file://$store") && second=$("$program" "file://$store") || return 1
    [[ $first == "committed "* && $second == "conflict: somebody was first" ]] || {
        say "The example said \"$first\", then \"$second\"."
        return 1
    }
}

under_valgrind() {
    local triple
    triple=$("$cargo" -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')
    export "CARGO_TARGET_${triple}_RUNNER=valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite"
    run_tests --package oscommit --test dropped
    unset "CARGO_TARGET_${triple}_RUNNER"
}

mkdir -p "$out"
need_cargo
if (($# > 0)); then
    library=$1
else
    build_library
    library=$out/library
fi
install_library "$library"
step_if_there "format" fmt --check
step_if_there "clippy" clippy --locked --workspace --all-targets --features "$features" -- -D warnings
run_tests --workspace --features "$features"
if command -v valgrind >/dev/null; then
    under_valgrind
fi
for release in 0_12 0_13 0_14; do
    step "object_store_$release alone" in_rust check --locked --package oscommit --no-default-features --features "object_store_$release"
done
step "the example, vendored" in_rust build --locked --package oscommit --example publish --features vendored
step "the example runs" run_example
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0 && passed > 0))
