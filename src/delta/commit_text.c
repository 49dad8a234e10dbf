/* SPDX-License-Identifier: Apache-2.0 */
/* A commit as the lines of a log entry. */
#include "delta/actions.h"

#include "base/text.h"
#include "delta/log_name.h"

#include <stdio.h>
#include <stdlib.h>

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
    return json_pack("{s:{s:I, s:s, s:{s:s}, s:b, s:s, s:s}}", "commitInfo", "timestamp", (json_int_t)commit->now_ms,
                     "operation", "WRITE", "operationParameters", "mode", "Append", "isBlindAppend", 1, "engineInfo",
                     commit->engine, "txnId", commit->id);
}

static json_t *metadata_of(const struct delta_commit *commit)
{
    char id[DELTA_UUID_SIZE];
    char *schema = delta_uuid(id) ? json_dumps(commit->schema, JSON_COMPACT) : NULL;
    json_t *json = schema == NULL ? NULL
                                  : json_pack("{s:{s:s, s:{s:s, s:{}}, s:s, s:o, s:{}, s:I}}", "metaData", "id", id,
                                              "format", "provider", "parquet", "options", "schemaString", schema,
                                              "partitionColumns", delta_partition_columns(&commit->partition),
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
static json_t *add_of(const struct delta_commit *commit, size_t file)
{
    const os_delta_add *add = &commit->adds[file];
    struct buf path;
    char stats[64] = "";
    buf_init(&path, 8192);
    (void)text_percent_encode(&path, text_from(add->path), true);
    (void)snprintf(stats, sizeof(stats), "{\"numRecords\":%llu}", (unsigned long long)add->records);
    json_t *json = !buf_ok(&path) ? NULL
                                  : json_pack("{s:{s:s, s:o, s:I, s:I, s:b, s:s}}", "add", "path", buf_str(&path),
                                              "partitionValues", delta_partition_values(&commit->partition, file),
                                              "size", (json_int_t)add->length, "modificationTime",
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
        good = add_line(out, add_of(commit, i));
    return good;
}
