#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every source file names its licence in its first two lines; but the examples, which stand in the README as they are.
# usage: spdx.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1

while IFS= read -r -d '' file; do
    seen
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || violation "$file does not name its licence"
done < <(find "$root" \( -name .git -o -path "$root/build" -o -path "$root/rust/target" -o -name .cache -o -name examples \) -prune -o -type f \
    \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.sh' -o -name '*.bash' -o -name '*.py' -o -name '*.cmake' -o -name '*.rs' -o -name CMakeLists.txt \) -print0)
finish "licence lines"
