#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Imports point downwards only. Each folder of src includes itself, what is named here, and the public header; so does
# each folder of the two programs, tool and lab, which see nothing of src; libraries are used where the architecture
# says; a unit test includes its module and those below. Descriptors come from src/base/fd.h, which keeps them off the
# standard streams.
# usage: layering.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1

declare -A below=(
    [base]=""
    [commit]="base"
    [lease]="base"
    [transaction]="base"
    [item]="base"
    [profile]="base"
    [syntax]="base"
    [attribute]="syntax base"
    [document]="attribute syntax base"
    [model]="attribute syntax base"
    [aws]="base"
    [http]="base"
    [s3]="aws syntax base"
    [rows]="attribute syntax base"
    [dynamo]="rows item attribute aws syntax base"
    [sqlite]="rows attribute item syntax base"
    [local]="sqlite base"
    [loop]="http base"
    [credentials]="loop dynamo s3 http aws syntax base"
    [store]="credentials loop s3 http local commit aws base"
    [table]="rows attribute item credentials loop dynamo http sqlite aws base"
    [ledger]="table item loop commit base"
    [client]="rows store ledger table credentials loop profile dynamo s3 http commit aws syntax base"
    [upload]="client store loop s3 http commit aws base"
    [guarded]="upload client store ledger table credentials loop profile s3 http commit aws base"
    [plain]="upload client store ledger table credentials loop profile s3 http commit aws base"
    [update]="guarded plain client loop base"
    [probe]="client store loop profile s3 http commit aws base"
    [holding]="client table item loop lease base"
    [persistence]="document transaction rows attribute client store ledger table credentials loop profile syntax base"
    [transact]="plain model transaction rows attribute client store ledger table credentials loop dynamo profile commit syntax base"
    [gc]="client store ledger table loop s3 commit base"
    [delta]="item base"
    [append]="delta guarded plain holding client table item loop base"
    [lance]="append delta plain holding client table item loop base"
    [operation]="holding update guarded plain upload client store ledger table loop profile s3 http commit aws base"
    [api]="transact model transaction attribute persistence rows update operation guarded plain probe gc holding lance append upload client store ledger table credentials loop profile s3 http commit aws syntax base"
    [sigv2]="s3 aws base"
)
# Single headers that a folder may include beyond that.
declare -A besides=([store]="sigv2/module.h" [api]="sqlite/sqlite.h")
# Single headers that the unit tests of a folder may include beyond that: they look at what others have left on the disk.
declare -A test_besides=(
    [api]="ledger/record_item.h item/item.h sqlite/tables.h sqlite/rows.h local/file_lock.h" [dynamo]="ledger/record_item.h" [sqlite]="ledger/record_item.h" [delta]="dynamo/item.h syntax/json.h" [lance]="dynamo/item.h syntax/json.h dynamo/request.h aws/endpoint.h" [holding]="dynamo/item.h syntax/json.h dynamo/request.h aws/endpoint.h"
    [ledger]="credentials/credentials.h aws/endpoint.h"
)
# Who may use which library.
declare -A users=(
    [curl]="http" [openssl]="base aws credentials" [expat.h]="syntax" [jansson.h]="syntax attribute rows document model persistence transact credentials dynamo sqlite client profile delta append lance" [sqlite3.h]="sqlite" [libs3.h]="sigv2"
    [dlfcn.h]="store sigv2"
)
# The protocol core, leases and transactions have no input, no output, no clock and no allocator.
pure_headers="assert.h stdbool.h stddef.h stdint.h string.h inttypes.h limits.h"

has_word() { # LIST WORD
    [[ " $1 " == *" $2 "* ]]
}

includes() { # FILE: each include as it stands, "x" or <x>
    sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*(["<][^">]+[">]).*/\1/p' "$1"
}

check_project_include() { # FOLDER FILE INCLUDED
    local folder=$1 target=${3%%/*}
    [[ $3 == oscommit.h || $3 == oscommit_async.h || $3 == oscommit_lease.h || $3 == oscommit_delta.h || $3 == oscommit_lance.h || $3 == oscommit_document.h || $3 == oscommit_model.h ]] && return
    if [[ $3 != */* || $3 == *..* ]]; then
        violation "$2 includes \"$3\": say which folder of src it stands in"
    elif [[ $target != "$folder" ]] && ! has_word "${below[$folder]}" "$target" &&
        ! has_word "${besides[$folder]:-}" "$3"; then
        violation "$2 includes \"$3\": $folder must not know $target"
    fi
}

check_system_include() { # FOLDER FILE INCLUDED
    local library=${3%%/*}
    if [[ -n ${users[$library]:-} ]] && ! has_word "${users[$library]}" "$1"; then
        violation "$2 includes <$3>: that library is for ${users[$library]}"
    fi
    if [[ $1 == commit || $1 == lease || $1 == transaction ]] && ! has_word "$pure_headers" "$3"; then
        violation "$2 includes <$3>: the protocol core does without"
    fi
}

check_descriptors() { # FILE
    local line
    [[ $1 == */src/base/fd.c ]] && return
    while IFS=: read -r line _; do
        violation "$1:$line opens a descriptor: take one from base/fd.h, which is never 0, 1 or 2"
    done < <(grep -nE '(^|[^a-zA-Z0-9_])(open|openat|creat|socket|socketpair|accept4?|dup|pipe2?|mkos?temps?|fopen)\(' "$1" |
        grep -vE '^[0-9]+: *(/?\*|//)')
    while IFS=: read -r line _; do
        violation "$1:$line opens a descriptor: take it through fd_above_standard of base/fd.h"
    done < <(grep -nE 'SYS_open' "$1" | grep -v fd_above_standard)
}

