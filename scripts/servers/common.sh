# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2016 # $(SITE) is apt-get's to expand
# shellcheck disable=SC2154 # $run: servers.sh
# What the server scripts share: where programs are kept, how they are started, awaited and stopped.
# $cache: installed programs, one folder per server and version. $run: logs, pid files and data of one start.

cache=${OSCOMMIT_SERVERS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/oscommit/servers}
ready_within_s=90

# Runs "$2 FOLDER" to fill the folder $cache/$1, unless it is there. A half-made folder is never seen.
install_once() { # NAME-VERSION COMMAND...
    local name=$1 target=$cache/$1 made
    shift
    if [[ -d $target ]]; then
        return 0
    fi
    say "Installing $name into $cache"
    made=$(mktemp -d "$cache/.making.XXXXXX")
    if ! "$@" "$made" </dev/null >"$cache/$name.log" 2>&1; then
        tail -n 20 "$cache/$name.log" >&2
        rm -rf "$made"
        die "$name could not be installed; the whole log is $cache/$name.log"
    fi
    chmod 755 "$made"
    mv -T "$made" "$target"
}

# ------------------------------------------------------------------------------------------------------------- Go

go_oldest_minor=21 # since 1.21, go fetches by itself the toolchain that a module asks for

go_is_sufficient() { # PROGRAM
    local version
    version=$("$1" env GOVERSION 2>/dev/null) || return 1
    [[ $version =~ ^go1\.([0-9]+) ]] && ((BASH_REMATCH[1] >= go_oldest_minor))
}

find_go() {
    local candidate
    for candidate in go /usr/local/go/bin/go /usr/lib/go-1.*/bin/go; do
        if command -v "$candidate" >/dev/null && go_is_sufficient "$candidate"; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

# Debian 12 has go 1.19, and newer ones in its backports, which are taken from the mirror that is configured already.
install_go() {
    local site list=/etc/apt/sources.list.d/oscommit-backports.list
    site=$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' 'Created-By: Packages' 2>/dev/null | head -n 1)
    [[ -n $site ]] || return 1
    say "Installing go from bookworm-backports"
    if [[ -z $(apt-get indextargets --format '$(SITE)' 'Codename: bookworm-backports' 2>/dev/null) ]]; then
        echo "deb $site bookworm-backports main" | as_root tee "$list" >/dev/null || return 1
    fi
    if ! { as_root apt-get update -qq </dev/null >&2 && apt_install -t bookworm-backports golang-go; }; then
        as_root rm -f "$list"
        return 1
    fi
}

need_go() {
    go=$(find_go) && return 0
    install_go || true
    go=$(find_go) || die "Some servers are built from source, which needs go 1.$go_oldest_minor or newer: install one" \
        "and put it on PATH."
}

go_program() { # PACKAGE@VERSION FOLDER
    # Debian's go does not fetch a newer toolchain unless it is told to.
    GOBIN=$2 GOTOOLCHAIN=${GOTOOLCHAIN:-auto} GOFLAGS="${GOFLAGS:-} -mod=mod" "$go" install "$1"
}

# The module and its checksum are what go.mod and go.sum say: nothing is written into the source.
go_build() { # SOURCE PROGRAM
    (cd -- "$1" && GOTOOLCHAIN=${GOTOOLCHAIN:-auto} GOFLAGS="${GOFLAGS:-} -mod=readonly" "$go" build -o "$2" .)
}

# ----------------------------------------------------------------------------------------------------------- cargo

cargo_oldest_minor=85 # what the packages of the committed lock file ask for

cargo_is_sufficient() { # PROGRAM
    local version
    version=$("$1" --version 2>/dev/null) || return 1
    [[ $version =~ ^cargo\ 1\.([0-9]+) ]] && ((BASH_REMATCH[1] >= cargo_oldest_minor))
}

find_cargo() {
    local candidate
    for candidate in cargo "${CARGO_HOME:-$HOME/.cargo}/bin/cargo"; do
        if command -v "$candidate" >/dev/null && cargo_is_sufficient "$candidate"; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

# Debian 12 has cargo 0.66, and beside it a newer one, with which it builds its web browsers; Debian 13 has 1.85.
install_cargo() {
    local package
    as_root true || return 1
    as_root apt-get update -qq </dev/null >&2 || true
    for package in cargo-web cargo; do
        say "Installing $package"
        if apt_install "$package" && find_cargo >/dev/null; then
            return 0
        fi
    done
    return 1
}

need_cargo() {
    cargo=$(find_cargo) && return 0
    if [[ ${OSCOMMIT_NO_INSTALL:-} != 1 ]]; then
        install_cargo || true
    fi
    cargo=$(find_cargo) || die "The peer of the mixed fleet and some servers are built from source, which needs cargo" \
        "1.$cargo_oldest_minor or newer: install one and put it on PATH."
}

# The source tree is left alone.
cargo_program() { # SOURCE-FOLDER TARGET-FOLDER
    CARGO_TARGET_DIR=$2 "$cargo" build --locked --manifest-path "$1/Cargo.toml"
}

cargo_install() { # CRATE VERSION [ARGUMENT...] FOLDER
    local crate=$1 version=$2 folder=${*: -1}
    local arguments=("${@:3:$#-3}")
    CARGO_TARGET_DIR=$folder/target "$cargo" install "$crate" --version "$version" --locked "${arguments[@]}" --root "$folder" &&
        rm -rf "$folder/target"
}

# ----------------------------------------------------------------------------------------------- pip, npm, Maven, apt

# Compiled modules fit one Python only.
python_tag() {
    python3 -c 'import sys; print("py%d.%d" % sys.version_info[:2])'
}

# Not compiled in advance: most of what moto brings is never loaded, and takes half of the time.
pip_program() { # REQUIREMENT... FOLDER
    python3 -m pip install --no-input --disable-pip-version-check --no-compile --target "${@: -1}" "${@:1:$#-1}"
}

npm_program() { # PACKAGE@VERSION FOLDER
    npm install --prefix "$2" --no-audit --no-fund --no-save --loglevel=error "$1"
}

# The jars and all that they need, below FOLDER/lib. Maven takes the version of a dependency that stands nearest, which may
# be too old for another one: then the right one is named here too.
maven_program() { # GROUP:ARTIFACT:VERSION... FOLDER
    local folder=${*: -1} jar group artifact version
    {
        echo '<project><modelVersion>4.0.0</modelVersion>'
        echo '<groupId>oscommit.test</groupId><artifactId>fetched</artifactId><version>1</version><packaging>pom</packaging>'
        echo '<dependencies>'
        for jar in "${@:1:$#-1}"; do
            IFS=: read -r group artifact version <<<"$jar"
            echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency>"
        done
        echo '</dependencies></project>'
    } >"$folder/pom.xml"
    mvn -B -q -f "$folder/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$folder/lib"
}

# Where systemd runs, Debian starts the daemons of a package that it installs, with Debian's settings.
install_debian() { # SERVER: the packages of the group servers-SERVER
    if [[ ${OSCOMMIT_NO_INSTALL:-} != 1 ]]; then
        install_packages "servers-$1"
    fi
}

# ---------------------------------------------------------------------------------------------------------- running

free_ports() { # COUNT: different ones
    python3 -c '
import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in held:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in held))' "$1"
}

