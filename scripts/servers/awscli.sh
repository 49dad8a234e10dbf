# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # $cache: common.sh
# The AWS command-line tool: no server, but the documents have commands of it, which the tests run (Apache-2.0, pip). They
# find the program by OSCOMMIT_TEST_AWSCLI.

awscli_version=1.46.3

awscli_build() { # FOLDER
    # shellcheck disable=SC2016 # for the script
    pip_program "awscli==$awscli_version" "$1/lib" &&
        printf '#!/bin/sh\nPYTHONPATH="$(dirname -- "$0")/lib" exec python3 -m awscli "$@"\n' >"$1/aws" && chmod +x "$1/aws"
}

awscli_install() {
    install_once "awscli-$awscli_version-$(python_tag)" awscli_build
}

awscli_program() {
    echo "$cache/awscli-$awscli_version-$(python_tag)/aws"
}
