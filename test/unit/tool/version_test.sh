#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --version says two versions; with --verbose also what is linked and where files would be; and --json says the same.
# usage: version_test.sh OSCOMMIT
set -u
oscommit=$1
failures=0

expect() { # NAME WANTED GOT
    if [[ $3 != "$2" ]]; then
        printf 'FAILED %s: wanted "%s", got "%s"\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

value() { # NAME COMMAND...: what stands behind a name
    local name=$1
    shift
    "$@" | sed -n "s/^$name  *//p"
}

unset OSCOMMIT_CONFIG XDG_CONFIG_HOME
export HOME=/home/somebody
short=$("$oscommit" --version)
expect "one line without --verbose" 1 "$(wc -l <<<"$short")"
for words in "--version --verbose" "version -v" "--verbose version"; do
    read -ra words <<<"$words"
    long=$("$oscommit" "${words[@]}")
    expect "the first line of ${words[*]}" "$short" "$(head -n 1 <<<"$long")"
    for name in library compiler build_type libcurl libcurl_tls openssl sqlite expat jansson certificates signature_v2 config_file; do
        [[ -n $(value "$name" echo "$long") ]] || { echo "FAILED: ${words[*]} has no $name" && failures=$((failures + 1)); }
    done
done
library=${short#*library }
expect "the library" "${library%)}" "$(value library "$oscommit" version -v)"
expect "the usual config file" /home/somebody/.config/oscommit/config.toml "$(value config_file "$oscommit" version -v)"
expect "below XDG_CONFIG_HOME" /etc/xdg/oscommit/config.toml "$(value config_file env XDG_CONFIG_HOME=/etc/xdg "$oscommit" version -v)"
expect "named by the variable" /dev/null "$(value config_file env OSCOMMIT_CONFIG=/dev/null "$oscommit" --version -v)"
expect "named by the flag" /dev/null "$(value config_file "$oscommit" --version -v --config /dev/null)"
expect "no place for it" "none: HOME is not set" "$(value config_file env -u HOME "$oscommit" --version -v)"
"$oscommit" version -v | sed 1d | sed 's/  */ /' | sort >"${TMPDIR:-/tmp}/version.$$"
expect "the same in JSON" "" "$("$oscommit" version -v --json | python3 -c '
import json, sys
for name, value in json.load(sys.stdin).items():
    if name not in ("command", "tool"):
        print(name, value)' | sort | diff - "${TMPDIR:-/tmp}/version.$$")"
rm "${TMPDIR:-/tmp}/version.$$"
expect "JSON without details" "command library tool" "$("$oscommit" version --json | python3 -c 'import json, sys; print(*sorted(json.load(sys.stdin)))')"

((failures == 0)) || exit 1
echo "version: all as expected"
