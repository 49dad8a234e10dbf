#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The servers that the tests talk to, on free ports of the loopback interface.
#
#   scripts/servers.sh install        puts them into the cache, ${XDG_CACHE_HOME:-~/.cache}/oscommit/servers
#   scripts/servers.sh start DIR      starts them; logs, data and pid files go below DIR. Then:  . DIR/env
#   scripts/servers.sh stop DIR       stops what was started with DIR and is still running
#   scripts/servers.sh list           says which servers there are
#
# OSCOMMIT_SERVERS        names with blanks: only these. "default" (the default) are those that the tests need, "stores"
#                         all stores of which it is known what they do with conditions
# OSCOMMIT_SERVERS_CACHE  another cache
# OSCOMMIT_NO_INSTALL=1   installs no Debian package
set -euo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
servers_dir=$scripts_dir/servers
# shellcheck source=scripts/servers/common.sh
. "$servers_dir/common.sh"

default_servers=(minio versitygw gofakes3 dynamodb dynalite moto ec2_metadata_mock botocore awscli peer lease_peer porcupine deltalake pylance)
# The last two are the longest to build.
stores=(minio versitygw gofakes3 ceph swift rclone s3proxy s3mock moto localstack s3rver s3sfs garage seaweedfs)
read -ra servers <<<"${OSCOMMIT_SERVERS:-default}"
wanted=" ${servers[*]} "
wanted=${wanted// default / ${default_servers[*]} }
read -ra servers <<<"${wanted// stores / ${stores[*]} }"
for server in "${servers[@]}"; do
    [[ -f $servers_dir/$server.sh ]] || die "There is no server named $server."
    # shellcheck source=/dev/null
    . "$servers_dir/$server.sh"
done

usage() {
    sed -n '3,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

# The first sentence of what each script says of its server.
list_all() {
    local file server group
    for file in "$servers_dir"/*.sh; do
        server=$(basename -- "$file" .sh)
        [[ $server == common ]] && continue
        group=
        [[ " ${default_servers[*]} " == *" $server "* ]] && group=default
        [[ " ${stores[*]} " == *" $server "* ]] && group=${group:+$group,}stores
        printf '%-11s %-15s %s\n' "$server" "$group" "$(sed -n '3,/^$/{/shellcheck/d;s/^# //p}' "$file" | tr '\n' ' ' | sed 's/\. .*//')"
    done
}

install_all() {
    local server
    if [[ ${OSCOMMIT_NO_INSTALL:-} != 1 ]]; then
        install_packages servers
    fi
    mkdir -p "$cache"
    for server in "${servers[@]}"; do
        exec {lock}>"$cache/.lock-$server"
        flock "$lock"
        "${server}_install"
        exec {lock}>&-
    done
}

random_hex() { # BYTES
    od -An -v -tx1 -N "$1" /dev/urandom | tr -d ' \n'
}

signed_python() { # SCRIPT ARGUMENT...: with oscommit_testing imported
    PYTHONPATH=$scripts_dir/../test/support OSCOMMIT_TEST_ACCESS_KEY=$store_access_key \
        OSCOMMIT_TEST_SECRET_KEY=$store_secret_key python3 -B -c "import sys, oscommit_testing as testing$1" "${@:2}"
}

# A bucket to begin with, made over S3: every store is asked the same way. (curl would end an access key at a colon.) In a
# folder of an earlier start it is there already, and must be ours.
make_bucket() { # ENDPOINT BUCKET
    signed_python '
endpoint, path = sys.argv[1], "/" + sys.argv[2]
status, _, body = testing.signed_request(endpoint, "s3", "PUT", path)
if status == 409:
    status = testing.signed_request(endpoint, "s3", "HEAD", path)[0]
status == 200 or sys.exit(f"HTTP status {status}: {body.decode(errors='"'replace'"')}")' "$1" "$2" ||
        die "The bucket $2 could not be made at $1."
}

# The first table and the first record take a ledger in Java several seconds, which the first test would take for a ledger
# that does not answer.
warm_ledger() { # ENDPOINT
    store_access_key=$access_key store_secret_key=$secret_key signed_python '
table, key = "oscommit-warm", {"path": {"S": "key"}, "etag": {"S": "*"}}
testing.make_table(sys.argv[1], table)
for action, more in (
    ("PutItem", {"Item": key, "ConditionExpression": "attribute_not_exists(etag)"}),
    ("GetItem", {"Key": key, "ConsistentRead": True}),
    ("DeleteTable", {}),
):
    status, answer = testing.dynamo(sys.argv[1], action, {"TableName": table, **more})
    status == 200 or sys.exit(f"{action}: HTTP status {status}: {answer}")' "$1" ||
        die "The ledger at $1 does not keep records."
}

start_all() {
    local server
    mkdir -p "$run"
    access_key=test$(random_hex 8)
    secret_key=$(random_hex 20)
    (umask 077 && : >"$run/env.new")
    {
        echo "export OSCOMMIT_TEST_ACCESS_KEY=$access_key"
        echo "export OSCOMMIT_TEST_SECRET_KEY=$secret_key"
        echo "export OSCOMMIT_TEST_REGION=us-east-1"
    } >>"$run/env.new"
    for server in "${servers[@]}"; do
        if declare -F "${server}_program" >/dev/null; then # the tests start it themselves
            [[ -x $("${server}_program") ]] || die "$server is not installed: scripts/servers.sh install"
            echo "export OSCOMMIT_TEST_${server^^}=$(printf %q "$("${server}_program")")" >>"$run/env.new"
            continue
        fi
        is_running "$server" && die "$server runs already for $run: stop it first."
        store_access_key=$access_key
        store_secret_key=$secret_key
        "${server}_start"
        echo "export OSCOMMIT_TEST_${server^^}_ENDPOINT=http://127.0.0.1:$port" >>"$run/env.new"
        if [[ " ${stores[*]} " == *" $server "* ]]; then
            make_bucket "http://127.0.0.1:$port" oscommit-test
            {
                echo "export OSCOMMIT_TEST_${server^^}_ACCESS_KEY=$store_access_key"
                echo "export OSCOMMIT_TEST_${server^^}_SECRET_KEY=$store_secret_key"
                echo "export OSCOMMIT_TEST_${server^^}_BUCKET=oscommit-test"
            } >>"$run/env.new"
        fi
    done
    mv "$run/env.new" "$run/env"
    say "The servers are up:  . $run/env"
}

stop_all() {
    local file
    for file in "$run"/*.pid; do
        [[ -f $file ]] && stop_one "$(basename -- "$file" .pid)"
    done
    rm -f "$run/env" "$run/env.new"
}

(($# >= 1)) || usage
case $1 in
install)
    (($# == 1)) || usage
    install_all
    ;;
start)
    (($# == 2)) || usage
    mkdir -p -- "$2"
    run=$(cd -- "$2" && pwd)
    # A start that fails half-way leaves nothing running.
    trap '(($? == 0)) || stop_all' EXIT
    start_all
    ;;
stop)
    (($# == 2)) || usage
    [[ -d $2 ]] || exit 0
    run=$(cd -- "$2" && pwd)
    stop_all
    ;;
list)
    (($# == 1)) || usage
    list_all
    ;;
*) usage ;;
esac
