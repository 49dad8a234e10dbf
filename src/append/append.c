/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls on a table share: its arguments, its time, and plain requests below it. */
#include "append/append.h"

#include "base/error.h"
#include "base/random.h"
#include "client/arguments.h"
#include "client/pause.h"
#include "delta/entry.h"
#include "plain/plain.h"

#include <stdlib.h>
#include <string.h>

enum { REPEAT_LEAST_MS = 50, REPEAT_MOST_MS = 2000 };

uint64_t append_now_s(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.realtime_ms / 1000;
}

os_call append_rest_of_call(const struct append *append)
{
    os_call rest = {.size = sizeof(rest), .cancel = append->call.cancel};
    rest.deadline_ms = clock_left_for_call_ms(append->deadline_ms);
    return rest;
}

bool append_pause(struct append *append, uint64_t ms)
{
    return ms < clock_left_ms(append->deadline_ms) && client_pause(append->client, append->call.cancel, ms);
}

/* ----------------------------------------------------------------------------------------------------- arguments */

static os_code take_table(struct append *append, const char *table)
{
    struct text name = text_from(table);
    if (name.len > 0 && (name.p[name.len - 1] == '/' || name.p[0] == '/'))
        return error_set(&append->error, OS_ERR_ARGUMENT,
                         "The table \"%.300s\" is named with a slash at its start or end: leave it out.", table);
    append->prefix = text_join(name.len > 0 ? table : "", name.len > 0 ? "/" : "");
    return append->prefix != NULL ? OS_OK : error_no_memory(&append->error);
}

/* Other writers must spell it alike: a name whose URL has an escape could be spelt in two ways. */
static bool has_one_spelling(const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/=";
    return strspn(path, plain) == strlen(path);
}

static os_code take_log_store(struct append *append, const struct append_arguments *arguments)
{
    const char *table = arguments->table != NULL ? arguments->table : "";
    const char *entries = arguments->entries != NULL ? arguments->entries : "log store";
    const struct settings *settings = &append->client->settings;
    const os_client *log_store = append->options.log_store;
    os_error *err = &append->error;
    struct buf path;
    if (log_store == NULL)
        return OS_OK;
    if (log_store->ledger == NULL || log_store->ledger->is_local)
        return error_set(err, OS_ERR_CONFIG,
                         "A %s is a table of DynamoDB: set ledger_url of its client to dynamodb://TABLE.", entries);
    if (settings->store_scheme != SETTINGS_S3)
        return error_set(err, OS_ERR_CONFIG, "A %s is for a table in S3; a store of files needs none.", entries);
    buf_init(&path, ENTRY_TABLE_PATH_MAX);
    (void)buf_add_strs(&path, "s3://", settings->bucket, "/", settings->prefix, table, NULL);
    if (!buf_ok(&path) || buf_str(&path)[path.len - 1] == '/' || !has_one_spelling(buf_str(&path) + strlen("s3://"))) {
        buf_free(&path);
        return error_set(err, OS_ERR_ARGUMENT,
                         "The table \"%.300s\" cannot be named in a %s: it must lie below the bucket, and its "
                         "name may have only letters, digits and -._~/=.",
                         table, entries);
    }
    append->table_path = buf_take(&path);
    return append->table_path != NULL ? OS_OK : error_no_memory(err);
}

struct delta_partition append_partition(const struct append *append)
{
    return (struct delta_partition){.columns = append->options.partitions, .count = append->options.partition_count};
}

static os_code take_partition(struct append *append)
{
    const struct delta_partition partition = append_partition(append);
    return delta_partition_check(&partition, &append->error);
}

static os_code take_all(struct append *append, const struct append_arguments *arguments)
{
    os_error *err = &append->error;
    os_code code = arguments_take_call(arguments->call, &append->call, err);
    if (code == OS_OK)
        code = versioned_copy(arguments->options, &append->options, sizeof(append->options), "os_delta_options", err);
    if (code == OS_OK && append->options.app_id != NULL && append->options.app_version < 0)
        code = error_set(err, OS_ERR_ARGUMENT, "app_version is %lld, and must not be less than 0.",
                         (long long)append->options.app_version);
    if (code == OS_OK)
        code = take_partition(append);
    if (code == OS_OK)
        code = take_table(append, arguments->table);
    if (code == OS_OK)
        code = take_log_store(append, arguments);
    if (code == OS_OK && !random_bytes(&append->random, sizeof(append->random)))
        code = error_set(err, OS_ERR_IO, "The system has no random bytes; nothing was written.");
    append->deadline_ms = clock_monotonic_ms() + append->call.deadline_ms;
    return code;
}

