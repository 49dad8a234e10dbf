# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# rclone serve s3 over a plain folder (MIT, go).

rclone_version=v1.76.0

rclone_install() {
    need_go
    install_once "rclone-$rclone_version" go_program "github.com/rclone/rclone@$rclone_version"
}

rclone_start() {
    mkdir -p "$run/rclone"
    launch rclone answers / \
        "$cache/rclone-$rclone_version/rclone" serve s3 --config "$run/rclone.conf" --addr 127.0.0.1:PORT \
        --auth-key "$access_key,$secret_key" "$run/rclone"
}
