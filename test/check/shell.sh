#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# No shell script gives the linter anything to say.
# usage: shell.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1

mapfile -d '' -t scripts < <(find "$root" \( -name .git -o -path "$root/build" -o -name .cache \) -prune -o \
    -type f \( -name '*.sh' -o -name '*.bash' -o -path '*/.ci/run' \) -print0 | sort -z)
for script in "${scripts[@]}"; do
    seen
    shellcheck --external-sources --source-path="$root:SCRIPTDIR" "$script" || violation "$script"
    [[ $script == */.ci/* || $(head -n 1 "$script") != '#!'* || -x $script ]] || violation "$script is not executable"
done
finish "shell scripts"
