#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# This library beside object_store, in one run: builds all, starts the servers, measures, prints a table. See README.md.
#
#   bench/run.sh [--quick] [--rows REGEX] [--out DIR] [--rounds N] [--seconds S] [--list]
#
# The results go to build/bench/out, or to --out.
# OSCOMMIT_BENCH_BUILD   another folder than build/bench for what is built
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
scripts_dir=$root/scripts
# shellcheck source=scripts/lib.sh
. "$scripts_dir/lib.sh"
# shellcheck source=scripts/servers/common.sh
. "$scripts_dir/servers/common.sh"
# shellcheck source=scripts/servers/boto3.sh
. "$scripts_dir/servers/boto3.sh"
build=${OSCOMMIT_BENCH_BUILD:-$root/build/bench}
servers=$build/servers

build_ours() {
    [[ ${OSCOMMIT_NO_INSTALL:-} == 1 ]] || install_packages build
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DOSCOMMIT_BENCH=ON -DOSCOMMIT_TESTS=OFF >/dev/null
    cmake --build "$build" --target bench >&2
}

# Beside the servers, as the peer of the tests: that takes minutes, and does not depend on the build.
build_peers() {
    need_cargo
    mkdir -p "$cache"
    CARGO_TARGET_DIR=$cache/bench-peer-target "$cargo" build --release --locked --manifest-path "$root/bench/peer/Cargo.toml" >&2
}

# What is written by hand with the SDKs.
build_sdks() {
    need_cargo
    mkdir -p "$cache"
    CARGO_TARGET_DIR=$cache/bench-sdk-target "$cargo" build --release --locked --manifest-path "$root/bench/sdk/Cargo.toml" >&2
    OSCOMMIT_SERVERS=boto3 "$scripts_dir/servers.sh" install
    OSCOMMIT_TEST_BOTO3=$(boto3_program)
    export OSCOMMIT_TEST_BOTO3 OSCOMMIT_BENCH_SDK=$cache/bench-sdk-target/release
}

start_servers() {
    export OSCOMMIT_SERVERS="minio dynamodb"
    "$scripts_dir/servers.sh" install
    "$scripts_dir/servers.sh" stop "$servers"
    rm -rf "$servers"
    "$scripts_dir/servers.sh" start "$servers"
    # shellcheck source=/dev/null
    . "$servers/env"
}

case " $* " in
*" --help "* | *" -h "*) exec python3 -B "$root/bench/run.py" --help ;;
*" --list "*) exec python3 -B "$root/bench/run.py" "$@" ;;
esac
ulimit -n "$(ulimit -Hn)" # 10,000 in flight are as many connections for who does not bound them
needs=$(python3 -B "$root/bench/run.py" --needs "$@")
build_ours
[[ $needs != *peers* ]] || build_peers
[[ $needs != *sdks* ]] || build_sdks
if [[ $needs == *servers* ]]; then
    trap '"$scripts_dir/servers.sh" stop "$servers"' EXIT
    start_servers
fi
OSCOMMIT_BENCH_PROGRAMS=$build/bench OSCOMMIT_BENCH_PEERS=$cache/bench-peer-target/release \
    python3 -B "$root/bench/run.py" --out "$build/out" "$@"
