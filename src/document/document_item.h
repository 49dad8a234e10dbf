/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document as an item: the key and version, timestamp, clientToken, desired and reported. These are the names that a Go
 * program gives them by the `json` tags of its struct, where its EncoderOptions.TagKey is "json" (aws-sdk-go-v2,
 * feature/dynamodb/attributevalue v1.21.21, field.go). A token that is empty, and a model that is nil, are left out
 * (encode.go, isZeroValue with omitempty); a model "", false, 0, {} or [] is not, for an `any` with something in it is not
 * empty. Without that TagKey the SDK knows no json tags: it writes Version, TimeStamp and so on, and leaves out nothing.
 */
#ifndef OSCOMMIT_DOCUMENT_DOCUMENT_ITEM_H
#define OSCOMMIT_DOCUMENT_DOCUMENT_ITEM_H

#include "document/document_key.h"

#include <stdint.h>

#define DOCUMENT_VERSION "version"

struct document {
    int64_t version;      /* at least 1 */
    int64_t timestamp_ns; /* since 1970, UTC */
    json_t *client_token; /* a string; NULL: none */
    json_t *desired;      /* NULL: none, as null is */
    json_t *reported;
};
void document_free(struct document *document); /* one that is all zero is fine */

/* *ret is for json_decref, and shares strings; on failure it is NULL. OS_ERR_ARGUMENT, OS_ERR_TOO_LARGE, OS_ERR_NO_MEMORY. */
os_code document_to_item(const struct document_key *key, const struct document *document, json_t **ret, os_error *err);

/* Of an item that has been checked (attribute/check.h). Attributes that a document has not are passed over, as Go's decoder
 * does. *ret shares strings, and is all zero on failure. OS_ERR_PROTOCOL: the item is no document, and the sentence says what
 * is wrong. OS_ERR_NO_MEMORY. */
os_code document_from_item(const json_t *item, struct document *ret, os_error *err);

/* The state of a document, and who made it so: all that a judgement needs (document_write.h). */
struct document_mark {
    int64_t version;
    struct text client_token; /* borrowed; empty: none */
};
/* As document_from_item, whatever the models are. */
os_code document_mark_read(const json_t *item, struct document_mark *ret, os_error *err);

#endif
