#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every rule of docs/rules.md, and of the pages beside it (`texts`), is named in the code or in a test; every rule that those, a mutant or
# a document names is there, and so is every numbered sentence (R13.6) that a document or a comment names.
# usage: rule_ids.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1
rules=$root/docs/rules.md
texts=("$rules")
for text in transactions catalog models documents; do
    [[ ! -f $root/docs/$text.md ]] || texts+=("$root/docs/$text.md")
done
letters=VTRNEGFMPLXOQW

defined=$(sed -nE "s/^### ([$letters][0-9]{1,2})\. .*/\1/p" "${texts[@]}")
sentences=$(sed -nE "s/^\* \*\*([$letters][0-9]{1,2}\.[0-9]{1,2})\*\* .*/\1/p" "${texts[@]}")

sources() { # KIND...: the files of these kinds, but the checks themselves, which name rules as examples
    local folders
    mapfile -t folders < <(for name in src test include tool docs; do [[ -d $root/$name ]] && echo "$root/$name"; done)
    find "${folders[@]}" -path "$root/test/check" -prune -o -path "$root/docs/pictures" -prune -o -type f \( "$@" \) -print0 | sort -z
}
code=(-name '*.[ch]' -o -name '*.py' -o -name '*.sh')

twice=$(printf '%s\n' "$defined" "$sentences" | grep . | sort | uniq -d)
[[ -z $twice ]] || violation "${texts[*]} has twice:" "$twice"

named=$(sources "${code[@]}" | xargs -0 grep -ohE "\b[$letters][0-9]{1,2}\b" | sort -u)
while read -r rule; do
    seen
    grep -qx "$rule" <<<"$named" || violation "$rule of docs/rules.md, or of a page beside it, is named by no code and no test"
done < <(grep . <<<"$defined")

# The rules of the older letters have names that nothing else has in this code.
while read -r rule; do
    seen
    grep -qx "$rule" <<<"$defined" || violation "$rule is named by code or test, and is not in docs/rules.md"
done < <(grep -E '^[VTRNEX]' <<<"$named")
while read -r rule; do
    seen
    grep -qx "$rule" <<<"$defined" || violation "$rule is taken out by a mutant, and is not in docs/rules.md"
done < <(sources -name '*.patch' | xargs -0 -r grep -ohE '^Rule: .*' | sed 's/^Rule: //' | sort -u)
while read -r sentence; do
    seen
    grep -qx "$sentence" <<<"$sentences" || violation "$sentence is named, and is not in docs/rules.md"
done < <({
    sources "${code[@]}" | xargs -0 grep -ohE '\b[VTRNEX][0-9]{1,2}\.[0-9]{1,2}\b'
    sources -name '*.md' | xargs -0 grep -ohE "\b[$letters][0-9]{1,2}\.[0-9]{1,2}\b"
} | sort -u)
finish "rule ids"
