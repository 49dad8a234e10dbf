# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A build for another machine than this one: a compiler for it, and a folder with what Debian's packages for it have. No
# program of that machine is run. Sourced after static_libraries.sh.

# pkg-config and cmake are told by the environment, so that those who call them need not know.
use_machine() { # MACHINE WORK: libraries that are built for it are put in WORK/static
    local machine=$1 triplet=$1-linux-gnu work=$2
    [[ $machine == aarch64 && $(uname -m) == x86_64 ]] || die "A wheel for $machine cannot be built on $(uname -m)."
    command -v "$triplet-gcc" >/dev/null || die "There is no $triplet-gcc (Debian: gcc-$triplet)."
    make_sysroot arm64 "$work" libc6-dev libssl-dev libsqlite3-dev libexpat1-dev libpython3-dev
    sysroot=$work/sysroot
    export PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$triplet/pkgconfig CMAKE_TOOLCHAIN_FILE=$work/$machine.cmake
    cat >"$CMAKE_TOOLCHAIN_FILE" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $machine)
set(CMAKE_C_COMPILER $triplet-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE $triplet)
set(CMAKE_SYSROOT "$sysroot")
set(CMAKE_FIND_ROOT_PATH "$work/static")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
END
}

# New each time, so that it has the fixes of today. Unpacked and not installed: that would run programs. What dpkg would note
# is noted, so that it can be asked for versions.
make_sysroot() { # ARCHITECTURE WORK PACKAGE...: WORK/sysroot has these and what they need
    local root=$2/sysroot apt=$2/debian package
    rm -rf "$root" "$apt"
    prepare_apt "$apt" deb
    : >"$apt/status"
    apt_options+=(-o "APT::Architecture=$1" -o "APT::Architectures=$1" -o "Dir::State::status=$apt/status" -o APT::Install-Recommends=false)
    run_apt "$apt" update
    run_apt "$apt" --yes --download-only install "${@:3}"
    mkdir -p "$root/var/lib/dpkg"
    for package in "$apt"/cache/archives/*.deb; do
        dpkg-deb --extract "$package" "$root"
        printf '%s\n' "$(dpkg-deb --field "$package")" 'Status: install ok installed' '' >>"$root/var/lib/dpkg/status"
    done
}
