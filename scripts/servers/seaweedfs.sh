# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# SeaweedFS, all its parts in one process (Apache-2.0, go): enforces every condition, but several writers can win a race of
# CompleteMultipartUpload. It has ports of its own for each part, and for the gRPC of each: all are given.
# Not tried: the module proxy did not hand out any version of it when this was written (403, "This module version is not
# available"), and the version is one that another public project builds on.

seaweedfs_version=v0.0.0-20260402004241-6213daf11812

seaweedfs_install() {
    need_go
    install_once "seaweedfs-$seaweedfs_version" go_program "github.com/seaweedfs/seaweedfs/weed@$seaweedfs_version"
}

seaweedfs_start() {
    mkdir -p "$run/seaweedfs"
    printf '{"identities":[{"name":"test","credentials":[{"accessKey":"%s","secretKey":"%s"}],"actions":["Admin"]}]}\n' \
        "$access_key" "$secret_key" >"$run/seaweedfs.json"
    launch seaweedfs answers /healthz \
        "$cache/seaweedfs-$seaweedfs_version/weed" server -dir="$run/seaweedfs" -ip=127.0.0.1 -ip.bind=127.0.0.1 \
        -s3 -s3.config="$run/seaweedfs.json" -s3.port=PORT -s3.port.grpc=PORT_2 \
        -master.port=PORT_3 -master.port.grpc=PORT_4 -volume.port=PORT_5 -volume.port.grpc=PORT_6 \
        -filer.port=PORT_7 -filer.port.grpc=PORT_8 -master.volumeSizeLimitMB=128 -volume.max=64
}
