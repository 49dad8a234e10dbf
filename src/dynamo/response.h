/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads DynamoDB's answers about records: PutItem, GetItem, Query, Scan. Pure: bytes in, an outcome out. What each
 * error code means (E1, R4, R8) is one table in answer.c. Answers about the table itself are in table.h.
 *
 * For every function: a transport failure is given as response->status 0 and is AMBIGUOUS. ret_detail and err may be NULL;
 * ret_detail is always filled, err for every outcome but OK and the conflicts.
 */
#ifndef OSCOMMIT_DYNAMO_RESPONSE_H
#define OSCOMMIT_DYNAMO_RESPONSE_H

#include "base/http_message.h"
#include "commit/record.h"
#include "oscommit.h"

/* What an answer may be long, at most: a page of a Query is up to 1 MB of attributes (API Reference, Query), and JSON
 * may write a byte as six. A longer one is unreadable. */
enum { DYNAMO_ANSWER_MAX = 8 * 1024 * 1024 };

struct dynamo_error {
    char code[64]; /* "ConditionalCheckFailedException", without the namespace before '#' */
    char message[512];
    char request_id[128];
    bool too_large;     /* the answer has more in it than is read */
    bool foreign;       /* it is none of DynamoDB's: another server is asked */
    bool crc_wrong;     /* x-amz-crc32 is there and does not fit: nothing in the answer counts */
    bool skewed;        /* the signature's time was refused: take the time from Date and sign again (E2) */
    bool token_expired; /* renew the credentials and send again; the outcome is REFUSED, nothing was applied */
};

/* Which record an answer is about, for messages. */
struct dynamo_about {
    const char *where; /* the table: "table records in us-east-1" */
    const char *path;
    const char *etag;
};

/* PutItem: LEDGER_CONFLICT fills *ret_conflict, and ret_upload (RECORD_UPLOAD_SIZE bytes; may be NULL) with its upload
 * id or "". */
enum ledger_outcome dynamo_read_put(const struct http_response *response, const struct dynamo_about *about,
                                    struct record *ret_conflict, char *ret_upload, struct dynamo_error *ret_detail,
                                    os_error *err);
/* T4.3: of a LEDGER_CONFLICT, the bucket that the record names; "": none. */
void dynamo_read_bucket(const struct http_response *response, char ret[RECORD_BUCKET_SIZE]);
/* DeleteItem, as PutItem. A record that is gone is LEDGER_CONFLICT_BLIND. */
enum ledger_outcome dynamo_read_delete(const struct http_response *response, const struct dynamo_about *about,
                                       struct record *ret_conflict, char *ret_upload, struct dynamo_error *ret_detail,
                                       os_error *err);
/* GetItem: LEDGER_OK fills *ret_found, and *ret and ret_upload (the same) when there is a record. */
enum ledger_outcome dynamo_read_get(const struct http_response *response, const struct dynamo_about *about,
                                    bool *ret_found, struct record *ret, char *ret_upload,
                                    struct dynamo_error *ret_detail, os_error *err);

/* GetItem, of an item that may be no record: LEDGER_UNREADABLE for one, with *ret_seen for dynamo_build_fix
 * (malloc'ed, or NULL where it is too large). LEDGER_OK: it is a record, or *ret_found is false. ret_detail: not NULL.
 */
enum ledger_outcome dynamo_read_unreadable(const struct http_response *response, const struct dynamo_about *about,
                                           bool *ret_found, char **ret_seen, struct dynamo_error *ret_detail,
                                           os_error *err);

/* Query and Scan. `each` gets every item, after the whole page was found to be in order; it returns false to stop. An
 * item that is no record has readable == false, path and etag as far as they can be read (else ""), and is in `other`
 * whole. Strings are borrowed for the call. */
struct dynamo_row {
    const char *path;
    const char *etag;
    bool readable;
    struct record record;
    const char *upload; /* "" if none */
    const char *bucket; /* T4.3; "": it names none */
    const char *other;  /* JSON of the attributes that no record has */
    const char *fault;  /* why it is not readable, a sentence; "" when it is */
};
typedef bool (*dynamo_row_fn)(void *context, const struct dynamo_row *row);
/* *ret_last_key is where the next page starts: malloc'ed JSON, or NULL after the last page and when `each` said stop.
 */
enum ledger_outcome dynamo_read_list(const struct http_response *response, const char *where, dynamo_row_fn each,
                                     void *context, char **ret_last_key, struct dynamo_error *ret_detail,
                                     os_error *err);

#endif
