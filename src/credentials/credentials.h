/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a client, from where its options or its surroundings have them (chain.h): kept until shortly before they
 * expire, and renewed in the background, so that nobody waits who has some. Keys that are over are used until a service
 * refuses them. Never logs one.
 *
 * Loop's thread, but for what is said otherwise. What takes time runs on one of the loop's workers.
 */
#ifndef OSCOMMIT_CREDENTIALS_CREDENTIALS_H
#define OSCOMMIT_CREDENTIALS_CREDENTIALS_H

#include "aws/sigv4.h"
#include "credentials/chain.h"
#include "loop/loop.h"
#include "oscommit.h"

#include <stdbool.h>

struct credentials_source { /* strings borrowed during credentials_new only */
    const char *access_key_id;
    const char *secret_access_key;
    const char *session_token;
    const char *profile;
    const char *region; /* where STS is asked, unless the profile has one; NULL: us-east-1 */
    os_credentials_fn callback;
    void *callback_context;
    bool no_environment;
};

struct credentials;
os_code credentials_new(const struct credentials_source *source, struct credentials **ret,
                        os_error *err);                                 /* half a key pair is OS_ERR_CONFIG */
struct credentials *credentials_share(struct credentials *credentials); /* once more to be freed */
void credentials_free(struct credentials *credentials);                 /* wipes the keys; NULL is fine */

/* From now on keys can be asked for, and are renewed. Strings of `http` are borrowed until it is freed. */
os_code credentials_attach(struct credentials *credentials, struct loop *loop, const struct http_engine_options *http,
                           os_error *err);
/* Ends a search that is under way, and begins none. Before the loop is drained. Nobody waits any more. */
void credentials_stop(struct credentials *credentials);

/* Who waits for keys. A zeroed one waits for none. */
struct credentials_waiter {
    void (*ready)(struct credentials_waiter *waiter, const os_error *why_none); /* NULL: credentials_get has keys now */
    struct credentials_waiter *next;
    struct credentials_waiter *previous;
    uint64_t search; /* which one it waits for */
    bool waits;
};

enum credentials_state {
    CREDENTIALS_READY = 1, /* credentials_get has keys */
    CREDENTIALS_SEARCHED,  /* they are looked for: `ready` is called once, later */
    CREDENTIALS_NONE       /* *err says why */
};
/* With `refused` the keys that were used are no good any more (ExpiredToken), and others are looked for. */
enum credentials_state credentials_wait(struct credentials *credentials, bool refused,
                                        struct credentials_waiter *waiter, os_error *err);
/* The same, and `ready` is called in any case: at once, where there are keys or none are to be had. */
void credentials_ask(struct credentials *credentials, bool refused, struct credentials_waiter *waiter);
void credentials_leave(struct credentials *credentials,
                       struct credentials_waiter *waiter); /* fine where it waits not */

/* The keys to use now; borrowed until the loop's thread goes on. OS_ERR_CREDENTIALS, or what a service said, with a
 * sentence. What takes no time (static keys, environment, keys in the profile files, the callback) is found here, if
 * need be, also without credentials_attach. */
os_code credentials_get(struct credentials *credentials, struct sigv4_keys *ret, os_error *err);

/* A search that keeps nothing, for a person: `note` is told of each source in turn, also of those that are not asked any
 * more. Blocks; any thread. */
struct credentials_finding {
    const char *source;
    char key_end[5]; /* the last four characters of the access key id, or fewer of a short one */
    int64_t expires_s;
};
/* What it is asked with, as a search of their own is. */
os_code credentials_make_fetcher(const struct credentials *credentials, struct fetcher *ret, os_error *err);
os_code credentials_explain(const struct credentials *credentials, struct fetcher *fetcher, chain_note_fn note,
                            void *note_context, struct credentials_finding *ret, os_error *err);

#endif
