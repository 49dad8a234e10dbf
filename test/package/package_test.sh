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

for file in $(cd "$source" && find include -name '*.h' -o -name '*.hpp') bin/oscommit bin/oscommit-race share/man/man1/oscommit.1 share/man/man5/oscommit.toml.5 share/bash-completion/completions/oscommit share/zsh/site-functions/_oscommit share/fish/vendor_completions.d/oscommit.fish; do
    [[ -f $prefix/$file ]] || fail "$file is not installed"
done
if command -v python3 >/dev/null; then
    [[ -s $prefix/share/man/man3/os_put_if_absent.3 ]] || fail "the manual of the C interface is not installed"
fi

# One version everywhere: pkg-config, SONAME, file name, the tool.
version=$(pkg-config --modversion oscommit)
soname=$(objdump -p "$libdir/liboscommit.so" | sed -n 's/^ *SONAME *//p')
[[ -e $libdir/$soname && $soname =~ ^liboscommit\.so\.[0-9] && -f $libdir/liboscommit.so.$version ]] ||
    fail "SONAME $soname and version $version do not fit together"
[[ $("$prefix/bin/oscommit" version) == *"$version"* ]] || fail "the installed tool is not of version $version"

# ------------------------------------------------------------------------------------------------ the other program

"$prefix/bin/oscommit" init "$work/races" >"$work/init.log"
said=$("$prefix/bin/oscommit" race "file://$work/races/" --writers 2 --keys 2) || fail "the installed race ended with $?: $said"
[[ $said == *"exact: "* ]] || fail "the installed race said: $said"
ln -s "$prefix/bin/oscommit" "$work/oscommit"
said=$("$work/oscommit" race "file://$work/races/" --writers 2 --keys 2) || fail "by way of a link the race ended with $?: $said"
mv "$prefix/bin/oscommit-race" "$work/away"
status=0
said=$("$prefix/bin/oscommit" race "file://$work/races/" 2>&1) || status=$?
[[ $status == 1 && $said == *"install it beside oscommit"* ]] || fail "without oscommit-race the tool ended with $status and said: $said"
[[ $("$prefix/bin/oscommit" race --help) == "usage: oscommit race URL"* ]] || fail "without oscommit-race there is no help on race"
mv "$work/away" "$prefix/bin/oscommit-race"

# ------------------------------------------------------------------------------------------------ Signature V2

# A request to a port where nobody listens: what it says is of the network, or of the module.
module=$libdir/liboscommit-sigv2.so.${soname#liboscommit.so.}
ask() { # v4 | v2: says what the tool said
    env -u OSCOMMIT_LEDGER AWS_ACCESS_KEY_ID=id AWS_SECRET_ACCESS_KEY=secret "${loader[@]}" "$prefix/bin/oscommit" head s3://bucket/key \
        --signature "$1" --s3-endpoint http://127.0.0.1:1 --ledger dynamodb://table --deadline-ms 3000 2>&1 || true
}
# What it says must name the module, or must not.
asks() { # WANTED-TEXT v4|v2
    local said
    said=$(ask "$2")
    [[ $said == *"$1"* ]] || fail "head with signature $2 says \"$said\" and not \"$1\""
}
loader=(env)
if [[ -f $module ]]; then
    asks "(FailedToConnect)" v2
    loader=(env LD_DEBUG=files)
    asks "/$(basename -- "$module") [0];  dynamically loaded" v2
    [[ $(ask v4) != *libs3* ]] || fail "signature v4 loads libs3"
    # Of another release: the version is a string in it.
    cp "$module" "$work/module" && LC_ALL=C sed -i "s/\b${version//./\\.}\b/9${version:1}/g" "$module"
    loader=(env)
    asks "has version 9${version:1}, but the library has version $version: install both from one release" v2
    rm "$module"
    # Not where it belongs: neither the working directory nor a search path has a say.
    cp "$work/module" "$work/$(basename "$module")"
    cd "$work"
    loader=(env "LD_LIBRARY_PATH=$work:.")
    asks "needs the module" v2
    loader=(env)
    asks "Install the package liboscommit-sigv2 of version $version" v2
    # A library that was found by way of the working directory has no folder of its own.
    mv "$libdir" "$work/moved" && cp "$work/module" "$work/moved/$(basename "$module")"
    loader=(env LD_LIBRARY_PATH=moved)
    asks "found the shared one by a relative path" v2
    loader=(env "LD_LIBRARY_PATH=$work/moved")
    asks "(FailedToConnect)" v2
    mv "$work/moved" "$libdir"
    # A link into the folder of the package.
    mkdir "$work/links" && ln -s "$libdir/$soname" "$work/links/$soname"
    loader=(env "LD_LIBRARY_PATH=$work/links")
    asks "(FailedToConnect)" v2
    cd "$here"
else
    asks "which this build of the library has left out" v2
fi
[[ ! -e $libdir/liboscommit-sigv2.so ]] || fail "the module can be linked, which nobody should do"

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

# Those of the other documents find their headers in the same place (what they do: examples_test.sh, catalog_test.sh).
for example in catalog documents transfer; do
    # shellcheck disable=SC2046 # the words of pkg-config are to be words
    "$compiler" "$source/examples/$example.c" $(pkg-config --cflags --libs oscommit) -Wl,-rpath,"$libdir" -o "$work/$example" ||
        fail "examples/$example.c does not compile with what is installed"
done

# And the C++ program, by the commands of docs/cpp.md, but for the folder. Nobody tells the loader where the library is.
if command -v c++ >/dev/null; then
    cp "$source/examples/publish.cpp" "$work"
    awk '$0 == "```sh" { inside = 1; next } /^```/ { inside = 0 } inside' "$source/docs/cpp.md" | sed "s|/tmp/store|$work/cpp-store|" >"$work/cpp.sh"
    said=$(cd "$work" && env -u LD_LIBRARY_PATH bash -euo pipefail cpp.sh) || fail "the commands of docs/cpp.md ended with $?: $said"
    [[ $said == *"committed \""* ]] || fail "the commands of docs/cpp.md said: $said"
fi
