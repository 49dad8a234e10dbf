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

case $#:${1:-} in
0:) install_packages build ;;
1:--no-install) ;;
1:--help | 1:-h)
    sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit
    ;;
*) die "usage: scripts/quickstart.sh [--no-install]" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say "Building into ${build#"$PWD"/}; this takes a minute or two"
if ! { cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DOSCOMMIT_TESTS=OFF &&
    cmake --build "$build"; } </dev/null >"$work/build.log" 2>&1; then
    tail -n 60 "$work/build.log" >&2
    die "The build failed; the end of its output stands above."
fi

oscommit=$build/tool/oscommit
"$oscommit" init "$work/store" >&2
say "oscommit race file://$work/store --writers 8 --keys 50 --updates 25"
"$oscommit" race "file://$work/store" --writers 8 --keys 50 --updates 25 </dev/null
say "The tool is ${oscommit#"$PWD"/}; the README says how to install it, and how to use it."
