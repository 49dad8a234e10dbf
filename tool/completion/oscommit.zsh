#compdef oscommit
# SPDX-License-Identifier: Apache-2.0
# zsh completion for oscommit: commands, flags, the choices of flags, file names, each with what the help says of it. It
# asks the help of the oscommit on PATH, so that it offers what that one has.
# Installed as _oscommit in a folder of $fpath, such as $datadir/zsh/site-functions

# Commands with their summaries: "name<TAB>summary".
_oscommit_commands() {
    command oscommit --help 2>/dev/null | awk '
        /^Commands:$/ { inside = 1; next }
        /^$/ { inside = 0 }
        inside { name = $0; sub(/^  /, "", name); said = name; sub(/  .*/, "", name); sub(/^.*[a-z]  +/, "", said); print name "\t" said }'
}

# The flags of a command, or without one those of every command: flag, what it takes, what the help says.
_oscommit_flags() {
    command oscommit "$@" --help --all 2>/dev/null | awk '
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
}

# What may follow a flag that takes this.
_oscommit_values() { # FLAG OPERAND
    local -a choices
    case $1 in
    --ledger) choices=(dynamodb:// sqlite:///) ;;
    --store) choices=(s3:// file:///) ;;
    --profile | --dynamodb-profile)
        choices=(${(uf)"$(sed -nE 's/^\[(profile )?([^]]*)\]$/\2/p' "${AWS_CONFIG_FILE:-$HOME/.aws/config}" \
            "${AWS_SHARED_CREDENTIALS_FILE:-$HOME/.aws/credentials}" 2>/dev/null)"})
        ;;
    --config-profile)
        choices=(${(uf)"$(sed -nE 's/^\[profile\.([A-Za-z0-9_-]*)\].*/\1/p' \
            "${OSCOMMIT_CONFIG:-${XDG_CONFIG_HOME:-$HOME/.config}/oscommit/config.toml}" 2>/dev/null)"})
        ;;
    *)
        if [[ $2 == FILE* ]]; then
            _files
            return
        fi
        [[ $2 == *[A-Z]* || $2 != *'|'* ]] || choices=(${(s:|:)2})
        ;;
    esac
    (( $#choices )) && compadd -- $choices
}

# Commands, or those of a group, with their summaries.
_oscommit_next() { # COMMAND
    local one
    local -a shown
    if [[ -z $1 ]]; then
        for one in ${(ko)summaries}; do
            if [[ $one != *' '* ]]; then
                shown+=("$one:$summaries[$one]")
            elif [[ -z $summaries[${one%% *}] && " $shown" != *" ${one%% *}:"* ]]; then
                shown+=("${one%% *}:${(j:, :)${(M)${(ko)summaries}:#${one%% *} *}#* }")
            fi
        done
    else
        for one in ${(M)${(ko)summaries}:#$1 *}; do
            shown+=("${one#* }:$summaries[$one]")
        done
    fi
    _describe -t commands command shown
}

_oscommit_offer_flags() {
    local one
    local -a shown
    for one in ${(ko)said}; do
        shown+=("$one:$said[$one]")
    done
    _describe -o -t options flag shown
}

_oscommit_read_flags() { # COMMAND...
    local line
    local -a parts
    operand_of=() said=()
    for line in ${(f)"$(_oscommit_flags "$@")"}; do
        parts=("${(@s:	:)line}")
        operand_of[$parts[1]]=$parts[2]
        said[$parts[1]]=$parts[3]
    done
}

_oscommit() {
    local one awaited= chain=
    local -i operands=0
    local -A summaries operand_of said
    for one in ${(f)"$(_oscommit_commands)"}; do
        summaries[${one%%	*}]=${one#*	}
    done
    _oscommit_read_flags
    for one in "${(@)words[2,CURRENT-1]}"; do
        if [[ -n $awaited ]]; then
            awaited=
        elif [[ $one == -- ]]; then
            _files
            return
        elif [[ $one == --*=* ]]; then
            continue
        elif [[ $one == -?* ]]; then
            [[ -z $operand_of[$one] ]] || awaited=$one
        elif [[ $chain == help || -n ${(M)${(k)summaries}:#${chain:+$chain }$one( *|)} ]]; then
            [[ $chain != help ]] || chain= # what it explains
            chain=${chain:+$chain }$one
            [[ -z $summaries[$chain] ]] || _oscommit_read_flags ${=chain}
        else
            operands+=1
        fi
    done
    if [[ -n $awaited ]]; then
        _oscommit_values "$awaited" "$operand_of[$awaited]"
    elif [[ $PREFIX == --*=* ]]; then
        one=${PREFIX%%=*}
        compset -P '--*='
        [[ -z $operand_of[$one] ]] || _oscommit_values "$one" "$operand_of[$one]"
    elif [[ $PREFIX == -* ]]; then
        _oscommit_offer_flags
    elif [[ -z $chain || $chain == help ]]; then
        _oscommit_next ""
    elif (( operands == 0 )) && [[ -n ${(M)${(k)summaries}:#$chain *} ]]; then
        _oscommit_next "$chain"
    else
        _files
    fi
}

_oscommit "$@"
