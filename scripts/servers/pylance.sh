# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache: common.sh
# Lance for Python: no server, but the other writers and readers of Lance tables (Apache-2.0, pip). The tests of the Python
# package find its folder by OSCOMMIT_TEST_PYLANCE.

pylance_version=14.0.2
pylance_pyarrow=26.0.1
pylance_name=pylance-$pylance_version-$pylance_pyarrow

pylance_build() { # FOLDER
    pip_program "pylance==$pylance_version" "pyarrow==$pylance_pyarrow" "$1" &&
        python3 -m compileall -q -j 0 "$1" # writers that are killed are started again and again
}

pylance_install() {
    [[ -d $cache/$pylance_name ]] && return 0
    install_once "$pylance_name" pylance_build
}

pylance_program() {
    echo "$cache/$pylance_name"
}
