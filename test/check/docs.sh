#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the documents name is there: files and headings that they link to (installed ones link to what is installed);
# flags of the tool; options of the header. And every option, setting and flag is in docs/configuration.md.
# usage: docs.sh ROOT OSCOMMIT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1
oscommit=$2
configuration=$root/docs/configuration.md
mapfile -t documents < <(find "$root" \( -name .git -o -path "$root/build" -o -name .cache \) -prune -o -name '*.md' -print | sort)

has_line() { # LINES LINE
    grep -qxF -- "$2" <<<"$1"
}

# ----------------------------------------------------------------------------------------------------------- links

# The anchors of a document: its headings in lower case, without punctuation, blanks as hyphens.
anchors() { # FILE
    awk '/^```/ { code = !code } /^#+ / && !code' "$1" | sed -E 's/^#+ +//; s/.*/\L&/; s/[^a-z0-9 _-]//g; s/ /-/g'
}

check_link() { # DOCUMENT TARGET
    local file=${2%%#*} place
    place=$(dirname -- "$1")/$file
    [[ -n $file ]] || place=$1
    if [[ ! -e $place ]]; then
        violation "$1 links to $2, which is not there"
    elif [[ $2 == *"#"* ]] && ! has_line "$(anchors "$place")" "${2#*#}"; then
        violation "$1 links to $2: there is no such heading"
    fi
}

# Whoever has the package alone follows a link of an installed document into what is installed with it.
install_rules=$root/cmake/OscommitInstall.cmake
installed_as() { # PLACE: the path as the rules name it; nothing where they do not
    local path
    path=$(realpath --relative-to="$root" -- "$1")
    case $path in
        docs/*.md) grep -oF 'docs/*.md' "$install_rules" ;;
        docs/pictures/*) grep -oF "docs/pictures/*.${path##*.}" "$install_rules" ;;
        *) grep -oE "[( ]${path//./\\.}([ )]|\$)" "$install_rules" ;;
    esac
}
check_installed_link() { # DOCUMENT TARGET
    local file=${2%%#*}
    [[ -z $file || -n $(installed_as "$(dirname -- "$1")/$file") ]] || violation "$1 is installed, and links to $2, which is not"
}

for document in "${documents[@]}"; do
    seen
    is_installed=$(installed_as "$document")
    while read -r target; do
        [[ $target == *://* || $target == mailto:* ]] && continue
        check_link "$document" "$target"
        [[ -z $is_installed ]] || check_installed_link "$document" "$target"
    done < <(awk '/^```/ { code = !code } !code' "$document" | grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\(//; s/\)$//')
done

# ----------------------------------------------------------------------------------------------------------- flags

commands=$("$oscommit" --help | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+( [a-z]+)?)  .*/\1/p')
flags_of() { # COMMAND-WORD...
    "$oscommit" "$@" --help --all | sed -nE 's/^  (-., |    )(--[a-z0-9-]+).*/\2/p'
}
flags=$({
    flags_of
    while read -ra words; do
        flags_of "${words[@]}"
    done <<<"$commands"
} | sort -u)
[[ -n $commands && -n $flags ]] || violation "$oscommit --help names no command or no flag"

check_flags() { # DOCUMENT: reads text
    local flag
    while read -r flag; do
        seen
        has_line "$flags" "$flag" || violation "$1 names $flag, which oscommit does not have"
    done < <(grep -oE -- '(^|[^a-zA-Z0-9-])--[a-z][a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u)
}
# shellcheck disable=SC2094 # it is read, and named in what is said
check_flags "$configuration" <"$configuration"
for document in "${documents[@]}"; do
    sed -E 's/#.*//' "$document" | grep -E '(^|[^a-z./_-])oscommit [a-z]' | grep -vE 'cmake|find_package|-cflags' | check_flags "$document"
done

# The settings that every command takes, and the flags that some take, are all described.
while read -r flag; do
    seen
    grep -qF -- "\`$flag\`" "$configuration" || violation "$configuration does not describe $flag"
done < <({
    "$oscommit" --help --all | sed -n '/^Settings/,/^$/p' | sed -nE 's/^      (--[a-z0-9-]+).*/\1/p'
    echo "$flags"
} | sort -u)

# --------------------------------------------------------------------------------------------------------- options

members() { # STRUCT: of the header
    awk -v open="^typedef struct $1 {" -v close_="^} $1;" '$0 ~ open { inside = 1 } $0 ~ close_ { inside = 0 } inside' \
        "$root/include/oscommit.h" | grep -vE '^ *(/?\*|typedef)' | sed -nE 's/^ *([a-z0-9_ ]+[ *]+)?([a-z0-9_]+);.*/\2/p' |
        grep -vx size
}
options=$(members os_options)
call=$(members os_call)
[[ -n $options && -n $call ]] || violation "the header has no os_options or no os_call"

# The first column of a table names an option, or a member of another struct.
# shellcheck disable=SC2016 # backticks of Markdown
while read -r option; do
    seen
    case $option in
    os_call.*) has_line "$call" "${option#os_call.}" ;;
    *) has_line "$options" "$option" ;;
    esac || violation "$configuration names the option $option, which the header does not have"
done < <(sed -nE 's/^\| `([a-z0-9_.]+)` \|.*/\1/p' "$configuration")
while read -r option; do
    seen
    grep -qwF -- "$option" "$configuration" || violation "$configuration does not name the option $option of os_options"
done <<<"$options"
finish "documents"
