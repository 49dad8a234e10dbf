# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $scripts_dir, $go ...: common.sh and servers.sh
# The second judge of histories: no server, but a program over the Go module porcupine, built from
# test/history/porcupine. It is started by the tests, which find it by OSCOMMIT_TEST_PORCUPINE.

porcupine_source=$(cd -- "$scripts_dir/../test/history/porcupine" && pwd)
# Another source is another program.
porcupine_name=porcupine-$(cat "$porcupine_source"/go.* "$porcupine_source"/*.go | sha256sum | cut -c -16)

porcupine_build() { # FOLDER
    go_build "$porcupine_source" "$1/porcupine"
}

porcupine_install() {
    [[ -d $cache/$porcupine_name ]] && return 0
    need_go
    install_once "$porcupine_name" porcupine_build
}

porcupine_program() {
    echo "$cache/$porcupine_name/porcupine"
}
