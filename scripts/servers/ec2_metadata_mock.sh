# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache: common.sh
# ec2-metadata-mock: the metadata service of an EC2 instance, from Amazon (Apache-2.0, Go module). It wants the tokens of
# IMDSv2. The keys that it gives have expired, as in an outage of the service behind the real one.

ec2_metadata_mock_version=v1.13.0

ec2_metadata_mock_install() {
    [[ -d $cache/ec2-metadata-mock-$ec2_metadata_mock_version ]] && return 0
    need_go
    install_once "ec2-metadata-mock-$ec2_metadata_mock_version" \
        go_program "github.com/aws/amazon-ec2-metadata-mock/cmd/ec2-metadata-mock@$ec2_metadata_mock_version"
}

ec2_metadata_mock_start() {
    launch ec2_metadata_mock answers /latest/meta-data/ \
        "$cache/ec2-metadata-mock-$ec2_metadata_mock_version/ec2-metadata-mock" --imdsv2 -n 127.0.0.1 -p PORT
}
