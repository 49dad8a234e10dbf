# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# MinIO: the store that the tests run on in the first place.

minio_version=v0.0.0-20260212201848-7aac2a2c5b7c

minio_install() {
    need_go
    install_once "minio-$minio_version" go_program "github.com/minio/minio@$minio_version"
}

minio_start() {
    launch minio answers_well /minio/health/ready \
        env MINIO_ROOT_USER="$access_key" MINIO_ROOT_PASSWORD="$secret_key" MINIO_BROWSER=off MINIO_UPDATE=off \
        "$cache/minio-$minio_version/minio" server "$run/minio" --address 127.0.0.1:PORT --quiet
}
