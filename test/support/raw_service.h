/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to S3 and DynamoDB that the public interface does not make: a bucket, a record made by hand, an item read as
 * it stands. Signed by libcurl's own signer, so that nothing here rests on the code under test. Every call makes its
 * own connection.
 */
#ifndef OSCOMMIT_TEST_RAW_SERVICE_H
#define OSCOMMIT_TEST_RAW_SERVICE_H

#include "base/buf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* From OSCOMMIT_TEST_ACCESS_KEY and so on, with defaults. Borrowed, never NULL. */
const char *raw_access_key(void);
const char *raw_secret_key(void);
const char *raw_region(void);

/* The HTTP status, 0 when there was no answer. `path` begins with '/' and needs no encoding. `ret_body` may be NULL. */
int raw_s3(const char *endpoint, const char *method, const char *path, const char *body, struct buf *ret_body);
bool raw_make_bucket(const char *endpoint, const char *bucket); /* true also when it is there */

/* One DynamoDB action. Takes over `request`; *ret (may be NULL) is a new reference, or NULL when the answer was no
 * JSON. */
int raw_dynamo(const char *endpoint, const char *action, json_t *request, json_t **ret);
/* A table on demand with these two keys, the second of type S (NULL: with the first alone), and without TTL; waits until
 * it is ACTIVE. True also when it is there. */
bool raw_make_table(const char *endpoint, const char *table, const char *hash, const char *hash_type,
                    const char *range);
/* The item (path, etag) by a consistent GetItem, a new reference; NULL when there is none. */
json_t *raw_item(const char *endpoint, const char *table, const char *path, const char *etag);
/* Puts an item, unconditionally. Takes over `item`. */
bool raw_put_item(const char *endpoint, const char *table, json_t *item);
/* How many items of that path there are; -1 when the answer is no answer. */
int raw_count_items(const char *endpoint, const char *table, const char *path);
/* The text of an attribute of type 'S' or 'N', borrowed; NULL when it is not there or of another type. */
const char *raw_attribute(const json_t *item, const char *name, char type);

#endif
