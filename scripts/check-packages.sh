#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the packages, has lintian look at them, and installs them in a Debian root that has nothing else: there the tool
# runs the README's commands without a compiler, and then a program is built with the package for that.
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
source=$(cd -- "$scripts_dir/.." && pwd)
require_debian_root
work=$(mktemp -d)
trap 'as_root rm -rf --one-file-system "$work"' EXIT

packages=${1:-$work/packages}
[[ $# == 1 ]] || "$scripts_dir/package.sh" "$packages" >/dev/null || die "The packages could not be made."

status=0
# Whose address stands there is for whoever gives them out (OSCOMMIT_MAINTAINER), and nobody has filed a bug for them.
# ldconfig is called by what CPack writes, beside the trigger.
if command -v lintian >/dev/null; then
    lintian --fail-on error,warning --tag-display-limit 0 --allow-root --suppress-tags \
        bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs,maintscript-calls-ldconfig,package-name-doesnt-match-sonames,wrong-name-for-upstream-changelog \
        "$packages"/*.deb || status=1
    echo "lintian: $([[ $status == 0 ]] && echo ok || echo FAILED)"
fi

make_debian_root "$work/root" "$work"
as_root mkdir "$work/root/packages" "$work/root/examples" &&
    as_root cp "$packages"/*.deb "$work/root/packages/" &&
    as_root cp "$source"/examples/publish.c "$source"/examples/publish.sh "$work/root/examples/" &&
    as_root cp "$source/test/package/packages.sh" "$work/root/run.sh" || exit 1
in_debian_root "$work/root" /bin/bash /run.sh || status=1
exit "$status"
