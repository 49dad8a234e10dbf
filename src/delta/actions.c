/* SPDX-License-Identifier: Apache-2.0 */
#include "delta/actions.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

static os_code not_an_entry(size_t line, os_error *err)
{
    return error_set(err, OS_ERR_PROTOCOL, "The log entry cannot be read: its line %zu is no action.", line);
}

static bool keep(json_t **slot, json_t *value)
{
    json_decref(*slot);
    *slot = json_incref(value);
    return json_typeof(value) == JSON_OBJECT;
}

static bool take_file(const json_t *value, void (*take)(void *, const char *), void *context)
{
    const char *path = json_string_value(json_object_get(value, "path"));
    if (path != NULL && take != NULL)
        take(context, path);
    return path != NULL;
}

static bool take_txn(const json_t *value, const struct delta_reading *reading, struct delta_actions *ret)
{
    const char *app_id = json_string_value(json_object_get(value, "appId"));
    const json_t *version = json_object_get(value, "version");
    if (app_id == NULL || !json_is_integer(version))
        return false;
    if (reading->app_id != NULL && strcmp(reading->app_id, app_id) == 0) {
        ret->has_txn = true;
        ret->txn_version = json_integer_value(version);
    }
    return true;
}

/* Actions of other names are for readers that know them. */
static bool take_action(const char *name, json_t *value, const struct delta_reading *reading, struct delta_actions *ret)
{
    if (strcmp(name, "protocol") == 0)
        return keep(&ret->protocol, value);
    if (strcmp(name, "metaData") == 0)
        return keep(&ret->metadata, value);
    if (strcmp(name, "txn") == 0)
        return take_txn(value, reading, ret);
    if (strcmp(name, "remove") == 0)
        return take_file(value, reading->remove, reading->context);
    if (strcmp(name, "add") != 0)
        return true;
    ret->adds++;
    return take_file(value, reading->add, reading->context);
}

static bool take_line(struct text line, const struct delta_reading *reading, struct delta_actions *ret)
{
    json_t *json = json_loadb(line.p, line.len, 0, NULL);
    const char *name;
    json_t *value;
    bool good = json_is_object(json);
    json_object_foreach(json, name, value)
    {
        if (good && json_typeof(value) != JSON_NULL) /* as delta-rs writes what is not there */
            good = take_action(name, value, reading, ret);
    }
    json_decref(json);
    return good;
}

os_code delta_actions_read(const char *data, size_t length, const struct delta_reading *reading,
                           struct delta_actions *ret, os_error *err)
{
    struct text rest = text_of(data, length);
    memset(ret, 0, sizeof(*ret));
    for (size_t number = 1; rest.len > 0; number++) {
        struct text line;
        if (!text_take_until(&rest, '\n', &line)) {
            line = rest;
            rest.len = 0;
        }
        line = text_trim(line);
        if (line.len > 0 && !take_line(line, reading, ret))
            return not_an_entry(number, err);
    }
    return OS_OK;
}

void delta_actions_clear(struct delta_actions *actions)
{
    json_decref(actions->protocol);
    json_decref(actions->metadata);
    memset(actions, 0, sizeof(*actions));
}
