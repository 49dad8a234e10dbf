# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A Debian root that has Python and nothing else besides, in which test/package/wheel.sh tries a wheel. Sourced after
# debian_root.sh; needs openssl.

# WORK/servers says where servers are, if their environment is there; WORK/certificate.pem is for a server that nobody else
# vouches for, and its own authority.
describe_servers() { # WORK
    local name
    for name in "${!OSCOMMIT_TEST_@}" "${!OSCOMMIT_REQUIRE_@}"; do
        printf 'export %s=%q\n' "$name" "${!name}"
    done >"$1/servers"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
        -keyout "$1/key.pem" -out "$1/cert.pem" 2>"$1/openssl.log" || die "openssl made no certificate: $(cat "$1/openssl.log")"
    cat "$1/cert.pem" "$1/key.pem" >"$1/certificate.pem"
}

make_wheel_root() { # ROOT WORK WHEEL SOURCE [ARCHITECTURE]
    local root=$1 work=$2 source=$4 hashed
    make_debian_root "$root" "$work" python3,python3-venv "${@:5}"
    hashed=$root/test/hashed/$(openssl x509 -in "$work/cert.pem" -noout -hash).0
    as_root mkdir -p "$root/packages" "$root/test/hashed" &&
        as_root cp "$3" "$root/packages/" &&
        as_root cp "$source"/test/package/*.{sh,py,txt} "$source"/docs/{install,python}.md "$source/examples/publish.py" "$root/test/" &&
        as_root cp "$work/certificate.pem" "$work/servers" "$root/test/" &&
        as_root cp "$work/cert.pem" "$hashed"
}
