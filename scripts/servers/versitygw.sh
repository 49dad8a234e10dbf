# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# versitygw over a plain folder: a second store, written apart from the first.

versitygw_version=v1.8.0

versitygw_install() {
    need_go
    install_once "versitygw-$versitygw_version" \
        go_program "github.com/versity/versitygw/cmd/versitygw@$versitygw_version"
}

versitygw_start() {
    mkdir -p "$run/versitygw/objects" "$run/versitygw/versions"
    launch versitygw answers / \
        env ROOT_ACCESS_KEY="$access_key" ROOT_SECRET_KEY="$secret_key" \
        "$cache/versitygw-$versitygw_version/versitygw" --port 127.0.0.1:PORT --region us-east-1 --quiet \
        posix --versioning-dir "$run/versitygw/versions" "$run/versitygw/objects"
}
