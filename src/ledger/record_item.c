/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/record_item.h"

#include <assert.h>
#include <string.h>

/* Partition and sort key: Developer Guide, "Quotas in Amazon DynamoDB". */
enum { PATH_MAX_BYTES = 2048, ETAG_MAX_BYTES = 1024 };

static const struct item_attribute attributes[RECORD_ATTRIBUTES] = {
    [RECORD_AT_PATH] = {RECORD_PATH, ITEM_STRING, ITEM_REQUIRED, PATH_MAX_BYTES},
    [RECORD_AT_ETAG] = {RECORD_ETAG, ITEM_STRING, ITEM_REQUIRED, ETAG_MAX_BYTES},
    [RECORD_AT_GENERATION] = {RECORD_GENERATION, ITEM_NUMBER, ITEM_REQUIRED, 0},
    [RECORD_AT_TIMEOUT] = {RECORD_TIMEOUT, ITEM_NUMBER, ITEM_REQUIRED, 0},
    [RECORD_AT_TTL] = {RECORD_TTL, ITEM_NUMBER, ITEM_REQUIRED, 0},
    [RECORD_AT_NONCE] = {RECORD_NONCE, ITEM_STRING, ITEM_OPTIONAL, RECORD_NONCE_SIZE - 1},
    [RECORD_AT_FENCE] = {RECORD_FENCE, ITEM_NUMBER, ITEM_OPTIONAL, 0},
    [RECORD_AT_SAW] = {RECORD_SAW, ITEM_STRING, ITEM_OPTIONAL, RECORD_NONCE_SIZE - 1},
    [RECORD_AT_UPLOAD] = {RECORD_UPLOAD, ITEM_STRING, ITEM_OPTIONAL, RECORD_UPLOAD_SIZE - 1},
    [RECORD_AT_BUCKET] = {RECORD_BUCKET, ITEM_STRING, ITEM_REMARK, RECORD_BUCKET_SIZE - 1},
};
_Static_assert(sizeof(attributes) / sizeof(attributes[0]) <= ITEM_ATTRIBUTES_MAX, "a record fits into an item");

const struct item_schema record_schema = {
    .kind = ITEM_RECORDS,
    .words.what = "record",
    .words.plural = "records",
    .words.subject = "record of key",
    .words.mend = RECORD_MEND,
    .words.flag = "",
    .words.sweep = "oscommit gc URL --remove",
    .attributes = attributes,
    .count = RECORD_ATTRIBUTES,
    .keys = 2,
    .ttl = RECORD_AT_TTL,
};

void record_key_item(const char *path, const char *etag, struct item *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->values[RECORD_AT_PATH] = item_text(path);
    ret->values[RECORD_AT_ETAG] = item_text(etag);
}

void record_to_item(const char *path, const char *etag, const struct record *record, const char *upload,
                    const char *bucket, struct item *ret)
{
    assert(record->upload == 0 || record->upload == record_upload_number(upload));
    record_key_item(path, etag, ret);
    ret->values[RECORD_AT_GENERATION] = item_number(record->generation);
    ret->values[RECORD_AT_TIMEOUT] = item_number(record->timeout_ms);
    ret->values[RECORD_AT_TTL] = item_number(record->ttl_s);
    ret->values[RECORD_AT_NONCE] = item_text(record->nonce);
    if (record->has_fence)
        ret->values[RECORD_AT_FENCE] = item_number(record->fence_s);
    ret->values[RECORD_AT_SAW] = item_text(record->saw);
    if (record->upload != 0)
        ret->values[RECORD_AT_UPLOAD] = item_text(upload);
    ret->values[RECORD_AT_BUCKET] = item_text(bucket);
}

/* The schema has seen that it fits. */
static void copy_text(const struct item *item, enum record_attribute attribute, char *ret)
{
    const char *text = item_text_of(item, attribute);
    memcpy(ret, text, strlen(text) + 1);
}

void record_from_item(const struct item *item, struct record *ret, char *ret_upload, char *ret_bucket)
{
    memset(ret, 0, sizeof(*ret)); /* padding too: records are compared and hashed as bytes */
    ret->generation = item->values[RECORD_AT_GENERATION].number;
    ret->timeout_ms = item->values[RECORD_AT_TIMEOUT].number;
    ret->ttl_s = item->values[RECORD_AT_TTL].number;
    ret->has_fence = item->values[RECORD_AT_FENCE].type == ITEM_NUMBER;
    ret->fence_s = item->values[RECORD_AT_FENCE].number;
    ret->upload = record_upload_number(item_text_of(item, RECORD_AT_UPLOAD));
    copy_text(item, RECORD_AT_NONCE, ret->nonce);
    copy_text(item, RECORD_AT_SAW, ret->saw);
    if (ret_upload != NULL)
        copy_text(item, RECORD_AT_UPLOAD, ret_upload);
    if (ret_bucket != NULL)
        copy_text(item, RECORD_AT_BUCKET, ret_bucket);
}

/* ---------------------------------------------------------------------------------------------------- conditions */

/* R17: every attribute, of a record with a nonce. What it has not must still be none; and it names no upload. */
static void require_same(const struct record *seen, struct item_condition *ret)
{
    item_require_number(ret, RECORD_AT_TIMEOUT, seen->timeout_ms);
    item_require_absent(ret, RECORD_AT_UPLOAD);
    if (seen->has_fence)
        item_require_number(ret, RECORD_AT_FENCE, seen->fence_s);
    else
        item_require_absent(ret, RECORD_AT_FENCE);
    item_require_text(ret, RECORD_AT_SAW, seen->saw);
}

/* R12: generation, ttl and nonce as seen; T3: generation and nonce. No nonce must still be none. */
void record_condition_item(const struct record_condition *condition, struct item_condition *ret)
{
    const struct record *seen = &condition->seen;
    memset(ret, 0, sizeof(*ret));
    if (condition->kind == RECORD_IF_ABSENT) {
        item_require_absent(ret, RECORD_AT_PATH);
        return;
    }
    item_require_number(ret, RECORD_AT_GENERATION, seen->generation);
    if (condition->kind != RECORD_IF_HELD)
        item_require_number(ret, RECORD_AT_TTL, seen->ttl_s);
    item_require_text(ret, RECORD_AT_NONCE, seen->nonce);
    if (condition->kind == RECORD_IF_SAME)
        require_same(seen, ret);
}
