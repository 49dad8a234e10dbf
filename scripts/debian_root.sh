# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# An empty Debian root, and what runs in it; sourced by scripts that play a newcomer. Needs root or sudo, and mmdebstrap.

require_debian_root() {
    as_root true || die "A Debian root can be made by root only, and sudo without a password is not there either."
    command -v mmdebstrap >/dev/null || die "mmdebstrap is missing (Debian: mmdebstrap)."
}

# From the mirror that this machine takes its own packages from, with its settings for it.
make_debian_root() { # ROOT WORK [PACKAGES: with commas] [ARCHITECTURE: not this machine's]
    local root=$1 work=$2 options=() suite mirrors
    [[ -z ${3:-} ]] || options+=("--include=$3")
    [[ -z ${4:-} ]] || options+=("--architectures=$4")
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mapfile -t mirrors < <(grep -lw "$suite" /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null)
    ((${#mirrors[@]} > 0)) || die "The apt sources of this machine do not name $suite."
    {
        apt-config dump Acquire | grep '^Acquire.* "..*";$'
        echo 'APT::Get::Assume-Yes "true";' # the README's line is typed by somebody who can answer
    } >"$work/apt.conf"
    as_root mmdebstrap --quiet --variant=minbase --mode=root "${options[@]}" --aptopt="$work/apt.conf" "$suite" "$root" "${mirrors[@]}" >"$work/root.log" 2>&1 || {
        tail -n 30 "$work/root.log" >&2
        die "The Debian root could not be made."
    }
}

# A program finds itself, and so the library beside it, by /proc.
in_debian_root() { # ROOT COMMAND...
    # shellcheck disable=SC2016 # "$1" is for the inner shell
    as_root env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
        CMAKE_BUILD_PARALLEL_LEVEL="$(nproc)" unshare --mount /bin/sh -c \
        'root=$1 && shift && mount --rbind /proc "$root/proc" && exec chroot "$root" "$@"' sh "$@" </dev/null
}
