# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# s3s-fs over a plain folder (Apache-2.0, cargo): its PUT with If-None-Match lets many writers win a race.

s3sfs_version=0.14.1

s3sfs_install() {
    need_cargo
    install_once "s3s-fs-$s3sfs_version" cargo_install s3s-fs "$s3sfs_version" --features binary
}

s3sfs_start() {
    mkdir -p "$run/s3sfs"
    launch s3sfs answers / \
        "$cache/s3s-fs-$s3sfs_version/bin/s3s-fs" --host 127.0.0.1 --port PORT \
        --access-key "$access_key" --secret-key "$secret_key" "$run/s3sfs"
}
