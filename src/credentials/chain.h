/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for keys: one source after the other, until one has some. The order is that of botocore 1.44
 * (credentials.py, create_credential_resolver), which the AWS CLI and the SDK for Python share: environment, role of a
 * profile, web identity, IAM Identity Center, credentials file, process, config file, container, instance.
 *
 * A source that is not set up is passed over, with a reason. One that is set up and fails ends the search: other keys
 * than those that were meant may belong to another account.
 */
#ifndef OSCOMMIT_CREDENTIALS_CHAIN_H
#define OSCOMMIT_CREDENTIALS_CHAIN_H

#include "aws/profile.h"
#include "credentials/fetch.h"
#include "credentials/keys.h"

enum { CHAIN_PROFILES_MAX = 16, CHAIN_REASON_SIZE = 512 }; /* roles that are assumed one by the other; with a NUL */

/* Is told of each source in turn: why it has no keys, or NULL where it has. `why` is a clause without full stop. */
typedef void (*chain_note_fn)(void *context, const char *source, const char *why);

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
    const char *visited[CHAIN_PROFILES_MAX]; /* the profiles whose roles are being assumed */
    size_t visited_count;
};

/* Looks for keys. OS_OK: they are in chain->found. OS_ERR_CREDENTIALS, OS_ERR_CONFIG (a damaged profile file),
 * OS_ERR_NO_MEMORY, or what a service or the way to it said. With `would_block` the error says nothing: it is to be
 * asked again with a fetcher. Blocks where there is one. */
os_code chain_find(struct chain *chain, os_error *err);
void chain_free(struct chain *chain); /* what was found, too, unless it was taken out */

/* The names of the sources in their order, up to a NULL: for those that were not asked. */
const char *chain_source_name(size_t index);

/* ------------------------------------------------------------------------------------------------ for the sources
 *
 * Each looks at what it is made of. Set up: OS_OK with keys in *ret, or an error, which ends the search. Not set up:
 * chain_pass, which is OS_OK with *ret empty. */

typedef os_code (*chain_source_fn)(struct chain *chain, const char *profile, struct keys *ret, os_error *err);

os_code chain_pass(struct chain *chain, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Before anything that takes time. OS_OK, or what the source has to give back. */
os_code chain_may_block(struct chain *chain, os_error *err);
/* The keys of another profile, which it is enough for to be set up in any way. */
os_code chain_find_in_profile(struct chain *chain, const char *profile, struct keys *ret, os_error *err);

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
