#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/site.py makes the site without a warning, every link of it leads somewhere, and the pages are there that a reader
# looks for. Skipped (77) where Doxygen is not installed.
# usage: site.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1
command -v doxygen >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

said=$(python3 -B "$(dirname -- "${BASH_SOURCE[0]}")/../../docs/site.py" "$work" "$root" 2>&1) || violation "$said"
while read -r page words; do
    seen
    grep -qF -- "$words" "$work/html/$page" || violation "$page does not show \"$words\""
done <<'PAGES'
index.html Use it from C
page_configuration.html os_options_from_environment
page_operations.html Minimal permissions
page_protocol.html guarded_put.svg
page_rules.html Take over
api/oscommit_8h.html os_put_if_absent
page_verification.html counted in the source
PAGES
finish "site"
