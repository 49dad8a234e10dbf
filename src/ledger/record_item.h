/* SPDX-License-Identifier: Apache-2.0 */
/* A record <-> the item that it is kept as (T1): the attributes and their types, and its conditions. */
#ifndef OSCOMMIT_LEDGER_RECORD_ITEM_H
#define OSCOMMIT_LEDGER_RECORD_ITEM_H

#include "commit/record.h"
#include "item/item.h"

enum record_attribute {
    RECORD_AT_PATH,
    RECORD_AT_ETAG,
    RECORD_AT_GENERATION,
    RECORD_AT_TIMEOUT,
    RECORD_AT_TTL,
    RECORD_AT_NONCE,
    RECORD_AT_FENCE,
    RECORD_AT_SAW,
    RECORD_AT_UPLOAD,
    RECORD_AT_BUCKET,
    RECORD_ATTRIBUTES
};

extern const struct item_schema record_schema;

/* Strings are borrowed, and are UTF-8: the caller has looked. `etag` NULL: a partition. */
void record_key_item(const char *path, const char *etag, struct item *ret);
/* `upload` is the id that record->upload stands for, and is kept where that is not 0; `bucket` as in ledger_request. */
void record_to_item(const char *path, const char *etag, const struct record *record, const char *upload,
                    const char *bucket, struct item *ret);
/* Of an item that was read under record_schema. `ret_upload` has RECORD_UPLOAD_SIZE bytes, `ret_bucket`
 * RECORD_BUCKET_SIZE ("" if none); each may be NULL. */
void record_from_item(const struct item *item, struct record *ret, char *ret_upload, char *ret_bucket);

/* Strings are borrowed from `condition`. */
void record_condition_item(const struct record_condition *condition, struct item_condition *ret);

#endif
