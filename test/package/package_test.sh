#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build into a folder, moves that, and builds a project of somebody else against it: by pkg-config and by
# find_package, shared and static; and the README's program by the README's command.
# usage: package_test.sh SOURCE BUILD COMPILER
set -euo pipefail
source=$1 build=$2 compiler=$3
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*"
    exit 1
}

DESTDIR=$work/stage cmake --install "$build" --prefix /usr >"$work/install.log" || fail "cmake --install: $(cat "$work/install.log")"
mv "$work/stage/usr" "$work/prefix"
prefix=$work/prefix
libdir=$(dirname -- "$(find "$prefix" -name 'liboscommit.so')")
export PKG_CONFIG_PATH=$libdir/pkgconfig PATH=$prefix/bin:$PATH

for file in include/oscommit.h bin/oscommit share/man/man1/oscommit.1 share/bash-completion/completions/oscommit; do
    [[ -f $prefix/$file ]] || fail "$file is not installed"
done

# One version everywhere: pkg-config, SONAME, file name, the tool.
version=$(pkg-config --modversion oscommit)
soname=$(objdump -p "$libdir/liboscommit.so" | sed -n 's/^ *SONAME *//p')
[[ -e $libdir/$soname && $soname =~ ^liboscommit\.so\.[0-9] && -f $libdir/liboscommit.so.$version ]] ||
    fail "SONAME $soname and version $version do not fit together"
[[ $("$prefix/bin/oscommit" version) == *"$version"* ]] || fail "the installed tool is not of version $version"

run() { # NAME PROGRAM
    local said
    said=$("$2" "$work/store-$1") || fail "$1: $said"
    [[ $said == "committed, conflict" ]] || fail "$1 said: $said"
    echo "$1: $said"
}

read -ra flags <<<"$(pkg-config --cflags --libs oscommit)"
"$compiler" -std=c11 -Wall -Wextra -Werror "$here/consumer/main.c" "${flags[@]}" -Wl,-rpath,"$libdir" -o "$work/pc_shared"
run pkg-config-shared "$work/pc_shared"

# With the shared library out of the way, -loscommit is the static one.
mkdir "$work/static"
mv "$libdir"/liboscommit.so* "$work/static"
read -ra flags <<<"$(pkg-config --static --cflags --libs oscommit)"
"$compiler" -std=c11 -Wall -Wextra -Werror "$here/consumer/main.c" "${flags[@]}" -o "$work/pc_static"
run pkg-config-static "$work/pc_static"
mv "$work/static"/liboscommit.so* "$libdir"
objdump -p "$work/pc_static" | grep -q 'NEEDED.*liboscommit' && fail "the static program needs the shared library"

build_consumer() {
    cmake -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" &&
        cmake --build "$work/consumer"
}
build_consumer >"$work/cmake.log" 2>&1 || fail "find_package: $(cat "$work/cmake.log")"
run find-package-shared "$work/consumer/with_shared"
run find-package-static "$work/consumer/with_static"
objdump -p "$work/consumer/with_static" | grep -q 'NEEDED.*liboscommit' && fail "oscommit_static links the shared library"

# The README's program, built as the README says (test/check/readme.sh has the rest of it).
# shellcheck disable=SC2046 # the words of pkg-config are to be words
(cd "$work" && cp "$source/examples/publish.c" . &&
    "$compiler" publish.c $(pkg-config --cflags --libs oscommit) -Wl,-rpath,"$libdir" -o publish)
"$prefix/bin/oscommit" init "$work/example" >"$work/init.log"
said=$("$work/publish" "file://$work/example") || fail "examples/publish.c ended with $?: $said"
[[ $said == committed* ]] || fail "examples/publish.c said: $said"
