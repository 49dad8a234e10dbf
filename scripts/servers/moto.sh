# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $run, $access_key ...: common.sh and servers.sh
# moto: AWS in memory (Apache-2.0, pip). Checks no secret and takes expired signatures (E7: no fence). A store for the
# probe only: as a ledger its condition is not atomic.

moto_version=5.2.5

moto_install() {
    install_once "moto-$moto_version-$(python_tag)" pip_program "moto[server]==$moto_version"
}

moto_start() {
    launch moto answers / \
        env PYTHONPATH="$cache/moto-$moto_version-$(python_tag)" python3 -m moto.server -H 127.0.0.1 -p PORT
}
