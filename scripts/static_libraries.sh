# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The libraries below oscommit, as a wheel and the static tool have them in them: a libcurl that speaks HTTP by OpenSSL and
# nothing else, built from the source package of this system, and the static libraries that the system has of the others.
# Sourced after lib.sh.

# Where the packages are that libraries are taken from: empty for those of this system, a folder for those of another machine.
sysroot=

# apt checks what it fetches, and has the fixes of this release. It gets lists of its own: those of this system, and where
# they come from, are not changed.
prepare_apt() { # FOLDER TYPE: "deb" or "deb-src"; for run_apt
    local folder=$1 file
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/sources.d"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [[ ! -f $file ]] || sed -n "s/^deb /$2 /p" "$file" >"$folder/sources.d/${file##*/}"
    done
    [[ ! -f $folder/sources.d/sources.list ]] || mv "$folder/sources.d/sources.list" "$folder/sources.d/main.list"
    for file in /etc/apt/sources.list.d/*.sources; do
        [[ ! -f $file ]] || sed "s/^Types:.*/Types: $2/" "$file" >"$folder/sources.d/${file##*/}"
    done
    apt_options=(-qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$folder/sources.d" -o "Dir::State::lists=$folder/lists"
        -o "Dir::Cache=$folder/cache")
    (($(id -u) != 0)) || apt_options+=(-o APT::Sandbox::User=root)
}

run_apt() { # FOLDER ARGUMENT...: of apt-get
    (cd "$1" && apt-get "${apt_options[@]}" "${@:2}") </dev/null >"$1/log" 2>&1 || {
        tail -n 20 "$1/log" >&2
        die "apt-get ${*:2} failed; for sources it needs dpkg-dev."
    }
}

fetch_sources() { # FOLDER PACKAGE...: each is in FOLDER/PACKAGE then
    local folder=$1 package
    shift
    prepare_apt "$folder" deb-src
    run_apt "$folder" update
    run_apt "$folder" source "$@"
    for package in "$@"; do
        ln -sfn "$(basename -- "$(ls -d "$folder/$package"-*/)")" "$folder/$package"
    done
}

build_by_cmake() { # SOURCE OUT OPTION...
    local log=$2/${1##*/}.log
    { cmake -G Ninja -S "$1" -B "$2/${1##*/}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_PREFIX="$2" \
        -DCMAKE_INSTALL_LIBDIR=lib "${@:3}" && cmake --build "$2/${1##*/}" --target install; } >"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        die "${1##*/} could not be built."
    }
}

# Trust is left to oscommit, which looks for the certificates of the machine that it runs on.
build_curl() { # SOURCES OUT RESOLVER
    local ares=OFF
    [[ $3 != ares ]] || ares=ON
    build_by_cmake "$1/curl" "$2" -DBUILD_SHARED_LIBS=OFF -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF -DENABLE_MANUAL=OFF -DPICKY_COMPILER=OFF \
        -DHTTP_ONLY=ON -DCURL_USE_OPENSSL=ON -DENABLE_ARES=$ares -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none -DCURL_USE_LIBSSH2=OFF \
        -DCURL_ZLIB=OFF -DCURL_BROTLI=OFF -DCURL_ZSTD=OFF -DUSE_NGHTTP2=OFF -DUSE_LIBIDN2=OFF -DENABLE_UNIX_SOCKETS=OFF \
        -DCURL_DISABLE_NTLM=ON -DCURL_DISABLE_ALTSVC=ON -DCURL_DISABLE_HSTS=ON
}

# What pkg-config says of a module, with OUT before the folders of the system. OUT has static libraries only, so nothing else
# of them is linked.
describe_static() { # OUT MODULE LIBRARIES [ARCHIVE: of the system]
    local out=$1 module=$2 libraries=$3 version folder
    version=$(PKG_CONFIG_PATH=$out/lib/pkgconfig pkg-config --modversion "$module") || die "pkg-config does not know $module."
    if [[ -n ${4:-} ]]; then
        folder=$sysroot$(pkg-config --variable=libdir "$module")
        [[ -e $folder/$4 ]] || die "There is no static library $folder/$4."
        ln -sf "$folder/$4" "$out/lib/$4"
    fi
    printf '%s\n' "Name: $module" "Description: static" "Version: $version" "Libs: -L$out/lib $libraries" "Cflags: -I$out/include" \
        >"$out/pkgconfig/$module.pc"
}

# What is in the product, for its bill of materials (packaging/sbom.py), and under which terms.
note_bundled() { # OUT NAME VERSION TERMS
    [[ -s $4 ]] || die "The terms of $2 are not in $4."
    [[ -n $3 ]] || die "The version of $2 is not known."
    mkdir -p "$1/licences"
    cp "$4" "$1/licences/$2.txt"
    printf '%s\t%s\n' "$2" "$3" >>"$1/bundled.tsv"
}

# With Debian's revision, which says what is mended in it.
note_source() { # OUT NAME SOURCES PACKAGE
    note_bundled "$1" "$2" "$(dpkg-parsechangelog -l "$3/$4/debian/changelog" -S Version)" "$3/$4/debian/copyright"
}

note_package() { # OUT NAME PACKAGE
    note_bundled "$1" "$2" "$(dpkg-query --admindir="$sysroot/var/lib/dpkg" -W -f '${Version}' "$3")" "$sysroot/usr/share/doc/$3/copyright"
}

# RESOLVER: "threaded" asks libc for names, as other programs do; "ares" does without libc, which would want shared libraries
# of its own for that. The system's jansson is made for programs only; a shared library cannot have it in it.
make_static_libraries() { # SOURCES OUT RESOLVER
    local out=$2 curl="-lcurl -lssl -lcrypto" jansson=libjansson.a
    rm -rf "$out"
    mkdir -p "$out/lib" "$out/include" "$out/pkgconfig"
    build_curl "$@"
    if [[ $3 == ares ]]; then
        describe_static "$out" libcares "-lcares" libcares.a
        curl+=" -lcares"
        note_package "$out" libcares libc-ares-dev
        note_package "$out" jansson libjansson-dev
        note_package "$out" glibc libc6-dev
        note_bundled "$out" libgcc "$(gcc -dumpfullversion)" "/usr/share/doc/libgcc-$(gcc -dumpversion)-dev/copyright"
    else
        build_by_cmake "$1/jansson" "$out" -DJANSSON_BUILD_SHARED_LIBS=OFF -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON
        jansson=
        note_source "$out" jansson "$1" jansson
    fi
    describe_static "$out" libcurl "$curl"
    describe_static "$out" libssl "-lssl -lcrypto" libssl.a
    describe_static "$out" libcrypto "-lcrypto" libcrypto.a
    describe_static "$out" sqlite3 "-lsqlite3" libsqlite3.a
    describe_static "$out" expat "-lexpat" libexpat.a
    describe_static "$out" jansson "-ljansson" $jansson
    note_source "$out" libcurl "$1" curl
    note_package "$out" libcrypto libssl-dev
    note_package "$out" sqlite3 libsqlite3-dev
    note_package "$out" expat libexpat1-dev
}
