#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The servers that the tests talk to, on free ports of the loopback interface.
#
#   scripts/servers.sh install        puts them into the cache, ${XDG_CACHE_HOME:-~/.cache}/oscommit/servers
#   scripts/servers.sh start DIR      starts them; logs, data and pid files go below DIR. Then:  . DIR/env
#   scripts/servers.sh stop DIR       stops what was started with DIR and is still running
#
# OSCOMMIT_SERVERS        names with blanks: only these (default: all)
# OSCOMMIT_SERVERS_CACHE  another cache
# OSCOMMIT_NO_INSTALL=1   installs no Debian package
set -euo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
servers_dir=$scripts_dir/servers
# shellcheck source=scripts/servers/common.sh
. "$servers_dir/common.sh"

read -ra servers <<<"${OSCOMMIT_SERVERS:-minio versitygw gofakes3 dynamodb dynalite peer porcupine}"
for server in "${servers[@]}"; do
    [[ -f $servers_dir/$server.sh ]] || die "There is no server named $server."
    # shellcheck source=/dev/null
    . "$servers_dir/$server.sh"
done

usage() {
    sed -n '3,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

install_all() {
    local server
    if [[ ${OSCOMMIT_NO_INSTALL:-} != 1 ]]; then
        install_packages servers
    fi
    mkdir -p "$cache"
    exec {lock}>"$cache/.lock"
    flock "$lock"
    for server in "${servers[@]}"; do
        "${server}_install"
    done
    exec {lock}>&-
}

random_hex() { # BYTES
    od -An -v -tx1 -N "$1" /dev/urandom | tr -d ' \n'
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
        "${server}_start"
        echo "export OSCOMMIT_TEST_${server^^}_ENDPOINT=http://127.0.0.1:$port" >>"$run/env.new"
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
*) usage ;;
esac
