/* SPDX-License-Identifier: Apache-2.0 */
#include "history/lease_line.h"

#include "history/json_string.h"

#include <string.h>

static bool put(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) == 0;
}

static bool put_us(json_t *object, const char *name, uint64_t us)
{
    return us == HISTORY_NEVER || put(object, name, json_integer((json_int_t)us));
}

json_t *lease_line_written(const struct history_lease *lease)
{
    json_t *object = json_object();
    bool good = object != NULL && put(object, "lease", json_string(history_lease_name(lease->kind))) &&
                put(object, "who", json_string_of(lease->who)) &&
                (lease->key[0] == '\0' || put(object, "key", json_string_of(lease->key))) &&
                put_us(object, "at_us", lease->at_us) && put_us(object, "until_us", lease->until_us) &&
                (!lease->has_token || put(object, "token", json_integer((json_int_t)lease->token)));

    if (good)
        return object;
    json_decref(object);
    return NULL;
}

static bool read_number(const json_t *object, const char *name, uint64_t *ret, bool *ret_given)
{
    const json_t *value = json_object_get(object, name);

    *ret_given = value != NULL;
    *ret = HISTORY_NEVER;
    if (value == NULL)
        return true;
    *ret = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool needs_key(enum history_lease_kind kind)
{
    return kind == HISTORY_LEASE_WAITS || kind == HISTORY_LEASE_HELD || kind == HISTORY_LEASE_UNTIL ||
           kind == HISTORY_LEASE_LET_GO;
}

static const char *read_times(const json_t *object, struct history_lease *ret)
{
    bool at_given = false;
    bool until_given = false;

    if (!read_number(object, "at_us", &ret->at_us, &at_given) ||
        !read_number(object, "until_us", &ret->until_us, &until_given))
        return "\"at_us\" or \"until_us\" is not a whole number.";
    if (!at_given && ret->kind != HISTORY_LEASE_UNTIL)
        return "\"at_us\" is missing.";
    return until_given || ret->kind != HISTORY_LEASE_UNTIL ? NULL : "\"until_us\" is missing.";
}

const char *lease_line_read(const json_t *object, struct history_lease *ret)
{
    const char *kind = json_string_value(json_object_get(object, "lease"));
    const char *wrong;

    memset(ret, 0, sizeof(*ret));
    if (kind == NULL || !history_lease_of(kind, &ret->kind))
        return "\"lease\" is none of the words that are said of leases.";
    if (!json_string_field(object, "who", &ret->who) || ret->who[0] == '\0')
        return "\"who\" is not a text with a name.";
    if (!json_string_field(object, "key", &ret->key) || (ret->key[0] == '\0' && needs_key(ret->kind)))
        return "\"key\" is not a text that names the lease.";
    wrong = read_times(object, ret);
    if (wrong != NULL)
        return wrong;
    if (!read_number(object, "token", &ret->token, &ret->has_token))
        return "\"token\" is not a whole number.";
    ret->token = ret->has_token ? ret->token : 0;
    return NULL;
}
