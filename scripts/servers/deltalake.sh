# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache, $scripts_dir ...: common.sh and servers.sh
# delta-rs for Python, twice: no server, but the other writers and readers of Delta tables. 1.6.0 is the last release that
# has S3DynamoDBLogStore. The tests start them by OSCOMMIT_TEST_DELTALAKE: `deltalake old|new SCRIPT [ARGUMENTS]`.

deltalake_old=1.6.0
deltalake_new=1.6.6
deltalake_pyarrow=26.0.1
deltalake_name=deltalake-$deltalake_old-$deltalake_new-$deltalake_pyarrow

deltalake_build() { # FOLDER
    local which version
    for which in old new; do
        version=deltalake_$which
        python3 -m venv "$1/$which" &&
            "$1/$which/bin/python" -m pip install --quiet "deltalake==${!version}" "pyarrow==$deltalake_pyarrow" || return 1
    done
    # shellcheck disable=SC2016 # for the script
    printf '#!/bin/sh\nwhich=$1\nshift\nexec "$(dirname -- "$0")/$which/bin/python" "$@"\n' >"$1/deltalake" &&
        chmod +x "$1/deltalake"
}

deltalake_install() {
    [[ -d $cache/$deltalake_name ]] && return 0
    install_once "$deltalake_name" deltalake_build
}

deltalake_program() {
    echo "$cache/$deltalake_name/deltalake"
}
