#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Library and programs are linked with what the README names, under licences that go with every other, and bring nothing under
# GPL into a process: libs3 and what it brings (libxml2, a second libcurl) are in the module of Signature V2 alone.
# usage: linked.sh SHARED-LIBRARY TOOL RACE [MODULE]
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

linked() { # FILE: the libraries that it names itself
    readelf --wide --dynamic "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\.so.*\]$/\1/p'
}

only() { # FILE NAME...
    local file=$1 library
    shift
    while read -r library; do
        seen
        [[ " $* libc libpthread libm libdl ld-linux-x86-64 ld-linux-aarch64 " == *" $library "* ]] || violation "$file is linked with $library"
    done < <(linked "$file")
}

brings() { # FILE: in the end
    ldd "$1" | grep -oE '(libs3|libxml2|libcurl[a-z-]*)\.so[.0-9]*' | sort -u
}

only "$1" libcurl libcrypto libsqlite3 libexpat libjansson
only "$2" liboscommit libcrypto libjansson
only "$3" liboscommit libssl libcrypto libjansson
for file in "$1" "$2" "$3"; do
    for library in $(brings "$file"); do
        seen
        [[ $library == libcurl.so* ]] || violation "$file brings $library into the process"
    done
done
if (($# > 3)); then
    only "$4" libs3 libcrypto libexpat
    [[ $(brings "$4") == *libs3.so* ]] || violation "$4 is not linked with libs3"
fi
finish "linked libraries"
