#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/check-install.sh runs inside the Debian root that it has made, as root.
# usage: newcomer.sh SOURCE BLOCKS
set -uo pipefail
source=$1 blocks=$2
passed=0
failed=0

say_step() { # NAME STATUS
    if (($2 == 0)); then
        passed=$((passed + 1))
        printf '%-6s %s\n' ok "$1"
    else
        failed=$((failed + 1))
        printf '%-6s %s\n' FAILED "$1"
        tail -n 40 /tmp/step.log
    fi
}

# Runs a block of the README as it stands, in FOLDER.
run_block() { # NAME FOLDER FILE
    (cd "$2" && bash -e "$blocks/$3") >/tmp/step.log 2>&1
    say_step "$1" $?
}

step() { # NAME COMMAND...
    local name=$1
    shift
    "$@" >/tmp/step.log 2>&1
    say_step "$name" $?
}

# A command's status and a word of what it prints.
says() { # STATUS TEXT COMMAND...
    local wanted=$1 text=$2 said status=0
    shift 2
    said=$("$@" 2>&1) || status=$?
    printf '%s\n(exit status %s)\n' "$said" "$status"
    [[ $status == "$wanted" && $said == *"$text"* ]]
}

no_tests() {
    ! pkg-config --exists cmocka && ! command -v python3 clang gcovr && [[ -d $source/build/release/tool && ! -e $source/build/release/test ]]
}

links() { # DOCUMENT: what it links to, without anchors
    awk '/^```/ { code = !code } !code' "$1" | grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\(//; s/\)$//; s/#.*//' | grep . | grep -v '://'
}

documents_lead_somewhere() {
    local doc=/usr/local/share/doc/oscommit document target status=0
    for document in "$doc"/README.md "$doc"/docs/*.md; do
        for target in $(links "$document"); do
            [[ -e $(dirname "$document")/$target ]] && continue
            echo "$document links to $target, which is not installed"
            status=1
        done
    done
    [[ -f $doc/docs/protocol.md && -f $doc/examples/publish.c ]] && return "$status"
}

needs_nothing_under_gpl() {
    local file
    for file in /usr/local/lib/liboscommit.so /usr/local/bin/oscommit /usr/local/bin/oscommit-race; do
        ldd "$file" || return 1
        ! ldd "$file" | grep -E 'libs3|libxml2|not found' || return 1
    done
}

find_package() {
    cmake -S "$blocks/consumer" -B /tmp/consumer && cmake --build /tmp/consumer &&
        says 0 "committed, conflict" /tmp/consumer/with_shared /tmp/consumer-store-1 &&
        says 0 "committed, conflict" /tmp/consumer/with_static /tmp/consumer-store-2
}

run_block "README's install lines (Ninja)" "$source" install.sh
step "they install no test package, and build no test" no_tests
step "the documents are installed, and their links lead somewhere" documents_lead_somewhere
step "library and tool bring nothing under GPL" needs_nothing_under_gpl
run_block "README's lines for CMake's default generator (Make)" "$source" generator.sh
step "the program that Make built runs" says 0 oscommit "$source/build/tool/oscommit" version

mkdir -p /tmp/shell /tmp/c
echo '{"rows": 42}' >/tmp/shell/report.json
run_block "README's first commands" /tmp/shell first.sh
step "what they wrote is there" says 0 '{"rows": 42}' oscommit get file:///srv/store/2026/11.json -
echo rows >/tmp/shell/part-0001.parquet
cp "$blocks/publish.sh" /tmp/shell
cd /tmp/shell || exit 1
step "README's publish.sh publishes" says 0 published env STORE=file:///srv/store sh publish.sh
step "README's publish.sh says who was first" says 0 "somebody was first" env STORE=file:///srv/store sh publish.sh

cp "$blocks/publish.c" /tmp/c
run_block "README's line for the C example" /tmp/c build.sh
oscommit init /srv/c-store >/dev/null
step "the C example publishes" says 0 committed /tmp/c/publish file:///srv/c-store
step "the C example says who was first" says 3 conflict /tmp/c/publish file:///srv/c-store
step "find_package, shared and static" find_package

# As somebody without root would, once what is installed for all is out of the way.
xargs rm -f <"$source/build/release/install_manifest.txt"
ldconfig
mkdir /tmp/home && cp "$blocks/publish.c" /tmp/home && cp -r "$source/build" /tmp/home/
run_block "README's lines for a folder of one's own" "$source" home.sh
oscommit=$HOME/.local/bin/oscommit
"$oscommit" init /srv/home-store >/dev/null
step "the C example finds the library there" says 0 committed "$source/publish" file:///srv/home-store
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
