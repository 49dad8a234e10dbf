/* SPDX-License-Identifier: Apache-2.0 */
/* One set of keys, owned, and wiped when it is freed or replaced. */
#ifndef OSCOMMIT_CREDENTIALS_KEYS_H
#define OSCOMMIT_CREDENTIALS_KEYS_H

#include "aws/sigv4.h"
#include "base/text.h"
#include "oscommit.h"

struct keys { /* NULL where there is none */
    char *access_key_id;
    char *secret_access_key;
    char *session_token;
    int64_t expires_s; /* 0: never */
};

void keys_free(struct keys *keys); /* back to empty */
bool keys_are_there(const struct keys *keys);

/* What a source says, in whatever it came. */
struct keys_text {
    struct text access_key_id;
    struct text secret_access_key;
    struct text session_token; /* empty: none */
    int64_t expires_s;
};
/* Copies them over what *ret had. OS_ERR_CREDENTIALS for what can never be sent, with *ret as it was. */
os_code keys_take(const struct keys_text *from, struct keys *ret, os_error *err);
os_code keys_copy(const struct keys *from, struct keys *ret, os_error *err);
struct sigv4_keys keys_lend(const struct keys *keys);

/* Overwrites and frees a string that may be NULL. */
void keys_wipe(char **string);

#endif
