#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Probes every store that can be started here, one after the other, and compares with what is known of it: the tables in
# test/data/stores. The exit status is 1 when the probe finds anything else.
#
#   scripts/probe.sh [--tool FILE] [--out DIR] [--install] [--race] [SERVER...]
#
#   --tool FILE   the oscommit program [build/dev/tool/oscommit]
#   --out DIR     the profiles found, logs and servers [build/probe]
#   --install     puts into the cache what is not there: the longest take half an hour to build
#   --race        and then eight writers race in every mode that the profile found allows; the lines of all races stand in
#                 DIR/races.txt. The exit status is 1 when one is not exact
#   SERVER        of the group "stores" (scripts/servers.sh list) [all of them; SeaweedFS alone takes twenty minutes]
#
# A store that is not installed, or does not start, is named in the table and is no difference. Rounds of each race:
# OSCOMMIT_PROBE_ROUNDS (the probe's own default otherwise).
set -euo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$(cd -- "$scripts_dir/.." && pwd)
tool=$root/build/dev/tool/oscommit
out=$root/build/probe
install=0
race=0
races_failed=0
stores=()

usage() {
    sed -n '3,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

while (($# > 0)); do
    case $1 in
    --tool | --out)
        (($# > 1)) || usage
        if [[ $1 == --tool ]]; then tool=$2; else out=$2; fi
        shift
        ;;
    --install) install=1 ;;
    --race) race=1 ;;
    -*) usage ;;
    *) stores+=("$1") ;;
    esac
    shift
done
[[ -x $tool ]] || die "There is no program $tool: build it, or name it with --tool."
if ((${#stores[@]} == 0)); then
    mapfile -t stores < <("$scripts_dir/servers.sh" list | awk '$2 ~ /stores/ { print $1 }')
fi
mkdir -p -- "$out"
out=$(cd -- "$out" && pwd)
servers=$out/servers

stop_server() {
    "$scripts_dir/servers.sh" stop "$servers"
    rm -rf "$servers"
}
trap stop_server EXIT
trap 'exit 130' INT TERM HUP

# Leaves $out/STORE.json, or $out/STORE.missing with the reason why not.
probe_one() { # STORE
    local store=$1 servers_wanted=$1
    if ((race)); then servers_wanted+=" dynamodb"; fi
    rm -f "$out/$store".{json,missing,log}
    if ((install)) && ! OSCOMMIT_SERVERS=$servers_wanted "$scripts_dir/servers.sh" install >"$out/$store.log" 2>&1; then
        echo "not installed" >"$out/$store.missing"
        return
    fi
    if ! OSCOMMIT_SERVERS=$servers_wanted "$scripts_dir/servers.sh" start "$servers" >>"$out/$store.log" 2>&1; then
        echo "not started" >"$out/$store.missing"
        rm -rf "$servers"
        return
    fi
    # shellcheck source=/dev/null
    . "$servers/env"
    OSCOMMIT_TEST_TOOL=$tool python3 -B "$root/test/stores/probe_stores_test.py" --probe "$store" "$out/$store.json" \
        >>"$out/$store.log" 2>&1 || say "The probe of $store failed: $out/$store.log"
    if ((race)) && [[ -f $out/$store.json ]]; then
        OSCOMMIT_TEST_TOOL=$tool python3 -B "$root/test/stores/race_stores_test.py" "$store" "$out/$store.json" |
            tee -a "$out/races.txt" || races_failed=1
    fi
    stop_server
}

"$scripts_dir/servers.sh" stop "$servers" # of a run that was killed
rm -f "$out/races.txt"
for store in "${stores[@]}"; do
    start=$SECONDS
    probe_one "$store"
    say "$store: $((SECONDS - start)) s"
done
python3 -B "$root/test/stores/probe_stores_test.py" --compare "$out" "${stores[@]}"
((races_failed == 0)) || die "A race was not exact: $out/races.txt"
