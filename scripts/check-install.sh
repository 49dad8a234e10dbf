#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Plays a newcomer: in a Debian root that has nothing but what the README names, runs the README's install lines, both
# generators and both examples, taken out of the README as they stand.
#
#   scripts/check-install.sh [--keep]
#
#   --keep  leaves the root where it is, and says where
#
# Needs root or sudo, mmdebstrap (Debian package mmdebstrap), and the package mirror that this machine uses. The last line
# says how many steps passed and failed; the exit status is 0 when none failed.
set -uo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/debian_root.sh
. "$scripts_dir/debian_root.sh"
source=$(cd -- "$scripts_dir/.." && pwd)
readme=$source/README.md
keep=0
case $#:${1:-} in
0:) ;;
1:--keep) keep=1 ;;
*) die "usage: scripts/check-install.sh [--keep]" ;;
esac
require_debian_root
work=$(mktemp -d)
root=$work/root

clean_up() {
    if ((keep)); then
        say "The root: $root"
    else
        as_root rm -rf --one-file-system "$work"
    fi
}
trap clean_up EXIT

# ------------------------------------------------------------------------------------------------- out of the README

# The n-th block of a language below a heading.
block() { # HEADING LANGUAGE N
    awk -v heading="## $1" -v open="\`\`\`$2" -v n="$3" '
        /^## / { here = $0 == heading }
        /^```/ && inside { inside = 0; next }
        here && $0 == open { inside = 1; count++; next }
        inside && count == n' "$readme"
}

newcomer=$work/newcomer
mkdir "$newcomer"
block Install sh 1 >"$newcomer/install.sh"
block Install sh 2 >"$newcomer/generator.sh"
block Install sh 3 >"$newcomer/home.sh"
block "Use it from a shell" sh 1 >"$newcomer/first.sh"
block "Use it from C" c 1 >"$newcomer/publish.c"
block "Use it from C" sh 1 >"$newcomer/build.sh"
for n in 2 3 4 5; do
    block "Use it from a shell" sh "$n" >"$newcomer/block"
    [[ $(head -n 1 "$newcomer/block") == "#!/bin/sh" ]] && cp "$newcomer/block" "$newcomer/publish.sh"
done
cp "$source/test/package/newcomer.sh" "$newcomer/run.sh"
cp -r "$source/test/package/consumer" "$newcomer/"
for file in install.sh generator.sh home.sh first.sh publish.c build.sh publish.sh; do
    [[ -s $newcomer/$file ]] || die "The README has no block for $file where it is looked for."
done

# ---------------------------------------------------------------------------------------------------------- the root

make_debian_root "$root" "$work"

# The tracked files, and those that will be.
mkdir "$work/tree"
if git -C "$source" rev-parse --git-dir >/dev/null 2>&1; then
    (cd "$source" && git ls-files -z --cached --others --exclude-standard --deduplicate) >"$work/files"
else
    (cd "$source" && find . \( -path ./build -o -name .cache \) -prune -o -type f -print0) >"$work/files"
fi
(cd "$source" && tar --create --null --files-from="$work/files" --ignore-failed-read) | tar --extract --directory="$work/tree" || exit 1
as_root cp -r "$work/tree" "$root/oscommit" && as_root cp -r "$newcomer" "$root/newcomer" || exit 1

in_debian_root "$root" /bin/bash /newcomer/run.sh /oscommit /newcomer
