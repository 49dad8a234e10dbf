# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034 # store_access_key, store_secret_key: servers.sh
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# s3rver: a fake in JavaScript (MIT, npm) that ignores every condition but a met one. Its keys are fixed.

s3rver_version=3.7.1

s3rver_install() {
    install_once "s3rver-$s3rver_version" npm_program "s3rver@$s3rver_version"
}

s3rver_start() {
    store_access_key=S3RVER
    store_secret_key=S3RVER
    mkdir -p "$run/s3rver"
    launch s3rver answers / \
        node "$cache/s3rver-$s3rver_version/node_modules/s3rver/bin/s3rver.js" -d "$run/s3rver" -a 127.0.0.1 -p PORT -s
}
