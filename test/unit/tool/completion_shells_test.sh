#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The completions of zsh and fish, in real ones: they offer commands, flags, choices and files, and exactly the flags that
# the tool's own --help names.
# usage: completion_shells_test.sh OSCOMMIT FOLDER       FOLDER: of the completions
set -u
oscommit=$1
completions=$2
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
failures=0
names=()
wanted=()
lines=()

for shell in zsh fish; do
    command -v "$shell" >/dev/null || { echo "FAILED: $shell is not installed (Debian: $shell)" && exit 1; }
done

# What is offered behind a line, sorted, and joined by blanks.
expect() { # NAME WANTED LINE
    names+=("$1")
    wanted+=("$2")
    lines+=("$3")
}

# The flags of a command as --help lists them: the first word of a flag line.
flags_of_help() {
    "$oscommit" "$@" --help --all | sed -n 's/^  \(-., \|    \)\(--[a-z0-9-]*\).*/\2/p' | sort | xargs
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir home bin
ln -s "$oscommit" bin/oscommit
touch afile.pem abc
printf '[default]\n[profile blue]\n' >config
printf '[profile.laptop]\n[store."s3://b"]\n' >config.toml
export PATH=$work/bin:$PATH HOME=$work/home LC_ALL=C.UTF-8 AWS_CONFIG_FILE=$work/config AWS_SHARED_CREDENTIALS_FILE=$work/none \
    OSCOMMIT_CONFIG=$work/config.toml
unset XDG_CONFIG_HOME XDG_DATA_HOME ZDOTDIR
# An interactive zsh continues its jobs (SIGCONT). Where that meets the leak sanitizer as it stops the program to look at
# its memory, the stop is lost, and the program waits for it for ever. Other tests look for leaks in --help.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

commands=$("$oscommit" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\( [a-z]*\)\{0,1\}\)  .*/\1/p')
expect "every command" "$(cut -d' ' -f1 <<<"$commands" | sort -u | xargs)" "oscommit "
expect "commands by their beginning" "race resolve rm" "oscommit r"
expect "a group by its beginning" "table" "oscommit ta"
expect "subcommands of table" "check create" "oscommit table c"
expect "subcommands of lease" "acquire extend release show" "oscommit lease "
expect "subcommands of lock" "break ls show" "oscommit lock "
expect "files behind what is locked" "abc afile.pem" "oscommit lock nightly -- a"
expect "commands behind help" "race resolve rm" "oscommit help r"
expect "subcommands behind help table" "check create" "oscommit help table c"
expect "flags of a command" "--if-absent --if-match" "oscommit put --if"
expect "flags in front of the program" "--wait" "oscommit lock nightly --w"
expect "no flags of other commands" "" "oscommit get --ticket"
expect "flags in front of a command" "--json" "oscommit --js"
expect "flags behind operands" "--etag" "oscommit table release s3://b/k --et"
expect "choices of a flag" "off on" "oscommit ls --fences o"
expect "choices behind an equals sign" "off on" "oscommit ls --fences=o"
expect "choices of a long flag" "auto off on" "oscommit ls --condition-headers "
expect "the beginning of a URL" "s3://" "oscommit ls --store s"
expect "nothing where anything may stand" "" "oscommit ls --region a"
expect "file names behind a flag" "abc afile.pem" "oscommit ls --ca-file a"
expect "file names behind an equals sign" "abc afile.pem" "oscommit ls --ca-file=a"
expect "file names as operands" "abc afile.pem" "oscommit put a"
expect "the command behind flags with values" "create" "oscommit --ledger x --json table cr"
expect "the command behind flags with an equals sign" "put" "oscommit --ledger=x pu"
expect "profiles of the AWS files" "blue" "oscommit ls --profile b"
expect "profiles of the config file" "laptop" "oscommit ls --config-profile "
while read -r command; do
    read -ra words <<<"$command"
    expect "the flags of $command" "$(flags_of_help "${words[@]}")" "oscommit $command --"
done <<<"$commands"

# A token with an equals sign is offered as a whole there.
offered_by_fish() {
    # shellcheck disable=SC2016 # for fish
    fish --no-config -c 'source $argv[1]
        while read -l line
            set -l offered (complete -C "$line" | string split -f 1 \t | string replace -r "^--[a-z-]*=" "" | sort -u)
            echo (string join " " -- $offered)
        end' "$completions/oscommit.fish"
}

printf '%s\n' "${lines[@]}" >lines
zsh "$here/completion_zsh.zsh" "$completions/oscommit.zsh" <lines >zsh.offered || failures=$((failures + 1))
offered_by_fish <lines >fish.offered || failures=$((failures + 1))
for shell in zsh fish; do
    mapfile -t offered <$shell.offered
    ((${#offered[@]} == ${#lines[@]})) || { echo "FAILED $shell: ${#offered[@]} answers to ${#lines[@]} lines" && failures=$((failures + 1)); }
    for i in "${!lines[@]}"; do
        if [[ ${offered[i]:-} != "${wanted[i]}" ]]; then
            printf 'FAILED %s, %s: wanted "%s", got "%s"\n' "$shell" "${names[i]}" "${wanted[i]}" "${offered[i]:-}"
            failures=$((failures + 1))
        fi
    done
done

((failures == 0)) || exit 1
echo "completion: ${#lines[@]} lines in zsh and fish, all as expected"
