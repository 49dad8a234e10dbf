#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 to the race: installs the packages of the build, builds a release into build/quickstart, makes a
# store in a temporary folder, and lets eight processes race in it. Ends with the race's table and its exit status.
#
#   scripts/quickstart.sh [--no-install]
set -euo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$(cd -- "$scripts_dir/.." && pwd)
build=$root/build/quickstart

# A line at the begin of a step, and one at its end; minutes without a word look like a program that hangs.
step() { # NAME COMMAND...
    local began=$SECONDS
    say "$(date +%H:%M:%S) $1 ..."
    "${@:2}"
    say "$(date +%H:%M:%S) $1: done after $((SECONDS - began)) s"
}

# Passes on what ninja says, and each tenth of it to the terminal.
tenths() {
    local line said=0 began=$SECONDS
    while IFS= read -r line; do
        printf '%s\n' "$line"
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] && ((10 * BASH_REMATCH[1] / BASH_REMATCH[2] > said)); then
            said=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
            say "  ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} files after $((SECONDS - began)) s"
        fi
    done
}

configure() {
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DOSCOMMIT_TESTS=OFF </dev/null >>"$work/build.log" 2>&1 || failed
}

compile() {
    cmake --build "$build" </dev/null 2>&1 | tenths >>"$work/build.log" || failed
}

failed() {
    tail -n 60 "$work/build.log" >&2
    die "The build failed; the end of its output stands above."
}

case $#:${1:-} in
0:) step "Installing the packages that the build needs" install_packages build ;;
1:--no-install) ;;
1:--help | 1:-h)
    sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit
    ;;
*) die "usage: scripts/quickstart.sh [--no-install]" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step "Configuring ${build#"$PWD"/}" configure
step "Building, which takes a minute or two" compile

oscommit=$build/tool/oscommit
"$oscommit" init "$work/store" >&2
race=(race "file://$work/store" --writers 8 --keys 50 --updates 25)
step "Racing: oscommit ${race[*]}" "$oscommit" "${race[@]}" </dev/null
say "The tool is ${oscommit#"$PWD"/}; the README says how to install it, and how to use it."
