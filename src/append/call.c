/* SPDX-License-Identifier: Apache-2.0 */
/* A commit of files that are there already. */
#include "append/append.h"

#include "base/error.h"
#include "client/settings.h"

#include <stdlib.h>
#include <string.h>

enum { ADDS_MOST = 10000 };

static os_code check_add(struct append *append, const os_delta_add *add)
{
    struct text path = text_from(add->path);
    if (path.len == 0 || path.len > 1024 || path.p[0] == '/' || !text_is_utf8(path) || add->length > INT64_MAX ||
        add->records > INT64_MAX)
        return error_set(
            &append->error, OS_ERR_ARGUMENT,
            "The data file \"%.300s\" cannot be added: its path must be relative to the table, 1 to 1,024 bytes "
            "of UTF-8, and its length and records must be numbers of 63 bits.",
            path.len > 0 ? add->path : "");
    return OS_OK;
}

static os_code check_data(struct append *append, const os_delta_files *data)
{
    os_code code = OS_OK;
    if (data->adds == NULL || data->count == 0 || data->count > ADDS_MOST)
        return error_set(&append->error, OS_ERR_ARGUMENT, "A commit adds 1 to %d data files, not %zu.", ADDS_MOST,
                         data->count);
    for (size_t i = 0; i < data->count && code == OS_OK; i++)
        code = check_add(append, &data->adds[i]);
    return code;
}

static os_code read_schema(struct append *append, const os_delta_files *data, json_t **ret)
{
    json_t *schema = data->schema != NULL ? json_loads(data->schema, JSON_REJECT_DUPLICATES, NULL) : NULL;
    *ret = schema;
    if (json_is_array(json_object_get(schema, "fields")))
        return OS_OK;
    return error_set(&append->error, OS_ERR_ARGUMENT,
                     "The schema of the data files must be a struct type as Delta writes it, in JSON.");
}

static os_verdict commit_data(struct append *append, const os_delta_files *given)
{
    os_delta_files data;
    json_t *schema = NULL;
    os_code code = versioned_copy(given, &data, sizeof(data), "os_delta_files", &append->error);
    if (code == OS_OK)
        code = check_data(append, &data);
    if (code == OS_OK)
        code = read_schema(append, &data, &schema);
    struct commit_arguments arguments = {.schema = schema, .adds = data.adds, .count = data.count};
    arguments.partition = append_partition(append);
    arguments.partition.values = data.partition_values;
    arguments.partition.files = data.count;
    if (code == OS_OK)
        code = delta_partition_check(&arguments.partition, &append->error);
    os_verdict verdict = code == OS_OK ? append_commit(append, &arguments) : append_verdict_of(code);
    for (size_t i = 0; i < data.count && verdict == OS_COMMITTED; i++)
        append->result.records += data.adds[i].records;
    json_decref(schema);
    return verdict;
}

os_verdict append_run_commit(os_client *client, const struct append_arguments *arguments, os_delta_result *ret,
                             os_error *err)
{
    struct append append;
    os_verdict verdict = append_verdict_of(append_begin(&append, client, arguments));
    if (append.error.code == OS_OK) {
        verdict = commit_data(&append, arguments->data);
        append_end(&append);
    }
    return append_give(&append, verdict, ret, err);
}

/* -------------------------------------------------------------------------------------------------------- result */

void append_result_clear(os_delta_result *result)
{
    if (result == NULL)
        return;
    size_t size = versioned_size(result, sizeof(*result));
    if (size >= offsetof(os_delta_result, ticket) + sizeof(result->ticket))
        free(result->ticket);
    memset(result, 0, size);
    memcpy(result, &size, sizeof(size));
}
