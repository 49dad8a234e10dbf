#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bash completion offers commands, flags, choices and files, and exactly the flags that the tool's own --help names.
# usage: completion_test.sh OSCOMMIT COMPLETION
set -u
oscommit=$1
# shellcheck source=/dev/null
source "$2"
failures=0

# The words that TAB would offer behind these, sorted and joined by blanks. The last word is the one under the cursor.
offered() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _oscommit 2>/dev/null
    printf '%s\n' "${COMPREPLY[@]}" | sort | xargs
}

expect() {
    local name=$1 wanted=$2
    shift 2
    local got
    got=$(offered "$@")
    if [[ $got != "$wanted" ]]; then
        printf 'FAILED %s: wanted "%s", got "%s"\n' "$name" "$wanted" "$got"
        failures=$((failures + 1))
    fi
}

# The flags of a command as --help lists them: the first word of a flag line.
flags_of_help() {
    "$oscommit" "$@" --help --all | sed -n 's/^  \(-., \|    \)\(--[a-z0-9-]*\).*/\2/p' | sort | xargs
}

cd "$(mktemp -d)" || exit 1
touch afile.pem abc

expect "commands by their beginning" "race resolve rm" oscommit r
expect "every command" "check config cp credentials delta gc get head help init lance lease lock ls mv presign probe put race resolve rm sync table update version" oscommit ""
expect "subcommands of table" "check create" oscommit table c
expect "subcommands of lease" "acquire extend release show" oscommit lease ""
expect "subcommands of delta" "append check resolve" oscommit delta ""
expect "subcommands of lance" "check resolve" oscommit lance ""
expect "subcommands of lock" "break ls show" oscommit lock ""
expect "flags of a subcommand of lock" "--namespace" oscommit lock ls --nam
expect "flags of table create" "--locks --log-entries" oscommit table create --lo
expect "flags of race" "--transactions" oscommit race --tr
expect "flags of lease extend" "--handle" oscommit lease extend x --ha
expect "subcommands behind help lease" "show" oscommit help lease s
expect "commands behind help" "race resolve rm" oscommit help r
expect "subcommands behind help table" "check create" oscommit help table c
expect "nothing behind the command that is explained" "" oscommit help put no-such-file
expect "flags of a command" "--if-absent --if-match" oscommit put --if
expect "flags in front of the program" "--max-length" oscommit update s3://b/k --max-l
expect "flags in front of the program that is run" "--wait" oscommit lock nightly --w
expect "no flags of other commands" "" oscommit get --if
expect "flags in front of a command" "--json" oscommit --js
expect "flags behind operands" "--etag" oscommit table release s3://b/k --et
expect "choices of a flag" "off on" oscommit ls --fences o
expect "choices behind an equals sign" "auto off on" oscommit ls --fences =
expect "choices behind an equals sign, begun" "off on" oscommit ls --fences = o
expect "file names behind a flag" "abc afile.pem" oscommit ls --ca-file a
expect "file names as operands" "abc afile.pem" oscommit put a
expect "the command behind flags with values" "create" oscommit --ledger x --json table cr
expect "the command behind flags with an equals sign" "put" oscommit --ledger = x pu
printf '[default]\n[profile blue]\n' >config
AWS_CONFIG_FILE=$PWD/config AWS_SHARED_CREDENTIALS_FILE=$PWD/none expect "profiles" "blue" oscommit ls --profile b

printf '[profile.laptop]\n[store."s3://b"]\n' >config.toml
OSCOMMIT_CONFIG=$PWD/config.toml expect "profiles of the config file" "laptop" oscommit ls --config-profile ""

commands=$("$oscommit" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\( [a-z]*\)\{0,1\}\)  .*/\1/p')
while read -r command; do
    read -ra words <<<"$command"
    expect "the flags of $command" "$(flags_of_help "${words[@]}")" oscommit "${words[@]}" --
    expect "the name of $command" "${words[-1]}" oscommit "${words[@]}"
done <<<"$commands"
(($(wc -l <<<"$commands") == 38)) || { echo "FAILED: --help lists $(wc -l <<<"$commands") commands, not 38" && failures=$((failures + 1)); }

rm -r "$PWD"
if ((failures > 0)); then
    exit 1
fi
echo "completion: all as expected"
