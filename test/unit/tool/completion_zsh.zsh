#!/usr/bin/env zsh
# SPDX-License-Identifier: Apache-2.0
# Types each line of stdin into an interactive zsh, presses TAB, and prints what is offered there, on one line, joined by
# blanks.
# usage: completion_zsh.zsh COMPLETION <LINES
zmodload zsh/zpty
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1" $work/_oscommit
mkfifo $work/said
cat >$work/.zshrc <<END
PS1= RPS1= LISTMAX=100000
fpath=($work \$fpath)
autoload -Uz compinit && compinit -u -D
exec {answers}<>$work/said
# What is added to the offers. Calls that only look (-O, -A, -D) add nothing.
compadd() {
    local -a added
    if [[ "\${@[1,(i)(--|-)]}" != *-[OAD]* ]]; then
        builtin compadd -O added "\$@"
        ((\$#added == 0)) || print -u \$answers -rl -- \$added
    fi
    builtin compadd "\$@"
}
offer() {
    _main_complete
    compstate[insert]= compstate[list]=
    print -u \$answers -r -- "=end"
}
zle -C offer complete-word offer
bindkey '^I' offer
bindkey '^U' kill-whole-line
zle-line-init() { print -u \$answers -r -- "=ready" }
zle -N zle-line-init
END

# One end stays open for reading, so that the other shell never waits for a reader.
exec {answers}<>$work/said
zpty shell "TERM=dumb ZDOTDIR=${(q)work} zsh -o no_global_rcs -i"
{
    until [[ $line == "=ready" ]]; do
        read -t 60 -u $answers -r line || { print -u2 "The other zsh does not become ready."; exit 1 }
    done
    while IFS= read -r typed; do
        zpty -w -n shell "$typed"$'\t'
        offered=()
        while read -t 60 -u $answers -r line && [[ $line != "=end" ]]; do
            offered+=($line)
        done
        [[ $line == "=end" ]] || { print -u2 "No answer behind: $typed"; exit 1 }
        print -r -- ${(ou)offered}
        zpty -w -n shell $'\x15'
    done
} always {
    zpty -d shell
}
