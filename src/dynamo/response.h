/* SPDX-License-Identifier: Apache-2.0 */
/* Reads DynamoDB's answers; pure. One table in response.c says which error code means what (E1, R4, R8). */
#ifndef OSCOMMIT_DYNAMO_RESPONSE_H
#define OSCOMMIT_DYNAMO_RESPONSE_H

#include "base/http_message.h"
#include "commit/record.h"
#include "oscommit.h"

struct dynamo_error {
    char code[64];     /* "ConditionalCheckFailedException", without the namespace before '#' */
    char message[512];
    char request_id[128];
    bool crc_wrong;    /* x-amz-crc32 is there and does not fit: nothing in the answer counts */
    bool skewed;       /* the signature's time was refused: take the time from Date and sign again (E2) */
    bool token_expired;
};

/* PutItem and GetItem: the outcome, the record where there is one, the error filled for every outcome but OK and CONFLICT. A transport failure is given as
 * response->status 0 and is AMBIGUOUS. `path` and `etag` name the record in messages. */
enum ledger_outcome dynamo_read_put(const struct http_response *response, const char *path, const char *etag, struct record *ret_conflict,
                                    struct dynamo_error *ret_detail, os_error *err);
enum ledger_outcome dynamo_read_get(const struct http_response *response, const char *path, const char *etag, bool *ret_found, struct record *ret,
                                    struct dynamo_error *ret_detail, os_error *err);

/* Query and Scan. `each` gets every item; unreadable ones have readable == false and `other` holds the whole item. Strings borrowed. Returns false to stop. */
struct dynamo_row {
    const char *path;
    const char *etag;
    bool readable;
    struct record record;
    const char *other; /* JSON of the attributes that are not the record's */
};
typedef bool (*dynamo_row_fn)(void *context, const struct dynamo_row *row);
enum ledger_outcome dynamo_read_list(const struct http_response *response, dynamo_row_fn each, void *context, char **ret_last_key /* malloc'ed JSON or NULL */,
                                     struct dynamo_error *ret_detail, os_error *err);

/* DescribeTable / DescribeTimeToLive, for E3. */
struct dynamo_table {
    char status[32]; /* "ACTIVE" */
    bool keys_ok;    /* path S HASH, etag S RANGE */
    char keys_found[256]; /* for the sentence */
    bool replicated_eventually; /* a global table whose MultiRegionConsistency is not STRONG, with at least one replica */
};
enum ledger_outcome dynamo_read_table(const struct http_response *response, bool *ret_exists, struct dynamo_table *ret, struct dynamo_error *ret_detail, os_error *err);
enum ledger_outcome dynamo_read_ttl(const struct http_response *response, char *ret_status /* 32 */, char *ret_attribute /* 256 */, struct dynamo_error *ret_detail, os_error *err);
/* CreateTable, UpdateTimeToLive: OK also for ResourceInUseException and "already enabled". */
enum ledger_outcome dynamo_read_done(const struct http_response *response, struct dynamo_error *ret_detail, os_error *err);

/* E3's judgement as a sentence: OS_OK, OS_ERR_TABLE ... `ttl_status` NULL when the server has no TTL API (UnknownOperationException): accepted, the sentence says so. */
os_code dynamo_judge_table(const char *table, const struct dynamo_table *found, const char *ttl_status, const char *ttl_attribute, os_error *err);

#endif
