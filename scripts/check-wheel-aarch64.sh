#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel for aarch64 on this machine, and tries it as scripts/check-packages.sh tries the wheel of this one: in a
# Debian root of that machine, whose programs qemu runs. That is slow: half an hour and more.
#
#   scripts/check-wheel-aarch64.sh [WHEEL]     one that is made already [it is made]
#
# Needs root or sudo, mmdebstrap, the package mirror that this machine uses, and a kernel that gives programs of aarch64 to
# qemu: the packages are installed, but only root of the machine itself can mount /proc/sys/fs/binfmt_misc. The last line
# says how many steps passed and failed; the exit status is 0 when none failed.
set -euo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/debian_root.sh
. "$scripts_dir/debian_root.sh"
# shellcheck source=scripts/wheel_root.sh
. "$scripts_dir/wheel_root.sh"
source=$(cd -- "$scripts_dir/.." && pwd)
[[ ${OSCOMMIT_NO_INSTALL:-} == 1 ]] || install_packages emulation
require_debian_root
[[ $(arch-test arm64 || true) == "arm64: ok" ]] || die "This kernel does not run programs of aarch64: mount binfmt_misc at" \
    "/proc/sys/fs/binfmt_misc, and call update-binfmts --enable qemu-aarch64 (Debian: qemu-user-static, binfmt-support, arch-test)."
work=$(mktemp -d)
trap 'as_root rm -rf --one-file-system "$work"' EXIT

wheel=${1:-}
[[ -n $wheel ]] || wheel=$work/$("$scripts_dir/wheel.sh" --machine aarch64 "$work")
describe_servers "$work"
make_wheel_root "$work/python" "$work" "$wheel" "$source" arm64
in_debian_root "$work/python" /bin/bash /test/wheel.sh