check_folder() { # FOLDER
    local file included
    for file in "$root/src/$1"/*.[ch]; do
        [[ -f $file ]] || continue
        seen
        check_descriptors "$file"
        while read -r included; do
            case $included in
            \"*) check_project_include "$1" "$file" "${included:1:-1}" ;;
            *) check_system_include "$1" "$file" "${included:1:-1}" ;;
            esac
        done < <(includes "$file")
    done
}

# The folders of the two programs, which stand on the public header. Histories are for the simulator of the tests, too,
# which has another library below: they see no other part.
declare -A program_below=(
    [tool]="command common cli"
    [tool/command]="common cli description"
    [tool/common]="cli"
    [tool/cli]=""
    [lab]="race report history description cli"
    [lab/race]="report history proxy cli"
    [lab/report]="history"
    [lab/history]=""
    [lab/proxy]=""
    [lab/description]="cli"
)

check_program_include() { # FOLDER FILE INCLUDED
    local target=${3%%/*} own=${1#*/}
    [[ $3 == oscommit.h || $3 == oscommit_lease.h || $3 == oscommit_delta.h || $3 == oscommit_lance.h || $3 == oscommit_document.h || $3 == oscommit_model.h ]] && return
    if [[ $3 != */* ]]; then
        [[ $1 != */* && -f $root/$1/$3 ]] || violation "$2 includes \"$3\": say which folder of $1 it stands in"
    elif [[ $3 == *..* ]] || { [[ $1 != */* || $target != "$own" ]] && ! has_word "${program_below[$1]}" "$target"; }; then
        violation "$2 includes \"$3\": $1 must not know $target"
    fi
}

# TLS to the services is the proxy's; the race and sync compare contents by their sums.
check_program_library() { # FOLDER FILE INCLUDED
    local library=${3%%/*}
    [[ -n ${users[$library]:-} && $3 != jansson.h ]] || return
    [[ $library == openssl && ($1 == lab/proxy || $2 == */lab/race/content.c || $2 == */tool/common/same*.c) ]] && return
    violation "$2 includes <$3>: the tool does its work through the public header"
}

check_program_folder() { # FOLDER
    local file included
    for file in "$root/$1"/*.[ch]; do
        [[ -f $file ]] || continue
        seen
        while read -r included; do
            case $included in
            \"*) check_program_include "$1" "$file" "${included:1:-1}" ;;
            *) check_program_library "$1" "$file" "${included:1:-1}" ;;
            esac
        done < <(includes "$file")
    done
}

check_unit_tests() { # FOLDER
    local file included name
    for file in "$root/test/unit/$1"/*.[ch]; do
        [[ -f $file ]] || continue
        while read -r included; do
            name=${included:1:-1}
            if [[ $included == \"* && -d $root/src/${name%%/*} && $name == */* ]] && ! has_word "${test_besides[$1]:-}" "$name"; then
                check_project_include "$1" "$file" "$name"
            fi
        done < <(includes "$file")
    done
}

for folder in "$root"/src/*/; do
    folder=$(basename -- "$folder")
    if [[ -z ${below[$folder]+known} ]]; then
        violation "src/$folder has no place in the order of folders: give it one in layering.sh"
        continue
    fi
    check_folder "$folder"
    check_unit_tests "$folder"
done
for folder in "$root"/tool/ "$root"/lab/ "$root"/tool/*/ "$root"/lab/*/; do
    [[ -n $(find "$folder" -maxdepth 1 -name '*.[ch]' 2>/dev/null) ]] || continue
    folder=${folder#"$root"/}
    folder=${folder%/}
    if [[ -z ${program_below[$folder]+known} ]]; then
        violation "$folder has no place in the order of folders: give it one in layering.sh"
        continue
    fi
    check_program_folder "$folder"
done
finish "layering"
