/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A DynamoDB in memory, from the bytes of a request to the bytes of an answer: PutItem with the conditions that the
 * library uses, GetItem, Query, Scan, DescribeTable, CreateTable, the TTL calls; of a table of leases, locks or log entries
 * UpdateItem and DeleteItem as well. Or tables of rows (fake_rows.h). Verifies SigV4 from the bytes, and that every item is one that the peer could read (T1).
 * Deterministic; knows nothing of faults of the network or of time but what it is told.
 */
#ifndef OSCOMMIT_TEST_SIM_FAKE_DYNAMO_H
#define OSCOMMIT_TEST_SIM_FAKE_DYNAMO_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose items it has. */
enum fake_dynamo_kind {
    FAKE_DYNAMO_RECORDS = 0,
    FAKE_DYNAMO_LEASES,
    FAKE_DYNAMO_LOCKS,
    FAKE_DYNAMO_ENTRIES,
    FAKE_DYNAMO_ROWS
};

struct fake_dynamo_options {
    const char *table; /* there from the start, with the protocol's schema; NULL: none is */
    enum fake_dynamo_kind kind;
    const char *region;
    const char *access_key;
    const char *secret_key;
    const char *session_token; /* NULL: none is wanted */
    bool no_old_on_failure;    /* ReturnValuesOnConditionCheckFailure is not known (R4's GetItem) */
    bool no_crc32;             /* answers carry no x-amz-crc32 */
    bool forgets_tokens;       /* ClientRequestTokens say nothing to it, as to moto */
    uint32_t page_most;        /* items of a page, whatever is asked for; 0: 1,000 (a real one ends it at 1 MB) */
};

struct fake_dynamo;

struct fake_dynamo *fake_dynamo_new(const struct fake_dynamo_options *options);
void fake_dynamo_free(struct fake_dynamo *dynamo);

/* One whole request at `now_ms` (epoch, of the table's clock). `ret_answer` is initialised by the caller; it is emptied
 * and filled. A signature's time may be 5 minutes off (Developer Guide, "Error handling": Signature expired). False: no
 * memory. */
bool fake_dynamo_handle(struct fake_dynamo *dynamo, const char *request, size_t length, uint64_t now_ms,
                        struct buf *ret_answer);

bool fake_dynamo_rotate(struct fake_dynamo *dynamo, const char *access_key, const char *secret_key,
                        const char *session_token);

/* What TTL may remove at `now_ms`: how many, and the removal of the index-th of them. */
size_t fake_dynamo_expired_count(const struct fake_dynamo *dynamo, uint64_t now_ms);
void fake_dynamo_expire(struct fake_dynamo *dynamo, uint64_t now_ms, size_t index);

struct fake_dynamo_record { /* borrowed until the next handle */
    const char *path;
    const char *etag;
    uint64_t generation;
    uint64_t timeout_ms;
    uint64_t ttl_s;
    const char *nonce; /* "": none (a peer's) */
    const char *fence; /* digits; "": none, as of the next two */
    const char *saw;
    const char *upload;
};
size_t fake_dynamo_record_count(const struct fake_dynamo *dynamo);
struct fake_dynamo_record fake_dynamo_record_at(const struct fake_dynamo *dynamo, size_t index);

/* The request names its table. */
bool fake_dynamo_is_asked(const struct fake_dynamo *dynamo, const char *request, size_t length);

struct fake_dynamo_lease { /* borrowed until the next handle; "" and 0: it does not say */
    const char *version;   /* "": nobody has it */
    const char *owner;
    uint64_t token;
};
struct fake_dynamo_lease fake_dynamo_lease_of(const struct fake_dynamo *dynamo, const char *name);

/* Of a table of rows. */
enum fake_dynamo_effect {
    FAKE_DYNAMO_NOTHING = 0, /* it wrote no row */
    FAKE_DYNAMO_FENCED,      /* of the rows it wrote only the tokens have changed */
    FAKE_DYNAMO_APPLIED
};
enum fake_dynamo_effect fake_dynamo_effect_of(const struct fake_dynamo *dynamo); /* of the last request */
/* The keys are of type S, or whatever comes; `sort` NULL: none. False: no memory. */
bool fake_dynamo_make_table(struct fake_dynamo *dynamo, const char *name, const char *partition, const char *sort);
/* An S or an N of a row whose key is one S; borrowed until the next handle; NULL: there is none. */
const char *fake_dynamo_row_text(const struct fake_dynamo *dynamo, const char *table, const char *partition,
                                 const char *attribute);
/* Somebody else reads such a row: a text for free(); NULL: there is none. */
char *fake_dynamo_read_whole(const struct fake_dynamo *dynamo, const char *table, const char *partition);
/* He puts it as he has read it, and without the attributes that he does not know; their names end with NULL. False: no
 * memory. */
bool fake_dynamo_write_whole(struct fake_dynamo *dynamo, const char *table, const char *text,
                             const char *const *unknown);

/* The first thing that no client of this protocol may ask for: an item against T1, a condition of another shape. NULL:
 * nothing so far. */
const char *fake_dynamo_violation(const struct fake_dynamo *dynamo);

uint64_t fake_dynamo_digest(const struct fake_dynamo *dynamo);

#endif
