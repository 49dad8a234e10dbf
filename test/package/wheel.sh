#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/check-packages.sh and scripts/check-wheel-aarch64.sh run inside a Debian root that has Python and nothing else besides: /packages has the wheel,
# /test this folder, two documents, and a certificate for localhost.
set -uo pipefail
# shellcheck source=test/package/steps.sh
. /test/steps.sh
# shellcheck source=/dev/null # scripts/wheel_root.sh writes it
. /test/servers
export AWS_EC2_METADATA_DISABLED=true PYTHONUNBUFFERED=1
python=/opt/oscommit/bin/python

no_compiler() {
    ! command -v cc gcc make cmake
}

needs_libc_only() {
    local package
    package=$(echo /opt/oscommit/lib/python3*/site-packages/oscommit)
    nothing_under_gpl /test/licences-of-wheel.txt "$package"/*.so "$package"/_tool/lib/* "$package"/_tool/bin/*
}

has_terms() {
    local about library
    about=$(echo /opt/oscommit/lib/python3*/site-packages/oscommit-*.dist-info)
    for library in libcurl libcrypto sqlite3 expat jansson; do
        [[ -s $about/licenses/$library.txt ]] && grep -q "oscommit-wheel-$library" "$about/sboms/oscommit.spdx.json" || return 1
    done
}

readme_example() {
    $python /test/publish.py && { $python /test/publish.py 2>/tmp/second || [[ $? == 3 ]]; } && grep conflict /tmp/second
}

says_versions() {
    $python -m oscommit version --verbose
}

readme_commands() {
    export PATH=/opt/oscommit/bin:$PATH
    mkdir -p /srv && cd /srv && echo '{"rows": 42}' >report.json &&
        oscommit init /srv/store &&
        oscommit put report.json file:///srv/store/2026/11.json --if-absent &&
        ! oscommit put report.json file:///srv/store/2026/11.json --if-absent &&
        [[ $($python -m oscommit get file:///srv/store/2026/11.json -) == '{"rows": 42}' ]]
}

threads() {
    $python /test/threads.py /srv/threads
}

race() {
    /opt/oscommit/bin/oscommit race file:///srv/store/scratch --writers 4 --keys 10 --updates 5
}

reaches() { # TEXT [VARIABLE=VALUE...]: what it says of a server whose certificate is known to nobody else
    local said status=0 wanted=$1
    shift
    said=$(env AWS_ACCESS_KEY_ID=id AWS_SECRET_ACCESS_KEY=secret AWS_REGION=us-east-1 "$@" /opt/oscommit/bin/oscommit head s3://bucket/key \
        --s3-endpoint "https://localhost:$tls_port" --ledger dynamodb://table --deadline-ms 8000 2>&1) || status=$?
    said="status $status: $said"
    echo "$said"
    [[ $said == *"$wanted"* ]]
}

trusts() { # FILE: with the certificate there and nowhere else
    mkdir -p "$(dirname -- "$1")" && cp /test/certificate.pem "$1" && reaches "$nothing_there"
    local status=$?
    rm -f "$1"
    return $status
}

nothing_there="status 66"
step "there is no compiler" no_compiler
step "the wheel is installed as docs/install.md says" run_section /test/install.md "A wheel" /packages
step "it needs libc, and nothing under GPL" needs_libc_only
step "the terms of what is in it are there" has_terms
step "the examples of docs/python.md" $python /test/examples.py /test/python.md
step "the README's example for Python: committed, then conflict" readme_example
step "it says its version, and those of its libraries" says_versions
step "the README's first commands" readme_commands
step "eight threads of one process race" threads
step "four processes race" race
step_with_servers "a store on MinIO with records in DynamoDB Local" $python /test/on_servers.py

coproc server { exec $python /test/tls_server.py /test/certificate.pem; }
# shellcheck disable=SC2154 # coproc sets it
read -r tls_port <&"${server[0]}"
rm -rf /etc/ssl/certs # what makes virtual environments has brought Debian's
step "without certificates it says what is missing" reaches "install ca-certificates"
for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem /etc/ssl/cert.pem; do
    step "certificates in $file" trusts $file
done
step "SSL_CERT_FILE" reaches "$nothing_there" SSL_CERT_FILE=/test/certificate.pem
step "SSL_CERT_DIR" reaches "$nothing_there" SSL_CERT_DIR=/test/hashed
step "AWS_CA_BUNDLE" reaches "$nothing_there" AWS_CA_BUNDLE=/test/certificate.pem
step "SSL_CERT_FILE that is not there" reaches "cannot be read" SSL_CERT_FILE=/test/none.pem
step "without certificates again" reaches "install ca-certificates"
# shellcheck disable=SC2154 # coproc sets it
kill "$server_PID"
step_summary
