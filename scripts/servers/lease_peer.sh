# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $scripts_dir ...: common.sh and servers.sh
# The peer of the fleet of leases: no server, but a holder of the crate dynamodb-lease, built from
# test/interop/lease_peer. It is started by the tests, which find it by OSCOMMIT_TEST_LEASE_PEER.

lease_peer_source=$(cd -- "$scripts_dir/../test/interop/lease_peer" && pwd)
# Another source is another program: built anew, from the dependencies that are there already.
lease_peer_name=lease-peer-$(cat "$lease_peer_source/Cargo.toml" "$lease_peer_source/Cargo.lock" \
    "$lease_peer_source"/src/*.rs | sha256sum | cut -c -16)

lease_peer_build() { # FOLDER
    cargo_program "$lease_peer_source" "$cache/lease-peer-target" &&
        cp "$cache/lease-peer-target/debug/lease_peer" "$1/"
}

lease_peer_install() {
    [[ -d $cache/$lease_peer_name ]] && return 0
    need_cargo
    install_once "$lease_peer_name" lease_peer_build
}

lease_peer_program() {
    echo "$cache/$lease_peer_name/lease_peer"
}
