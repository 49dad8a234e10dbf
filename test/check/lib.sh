# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the checks share: each says all that it finds, then ends with 1 if that was anything. A check that has looked at
# nothing has failed as well.

export LC_ALL=C
violations=0
looked_at=0

violation() {
    printf '%s\n' "$*"
    violations=$((violations + 1))
}

seen() {
    looked_at=$((looked_at + 1))
}

finish() { # WHAT
    if ((looked_at == 0)); then
        echo "$1: there was nothing to look at"
        exit 1
    fi
    if ((violations > 0)); then
        echo "$1: $violations violations"
        exit 1
    fi
    echo "$1: $looked_at looked at, no violation"
}
