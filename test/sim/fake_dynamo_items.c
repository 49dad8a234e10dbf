/* SPDX-License-Identifier: Apache-2.0 */
/* The items of the fake DynamoDB, in the order of their keys, and what an item of this protocol must be (T1). */
#include "sim/fake_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fake_typed_text(const json_t *attribute, const char *type)
{
    const json_t *value = json_object_size(attribute) == 1 ? json_object_get(attribute, type) : NULL;
    const char *text = json_string_value(value);
    return text != NULL && strlen(text) == json_string_length(value) ? text : NULL;
}

static bool read_number(const char *digits, uint64_t *ret)
{
    uint64_t value = 0;
    const char *at = digits;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *ret = value;
    return *at == '\0' && at != digits;
}

bool fake_typed_number(const json_t *attribute, uint64_t *ret)
{
    const char *number = fake_typed_text(attribute, "N");
    return number != NULL && read_number(number, ret);
}

/* What the peer's parser can read: S, or N that is a plain unsigned 64-bit integer. */
static bool is_readable(const json_t *attribute)
{
    uint64_t value;
    const char *number = fake_typed_text(attribute, "N");
    return number != NULL ? read_number(number, &value) : fake_typed_text(attribute, "S") != NULL;
}

static bool take_number(const json_t *item, const char *name, uint64_t *ret)
{
    return fake_typed_number(json_object_get(item, name), ret);
}

static bool is_key_part(const char *text, size_t max)
{
    return text != NULL && text[0] != '\0' && strlen(text) <= max;
}

bool fake_projects_all(const struct fake_schema *schema, const json_t *request, size_t others)
{
    const char *expression = json_string_value(json_object_get(request, "ProjectionExpression"));
    const json_t *given = json_object_get(request, "ExpressionAttributeNames");
    char wanted[128] = "";
    if (expression == NULL)
        return json_object_size(given) == others;
    for (size_t i = 0; i < schema->name_count; i++) {
        char placeholder[16];
        snprintf(placeholder, sizeof(placeholder), "#%s", schema->names[i]);
        strcat(wanted, i > 0 ? ", " : "");
        strcat(wanted, placeholder);
        const char *name = json_string_value(json_object_get(given, placeholder));
        if (name == NULL || strcmp(name, schema->names[i]) != 0)
            return false;
    }
    return strcmp(expression, wanted) == 0 && json_object_size(given) == schema->name_count;
}

static bool all_are_readable(const json_t *item)
{
    const char *name;
    json_t *attribute;
    json_object_foreach((json_t *)item, name, attribute)
    {
        if (!is_readable(attribute))
            return false;
    }
    return true;
}

static bool optional_is(const json_t *item, const char *name, const char *type)
{
    const json_t *attribute = json_object_get(item, name);
    const char *text = fake_typed_text(attribute, type);
    return attribute == NULL || (text != NULL && text[0] != '\0');
}

static const char *read_record(json_t *item, struct fake_item *ret)
{
    *ret = (struct fake_item){.item = item, .nonce = ""};
    if (!all_are_readable(item))
        return "T1: an attribute is neither S nor an N that is a plain unsigned 64-bit integer";
    ret->path = fake_typed_text(json_object_get(item, "path"), "S");
    ret->etag = fake_typed_text(json_object_get(item, "etag"), "S");
    if (!is_key_part(ret->path, FAKE_DYNAMO_PATH_MAX) || !is_key_part(ret->etag, FAKE_DYNAMO_ETAG_MAX))
        return "T1: path and etag must be S, and not empty";
    if (!take_number(item, "generation", &ret->generation) || !take_number(item, "timeout", &ret->timeout_ms) ||
        !take_number(item, "ttl", &ret->ttl_s))
        return "T1: generation, timeout and ttl must be there, and be N";
    if (!optional_is(item, "nonce", "S") || !optional_is(item, "saw", "S") || !optional_is(item, "fence", "N") ||
        !optional_is(item, "upload", "S"))
        return "T1: nonce, saw and upload must be S, fence N";
    const char *nonce = fake_typed_text(json_object_get(item, "nonce"), "S");
    ret->nonce = nonce != NULL ? nonce : "";
    json_incref(item);
    return NULL;
}

/* One that no holder has is kept for its token, and has no end. */
static const char *read_lease(json_t *item, struct fake_item *ret)
{
    *ret = (struct fake_item){.item = item, .etag = "", .nonce = "", .ttl_s = UINT64_MAX};
    if (!all_are_readable(item))
        return "An attribute of a lease is neither S nor an N that is a plain unsigned 64-bit integer";
    ret->path = fake_typed_text(json_object_get(item, "key"), "S");
    if (!is_key_part(ret->path, FAKE_DYNAMO_PATH_MAX))
        return "The key of a lease must be S, and not empty";
    if (!optional_is(item, "lease_version", "S") || !optional_is(item, "lease_owner", "S") ||
        !optional_is(item, "lease_expiry", "N") || !optional_is(item, "lease_ttl_ms", "N") ||
        !optional_is(item, "lease_token", "N"))
        return "lease_version and lease_owner must be S, lease_expiry, lease_ttl_ms and lease_token N";
    if (json_object_get(item, "lease_version") != NULL && !take_number(item, "lease_expiry", &ret->ttl_s))
        return "A lease that somebody has must have its lease_expiry";
    json_incref(item);
    return NULL;
}

