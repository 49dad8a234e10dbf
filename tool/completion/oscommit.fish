# SPDX-License-Identifier: Apache-2.0
# fish completion for oscommit: commands, flags, the choices of flags, file names, each with what the help says of it. It
# asks the help of the oscommit on PATH, so that it offers what that one has.
# Installed as $datadir/fish/vendor_completions.d/oscommit.fish

# Commands with their summaries, a tab between them.
function __oscommit_commands
    command oscommit --help 2>/dev/null | awk '
        /^Commands:$/ { inside = 1; next }
        /^$/ { inside = 0 }
        inside { name = $0; sub(/^  /, "", name); said = name; sub(/  .*/, "", name); sub(/^.*[a-z]  +/, "", said); print name "\t" said }'
end

# The flags of a command, or without one those of every command: flag, what it takes, what the help says.
function __oscommit_flags
    command oscommit $argv --help --all 2>/dev/null | awk '
        function show() { if (flag != "") print flag "\t" operand "\t" said; flag = "" }
        /^  (-[A-Za-z],|   ) --/ {
            show()
            flag = said = substr($0, 7)
            sub(/ .*/, "", flag)
            said = substr(said, length(flag) + 1)
            operand = ""
            if (said ~ /^ [^ ]/) {
                operand = substr(said, 2)
                sub(/ .*/, "", operand)
                said = substr(said, length(operand) + 2)
            }
            sub(/^ +/, "", said)
            next
        }
        flag != "" && said == "" { said = $0; sub(/^ +/, "", said) }
        { show() }
        END { show() }'
end

# What may follow a flag that takes this.
function __oscommit_values --argument-names flag operand word
    switch $flag
        case --ledger
            printf '%s\n' dynamodb:// sqlite:///
        case --store
            printf '%s\n' s3:// file:///
        case --profile --dynamodb-profile
            set -l files $HOME/.aws/config $HOME/.aws/credentials
            set -q AWS_CONFIG_FILE; and set files[1] $AWS_CONFIG_FILE
            set -q AWS_SHARED_CREDENTIALS_FILE; and set files[2] $AWS_SHARED_CREDENTIALS_FILE
            sed -nE 's/^\[(profile )?([^]]*)\]$/\2/p' $files 2>/dev/null | sort -u
        case --config-profile
            set -l folder $HOME/.config
            set -q XDG_CONFIG_HOME; and set folder $XDG_CONFIG_HOME
            set -l file $folder/oscommit/config.toml
            set -q OSCOMMIT_CONFIG; and set file $OSCOMMIT_CONFIG
            sed -nE 's/^\[profile\.([A-Za-z0-9_-]*)\].*/\1/p' $file 2>/dev/null | sort -u
        case '*'
            if string match -q 'FILE*' -- $operand
                __fish_complete_path $word
            else if string match -qr '^[a-z0-9_]+(\|[a-z0-9_]+)+$' -- $operand
                string split '|' -- $operand
            end
    end
end

function __oscommit_complete
    set -l words (commandline -opc)[2..]
    set -l word (commandline -ct)
    set -l commands (__oscommit_commands)
    set -l names (string split -f 1 \t -- $commands)
    set -l flags (__oscommit_flags)
    set -l command
    set -l operands 0
    set -l awaited
    for one in $words
        if test -n "$awaited"
            set awaited
        else if test "$one" = --
            __fish_complete_path $word
            return
        else if string match -q -- '--*=*' $one
            continue
        else if string match -q -- '-?*' $one
            set awaited (string match -r -- "^$one\t[^\t]+\t" $flags)
        else if test "$command" = help; or string match -qr -- "^"(string join ' ' -- $command $one)"( |\$)" $names
            test "$command" = help; and set command # what it explains
            set -a command $one
            contains -- "$command" $names; and set flags (__oscommit_flags $command)
        else
            set operands (math $operands + 1)
        end
    end
    if test -n "$awaited"
        set -l parts (string split \t -- $awaited)
        __oscommit_values $parts[1] $parts[2] $word
    else if set -l given (string match -r -- '^(--[a-z0-9-]+=)(.*)$' $word)
        set -l flag (string trim --right --chars== -- $given[2])
        set -l parts (string split \t -- (string match -r -- "^$flag\t[^\t]+\t" $flags))
        test -n "$parts[2]"; and string replace -r '^' -- $given[2] (__oscommit_values $flag $parts[2] $given[3])
    else if string match -q -- '-*' $word
        string replace -r '^([^\t]*)\t[^\t]*\t' '$1\t' -- $flags
    else
        __oscommit_next "$command" $operands $word $commands
    end
end

# The commands behind what stands there; behind a whole command, file names.
function __oscommit_next --argument-names command operands word
    set -l commands $argv[4..]
    test "$command" = help; and set command
    if test -z "$command"
        string match -rv -- '^[a-z]+ [a-z]+\t' $commands
        for group in (string replace -rf -- '^([a-z]+) [a-z]+\t.*' '$1' $commands | sort -u)
            string match -q -- "$group"\t'*' $commands # it is a command as well
            or printf '%s\t%s\n' $group (string join ', ' -- (string replace -rf -- "^$group ([a-z]+)\t.*" '$1' $commands))
        end
    else if test $operands = 0; and string match -qr -- "^$command " $commands
        string replace -rf -- "^$command " '' $commands
    else
        __fish_complete_path $word
    end
end

complete -c oscommit -f -a '(__oscommit_complete)'