static void append_free(struct append *append)
{
    free((char *)append->prefix);
    free(append->table_path);
}

static os_code enter(struct append *append)
{
    os_client *log_store = append->options.log_store;
    os_code code = client_enter(append->client, &append->inside, &append->error);
    if (code != OS_OK || log_store == NULL)
        return code;
    code = client_enter(log_store, &append->inside_log_store, &append->error);
    if (code != OS_OK)
        client_leave(append->client, &append->inside);
    return code;
}

os_code append_begin(struct append *append, os_client *client, const struct append_arguments *arguments)
{
    memset(append, 0, sizeof(*append));
    append->client = client;
    append->result = (os_delta_result)OS_DELTA_RESULT_INIT;
    append->result.version = -1;
    os_code code = take_all(append, arguments);
    if (code == OS_OK)
        code = enter(append);
    if (code != OS_OK)
        append_free(append);
    return code;
}

void append_end(struct append *append)
{
    if (append->options.log_store != NULL)
        client_leave(append->options.log_store, &append->inside_log_store);
    client_leave(append->client, &append->inside);
    append_free(append);
}

os_verdict append_verdict_of(os_code code)
{
    return code == OS_ERR_CONFLICT ? OS_CONFLICT : OS_NOT_EXECUTED;
}

os_verdict append_give(struct append *append, os_verdict verdict, os_delta_result *ret, os_error *err)
{
    if (ret != NULL && versioned_size(ret, sizeof(*ret)) == sizeof(*ret))
        versioned_give(&append->result, sizeof(append->result), ret);
    else
        free(append->result.ticket);
    if (err != NULL)
        *err = append->error;
    return verdict;
}

/* ------------------------------------------------------------------------------------------------------- requests */

char *append_key(const struct append *append, const char *folder, const char *name)
{
    char *below = text_join(folder, name);
    char *key = below != NULL ? text_join(append->prefix, below) : NULL;
    free(below);
    return key;
}

os_code append_get(struct append *append, const char *folder, const char *name, uint64_t max, struct buf *ret)
{
    void *data = NULL;
    size_t length = 0;
    char *key = append_key(append, folder, name);
    os_call call = append_rest_of_call(append);
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    sink.max_length = max;
    const struct plain_arguments get = {.key = key, .sink = &sink, .call = &call};
    os_code code =
        key != NULL ? plain_call(append->client, &get, plain_get, &append->error) : error_no_memory(&append->error);
    buf_init(ret, max);
    if (code == OS_OK && !buf_add(ret, data, length))
        code = error_no_memory(&append->error);
    free(data);
    free(key);
    return code;
}

os_code append_head(struct append *append, const char *folder, const char *name)
{
    char *key = append_key(append, folder, name);
    os_call call = append_rest_of_call(append);
    const struct plain_arguments head = {.key = key, .call = &call};
    os_code code =
        key != NULL ? plain_call(append->client, &head, plain_head, &append->error) : error_no_memory(&append->error);
    free(key);
    return code;
}

bool append_is_worth_another(os_code code)
{
    return code == OS_ERR_UNDECIDED || code == OS_ERR_THROTTLED || code == OS_ERR_NETWORK || code == OS_ERR_SERVICE;
}

os_code append_put_once(struct append *append, const char *folder, const char *name, const os_body *body,
                        bool if_absent)
{
    char *key = append_key(append, folder, name);
    os_call call = append_rest_of_call(append);
    call.progress = append->call.progress;
    call.progress_context = append->call.progress_context;
    const struct plain_arguments put = {.key = key, .body = body, .call = &call, .if_absent = if_absent};
    os_code code =
        key != NULL ? plain_call(append->client, &put, plain_put, &append->error) : error_no_memory(&append->error);
    free(key);
    return code;
}

os_code append_put(struct append *append, const char *folder, const char *name, const os_body *body)
{
    uint64_t wait_ms = REPEAT_LEAST_MS;
    for (;;) {
        os_code code = append_put_once(append, folder, name, body, false);
        if (!append_is_worth_another(code) || !append_pause(append, wait_ms))
            return code;
        wait_ms = wait_ms * 2 < REPEAT_MOST_MS ? wait_ms * 2 : REPEAT_MOST_MS;
    }
}

void append_delete(struct append *append, const char *folder, const char *name)
{
    char *key = append_key(append, folder, name);
    os_call call = append_rest_of_call(append);
    os_error ignored;
    call.forward_only = OS_OFF;
    const struct plain_arguments deletion = {.key = key, .call = &call};
    if (key != NULL)
        (void)plain_call(append->client, &deletion, plain_delete, &ignored);
    free(key);
}
