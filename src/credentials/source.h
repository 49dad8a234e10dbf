/* SPDX-License-Identifier: Apache-2.0 */
/* A search for keys, as those see it who may have some. */
#ifndef OSCOMMIT_CREDENTIALS_SOURCE_H
#define OSCOMMIT_CREDENTIALS_SOURCE_H

#include "aws/profile.h"
#include "credentials/fetch.h"
#include "credentials/keys.h"

enum { CHAIN_PROFILES_MAX = 16, CHAIN_REASON_SIZE = 512 }; /* roles that are assumed one by the other; with a NUL */

/* Is told of each source in turn: why it has no keys, or NULL where it has. `why` is a clause without full stop. */
typedef void (*chain_note_fn)(void *context, const char *source, const char *why);

struct chain;
typedef os_code (*chain_source_fn)(struct chain *chain, const char *profile, struct keys *ret, os_error *err);

struct chain {
    const char *profile;     /* asked for by name; NULL: AWS_PROFILE, or the default one */
    const char *region;      /* of the client: for STS where the profile has none; NULL: none */
    struct fetcher *fetcher; /* NULL: nothing that blocks is done */
    chain_note_fn note;      /* may be NULL */
    void *note_context;

    /* What came of it. */
    const char *source; /* whose keys they are; NULL: nobody's yet */
    bool would_block;   /* a source has to be asked, and there is no fetcher */
    struct keys found;
    bool pass; /* the source that runs is not set up: the next one's turn */
    char why[CHAIN_REASON_SIZE];

    /* Of the search. */
    struct profile_files files;
    bool has_files;                          /* read already */
    const char *visited[CHAIN_PROFILES_MAX]; /* the profiles whose roles are being assumed */
    size_t visited_count;
    chain_source_fn find_in_profile; /* the keys of another profile, which may be set up in any way but by a role */
};

/*
 * Each looks at what it is made of. Set up: OS_OK with keys in *ret, or an error, which ends the search. Not set up:
 * chain_pass, which is OS_OK with *ret empty. */

os_code chain_pass(struct chain *chain, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Before anything that takes time. OS_OK, or what the source has to give back. */
os_code chain_may_block(struct chain *chain, os_error *err);

os_code source_environment(struct chain *chain, const char *profile, struct keys *ret, os_error *err);
os_code source_assume_role(struct chain *chain, const char *profile, struct keys *ret, os_error *err);
os_code source_web_identity(struct chain *chain, const char *profile, struct keys *ret, os_error *err);
os_code source_sso(struct chain *chain, const char *profile, struct keys *ret, os_error *err);
os_code source_credentials_file(struct chain *chain, const char *profile, struct keys *ret, os_error *err);
os_code source_login(struct chain *chain, const char *profile, struct keys *ret, os_error *err);
os_code source_process(struct chain *chain, const char *profile, struct keys *ret, os_error *err);
os_code source_config_file(struct chain *chain, const char *profile, struct keys *ret, os_error *err);
os_code source_container(struct chain *chain, const char *profile, struct keys *ret, os_error *err);
os_code source_instance(struct chain *chain, const char *profile, struct keys *ret, os_error *err);

#endif
