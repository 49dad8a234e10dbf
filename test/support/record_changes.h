/* SPDX-License-Identifier: Apache-2.0 */
/* A record, and others that differ from it in one attribute each. */
#ifndef OSCOMMIT_TEST_RECORD_CHANGES_H
#define OSCOMMIT_TEST_RECORD_CHANGES_H

#include "commit/record.h"

#include <string.h>

enum { RECORD_KINDS = 4, RECORD_CHANGES = 7 };

/* With and without a fence, with and without `saw`. */
static inline struct record record_of_kind(const struct record *from, unsigned kind)
{
    struct record record = *from;
    record.has_fence = kind & 1;
    record.fence_s = kind & 1 ? 4000000000 : 0;
    memset(record.saw, 0, sizeof(record.saw));
    memcpy(record.saw, kind & 2 ? "bb" : "", kind & 2 ? 3 : 1);
    return record;
}

static inline struct record record_changed(const struct record *from, unsigned change)
{
    struct record other = *from;
    other.generation += change == 0;
    other.ttl_s += change == 1;
    other.timeout_ms += change == 2;
    other.nonce[0] = change == 3 ? 'f' : other.nonce[0];
    other.has_fence ^= change == 4;
    if (change == 5) {
        other.has_fence = true;
        other.fence_s++;
    }
    if (change == 6)
        memcpy(other.saw, from->saw[0] ? "" : "cc", from->saw[0] ? 1 : 3);
    return other;
}

#endif
