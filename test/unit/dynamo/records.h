/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and answers about records, which are the items that these tests know: each in one call. */
#ifndef OSCOMMIT_TEST_DYNAMO_RECORDS_H
#define OSCOMMIT_TEST_DYNAMO_RECORDS_H

#include "dynamo/item.h"
#include "dynamo/request.h"
#include "dynamo/response.h"
#include "ledger/record_item.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

struct record_key {
    const char *path;
    const char *etag;
};

struct record_write {
    const struct record *record;
    const char *upload;
    const char *bucket;
    const struct record_condition *condition;
};

struct record_about {
    const char *where;
    const char *path;
    const char *etag;
};

static const struct dynamo_about about_table = {.where = "table records in us-east-1", .schema = &record_schema};

/* ------------------------------------------------------------------------------------------------------ requests */

static inline os_code record_build_put(const struct dynamo_target *target, const struct record_key *key,
                                       const struct record_write *write, struct http_request *ret, struct buf *ret_body,
                                       os_error *err)
{
    struct item item;
    struct item_condition condition;
    record_to_item(key->path, key->etag, write->record, write->upload, write->bucket, &item);
    record_condition_item(write->condition, &condition);
    return dynamo_build_put(target, &(struct dynamo_write){.item = &item, .condition = &condition}, ret, ret_body, err);
}

static inline os_code record_build_delete(const struct dynamo_target *target, const struct record_key *key,
                                          const struct record_condition *seen, struct http_request *ret,
                                          struct buf *ret_body, os_error *err)
{
    struct item item;
    struct item_condition condition;
    record_key_item(key->path, key->etag, &item);
    record_condition_item(seen, &condition);
    return dynamo_build_delete(target, &(struct dynamo_write){.item = &item, .condition = &condition}, ret, ret_body,
                               err);
}

static inline os_code record_build_get(const struct dynamo_target *target, const struct record_key *key,
                                       struct http_request *ret, struct buf *ret_body, os_error *err)
{
    struct item item;
    record_key_item(key->path, key->etag, &item);
    return dynamo_build_get(target, &item, ret, ret_body, err);
}

static inline os_code record_build_replace(const struct dynamo_target *target, const struct record_key *key,
                                           const struct record *record, const char *seen, struct http_request *ret,
                                           struct buf *ret_body, os_error *err)
{
    struct item item;
    record_to_item(key->path, key->etag, record, NULL, NULL, &item);
    return dynamo_build_replace(target, &item, seen, ret, ret_body, err);
}

/* ------------------------------------------------------------------------------------------------------- answers */

/* What a reading says of a record; frees it. */
static inline enum table_outcome record_reading(enum table_outcome outcome, struct dynamo_reading *reading,
                                                struct record *ret, char *ret_upload, struct dynamo_error *ret_detail)
{
    if (reading->found)
        record_from_item(&reading->item, ret, ret_upload, NULL);
    if (ret_detail != NULL)
        *ret_detail = reading->detail;
    dynamo_reading_free(reading);
    return outcome;
}

static inline enum table_outcome record_read_put(const struct http_response *response, const struct record_about *about,
                                                 struct record *ret_conflict, char *ret_upload,
                                                 struct dynamo_error *ret_detail, os_error *err)
{
    struct item key;
    struct dynamo_reading reading;
    record_key_item(about->path, about->etag, &key);
    struct dynamo_about of = {.where = about->where, .schema = &record_schema, .key = &key};
    enum table_outcome outcome = dynamo_read_write(response, &of, DYNAMO_PUT, &reading, err);
    return record_reading(outcome, &reading, ret_conflict, ret_upload, ret_detail);
}

static inline enum table_outcome record_read_get(const struct http_response *response, const struct record_about *about,
                                                 bool *ret_found, struct record *ret, char *ret_upload,
                                                 struct dynamo_error *ret_detail, os_error *err)
{
    struct item key;
    struct dynamo_reading reading;
    record_key_item(about->path, about->etag, &key);
    struct dynamo_about of = {.where = about->where, .schema = &record_schema, .key = &key};
    enum table_outcome outcome = dynamo_read_get(response, &of, &reading, err);
    if (outcome == TABLE_OK)
        *ret_found = reading.found;
    return record_reading(outcome, &reading, ret, ret_upload, ret_detail);
}

static inline enum table_outcome record_read_unreadable(const struct http_response *response,
                                                        const struct record_about *about, bool *ret_found,
                                                        char **ret_seen, os_error *err)
{
    struct item key;
    struct dynamo_reading reading;
    record_key_item(about->path, about->etag, &key);
    struct dynamo_about of = {.where = about->where, .schema = &record_schema, .key = &key};
    enum table_outcome outcome = dynamo_read_unreadable(response, &of, &reading, ret_seen, err);
    if (outcome == TABLE_OK)
        *ret_found = reading.found;
    dynamo_reading_free(&reading);
    return outcome;
}

/* --------------------------------------------------------------------------------------------------------- items */

/* As it is written; NULL: no memory. The caller frees it. */
static inline json_t *record_json(const char *path, const char *etag, const struct record *record, const char *upload,
                                  const char *bucket)
{
    struct item item;
    struct buf out;
    buf_init(&out, 64 * 1024);
    record_to_item(path, etag, record, upload, bucket, &item);
    dynamo_item_write(&out, &record_schema, &item, record_schema.count);
    json_t *json = json_read(buf_str(&out), out.len);
    buf_free(&out);
    return json;
}

/* ret_path and ret_etag are malloc'ed; each but `ret` may be NULL. */
static inline os_code record_of_json(const json_t *json, struct record *ret, char **ret_path, char **ret_etag,
                                     char *ret_upload, os_error *err)
{
    struct item item;
    os_code code = dynamo_item_read(&record_schema, json, &item, err);
    if (code != OS_OK)
        return code;
    record_from_item(&item, ret, ret_upload, NULL);
    if (ret_path != NULL)
        *ret_path = strdup(item_text_of(&item, RECORD_AT_PATH));
    if (ret_etag != NULL)
        *ret_etag = strdup(item_text_of(&item, RECORD_AT_ETAG));
    return OS_OK;
}

/* The bucket that is read of it; "" if none. */
static inline void record_bucket(const json_t *json, char ret[RECORD_BUCKET_SIZE])
{
    struct item item;
    struct record record;
    ret[0] = '\0';
    if (dynamo_item_read(&record_schema, json, &item, NULL) == OS_OK)
        record_from_item(&item, &record, NULL, ret);
}

/* What a record has no place for; of one that is none, everything. */
static inline char *record_others(json_t *json)
{
    struct item item;
    memset(&item, 0, sizeof(item));
    (void)dynamo_item_read(&record_schema, json, &item, NULL);
    return dynamo_item_others(&record_schema, json, &item);
}

#endif
