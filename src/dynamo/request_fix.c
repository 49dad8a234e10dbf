/* SPDX-License-Identifier: Apache-2.0 */
/* The PutItem that replaces an item which is no record, on the condition that it is still the same. */
#include "dynamo/item.h"
#include "dynamo/json.h"
#include "dynamo/request_parts.h"

#include <stdio.h>
#include <string.h>

enum { MEND_BODY_MAX = 4 * 1024 * 1024 /* with an item of 400 KB, every byte escaped as six */ };

/* An item without one of these is no record, nor is one that has it of another type. */
static const char not_a_record[] =
    "NOT (attribute_type(#generation, :N) AND attribute_type(#timeout, :N) AND attribute_type(#ttl, :N) AND "
    "(attribute_not_exists(#fence) OR attribute_type(#fence, :N)) AND "
    "(attribute_not_exists(#nonce) OR attribute_type(#nonce, :S)) AND "
    "(attribute_not_exists(#saw) OR attribute_type(#saw, :S)) AND "
    "(attribute_not_exists(#upload) OR attribute_type(#upload, :S)))";

/* What is too large to be read has more in it than one number or text: no writer of the protocol can have made it. */
static bool add_unseen_condition(json_t *body, json_t *names, json_t *values)
{
    for (size_t i = DYNAMO_KEY_COUNT; i < DYNAMO_KNOWN_COUNT; i++)
        if (!dynamo_add_name(names, dynamo_known[i][0], dynamo_known[i][1]))
            return false;
    return dynamo_add_value(values, ":N", item_string("N")) && dynamo_add_value(values, ":S", item_string("S")) &&
           json_object_set_new(body, "ConditionExpression", json_string(not_a_record)) == 0;
}

/* A list, map or set: no record has one, so that its type tells it from any. (dynalite cannot compare them.) */
static const char *container_type(json_t *value)
{
    static const char *const types[] = {"L", "M", "SS", "NS", "BS"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (json_object_get(value, types[i]) != NULL)
            return types[i];
    return NULL;
}

/* Every attribute that a record may have is as it was, whatever it is, or still missing. */
static bool add_seen_condition(json_t *body, json_t *names, json_t *values, const json_t *seen)
{
    struct buf expression;
    buf_init(&expression, 1024);
    bool done = true;
    for (size_t i = DYNAMO_KEY_COUNT; i < DYNAMO_KNOWN_COUNT && done; i++) {
        char placeholder[16];
        json_t *value = json_object_get(seen, dynamo_known[i][1]);
        const char *and = i > DYNAMO_KEY_COUNT ? " AND " : "";
        snprintf(placeholder, sizeof(placeholder), ":%s", dynamo_known[i][1]);
        const char *container = container_type(value);
        if (container != NULL) {
            done = buf_add_f(&expression, "%sattribute_type(%s, %s)", and, dynamo_known[i][0], placeholder) &&
                   dynamo_add_value(values, placeholder, item_string(container));
        } else if (value != NULL) {
            done = buf_add_f(&expression, "%s%s = %s", and, dynamo_known[i][0], placeholder) &&
                   dynamo_add_value(values, placeholder, json_incref(value));
        } else {
            done = buf_add_f(&expression, "%sattribute_not_exists(%s)", and, dynamo_known[i][0]);
        }
        done = done && dynamo_add_name(names, dynamo_known[i][0], dynamo_known[i][1]);
    }
    done = done && json_object_set_new(body, "ConditionExpression", json_string(buf_str(&expression))) == 0;
    buf_free(&expression);
    return done;
}

static bool add_fix_condition(json_t *body, const json_t *seen)
{
    json_t *names = json_object();
    json_t *values = json_object();
    bool done =
        names != NULL && values != NULL &&
        (seen != NULL ? add_seen_condition(body, names, values, seen) : add_unseen_condition(body, names, values)) &&
        json_object_set(body, "ExpressionAttributeNames", names) == 0 &&
        (json_object_size(values) == 0 || json_object_set(body, "ExpressionAttributeValues", values) == 0);
    json_decref(names);
    json_decref(values);
    return done;
}

os_code dynamo_build_fix(const struct dynamo_target *target, const struct dynamo_key *key, const struct record *record,
                         const char *seen, struct http_request *ret, struct buf *ret_body, os_error *err)
{
    http_request_init(ret);
    buf_init(ret_body, MEND_BODY_MAX);
    os_code code = dynamo_check_key(target, key, err);
    if (code != OS_OK)
        return code;
    json_t *item = seen != NULL ? json_read(seen, strlen(seen)) : NULL;
    json_t *fixed = item_from_record(key->path, key->etag, record, NULL);
    json_t *body = json_pack("{s:s, s:o}", "TableName", target->table, "Item", fixed);
    if (body != NULL && ((seen != NULL && item == NULL) || !add_fix_condition(body, item))) {
        json_decref(body);
        body = NULL;
    }
    json_decref(item);
    return dynamo_finish(target, "PutItem", body, ret, ret_body, err);
}
