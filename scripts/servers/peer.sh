# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $scripts_dir ...: common.sh and servers.sh
# The peer of the mixed fleet: no server, but a writer of the crate object_store, built from test/interop/peer. It is
# started by the tests, which find it by OSCOMMIT_TEST_PEER.

peer_source=$(cd -- "$scripts_dir/../test/interop/peer" && pwd)
# Another source is another program: built anew, from the dependencies that are there already.
peer_name=peer-$(cat "$peer_source/Cargo.toml" "$peer_source/Cargo.lock" "$peer_source"/src/*.rs | sha256sum | cut -c -16)

peer_build() { # FOLDER
    cargo_program "$peer_source" "$cache/peer-target" && cp "$cache/peer-target/debug/interop_peer" "$1/"
}

peer_install() {
    [[ -d $cache/$peer_name ]] && return 0
    need_cargo
    install_once "$peer_name" peer_build
}

peer_program() {
    echo "$cache/$peer_name/interop_peer"
}
