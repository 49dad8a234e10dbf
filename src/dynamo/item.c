/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/item.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"
#include "dynamo/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    OTHER_MAX =
        4 * 1024 * 1024 /* an item is at most 400 KB (Developer Guide, "Quotas"); JSON may write a byte as six */
};

/* {"S": value}. Not by json_pack, which reads its format each time. */
static json_t *item_value(const char *type, const char *value)
{
    json_t *typed = json_object();
    if (typed != NULL && json_object_set_new_nocheck(typed, type, json_string(value)) != 0) {
        json_decref(typed);
        return NULL;
    }
    return typed;
}

json_t *item_string(const char *value)
{
    return item_value("S", value);
}

json_t *item_number(uint64_t value)
{
    char digits[TEXT_NUMBER_SIZE];
    text_number(value, digits);
    return item_value("N", digits);
}

/* Adds what was made, if it was; a NULL value is the failure of whoever made it. */
static bool item_add(json_t *item, const char *name, json_t *value)
{
    return json_object_set_new_nocheck(item, name, value) == 0;
}

static bool add_record(json_t *item, const char *path, const char *etag, const struct record *record,
                       const char *upload)
{
    return item_add(item, RECORD_PATH, item_string(path)) && item_add(item, RECORD_ETAG, item_string(etag)) &&
           item_add(item, RECORD_GENERATION, item_number(record->generation)) &&
           item_add(item, RECORD_TIMEOUT, item_number(record->timeout_ms)) &&
           item_add(item, RECORD_TTL, item_number(record->ttl_s)) &&
           (record->nonce[0] == '\0' || item_add(item, RECORD_NONCE, item_string(record->nonce))) &&
           (!record->has_fence || item_add(item, RECORD_FENCE, item_number(record->fence_s))) &&
           (record->saw[0] == '\0' || item_add(item, RECORD_SAW, item_string(record->saw))) &&
           (record->upload == 0 || item_add(item, RECORD_UPLOAD, item_string(upload)));
}

bool item_set_bucket(json_t *item, const char *bucket)
{
    return item_add(item, RECORD_BUCKET, item_string(bucket));
}

json_t *item_from_record(const char *path, const char *etag, const struct record *record, const char *upload)
{
    assert(record->upload == 0 || record->upload == record_upload_number(upload));
    json_t *item = json_object();
    if (item != NULL && !add_record(item, path, etag, record, upload)) {
        json_decref(item);
        return NULL;
    }
    return item;
}

/* The text of an attribute of this type; NULL when its value is not an object with exactly that member, or has a NUL.
 */
static const char *typed_value(const json_t *attribute, const char *type)
{
    return json_object_size(attribute) == 1 ? json_member_string(attribute, type) : NULL;
}

const char *item_get_string(const json_t *item, const char *name)
{
    return typed_value(json_object_get(item, name), "S");
}

static os_code item_refuse(os_error *err, const char *name, const char *fault)
{
    return error_set(err, OS_ERR_PROTOCOL, "The attribute \"%s\" %s.", name, fault);
}

/* A string that must be there, and not be empty: DynamoDB allows no empty key. */
static os_code read_string(const json_t *item, const char *name, const char **ret, os_error *err)
{
    const json_t *attribute = json_object_get(item, name);
    if (attribute == NULL)
        return item_refuse(err, name, "is missing");
    const char *value = typed_value(attribute, "S");
    if (value == NULL || value[0] == '\0')
        return item_refuse(err, name, "is not a string (S) of at least one byte and without NUL");
    *ret = value;
    return OS_OK;
}

static os_code read_number(const json_t *item, const char *name, uint64_t *ret, os_error *err)
{
    const json_t *attribute = json_object_get(item, name);
    if (attribute == NULL)
        return item_refuse(err, name, "is missing");
    const char *value = typed_value(attribute, "N");
    if (value == NULL)
        return item_refuse(err, name, "is not a number (N)");
    if (!text_parse_u64(text_from(value), ret))
        return item_refuse(err, name, "is not a plain unsigned 64-bit integer");
    return OS_OK;
}

/* nonce and saw: may be absent. A condition can only compare what fits into a record, so a longer one is no record's.
 */
static os_code read_nonce(const json_t *item, const char *name, char *ret, os_error *err)
{
    const char *value = NULL;
    if (json_object_get(item, name) == NULL) {
        ret[0] = '\0';
        return OS_OK;
    }
    os_code code = read_string(item, name, &value, err);
    if (code == OS_OK && !text_copy(text_from(value), ret, RECORD_NONCE_SIZE))
        return item_refuse(err, name, "is longer than 32 bytes");
    return code;
}