static const char *read_lock(json_t *item, struct fake_item *ret)
{
    uint64_t duration_s;
    *ret = (struct fake_item){.item = item, .etag = "", .nonce = ""};
    if (!all_are_readable(item))
        return "An attribute of a lock is neither S nor an N that is a plain unsigned 64-bit integer";
    ret->path = fake_typed_text(json_object_get(item, "lockId"), "S");
    if (!is_key_part(ret->path, FAKE_DYNAMO_PATH_MAX))
        return "The lockId of a lock must be S, and not empty";
    static const char *const texts[] = {"namespace", "lockName", "owner", "instanceId"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (json_object_get(item, texts[i]) == NULL || !optional_is(item, texts[i], "S"))
            return "namespace, lockName, owner and instanceId must be there, and be S";
    if (!take_number(item, "leaseDuration", &duration_s) || !take_number(item, "expiry", &ret->ttl_s))
        return "leaseDuration and expiry must be there, and be N";
    json_incref(item);
    return NULL;
}

/* One that is incomplete has no end. */
static const char *read_entry(json_t *item, struct fake_item *ret)
{
    *ret = (struct fake_item){.item = item, .nonce = "", .ttl_s = UINT64_MAX};
    if (!all_are_readable(item))
        return "An attribute of an entry is neither S nor an N that is a plain unsigned 64-bit integer";
    ret->path = fake_typed_text(json_object_get(item, "tablePath"), "S");
    ret->etag = fake_typed_text(json_object_get(item, "fileName"), "S");
    if (!is_key_part(ret->path, FAKE_DYNAMO_PATH_MAX) || !is_key_part(ret->etag, FAKE_DYNAMO_ETAG_MAX))
        return "tablePath and fileName must be S, and not empty";
    const char *complete = fake_typed_text(json_object_get(item, "complete"), "S");
    if (complete == NULL || !is_key_part(fake_typed_text(json_object_get(item, "tempPath"), "S"), FAKE_DYNAMO_ETAG_MAX))
        return "tempPath and complete must be there, and be S";
    if (strcmp(complete, "true") == 0 && !take_number(item, "expireTime", &ret->ttl_s))
        return "An entry that is complete must have its expireTime";
    json_incref(item);
    return NULL;
}

static const char *const names_of_record[] = {"path",  "etag",  "generation", "timeout", "ttl",
                                              "nonce", "fence", "saw",        "upload"};
static const char *const names_of_lease[] = {"key",          "lease_expiry", "lease_version",
                                             "lease_ttl_ms", "lease_owner",  "lease_token"};

static const char *const names_of_entry[] = {"tablePath", "fileName", "tempPath", "complete", "expireTime"};
static const char *const names_of_lock[] = {"lockId",     "namespace",     "lockName", "owner",
                                            "instanceId", "leaseDuration", "expiry"};

const struct fake_schema fake_locks = {
    .keys = {"lockId"},
    .key_count = 1,
    .ttl = "expiry",
    .names = names_of_lock,
    .name_count = sizeof(names_of_lock) / sizeof(names_of_lock[0]),
    .updates = true,
    .read = read_lock,
};

const struct fake_schema fake_entries = {
    .keys = {"tablePath", "fileName"},
    .key_count = 2,
    .ttl = "expireTime",
    .names = names_of_entry,
    .name_count = sizeof(names_of_entry) / sizeof(names_of_entry[0]),
    .updates = true,
    .read = read_entry,
};

const struct fake_schema fake_records = {
    .keys = {"path", "etag"},
    .key_count = 2,
    .ttl = "ttl",
    .names = names_of_record,
    .name_count = sizeof(names_of_record) / sizeof(names_of_record[0]),
    .read = read_record,
};

const struct fake_schema fake_leases = {
    .keys = {"key"},
    .key_count = 1,
    .ttl = "lease_expiry",
    .names = names_of_lease,
    .name_count = sizeof(names_of_lease) / sizeof(names_of_lease[0]),
    .updates = true,
    .read = read_lease,
};

bool fake_key_read(const struct fake_schema *schema, const json_t *key, const char **ret_path, const char **ret_etag)
{
    bool sorted = schema->key_count > 1;
    *ret_path = fake_typed_text(json_object_get(key, schema->keys[0]), "S");
    *ret_etag = sorted ? fake_typed_text(json_object_get(key, schema->keys[1]), "S") : "";
    return json_object_size(key) == schema->key_count && is_key_part(*ret_path, FAKE_DYNAMO_PATH_MAX) &&
           (!sorted || is_key_part(*ret_etag, FAKE_DYNAMO_ETAG_MAX));
}

/* ------------------------------------------------------------------------------------------------------- storage */

size_t fake_items_position(const struct fake_dynamo *dynamo, const char *path, const char *etag, bool *ret_is_there)
{
    size_t low = 0;
    size_t high = dynamo->count;
    *ret_is_there = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(dynamo->items[middle].path, path);
        order = order != 0 ? order : strcmp(dynamo->items[middle].etag, etag);
        if (order == 0) {
            *ret_is_there = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool fake_items_put(struct fake_dynamo *dynamo, const struct fake_item *item)
{
    bool is_there;
    size_t at = fake_items_position(dynamo, item->path, item->etag, &is_there);
    if (is_there) {
        json_decref(dynamo->items[at].item);
        dynamo->items[at] = *item;
        return true;
    }
    if (dynamo->count == dynamo->cap) {
        size_t cap = dynamo->cap > 0 ? 2 * dynamo->cap : 16;
        struct fake_item *grown = realloc(dynamo->items, cap * sizeof(*grown));
        if (grown == NULL) {
            json_decref(item->item);
            return false;
        }
        dynamo->items = grown;
        dynamo->cap = cap;
    }
    memmove(&dynamo->items[at + 1], &dynamo->items[at], (dynamo->count - at) * sizeof(dynamo->items[0]));
    dynamo->items[at] = *item;
    dynamo->count++;
    return true;
}

void fake_items_remove(struct fake_dynamo *dynamo, size_t at)
{
    json_decref(dynamo->items[at].item);
    dynamo->count--;
    memmove(&dynamo->items[at], &dynamo->items[at + 1], (dynamo->count - at) * sizeof(dynamo->items[0]));
}

/* ----------------------------------------------------------------------------------------------------------- TTL */

/* An item has expired when the time has passed its ttl (Developer Guide, "Using time to live"). */
static bool has_expired(const struct fake_dynamo *dynamo, size_t index, uint64_t now_ms)
{
    return dynamo->has_ttl && dynamo->items[index].ttl_s < now_ms / 1000;
}

size_t fake_dynamo_expired_count(const struct fake_dynamo *dynamo, uint64_t now_ms)
{
    size_t count = 0;
    for (size_t i = 0; i < dynamo->count; i++)
        count += has_expired(dynamo, i, now_ms) ? 1 : 0;
    return count;
}

void fake_dynamo_expire(struct fake_dynamo *dynamo, uint64_t now_ms, size_t index)
{
    for (size_t i = 0; i < dynamo->count; i++) {
        if (has_expired(dynamo, i, now_ms) && index-- == 0) {
            fake_items_remove(dynamo, i);
            return;
        }
    }
}

/* ----------------------------------------------------------------------------------------------------- the oracle */

size_t fake_dynamo_record_count(const struct fake_dynamo *dynamo)
{
    return dynamo->count;
}

static const char *text_or_none(const json_t *item, const char *name, const char *type)
{
    const char *text = fake_typed_text(json_object_get(item, name), type);
    return text != NULL ? text : "";
}

struct fake_dynamo_record fake_dynamo_record_at(const struct fake_dynamo *dynamo, size_t index)
{
    const struct fake_item *item = &dynamo->items[index];
    return (struct fake_dynamo_record){.path = item->path,
                                       .etag = item->etag,
                                       .generation = item->generation,
                                       .timeout_ms = item->timeout_ms,
                                       .ttl_s = item->ttl_s,
                                       .nonce = item->nonce,
                                       .fence = text_or_none(item->item, "fence", "N"),
                                       .saw = text_or_none(item->item, "saw", "S"),
                                       .upload = text_or_none(item->item, "upload", "S")};
}

struct fake_dynamo_lease fake_dynamo_lease_of(const struct fake_dynamo *dynamo, const char *name)
{
    bool is_there;
    size_t at = fake_items_position(dynamo, name, "", &is_there);
    const json_t *item = is_there ? dynamo->items[at].item : NULL;
    struct fake_dynamo_lease lease = {.version = text_or_none(item, "lease_version", "S"),
                                      .owner = text_or_none(item, "lease_owner", "S")};
    if (!take_number(item, "lease_token", &lease.token))
        lease.token = 0;
    return lease;
}

static int mix(const char *data, size_t len, void *context)
{
    uint64_t *digest = context; /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        *digest = (*digest ^ (unsigned char)data[i]) * 0x100000001b3u;
    return 0;
}

uint64_t fake_dynamo_digest(const struct fake_dynamo *dynamo)
{
    uint64_t digest = 0xcbf29ce484222325u;
    for (size_t i = 0; i < dynamo->count; i++)
        (void)json_dump_callback(dynamo->items[i].item, mix, &digest, JSON_COMPACT | JSON_SORT_KEYS);
    for (size_t i = 0; dynamo->rows != NULL && i < dynamo->rows->table_count; i++)
        (void)json_dump_callback(dynamo->rows->tables[i].items, mix, &digest, JSON_COMPACT | JSON_SORT_KEYS);
    return digest;
}
