# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache: common.sh
# boto3: no server, but the SDK of AWS for Python (Apache-2.0, pip). bench/ holds ours against it, and finds its folder by
# OSCOMMIT_TEST_BOTO3.

boto3_version=1.44.5

boto3_install() {
    install_once "boto3-$boto3_version" pip_program "boto3==$boto3_version" "botocore==$boto3_version"
}

boto3_program() {
    echo "$cache/boto3-$boto3_version"
}
