#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes what others install: packages for Debian and for RPM systems, a wheel, a static tool, a source tarball, a bill of
# materials, checksums.
#
#   scripts/package.sh [OUT]      OUT: a folder [build/packages]
#
# Packages are for the system that this runs on: Debian packages for its release, RPM packages where rpmbuild is there.
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

say "Building oscommit $version"
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_INSTALL_PREFIX=/usr -DOSCOMMIT_TESTS=OFF \
    -DOSCOMMIT_PACKAGES=ON ${OSCOMMIT_MAINTAINER:+"-DOSCOMMIT_MAINTAINER=$OSCOMMIT_MAINTAINER"} >/dev/null
cmake --build "$build" >/dev/null

# What the library shows, and what its packages say that it shows.
library=$(find "$build" -name _CPack_Packages -prune -o -name liboscommit.so -print)
nm -D --defined-only "$library" | awk '$2 == "T" { print $3 }' | sort -u >"$build/shown"
if ! diff <(cut -d' ' -f1 packaging/symbols) "$build/shown" >&2; then
    die "packaging/symbols does not have the functions of the library: < stands there, > is in the library."
fi

generators=(DEB)
command -v rpmbuild >/dev/null && generators+=(RPM)
for generator in "${generators[@]}"; do
    say "Packages: $generator"
    (cd "$build" && cpack -G "$generator" -B "$out" >cpack.log 2>&1) || { cat "$build/cpack.log" >&2 && exit 1; }
done
rm -rf "$out/_CPack_Packages"

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
