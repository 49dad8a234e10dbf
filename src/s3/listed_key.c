/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/listed_key.h"

#include <string.h>

enum { WRITTEN_MAX = 3 * LISTED_KEY_MAX };

void listed_key_init(struct listed_key *key)
{
    *key = (struct listed_key){.no_memory = false};
    buf_init(&key->key, WRITTEN_MAX);
    buf_init(&key->scratch, WRITTEN_MAX);
}

void listed_key_free(struct listed_key *key)
{
    buf_free(&key->key);
    buf_free(&key->scratch);
}

/* In encoding-type=url a blank is "+" on AWS, MinIO and others, and "%20" on the rest; a plus is "%2B" on all. */
static bool listed_key_decode(struct listed_key *key, struct text text)
{
    if (!buf_add(&key->scratch, text.p, text.len))
        return false;
    for (size_t i = 0; i < key->scratch.len; i++)
        if (key->scratch.data[i] == '+')
            key->scratch.data[i] = ' ';
    return text_percent_decode(&key->key, text_of(buf_str(&key->scratch), key->scratch.len));
}

bool listed_key_set(struct listed_key *key, struct text text, bool url_encoded)
{
    buf_reset(&key->key);
    buf_reset(&key->scratch);
    if (text.len == 0 || text.len > WRITTEN_MAX)
        return false;
    bool ok = url_encoded ? listed_key_decode(key, text) : buf_add(&key->key, text.p, text.len);
    key->no_memory = !buf_ok(&key->key) || !buf_ok(&key->scratch);
    return ok && key->key.len <= LISTED_KEY_MAX && memchr(key->key.data, '\0', key->key.len) == NULL;
}
