#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the static tool in a root that has nothing but it, as root: no libc, no shell, no loader, no /proc until the race. It
# is called by scripts/check-packages.sh, outside of that root.
#
#   static_tool.sh PACKAGES CERTIFICATE-AND-KEY WORK      WORK/servers exports where servers are
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=test/package/steps.sh
. "$here/steps.sh"
# shellcheck source=/dev/null # check-packages.sh writes it
. "$3/servers"
packages=$1 certificate=$2 work=$3 root=$3/empty
mkdir -p "$root/etc/ssl/certs" "$root/tmp" "$root/home" "$root/proc"
# The one name server of this root, which knows one name, and of a port that only root may take.
echo "nameserver 127.0.0.54" >"$root/etc/resolv.conf"
printf '127.0.0.1 localhost hosts.test\n' >"$root/etc/hosts"
echo '{"rows": 42}' >"$root/report.json"

in_empty_root() { # [VARIABLE=VALUE...] COMMAND...
    local variables=(HOME=/home AWS_EC2_METADATA_DISABLED=true)
    while [[ $1 == *=* ]]; do
        variables+=("$1")
        shift
    done
    env -i "${variables[@]}" "$(command -v chroot)" "$root" "$@"
}

# The commands of docs/install.md, but for where programs are.
is_installed() {
    sed "s,/usr/local/bin/,$root/," "$here/../../docs/install.md" >"$work/install.md" && cp "$packages"/*-linux-*.tar.gz "$work/" &&
        run_section "$work/install.md" "One file" "$work" && [[ -s $(echo "$work"/oscommit-*/licences/glibc.txt) ]]
}

is_static() {
    readelf -ld "$root/oscommit"
    [[ $(readelf -ld "$root/oscommit") != *@(INTERP|NEEDED)* ]]
}

embedded_store() {
    in_empty_root /oscommit init /store &&
        in_empty_root /oscommit put /report.json file:///store/2026/11.json --if-absent &&
        ! in_empty_root /oscommit put /report.json file:///store/2026/11.json --if-absent &&
        [[ $(in_empty_root /oscommit get file:///store/2026/11.json -) == '{"rows": 42}' ]]
}

# /proc is for this step alone, and for the mounts of this process.
race() {
    # shellcheck disable=SC2016 # "$1" is for the inner shell
    unshare --mount /bin/sh -c 'mount --rbind /proc "$1/proc" && exec env -i "$2" "$1" /oscommit race file:///store/scratch --writers 4 --keys 10 --updates 5' \
        sh "$root" "$(command -v chroot)"
}

on_servers() { # HOST
    commit_on_servers "$1" "AWS_ACCESS_KEY_ID=$OSCOMMIT_TEST_ACCESS_KEY" "AWS_SECRET_ACCESS_KEY=$OSCOMMIT_TEST_SECRET_KEY"
}

commit_on_servers() { # HOST VARIABLE=VALUE...
    local host=$1 url status=0 id
    shift
    id=$(head -c 8 /dev/urandom | od -An -tx1 | tr -d ' ')
    local with=("$@" "AWS_REGION=$OSCOMMIT_TEST_REGION" "OSCOMMIT_LEDGER=dynamodb://static-$id")
    local at=(--s3-endpoint "${OSCOMMIT_TEST_MINIO_ENDPOINT/127.0.0.1/$host}" --dynamodb-endpoint "${OSCOMMIT_TEST_DYNAMODB_ENDPOINT/127.0.0.1/$host}")
    url=s3://$OSCOMMIT_TEST_MINIO_BUCKET/$id
    in_empty_root "${with[@]}" /oscommit table create --store "s3://$OSCOMMIT_TEST_MINIO_BUCKET" "${at[@]}" &&
        in_empty_root "${with[@]}" /oscommit put /report.json "$url" --if-absent "${at[@]}" || return 1
    in_empty_root "${with[@]}" /oscommit put /report.json "$url" --if-absent "${at[@]}" || status=$?
    ((status == 3))
}

# Another program, static as well, gives the keys.
by_credential_process() {
    printf '#include <stdio.h>\nint main(void) { return printf("{\\"Version\\": 1, \\"AccessKeyId\\": \\"%s\\", \\"SecretAccessKey\\": \\"%s\\"}") < 0; }\n' \
        "$OSCOMMIT_TEST_ACCESS_KEY" "$OSCOMMIT_TEST_SECRET_KEY" | cc -static -x c - -o "$root/keys" || return 1
    mkdir -p "$root/home/.aws" "$root/dev"
    : >"$root/dev/null" # a process gets it to read from
    printf '[default]\ncredential_process = /keys\n' >"$root/home/.aws/config"
    commit_on_servers localhost HOME=/home
    local status=$?
    rm -r "$root/home/.aws"
    return $status
}

reaches() { # TEXT HOST: what it says of a server whose certificate is known to nobody else
    local said status=0
    said=$(in_empty_root AWS_ACCESS_KEY_ID=id AWS_SECRET_ACCESS_KEY=secret AWS_REGION=us-east-1 /oscommit head s3://bucket/key \
        --s3-endpoint "https://$2:$tls_port" --ledger dynamodb://table --deadline-ms 8000 2>&1) || status=$?
    said="status $status: $said"
    echo "$said"
    [[ $said == *"$1"* ]]
}

sigv2_is_refused() {
    local said
    said=$(in_empty_root AWS_ACCESS_KEY_ID=id AWS_SECRET_ACCESS_KEY=secret /oscommit ls s3://bucket --s3-endpoint http://127.0.0.1:1 \
        --signature v2 --deadline-ms 2000 2>&1)
    echo "$said"
    [[ $said == *"Signature V2"*"static library"* ]]
}

end_children() {
    # shellcheck disable=SC2154 # coproc sets it
    kill "$names" "$server_PID" 2>/dev/null
    wait 2>/dev/null
}

coproc server { exec python3 "$here/tls_server.py" "$certificate"; }
# shellcheck disable=SC2154 # coproc sets it
read -r tls_port <&"${server[0]}"
dnsmasq --keep-in-foreground --conf-file=/dev/null --port=53 --listen-address=127.0.0.54 --bind-interfaces --no-resolv --no-hosts \
    --address=/dns.test/127.0.0.1 --pid-file= --user=root >"$work/dnsmasq.log" 2>&1 &
names=$!
trap end_children EXIT

step "it is installed as docs/install.md says" is_installed
step "it is static, and needs no library" is_static
step "an embedded store" embedded_store
step "four processes race" race
for host in localhost hosts.test dns.test; do
    step_with_servers "a store on MinIO with records in DynamoDB Local, by the name $host" on_servers $host
done
step_with_servers "keys of a credential_process" by_credential_process
step "a name that nobody knows" reaches "could not be looked up" none.test
step "without certificates it says what is missing" reaches "install ca-certificates" localhost
cp "$certificate" "$root/etc/ssl/certs/ca-certificates.crt"
step "certificates in a usual place" reaches "status 66" localhost
step "the name is compared with the certificate's" reaches "is not accepted" dns.test
step "Signature V2 is refused in words" sigv2_is_refused
step_summary
