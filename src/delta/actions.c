/* SPDX-License-Identifier: Apache-2.0 */
#include "delta/actions.h"

#include "base/error.h"
#include "base/text.h"
#include "delta/log_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static os_code not_an_entry(size_t line, os_error *err)
{
    return error_set(err, OS_ERR_PROTOCOL, "The log entry cannot be read: its line %zu is no action.", line);
}

static bool keep(json_t **slot, json_t *value)
{
    json_decref(*slot);
    *slot = json_incref(value);
    return json_is_object(value);
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
        if (good && !json_is_null(value)) /* as delta-rs writes what is not there */
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

/* ---------------------------------------------------------------------------------------------------------- write */

static bool add_line(struct buf *out, json_t *action)
{
    char *line = action != NULL ? json_dumps(action, JSON_COMPACT) : NULL;
    bool good = line != NULL && buf_add_str(out, line) && buf_add_char(out, '\n');
    free(line);
    json_decref(action);
    return good;
}

static json_t *commit_info(const struct delta_commit *commit)
{
    return json_pack("{s:{s:I, s:s, s:{s:s}, s:b, s:s}}", "commitInfo", "timestamp", (json_int_t)commit->now_ms,
                     "operation", "WRITE", "operationParameters", "mode", "Append", "isBlindAppend", 1, "engineInfo",
                     commit->engine);
}

static json_t *metadata_of(const struct delta_commit *commit)
{
    char id[DELTA_UUID_SIZE];
    char *schema = delta_uuid(id) ? json_dumps(commit->schema, JSON_COMPACT) : NULL;
    json_t *json = schema == NULL
                       ? NULL
                       : json_pack("{s:{s:s, s:{s:s, s:{}}, s:s, s:[], s:{}, s:I}}", "metaData", "id", id, "format",
                                   "provider", "parquet", "options", "schemaString", schema, "partitionColumns",
                                   "configuration", "createdTime", (json_int_t)commit->now_ms);
    free(schema);
    return json;
}

static bool add_table(const struct delta_commit *commit, struct buf *out)
{
    return add_line(out, json_pack("{s:{s:i, s:i}}", "protocol", "minReaderVersion", 1, "minWriterVersion", 2)) &&
           add_line(out, metadata_of(commit));
}

/* The path is a URI reference; the statistics are JSON in a string. */
static json_t *add_of(const os_delta_add *add)
{
    struct buf path;
    char stats[64] = "";
    buf_init(&path, 8192);
    (void)text_percent_encode(&path, text_from(add->path), true);
    (void)snprintf(stats, sizeof(stats), "{\"numRecords\":%llu}", (unsigned long long)add->records);
    json_t *json = !buf_ok(&path) ? NULL
                                  : json_pack("{s:{s:s, s:{}, s:I, s:I, s:b, s:s}}", "add", "path", buf_str(&path),
                                              "partitionValues", "size", (json_int_t)add->length, "modificationTime",
                                              (json_int_t)add->modified_ms, "dataChange", 1, "stats", stats);
    buf_free(&path);
    return json;
}

bool delta_commit_write(const struct delta_commit *commit, struct buf *out)
{
    bool good = add_line(out, commit_info(commit)) && (commit->schema == NULL || add_table(commit, out));
    if (good && commit->app_id != NULL)
        good = add_line(out, json_pack("{s:{s:s, s:I, s:I}}", "txn", "appId", commit->app_id, "version",
                                       (json_int_t)commit->app_version, "lastUpdated", (json_int_t)commit->now_ms));
    for (size_t i = 0; i < commit->count && good; i++)
        good = add_line(out, add_of(&commit->adds[i]));
    return good;
}
