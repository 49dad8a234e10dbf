#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the packages, has lintian look at them, and installs them in a Debian root that has nothing else: there the tool
# runs the README's commands without a compiler, and then a program is built with the package for that. The wheel is tried in
# a root that has Python besides, and the static tool in one that is empty. Where the servers' environment is there
# (scripts/servers.sh), these two also write to MinIO and DynamoDB Local; with OSCOMMIT_REQUIRE_SERVERS=1 they must. The packages
# for RPM systems, if they were made, are unpacked into a folder.
#
#   scripts/check-packages.sh [FOLDER]     of packages that are made already [they are made]
#
# Needs root or sudo, mmdebstrap (Debian package mmdebstrap), and the package mirror that this machine uses. The last line
# says how many steps passed and failed; the exit status is 0 when none failed.
set -uo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/debian_root.sh
. "$scripts_dir/debian_root.sh"
# shellcheck source=scripts/wheel_root.sh
. "$scripts_dir/wheel_root.sh"
source=$(cd -- "$scripts_dir/.." && pwd)
require_debian_root
work=$(mktemp -d)
trap 'as_root rm -rf --one-file-system "$work"' EXIT

packages=${1:-$work/packages}
[[ $# == 1 ]] || "$scripts_dir/package.sh" "$packages" >/dev/null || die "The packages could not be made."

status=0
passed=0
failed=0

# Each ends with a line that counts its steps; one that does not has failed at something that is no step.
try() { # WHAT COMMAND...
    local steps_passed steps_failed
    echo "== $1"
    "${@:2}" | tee "$work/said" | sed -u '/^[0-9]* passed, [0-9]* failed$/d' || status=1
    read -r steps_passed steps_failed < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$work/said")
    passed=$((passed + ${steps_passed:-0}))
    failed=$((failed + ${steps_failed:-1}))
}

# Whose address stands there is for whoever gives them out (OSCOMMIT_MAINTAINER), and nobody has filed a bug for them.
# ldconfig is called by what CPack writes, beside the trigger.
if command -v lintian >/dev/null; then
    lintian --fail-on error,warning --tag-display-limit 0 --allow-root --suppress-tags \
        bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs,maintscript-calls-ldconfig,package-name-doesnt-match-sonames,wrong-name-for-upstream-changelog \
        "$packages"/*.deb || status=1
    echo "lintian: $([[ $status == 0 ]] && echo ok || echo FAILED)"
fi

make_debian_root "$work/root" "$work"
as_root mkdir "$work/root/packages" "$work/root/examples" "$work/root/test" &&
    as_root cp "$packages"/*.deb "$packages/SHA256SUMS" "$work/root/packages/" &&
    as_root cp "$source"/examples/publish.c "$source"/examples/publish.sh "$work/root/examples/" &&
    as_root cp "$source"/test/package/*.sh "$source"/test/package/*.txt "$source/docs/install.md" "$work/root/test/" || exit 1
try "the packages for Debian" in_debian_root "$work/root" /bin/bash /test/packages.sh
if compgen -G "$packages/*.rpm" >/dev/null; then
    try "the packages for RPM systems" as_root "$source/test/package/rpm.sh" "$packages" "$work"
fi

describe_servers "$work"
make_wheel_root "$work/python" "$work" "$(echo "$packages"/*"$(uname -m).whl")" "$source" || exit 1
try "the wheel" in_debian_root "$work/python" /bin/bash /test/wheel.sh

try "the static tool" as_root "$source/test/package/static_tool.sh" "$packages" "$work/certificate.pem" "$work"
echo "$passed passed, $failed failed"
((status == 0))
