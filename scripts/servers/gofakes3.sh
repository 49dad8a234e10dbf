# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# gofakes3: a store that ignores most conditions and accepts expired signatures (rule E7: no fence).

gofakes3_version=v1.2.0

gofakes3_install() {
    need_go
    install_once "gofakes3-$gofakes3_version" \
        go_program "github.com/johannesboyne/gofakes3/cmd/gofakes3@$gofakes3_version"
}

gofakes3_start() {
    launch gofakes3 answers / \
        "$cache/gofakes3-$gofakes3_version/gofakes3" -host 127.0.0.1:PORT -backend memory
}