/* R14. *ret_text is borrowed from the item. */
static os_code read_upload(const json_t *item, uint64_t *ret, const char **ret_text, os_error *err)
{
    *ret_text = "";
    if (json_object_get(item, RECORD_UPLOAD) == NULL)
        return OS_OK;
    os_code code = read_string(item, RECORD_UPLOAD, ret_text, err);
    if (code == OS_OK && strlen(*ret_text) >= RECORD_UPLOAD_SIZE)
        return item_refuse(err, RECORD_UPLOAD, "is longer than 1,024 bytes");
    if (code == OS_OK)
        *ret = record_upload_number(*ret_text);
    return code;
}

static os_code read_optional(const json_t *item, struct record *ret, const char **ret_upload, os_error *err)
{
    os_code code = read_nonce(item, RECORD_NONCE, ret->nonce, err);
    if (code == OS_OK)
        code = read_nonce(item, RECORD_SAW, ret->saw, err);
    ret->has_fence = json_object_get(item, RECORD_FENCE) != NULL;
    if (code == OS_OK && ret->has_fence)
        code = read_number(item, RECORD_FENCE, &ret->fence_s, err);
    return code == OS_OK ? read_upload(item, &ret->upload, ret_upload, err) : code;
}

static os_code read_record(const json_t *item, struct record *ret, const char **ret_upload, os_error *err)
{
    os_code code = read_number(item, RECORD_GENERATION, &ret->generation, err);
    if (code == OS_OK)
        code = read_number(item, RECORD_TIMEOUT, &ret->timeout_ms, err);
    if (code == OS_OK)
        code = read_number(item, RECORD_TTL, &ret->ttl_s, err);
    return code == OS_OK ? read_optional(item, ret, ret_upload, err) : code;
}

static os_code copy_key(const char *path, const char *etag, char **ret_path, char **ret_etag, os_error *err)
{
    char *path_copy = ret_path != NULL ? strdup(path) : NULL;
    char *etag_copy = ret_etag != NULL ? strdup(etag) : NULL;
    if ((ret_path != NULL && path_copy == NULL) || (ret_etag != NULL && etag_copy == NULL)) {
        free(path_copy);
        free(etag_copy);
        return error_no_memory(err);
    }
    if (ret_path != NULL)
        *ret_path = path_copy;
    if (ret_etag != NULL)
        *ret_etag = etag_copy;
    return OS_OK;
}

os_code item_to_record(const json_t *item, struct record *ret, char **ret_path, char **ret_etag, char *ret_upload,
                       os_error *err)
{
    const char *path = NULL;
    const char *etag = NULL;
    const char *upload = "";
    struct record record;
    memset(&record, 0, sizeof(record)); /* padding too: records are compared and hashed as bytes */
    if (!json_is_object(item))
        return error_set(err, OS_ERR_PROTOCOL, "The item is not a JSON object.");
    os_code code = read_string(item, RECORD_PATH, &path, err);
    if (code == OS_OK)
        code = read_string(item, RECORD_ETAG, &etag, err);
    if (code == OS_OK)
        code = read_record(item, &record, &upload, err);
    if (code == OS_OK)
        code = copy_key(path, etag, ret_path, ret_etag, err);
    if (code == OS_OK) {
        memcpy(ret, &record, sizeof(record));
        if (ret_upload != NULL)
            (void)text_copy(text_from(upload), ret_upload, RECORD_UPLOAD_SIZE); /* read_upload has seen that it fits */
    }
    return code;
}

void item_bucket(const json_t *item, char ret[RECORD_BUCKET_SIZE])
{
    const char *bucket = item_get_string(item, RECORD_BUCKET);
    if (bucket == NULL || !text_copy(text_from(bucket), ret, RECORD_BUCKET_SIZE))
        ret[0] = '\0';
}

static bool is_held(const char *name)
{
    static const char *const held[] = {RECORD_PATH,  RECORD_ETAG,  RECORD_GENERATION, RECORD_TIMEOUT, RECORD_TTL,
                                       RECORD_NONCE, RECORD_FENCE, RECORD_SAW,        RECORD_UPLOAD};
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
        if (strcmp(name, held[i]) == 0)
            return true;
    return false;
}

/* A new reference, or NULL when out of memory; the values are the item's own. */
static json_t *pick_others(json_t *item)
{
    const char *name;
    json_t *value;
    char bucket[RECORD_BUCKET_SIZE];
    json_t *others = json_object();
    item_bucket(item, bucket);
    if (others == NULL)
        return NULL;
    json_object_foreach(item, name, value)
    {
        bool is_bucket = bucket[0] != '\0' && strcmp(name, RECORD_BUCKET) == 0;
        if (!is_held(name) && !is_bucket && json_object_set(others, name, value) != 0) {
            json_decref(others);
            return NULL;
        }
    }
    return others;
}

char *item_other_attributes(json_t *item)
{
    json_t *others = pick_others(item);
    if (others == NULL)
        return NULL;
    struct buf out;
    buf_init(&out, OTHER_MAX);
    bool written = json_write(&out, others);
    json_decref(others);
    if (!written) {
        buf_free(&out);
        return NULL;
    }
    return buf_take(&out);
}
