# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache: common.sh
# botocore: no server, but the search for credentials of the AWS tools (Apache-2.0, pip). The tests hold ours against it,
# and find its folder by OSCOMMIT_TEST_BOTOCORE.

botocore_version=1.44.5

botocore_install() {
    install_once "botocore-$botocore_version" pip_program "botocore==$botocore_version"
}

botocore_program() {
    echo "$cache/botocore-$botocore_version"
}
