#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/mutants.md is what the patches say, and the tests, configurations and mutants that docs/counterexamples.md names
# are there. Every constant that docs/rules.md names stands in the code.
# usage: counterexamples.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1

said=$(python3 -B "$(dirname -- "${BASH_SOURCE[0]}")/../mutants/table.py" --root "$root" --check 2>&1) || violation "$said"
# shellcheck disable=SC2016 # backticks of Markdown
while read -r constant; do
    seen
    grep -rqw --include='*.[ch]' -- "$constant" "$root/src" || violation "docs/rules.md names $constant, which no source has"
done < <(sed -n '/^## 12. Numbers/,$p' "$root/docs/rules.md" | grep -oE '`[A-Z][A-Z_]+`' | tr -d '`' | sort -u)
finish "counterexamples"
