#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the tool as one file that needs nothing else on any Linux: not even libc, whose resolver of names is replaced by
# c-ares. Makes a tarball of it, with its manual and the terms of what is in it.
#
#   scripts/static_tool.sh [OUT]      OUT: a folder [build/packages]
#
# OSCOMMIT_BUILD_DIR    where to build [build/static]
# OSCOMMIT_SOURCES      where the source of libcurl is, or is put [below that]
# SOURCE_DATE_EPOCH     the time that files are given [now]
set -euo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/static_libraries.sh
. "$scripts_dir/static_libraries.sh"
cd -- "$scripts_dir/.."
[[ ${OSCOMMIT_NO_INSTALL:-} == 1 ]] || install_packages build package static
mkdir -p "${1:-build/packages}" "${OSCOMMIT_BUILD_DIR:-build/static}"
out=$(cd -- "${1:-build/packages}" && pwd)
build=$(cd -- "${OSCOMMIT_BUILD_DIR:-build/static}" && pwd)
sources=${OSCOMMIT_SOURCES:-$build/sources}
name=oscommit-$(version_of_header)-linux-$(uname -m)

# The linker warns of what libc would load in such a program: names of users, hosts and services, and the module of
# Signature V2. Nothing that runs asks for those.
build_tool() {
    PKG_CONFIG_PATH=$build/static/pkgconfig cmake -G Ninja -S . -B "$build/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
        -DOSCOMMIT_TESTS=OFF -DOSCOMMIT_WITH_LIBS3=OFF -DOSCOMMIT_STATIC_TOOL=ON -DOSCOMMIT_ONE_PROGRAM=ON \
        -DCMAKE_C_FLAGS="-ffunction-sections -fdata-sections" -DCMAKE_C_STANDARD_LIBRARIES=-lm \
        -DCMAKE_EXE_LINKER_FLAGS="-Wl,--gc-sections -s" &&
        cmake --build "$build/build" --target oscommit_tool
}

pack() {
    local folder=$build/$name
    rm -rf "$folder"
    mkdir -p "$folder"
    cp "$build/build/tool/oscommit" LICENSE "$folder/"
    cp packaging/static-README "$folder/README"
    cp -r "$build/static/licences" "$folder/licences"
    cp docs/man/oscommit.1 docs/man/oscommit.toml.5 "$folder/"
    cp tool/completion/oscommit.bash "$folder/"
    tar --create --gzip --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(date +%s)}" \
        --file="$out/$name.tar.gz" --directory="$build" "$name"
}

say "Building the static tool"
[[ -e $sources/curl ]] || fetch_sources "$sources" curl jansson
make_static_libraries "$sources" "$build/static" ares
build_tool >"$build/build.log" 2>&1 || { tail -n 30 "$build/build.log" >&2 && die "The static tool could not be built."; }
readelf -l "$build/build/tool/oscommit" >"$build/headers"
! grep -q INTERP "$build/headers" || die "The tool is not static: it names a loader."
pack
echo "$name.tar.gz"
