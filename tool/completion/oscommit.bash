# SPDX-License-Identifier: Apache-2.0
# bash completion for oscommit: commands, flags, the choices of flags, file names. Needs nothing but bash.
# Installed as $datadir/bash-completion/completions/oscommit; or: source oscommit.bash

_oscommit_commands="init put update cp sync mv rm get head ls table lock lease delta lance resolve gc race check probe presign config credentials help version"
_oscommit_table_commands="create check ls show release"
_oscommit_lease_commands="acquire extend release show"
_oscommit_delta_commands="append check resolve"
_oscommit_lance_commands="check resolve"
_oscommit_lock_commands="ls show break"
_oscommit_common="--json --quiet --verbose --help --all --version --store --ledger --endpoint-url --s3-endpoint
    --dynamodb-endpoint --region --dynamodb-region --profile --dynamodb-profile --ca-file --addressing --signature
    --timeout-ms --max-clock-skew-rate --ttl-s --length-s --allowance-s --margin-s --recheck-after-ms --release --fences
    --condition-headers --guard --store-profile --stage-above --part-size --parts-at-once --minimum-rate --stalled-body-s --late-segment-s
    --record-prefix --forward-only --forward-only-prefix --records-by-bucket --check-table
    --connect-timeout-ms --request-timeout-ms --deadline-ms --metrics --config --config-profile"
_oscommit_switches=" --json --quiet --verbose --help --all --version --forward-only --records-by-bucket --check-table --if-absent --recursive --force --stuck --keep"
_oscommit_switches+=" --lock --transactions --remove --no-held-body --versions --leases --locks --log-entries --long --literal "

# The flags that only this command has.
_oscommit_own_flags() {
    local headers="--content-type --content-encoding --content-language --content-disposition --cache-control --metadata
        --tag --storage-class --encryption --kms-key"
    case $1 in
    put) echo "--if-absent --if-match --ticket-file $headers" ;;
    update) echo "--max-length --ticket-file $headers" ;;
    cp) echo "--if-absent --if-match --source-etag --source-version-id --ticket-file --recursive --jobs --manifest --literal $headers" ;;
    sync) echo "--if-absent --jobs --manifest --literal $headers" ;;
    mv) echo "--if-absent --source-etag --ticket-file" ;;
    rm) echo "--if-match --ticket-file" ;;
    get) echo "--range --version-id --literal --jobs" ;;
    head) echo "--version-id" ;;
    ls) echo "--recursive --delimiter --start-after --max-keys --versions --long --literal" ;;
    presign) echo "--method --expires --version-id --content-type" ;;
    resolve) echo "--ticket-file --same-store --abort-upload" ;;
    gc) echo "--older-than --remove" ;;
    race)
        echo "--writers --keys --updates --copies --deletes --duration --faults --seed --history --report --keep
            --lock --transactions --ttl"
        ;;
    check) echo "--report" ;;
    probe) echo "--profile-out --writers --rounds --store-name --store-version --no-held-body" ;;
    "table release") echo "--etag --force" ;;
    "table ls") echo "--stuck" ;;
    "table create" | "table check") echo "--leases --locks --log-entries" ;;
    "delta append") echo "--log-store --app-id --app-version --partition --ticket-file" ;;
    "delta check") echo "--log-store" ;;
    "delta resolve") echo "--log-store --ticket-file" ;;
    "lance check" | "lance resolve") echo "--manifest-store" ;;
    lock) echo "--wait --ttl --owner --grace" ;;
    "lock ls" | "lock show") echo "--namespace" ;;
    "lock break") echo "--namespace --force" ;;
    "lease acquire") echo "--wait --ttl --owner" ;;
    "lease extend") echo "--handle --ttl" ;;
    "lease release") echo "--handle" ;;
    esac
}

# What may follow a flag, in COMPREPLY. False: the flag takes no value.
_oscommit_value() {
    local flag=$1 word=$2 choices=
    case $flag in
    --method) choices="get head put" ;;
    --addressing) choices="auto path virtual" ;;
    --signature) choices="v4 v2" ;;
    --release) choices="on_failure always" ;;
    --fences | --condition-headers) choices="auto on off" ;;
    --guard) choices="auto record native both" ;;
    --ledger) choices="dynamodb:// sqlite:///" ;;
    --store) choices="s3:// file:///" ;;
    --profile | --dynamodb-profile)
        choices=$(sed -n 's/^\[\(profile \)\{0,1\}\([^]]*\)\]$/\2/p' "${AWS_CONFIG_FILE:-$HOME/.aws/config}" \
            "${AWS_SHARED_CREDENTIALS_FILE:-$HOME/.aws/credentials}" 2>/dev/null | sort -u)
        ;;
    --config-profile)
        choices=$(sed -n 's/^\[profile\.\([A-Za-z0-9_-]*\)\].*/\1/p' \
            "${OSCOMMIT_CONFIG:-${XDG_CONFIG_HOME:-$HOME/.config}/oscommit/config.toml}" 2>/dev/null | sort -u)
        ;;
    --ca-file | --ticket-file | --history | --report | --store-profile | --profile-out | --config | --manifest | --metrics)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return 0
        ;;
    --*) [[ $_oscommit_switches != *" $flag "* ]] || return 1 ;;
    *) return 1 ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
}

# Sets `command` to what stands on the line before the cursor, and `operands` to how many words follow it.
_oscommit_find_command() {
    local i word skip=0
    command="" operands=0
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == "=" ]]; then
            skip=1
        elif ((skip)); then
            skip=0
        elif [[ $word == --* && $_oscommit_switches != *" $word "* ]]; then
            [[ ${COMP_WORDS[i + 1]} == "=" ]] || skip=1
        elif [[ $word == -?* ]]; then
            :
        elif [[ -z $command || $command == table || $command == lease || $command == delta || $command == lance || $command == help ]]; then
            command=${command:+$command }$word
        elif [[ $command == lock && " $_oscommit_lock_commands " == *" $word "* ]]; then
            command="lock $word"
        else
            ((operands++))
        fi
    done
}

_oscommit() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command operands
    COMPREPLY=()
    if [[ $word == "=" ]]; then # "--fences=" and the cursor
        word=
    elif [[ $previous == "=" ]]; then # "--fences=o"
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if _oscommit_value "$previous" "$word"; then
        return
    fi
    _oscommit_find_command
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_oscommit_own_flags "$command") $_oscommit_common" -- "$word")
    elif [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_oscommit_commands" -- "$word")
    elif [[ $command == table || $command == "help table" ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_oscommit_table_commands" -- "$word")
    elif [[ $command == lease || $command == "help lease" ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_oscommit_lease_commands" -- "$word")
    elif [[ $command == delta || $command == "help delta" ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_oscommit_delta_commands" -- "$word")
    elif [[ $command == lance || $command == "help lance" ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_oscommit_lance_commands" -- "$word")
    elif [[ $command == lock && $operands == 0 || $command == "help lock" ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_oscommit_lock_commands" -- "$word")
    elif [[ $command == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_oscommit_commands" -- "$word")
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -F _oscommit oscommit
