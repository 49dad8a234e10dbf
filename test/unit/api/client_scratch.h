/* SPDX-License-Identifier: Apache-2.0 */
/* What the client's tests share: a folder of their own with an embedded store, and checks that print the sentence. */
#ifndef OSCOMMIT_TEST_API_CLIENT_SCRATCH_H
#define OSCOMMIT_TEST_API_CLIENT_SCRATCH_H

#include "oscommit.h"
#include "support/test.h"

struct scratch {
    char folder[64];
    char root[96];
    char url[128];
};
void scratch_set_up(struct scratch *ret); /* its root is an embedded store */
void scratch_tear_down(struct scratch *scratch);

/* Writes the profile of a made-up store into its folder: `fields` are those beside the ones that every profile has. Gives
 * the file's path. */
enum { SCRATCH_PATH_SIZE = 160 };
void scratch_write_profile(const struct scratch *scratch, const char *fields, char ret[SCRATCH_PATH_SIZE]);
/* Proves that creations by CompleteMultipartUpload are native. */
#define SCRATCH_NATIVE_COMPLETE "\"requests\":{\"complete\":{\"absent\":\"enforced\",\"absent_atomic\":true}}"

/* A client of it, with short times and its own options on top. */
os_client *scratch_client(const struct scratch *scratch, const os_options *more);
/* A client of the embedded ledger alone, for leases and locks, as of another process. */
os_client *scratch_table_client(const struct scratch *scratch);
/* The same of another SQLite file. */
os_client *scratch_table_client_of(const char *file);

/* Keeps "ledger.db" or "objects.db" of the embedded store busy, by this statement, until it is unlocked. */
#define SCRATCH_AGAINST_WRITERS "BEGIN IMMEDIATE"
struct sqlite3 *scratch_lock_file(const struct scratch *scratch, const char *name, const char *sql);
void scratch_unlock_file(struct sqlite3 *db);

/* A client of a made-up S3 store at "127.0.0.1:port", whose records are those of the embedded store; over TLS where
 * `more` has a ca_file. `more` may name another ledger, and another store_url. */
os_client *scratch_s3_client(const struct scratch *scratch, const char *host, const os_options *more);

/* A client of a made-up S3 store and, unless it is NULL, of a made-up DynamoDB, both at "127.0.0.1:port". `more` may name
 * another store_url, and may be NULL. */
os_client *scratch_services_client(const char *store_host, const char *ledger_host, const os_options *more);

/* The ticket of a create of "key" there, which was not answered and is dead when it is 10:00 on 2026-11-21. `more` says
 * whether it was native, and of a bucket with versions. malloc'ed. */
#define SCRATCH_DEAD_NONCE "0123456789abcdef0123456789abcdef"
struct guard_ticket;
char *scratch_dead_create(const struct scratch *scratch, const char *host, const struct guard_ticket *more);

#define CHECK_CODE(got, wanted, error)                                                                        \
    do {                                                                                                      \
        os_code got_code = (got);                                                                             \
        if (got_code != (wanted))                                                                             \
            fail_msg("%s instead of %s: %s", os_code_name(got_code), os_code_name(wanted), (error)->message); \
        assert_int_equal((error)->code, (wanted));                                                            \
    } while (0)

#define CHECK_SAYS(error, words)                                         \
    do {                                                                 \
        if (strstr((error)->message, (words)) == NULL)                   \
            fail_msg("\"%s\" is not in: %s", (words), (error)->message); \
    } while (0)

#endif
