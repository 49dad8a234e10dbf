/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the keys come from: callback, static, AWS_* environment, shared profile files (~/.aws/credentials and
 * ~/.aws/config, or AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE). Keeps them until shortly before they expire.
 * Never logs one.
 */
#ifndef OSCOMMIT_AWS_CREDENTIALS_H
#define OSCOMMIT_AWS_CREDENTIALS_H

#include "aws/sigv4.h"
#include "oscommit.h"

#include <stdbool.h>

struct credentials_source { /* strings borrowed during credentials_new only */
    const char *access_key_id;
    const char *secret_access_key;
    const char *session_token;
    const char *profile;
    os_credentials_fn callback;
    void *callback_context;
    bool no_environment;
};

struct credentials; /* wiped (OPENSSL_cleanse) when freed or renewed */
os_code credentials_new(const struct credentials_source *source, struct credentials **ret,
                        os_error *err); /* half a key pair is OS_ERR_CONFIG */
void credentials_free(struct credentials *credentials);

/* The keys to use now; borrowed until the next call. Asks the source again within 5 minutes of the expiry, or when
 * `renew` (after ExpiredToken). OS_ERR_CREDENTIALS with a sentence that names every place looked at. */
os_code credentials_get(struct credentials *credentials, int64_t now_s, bool renew, struct sigv4_keys *ret,
                        os_error *err);

#endif
