/* SPDX-License-Identifier: Apache-2.0 */
/* A key as a list writes it: percent-encoded where the list says so. Knows no list. */
#ifndef OSCOMMIT_S3_LISTED_KEY_H
#define OSCOMMIT_S3_LISTED_KEY_H

#include "base/text.h"

enum { LISTED_KEY_MAX = 4 * 1024 /* decoded */ };

struct listed_key {
    struct buf key; /* decoded; empty: none */
    struct buf scratch;
    bool no_memory;
};

void listed_key_init(struct listed_key *key);
void listed_key_free(struct listed_key *key);
/* False for an escape that is none, a NUL inside, an empty or an endless key, or (then `no_memory`) no memory. */
bool listed_key_set(struct listed_key *key, struct text text, bool url_encoded);

#endif
