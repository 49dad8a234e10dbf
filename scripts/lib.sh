# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts share; sourced by them. Needs nothing but bash and coreutils.

scripts_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

say() {
    printf '%s\n' "$*" >&2
}

die() {
    say "$(basename -- "$0"): $*"
    exit 1
}

version_of_header() {
    sed -nE 's/^#define OS_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' "$scripts_dir/../include/oscommit.h" | paste -sd.
}

# Runs a command as root: directly, or by sudo where that needs no password.
as_root() {
    if (($(id -u) == 0)); then
        "$@"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        return 1
    fi
}

# The packages of some groups, each with the program that makes it needless, if one is named.
packages_of() { # GROUP...
    local group
    for group in "$@"; do
        sed -n "s/^$group //p" "$scripts_dir/packages.txt"
    done | sort -u
}

is_installed() { # PACKAGE
    [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == "install ok installed" ]]
}

apt_install() { # PACKAGE...
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
}

# Installs what is missing of these groups. Where it cannot, it says what is missing and goes on: a program or library
# from another source does as well, and what really is not there is named by whoever needs it.
install_packages() { # GROUP...
    local missing=() package program
    command -v dpkg-query >/dev/null || return 0
    while read -r package program; do
        [[ -n $program ]] && command -v "$program" >/dev/null && continue
        is_installed "$package" || missing+=("$package")
    done < <(packages_of "$@")
    if ((${#missing[@]} == 0)); then
        return 0
    fi
    if ! as_root true; then
        say "Not installed, and neither root nor sudo to install them: ${missing[*]}"
        return 0
    fi
    say "Installing ${missing[*]}"
    as_root apt-get update -qq </dev/null >&2 || say "apt-get update failed; going on with the package lists at hand."
    apt_install "${missing[@]}" && return 0
    # One package that cannot be had must not keep the others away.
    for package in "${missing[@]}"; do
        apt_install "$package" || say "The package $package could not be installed."
    done
}
