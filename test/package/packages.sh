#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/check-packages.sh runs inside the Debian root that it has made, as root: /packages and /examples are there.
set -uo pipefail
# shellcheck source=test/package/steps.sh
. /test/steps.sh

install() { # PACKAGE...
    local package files=()
    for package in "$@"; do
        # shellcheck disable=SC2086 # a pattern
        files+=("$(ls /packages/${package}_*.deb)") || return 1
    done
    apt-get update -qq && apt-get install -y --no-install-recommends "${files[@]}"
}

no_compiler() {
    ! command -v cc gcc make cmake
}

readme_example() {
    mkdir -p /srv && cd /srv && echo '{"rows": 42}' >report.json &&
        oscommit init /srv/store &&
        oscommit put report.json file:///srv/store/2026/11.json --if-absent &&
        ! oscommit put report.json file:///srv/store/2026/11.json --if-absent &&
        [[ $(oscommit get file:///srv/store/2026/11.json -) == '{"rows": 42}' ]]
}

script_example() {
    cd /srv && echo rows >part-0001.parquet &&
        [[ $(STORE=file:///srv/store sh /examples/publish.sh) == *published* ]] &&
        [[ $(STORE=file:///srv/store sh /examples/publish.sh 2>&1) == *"somebody was first"* ]]
}

race_example() {
    oscommit race file:///srv/store/scratch --writers 4 --keys 10 --updates 5
}

interface_manual_is_there() {
    zcat /usr/share/man/man3/os_put_if_absent.3.gz | grep -q '^.SH "RETURN VALUE"$' && [[ -s /usr/share/man/man3/oscommit.3.gz ]]
}

manual_is_there() {
    [[ -s /usr/share/man/man1/oscommit.1.gz && -s /usr/share/bash-completion/completions/oscommit &&
        -s /usr/share/zsh/vendor-completions/_oscommit && -s /usr/share/fish/vendor_completions.d/oscommit.fish ]]
}

c_example() {
    apt-get install -y --no-install-recommends gcc libc6-dev pkg-config || return 1
    # shellcheck disable=SC2046 # words
    cc -x c /examples/publish.c $(pkg-config --cflags --libs oscommit) -o /tmp/publish &&
        [[ $(/tmp/publish file:///srv/store) == committed* ]] && [[ $(/tmp/publish file:///srv/store) == conflict* ]]
}

sigv2_is_found() {
    local said
    said=$(AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret oscommit ls s3://bucket --s3-endpoint http://127.0.0.1:1 \
        --signature v2 --deadline-ms 2000 2>&1)
    echo "$said"
    [[ $said == *127.0.0.1* && $said != *liboscommit-sigv2* ]]
}

removed() {
    apt-get remove -y --purge oscommit liboscommit-dev 'liboscommit*' && [[ ! -e /usr/bin/oscommit && -z $(ls /usr/lib/*/liboscommit* 2>/dev/null) ]]
}

step "library and tool are installed as docs/install.md says" run_section /test/install.md "Packages for Debian" /packages
step "the checksums are right" run_section /test/install.md Installing /packages
step "they bring no compiler" no_compiler
step "nothing under GPL is linked" nothing_under_gpl /test/licences.txt /usr/bin/oscommit /usr/bin/oscommit-race /usr/lib/*/liboscommit.so.0.*
step "the README's first commands" readme_example
step "the README's step of a pipeline" script_example
step "four processes race" race_example
step "manual and completions are there" manual_is_there
step "what programs are built with is installed" install liboscommit-dev
step "it has the manual of the C interface" interface_manual_is_there
step "the README's C program" c_example
step "the module of Signature V2 is installed apart" install liboscommit-sigv2
step "the library finds it" sigv2_is_found
step "all of it can be removed" removed
step_summary