# When a process started, in clock ticks since boot: with the pid it names one process for ever.
started_at() { # PID
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
}

is_running() { # NAME
    local pid started
    # Without a time it had ended before that could be asked.
    [[ -f $run/$1.pid ]] && read -r pid started <"$run/$1.pid" && [[ -n $started && $(started_at "$pid") == "$started" ]]
}

# Any HTTP answer will do; a server that does not want our anonymous question says so over HTTP.
answers() { # URL
    curl --noproxy '*' --silent --output /dev/null --max-time 2 "$1"
}

answers_well() { # URL
    curl --noproxy '*' --silent --fail --output /dev/null --max-time 2 "$1"
}

# Starts "COMMAND..." with PORT, PORT_2 ... PORT_8 replaced by free ports, and waits until "$2 http://127.0.0.1:PORT$3"
# succeeds. NAME_configure, if there is one, writes the server's files first, for the same ports. Another program may take
# a port first: then the server ends, and is given others. Sets $port, and $ports with all of them.
launch() { # NAME CHECK PATH COMMAND...
    local name=$1 check=$2 path=$3 try until pid number command word
    shift 3
    for word in "$@"; do # "lib/*" is a class path
        [[ $word != "$cache/"* || -e ${word%/\*} ]] || die "$name is not installed: scripts/servers.sh install"
    done
    for try in 1 2 3; do
        read -ra ports < <(free_ports 8)
        port=${ports[0]}
        if declare -F "${name}_configure" >/dev/null; then
            "${name}_configure"
        fi
        command=("$@")
        for number in 8 7 6 5 4 3 2; do
            command=("${command[@]//PORT_$number/${ports[number - 1]}}")
        done
        setsid "${command[@]//PORT/$port}" </dev/null >"$run/$name.log" 2>&1 &
        pid=$!
        disown "$pid"
        echo "$pid $(started_at "$pid")" >"$run/$name.pid"
        until=$((SECONDS + ready_within_s))
        while is_running "$name" && ((SECONDS < until)); do
            if "$check" "http://127.0.0.1:$port$path"; then
                say "$name listens on port $port"
                return 0
            fi
            sleep 0.1 # between two questions; nothing tells when another program begins to listen
        done
        is_running "$name" && break
        say "$name ended while it was started (try $try of 3)."
    done
    tail -n 20 "$run/$name.log" >&2
    die "$name did not answer within $ready_within_s s; its log is $run/$name.log"
}

# It is no child of this shell, which therefore cannot wait for it.
ends_within() { # PID SECONDS
    python3 -c '
import os, select, sys
try:
    process = os.pidfd_open(int(sys.argv[1]))
except ProcessLookupError:
    sys.exit()
sys.exit(not select.select([process], [], [], float(sys.argv[2]))[0])' "$1" "$2"
}

stop_one() { # NAME
    local pid
    if is_running "$1"; then
        read -r pid _ <"$run/$1.pid"
        kill "$pid" 2>/dev/null || true
        if ! ends_within "$pid" 10; then
            kill -KILL "$pid" 2>/dev/null || true
            ends_within "$pid" 10
        fi
    fi
    rm -f "$run/$1.pid"
}
