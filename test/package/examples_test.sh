#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The examples, on an embedded store: what they say, and what then is there.
# usage: examples_test.sh OSCOMMIT FOLDER-OF-EXAMPLES
set -uo pipefail
oscommit=$1
examples=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

says() { # WANT COMMAND...
    local said
    said=$("${@:2}" 2>&1) || {
        echo "$2 ended with $?: $said"
        status=1
    }
    [[ $said == "$1" ]] || {
        echo "$2 said \"$said\" instead of \"$1\""
        status=1
    }
}

"$oscommit" init "$work/store" >/dev/null || exit 1
export OSCOMMIT_STORE=file://$work/store
says '200 committed, 0 were there, 0 not executed, 0 unknown' "$examples/example_many"
says '0 committed, 200 were there, 0 not executed, 0 unknown' "$examples/example_many"
[[ $(find "$work/store/many" -type f | wc -l) == 200 ]] || status=1
says '200 committed, 0 were there, 0 not executed, 0 unknown' "$examples/example_epoll"
says '0 committed, 200 were there, 0 not executed, 0 unknown' "$examples/example_epoll"
if [[ -x $examples/example_libuv ]]; then
    says '200 committed, 0 were there, 0 not executed, 0 unknown' "$examples/example_libuv"
    says '0 committed, 200 were there, 0 not executed, 0 unknown' "$examples/example_libuv"
elif [[ ${OSCOMMIT_REQUIRE_SERVERS:-} == 1 ]]; then
    echo "example_libuv was not built: libuv1-dev is missing"
    status=1
else
    echo "example_libuv is left out: libuv1-dev is missing"
fi
says '200 published, 0 were published, 0 not executed, 0 unknown' "$examples/example_pool"
[[ $(find "$work/store/published" -type f | wc -l) == 200 ]] || status=1
"$oscommit" rm "file://$work/store/published/7" >/dev/null || status=1 # as if that run had ended before
says '1 published, 199 were published, 0 not executed, 0 unknown' "$examples/example_pool"
for total in 10 20; do
    says '' "$examples/example_chain"
    says "$total" "$oscommit" get "file://$work/store/counter" -
done

pointer=db/events/metadata/version-hint.text
says committed "$examples/example_iceberg" "$OSCOMMIT_STORE" $pointer '' 00000-first
says committed "$examples/example_iceberg" "$OSCOMMIT_STORE" $pointer 00000-first 00001-second
late=$("$examples/example_iceberg" "$OSCOMMIT_STORE" $pointer 00000-first 00001-late)
[[ $? == 3 && $late == conflict ]] || status=1
"$examples/example_iceberg" "$OSCOMMIT_STORE" $pointer '' 00000-again >/dev/null
[[ $? == 3 && $(<"$work/store/$pointer") == 00001-second ]] || status=1

for version in 1 2; do
    says "version $version" "$examples/example_documents" "sqlite://$work/documents.db" lamp-7 light '{"on":true}'
done

transfer=("$examples/example_transfer" "sqlite://$work/accounts.db")
says 'anna has 70, ben has 130' "${transfer[@]}" anna ben 30
says 'anna has 40, ben has 160' "${transfer[@]}" anna ben 30
refused=$("${transfer[@]}" anna ben 60 2>&1)
[[ $? == 1 && $refused == *"-20 is below the minimum 0"* ]] || status=1
says 'anna has 200, ben has 0' "${transfer[@]}" anna ben -160
exit "$status"
