#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The figures of docs/verification.md are those that scripts/figures.sh writes: what can be counted is counted anew, what
# needs a run is as docs/figures.tsv has it.
# usage: figures.sh ROOT
set -uo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$1

seen
said=$("$(dirname -- "${BASH_SOURCE[0]}")/../../scripts/figures.sh" --check --root "$root" 2>&1) || violation "$said"
finish "figures"
