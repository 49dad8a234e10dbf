/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document as an item: the key, and version, timestamp, client token, desired and reported as they are spelled
 * (document_spelling.h). By tags a token that is empty, and a model that is nil, are left out (aws-sdk-go-v2,
 * feature/dynamodb/attributevalue v1.21.21, encode.go, isZeroValue with omitempty); a model "", false, 0, {} or [] is not, for
 * an `any` with something in it is not empty. By fields nothing is left out.
 *
 * The Go code reads a model from an M only: of any other value it says that it is not found (read.go, isMapValue).
 */
#ifndef OSCOMMIT_DOCUMENT_DOCUMENT_ITEM_H
#define OSCOMMIT_DOCUMENT_DOCUMENT_ITEM_H

#include "document/document_key.h"
#include "document/document_spelling.h"

#include <stdint.h>

struct document {
    int64_t version;      /* at least 1 */
    int64_t timestamp_ns; /* since 1970, UTC */
    json_t *client_token; /* a string; NULL: none */
    json_t *desired;      /* NULL: none, as null is */
    json_t *reported;
};
void document_free(struct document *document); /* one that is all zero is fine */

/* *ret is for json_decref, and shares strings; on failure it is NULL. OS_ERR_ARGUMENT, OS_ERR_TOO_LARGE, OS_ERR_NO_MEMORY. */
os_code document_to_item(const struct document_key *key, const struct document *document,
                         enum document_spelling spelling, json_t **ret, os_error *err);

/* Of an item that has been checked (attribute/check.h). Attributes that a document has not are passed over, as Go's decoder
 * does. *ret shares strings, and is all zero on failure. OS_ERR_PROTOCOL: the item is no document of this spelling, and the
 * sentence says what is wrong. OS_ERR_NO_MEMORY. */
os_code document_from_item(const json_t *item, enum document_spelling spelling, struct document *ret, os_error *err);

/* The state of a document, and who made it so: all that a judgement needs (document_judge.h). */
struct document_mark {
    int64_t version;
    struct text client_token; /* borrowed; empty: none */
    enum document_spelling spelling;
};
/* As document_from_item, whatever the models are. */
os_code document_mark_read(const json_t *item, enum document_spelling spelling, struct document_mark *ret,
                           os_error *err);
/* The same of the timestamp alone. */
os_code document_timestamp_read(const json_t *item, enum document_spelling spelling, int64_t *ret_ns, os_error *err);

#endif
