# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache: common.sh
# Lance for Python: no server, but the other writers and readers of Lance tables (Apache-2.0, pip). The tests of the Python
# package find its folder by OSCOMMIT_TEST_PYLANCE.

pylance_version=14.0.2
pylance_pyarrow=26.0.1
pylance_name=pylance-$pylance_version-$pylance_pyarrow

pylance_install() {
    install_once "$pylance_name" pip_program "pylance==$pylance_version" "pyarrow==$pylance_pyarrow"
}

pylance_program() {
    echo "$cache/$pylance_name"
}
