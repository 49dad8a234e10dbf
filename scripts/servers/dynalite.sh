# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# dynalite: a ledger whose conflicts come without the item (rule R4).

dynalite_version=4.0.0

dynalite_install() {
    install_once "dynalite-$dynalite_version" npm_program "dynalite@$dynalite_version"
}

dynalite_start() {
    launch dynalite answers / \
        node "$cache/dynalite-$dynalite_version/node_modules/dynalite/cli.js" --host 127.0.0.1 --port PORT
    warm_ledger "http://127.0.0.1:$port"
}
