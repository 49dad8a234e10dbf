#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The README's examples, and those of docs/documents.md and docs/models.md, are those of examples/, byte for byte. The README's do what it says of them; its commands for the embedded
# store run as printed, but for the paths.
# usage: readme.sh ROOT OSCOMMIT SHARED-LIBRARY COMPILER
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1
oscommit=$2
library=$3
compiler=$4
readme=$root/README.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Nothing of the surroundings says where store and records are.
while read -r name; do
    unset "$name"
done < <(compgen -e | grep -E '^(OSCOMMIT|AWS)_')
mkdir "$work/bin" "$work/run"
ln -s "$oscommit" "$work/bin/oscommit"
export PATH=$work/bin:$PATH
cd "$work/run" || exit 1

# ---------------------------------------------------------------------------------------------------- byte for byte

# The blocks of a language, each into a file of its own: PREFIX1, PREFIX2 ...
blocks() { # LANGUAGE PREFIX [DOCUMENT]
    awk -v open="\`\`\`$1" -v prefix="$2" '$0 == open && !inside { inside = 1; n++; next }
        /^```/ && inside { inside = 0 } inside { print > (prefix n) }' "${3:-$readme}"
}

is_printed() { # FILE PREFIX
    local block
    seen
    for block in "$2"*; do
        cmp -s "$block" "$1" && return
    done
    violation "$1 is not printed as it is"
}

blocks c "$work/c."
blocks sh "$work/sh."
is_printed "$root/examples/publish.c" "$work/c."
is_printed "$root/examples/publish.sh" "$work/sh."
blocks c "$work/documents." "$root/docs/documents.md"
is_printed "$root/examples/documents.c" "$work/documents."
blocks c "$work/models." "$root/docs/models.md"
is_printed "$root/examples/transfer.c" "$work/models."

# ------------------------------------------------------------------------------------------------------------ runs

# Runs a command; its status and what it prints must be as expected.
says() { # STATUS TEXT COMMAND...
    local expected=$1 text=$2 said status=0
    shift 2
    seen
    said=$("$@" 2>&1) || status=$?
    ((status == expected)) || violation "$* ended with $status instead of $expected: $said"
    [[ $said == *"$text"* ]] || violation "$* says \"$said\", and not \"$text\""
}

cp "$work/c.1" publish.c
seen
"$compiler" -std=c11 -Wall -Wextra -Werror -I"$root/include" publish.c "$library" -Wl,-rpath,"$(dirname -- "$library")" -o publish ||
    violation "the README's C example does not compile"
oscommit init "$work/c-store" >/dev/null || violation "oscommit init failed"
says 0 'committed "' ./publish "file://$work/c-store"
says 3 'conflict' ./publish "file://$work/c-store"

seen
"$compiler" -std=c11 -Wall -Wextra -Werror -I"$root/include" "$root/examples/counter.c" "$library" -Wl,-rpath,"$(dirname -- "$library")" -o counter ||
    violation "examples/counter.c does not compile"
says 0 1 ./counter "file://$work/c-store"
says 0 2 ./counter "file://$work/c-store"

oscommit init "$work/sh-store" >/dev/null || violation "oscommit init failed"
echo rows >part-0001.parquet
says 0 'published' env STORE="file://$work/sh-store" sh "$root/examples/publish.sh"
says 0 'somebody was first' env STORE="file://$work/sh-store" sh "$root/examples/publish.sh"

oscommit put part-0001.parquet "file://$work/sh-store/table/parts/1" --if-absent >/dev/null || violation "oscommit put failed"
says 0 'sqlite' oscommit table create --leases --ledger "sqlite://$work/leases.db"
says 0 'committed' env STORE="file://$work/sh-store" LEASES="sqlite://$work/leases.db" sh "$root/examples/compact.sh" --ttl 10s
says 0 'rows' oscommit get "file://$work/sh-store/table/all" -

# A write that stays unknown for a while stands in the way of no later run: a tool that says so, run by run.
mkdir "$work/unknown" && cat >"$work/unknown/oscommit" <<'STUB'
#!/bin/sh
[ "$1" = resolve ] || { echo '{}' >ticket.json && exit 4; }
[ -e ticket.json ] && exit "$SETTLED"
exit 2
STUB
chmod +x "$work/unknown/oscommit"
for settled in 4 5 4 0 1 3; do
    case $settled in 0) want=0 words='published' ;; 3) want=0 words='somebody was first' ;; *) want=$settled words='not published' ;; esac
    says "$want" "$words" env PATH="$work/unknown:$PATH" SETTLED="$settled" STORE="file://$work/sh-store" sh "$root/examples/publish.sh"
    case $settled in 4 | 5) kept=yes ;; *) kept=no ;; esac
    [[ $(test -e ticket.json && echo yes || echo no) == "$kept" ]] || violation "publish.sh: the ticket of a write that is settled with $settled: kept should be $kept"
done
rm -f ticket.json

# -------------------------------------------------------------------------------------------------------- commands

# A line of a block, with the paths of this run.
printed() { # START
    local line
    line=$(cat "$work"/sh.* | grep -E -m 1 "^$1") || violation "the README has no command $1"
    printf '%s\n' "${line//\/srv\/store/$work/store}"
}

echo '{"rows": 42}' >report.json
says 0 '' bash -c "$(printed 'oscommit init +/srv/store')"
says 0 'committed' bash -c "$(printed 'oscommit put .*file:///srv/store')"
says 3 'conflict' bash -c "$(printed 'oscommit put .*file:///srv/store')"
says 0 'committed' bash -c "$(printed 'oscommit update .*file:///srv/store')"
says 0 '1' oscommit get "file://$work/store/counter" -
says 0 '{"rows": 42}' oscommit get "file://$work/store/2026/11.json" -
finish "README"
