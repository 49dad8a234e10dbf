#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes what others install: packages for Debian and for RPM systems, a wheel, a static tool, a source tarball, a bill of
# materials, checksums.
#
#   scripts/package.sh [OUT]      OUT: a folder [build/packages]
#
# Debian packages are for the release that this runs on. RPM packages are made where rpmbuild is there. They have the folders of an
# RPM system, and not the module for Signature V2, whose libs3 is another one there.
# OSCOMMIT_MAINTAINER   "NAME <ADDRESS>", who answers for the packages
# OSCOMMIT_BUILD_DIR    where to build [build/package]
# SOURCE_DATE_EPOCH     the time that files are given [that of the last commit]
set -euo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
source=$(cd -- "$scripts_dir/.." && pwd)
cd "$source"
out=${1:-build/packages}
build=${OSCOMMIT_BUILD_DIR:-build/package}
[[ ${OSCOMMIT_NO_INSTALL:-} == 1 ]] || install_packages build package python static
mkdir -p "$out"
out=$(cd -- "$out" && pwd)
version=$(version_of_header)
if [[ -z ${SOURCE_DATE_EPOCH:-} ]] && git rev-parse --git-dir >/dev/null 2>&1; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
fi
export SOURCE_DATE_EPOCH

# What another kind of package has left in the cache is forgotten.
build_for() { # DEB|RPM CMAKE-OPTION...
    say "Building oscommit $version: $1"
    cmake -G Ninja -S . -B "$build" -UCMAKE_INSTALL_LIBDIR -UOSCOMMIT_WITH_LIBS3 '-U*OSCOMMIT_CURL*' -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_INSTALL_PREFIX=/usr -DOSCOMMIT_TESTS=OFF ${OSCOMMIT_MAINTAINER:+"-DOSCOMMIT_MAINTAINER=$OSCOMMIT_MAINTAINER"} \
        "-DOSCOMMIT_PACKAGES=$1" "${@:2}" >/dev/null
    cmake --build "$build" >/dev/null
}

pack() { # DEB|RPM
    (cd "$build" && cpack -G "$1" -B "$out" >cpack.log 2>&1) || { cat "$build/cpack.log" >&2 && exit 1; }
    rm -rf "$out/_CPack_Packages"
}

# Fedora's libcurl has no versions of symbols, and dnf refuses what asks for Debian's. So the library is linked with one that
# shows the same names without versions.
make_unversioned_curl() { # FOLDER
    local curl
    curl=$(pkg-config --variable=libdir libcurl)/libcurl.so
    mkdir -p "$1"
    nm -D --defined-only "$curl" | sed -nE 's/.* T (curl_[a-z_0-9]+)(@.*)?$/void \1(void); void \1(void) {}/p' >"$1/curl.c"
    cc -shared -fPIC -Wl,-soname,libcurl.so.4 -fno-builtin "$1/curl.c" -o "$1/libcurl.so"
    printf 'Name: libcurl\nDescription: libcurl\nVersion: %s\nLibs: -L%s -lcurl\n' "$(pkg-config --modversion libcurl)" "$1" >"$1/libcurl.pc"
}

if command -v rpmbuild >/dev/null; then
    make_unversioned_curl "$(realpath -m "$build-curl")"
    PKG_CONFIG_PATH=$(realpath "$build-curl") build_for RPM -DCMAKE_INSTALL_LIBDIR=lib64 -DOSCOMMIT_WITH_LIBS3=OFF
    pack RPM
    rm -rf "${build:?}/lib64" # what is looked at below is the one library of the build
fi
build_for DEB

# What the library shows, and what its packages say that it shows.
library=$(find "$build" -name _CPack_Packages -prune -o -name liboscommit.so -print)
nm -D --defined-only "$library" | awk '$2 == "T" { print $3 }' | sort -u >"$build/shown"
if ! diff <(cut -d' ' -f1 packaging/symbols) "$build/shown" >&2; then
    die "packaging/symbols does not have the functions of the library: < stands there, > is in the library."
fi

pack DEB

if git rev-parse --git-dir >/dev/null 2>&1; then
    say "Source: oscommit-$version.tar.gz"
    git archive --format=tar --prefix="oscommit-$version/" HEAD | gzip -9n >"$out/oscommit-$version.tar.gz"
fi
# What brings its libraries along is built from one set of sources.
rm -rf "$build-sources"
mkdir -p "$build-sources"
OSCOMMIT_SOURCES=$(cd -- "$build-sources" && pwd)
export OSCOMMIT_SOURCES
OSCOMMIT_BUILD_DIR=$build-wheel "$scripts_dir/wheel.sh" "$out" >/dev/null
OSCOMMIT_BUILD_DIR=$build-static "$scripts_dir/static_tool.sh" "$out" >/dev/null
python3 -B packaging/sbom.py --build "$build" "$version" "oscommit-wheel=$build-wheel/static/bundled.tsv" \
    "oscommit-static=$build-static/static/bundled.tsv" >"$out/oscommit-$version.spdx.json"
cd "$out"
rm -f SHA256SUMS
mapfile -d '' -t files < <(find . -maxdepth 1 -type f -printf '%P\0' | sort -z)
sha256sum "${files[@]}" >SHA256SUMS
printf '%s\n' "${files[@]}"
