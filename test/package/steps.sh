# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the programs that try a package share; sourced by them. bash and coreutils are all that is there.
passed=0
failed=0

step() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >/tmp/step.log 2>&1; then
        passed=$((passed + 1))
        printf '%-6s %s\n' ok "$name"
    else
        failed=$((failed + 1))
        printf '%-6s %s\n' FAILED "$name"
        tail -n 40 /tmp/step.log
    fi
}

# With OSCOMMIT_REQUIRE_SERVERS=1 it fails without them.
step_with_servers() { # NAME COMMAND...
    if [[ -n ${OSCOMMIT_TEST_MINIO_ENDPOINT:-} && -n ${OSCOMMIT_TEST_DYNAMODB_ENDPOINT:-} ]]; then
        step "$@"
    elif [[ ${OSCOMMIT_REQUIRE_SERVERS:-} == 1 ]]; then
        step "$1: MinIO and DynamoDB Local are not there" false
    else
        printf '%-6s %s\n' "(no servers)" "$1"
    fi
}

step_summary() {
    echo "$passed passed, $failed failed"
    ((failed == 0))
}

# The commands below a heading of a document, as they stand there, in a folder.
run_section() { # DOCUMENT HEADING FOLDER
    local commands
    commands=$(awk -v heading="$2" '/^#+ / { here = substr($0, index($0, " ") + 1) == heading } /^```/ { code = here && /^```sh$/; next } code' "$1")
    [[ -n $commands ]] || return 1
    (cd "$3" && /bin/sh -ex <<<"$commands")
}

# Every library that these files bring into a process is one whose licence somebody has looked at, and none of them is
# under GPL alone.
nothing_under_gpl() { # LICENCES FILE...
    local licences=$1 file name names licence
    shift
    for file in "$@"; do
        names=$(ldd "$file") || return 1
        while read -r name _; do
            name=${name##*/}
            licence=$(awk -v name="${name%%.so*}" '$1 == name { $1 = ""; print substr($0, 2) }' "$licences")
            echo "$file: $name: ${licence:-not in $licences}"
            [[ -n $licence && ($licence != GPL-* || $licence == *" WITH "*) ]] || return 1
        done <<<"$names"
    done
}
