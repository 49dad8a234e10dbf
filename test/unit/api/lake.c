/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/api/lake.h"

#include <stdlib.h>
#include <string.h>

static const char table_schema[] =
    "{\"title\":\"Pointers\",\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
    "\"object\":{\"type\":\"string\"},\"version\":{\"type\":\"integer\",\"default\":0}},"
    "\"required\":[\"name\",\"version\"],\"KEY\":[\"name\"]}";

/* ------------------------------------------------------------------------------------------------ clients */

static void note_request(void *context, const os_metric *metric)
{
    struct lake_watch *watch = context;
    if (metric->kind == OS_METRIC_REQUEST)
        watch->request(watch->context, ++watch->count, metric->operation);
}

os_client *lake_client(const struct lake *lake, struct lake_watch *watch)
{
    os_options options = OS_OPTIONS_INIT;
    if (watch != NULL) {
        options.metric = note_request;
        options.metric_context = watch;
    }
    return scratch_client(&lake->scratch, &options);
}

void lake_set_up(struct lake *ret)
{
    scratch_set_up(&ret->scratch);
    ret->client = lake_client(ret, NULL);
    CHECK_CODE(os_model_parse(table_schema, NULL, &ret->pointers, &ret->error), OS_OK, &ret->error);
    CHECK_CODE(os_stage_model("Intents", &ret->intents, &ret->error), OS_OK, &ret->error);
    CHECK_CODE(os_model_table_create(ret->client, ret->pointers, NULL, &ret->error), OS_OK, &ret->error);
    CHECK_CODE(os_model_table_create(ret->client, ret->intents, NULL, &ret->error), OS_OK, &ret->error);
    ret->result = (os_txn_result)OS_TXN_RESULT_INIT;
}

void lake_tear_down(struct lake *lake)
{
    os_model_free(lake->pointers);
    os_model_free(lake->intents);
    os_client_close(lake->client);
    scratch_tear_down(&lake->scratch);
}

/* ------------------------------------------------------------------------------------------------ transactions */

static os_code stage(const struct lake_plan *plan, os_txn *txn, const char **ret_key, os_error *err)
{
    const os_body body = OS_BODY_MEMORY(plan->text, strlen(plan->text));
    os_stage of = OS_STAGE_INIT;
    of.intents = plan->lake->intents;
    of.prefix = "meta/";
    of.suffix = ".json";
    of.body = &body;
    return os_txn_stage(txn, &of, ret_key, err);
}

static os_code move_one(struct lake_plan *plan, os_txn *txn, const char *name, os_error *err)
{
    const char *key = NULL;
    char row_key[64];
    os_row *row = NULL;
    os_get_options options = OS_GET_OPTIONS_INIT;
    options.create_if_missing = 1;
    snprintf(row_key, sizeof(row_key), "{\"name\":\"%s\"}", name);
    os_code code = os_txn_get(txn, plan->lake->pointers, row_key, &options, &row, err);
    if (code == OS_OK)
        code = plan->staged = stage(plan, txn, &key, err);
    if (code == OS_OK && plan->runs == 1 && ++plan->moved == 1 && plan->meanwhile != NULL)
        plan->meanwhile(plan, key);
    if (code == OS_OK)
        code = os_row_increment(row, "version", 1, err);
    return code == OS_OK ? os_row_set_string(row, "object", key, err) : code;
}

os_code lake_move(void *context, os_txn *txn, os_error *err)
{
    struct lake_plan *plan = context;
    os_code code = OS_OK;
    plan->runs++;
    for (int i = 0; i < 2 && plan->names[i] != NULL && code == OS_OK; i++)
        code = move_one(plan, txn, plan->names[i], err);
    return code == OS_OK ? plan->ends_with : code;
}

os_verdict lake_transact(struct lake_plan *plan)
{
    struct lake *lake = plan->lake;
    os_txn_options options = OS_TXN_OPTIONS_INIT;
    options.initial_backoff_ms = 1;
    return os_transact(lake->client, &options, lake_move, plan, plan->call, &lake->result, &lake->error);
}

/* ------------------------------------------------------------------------------------------------ what is there */

static os_code read_pointer(void *context, os_txn *txn, os_error *err)
{
    struct lake_pointer *pointer = context;
    const char *key = "";
    char row_key[64];
    os_row *row = NULL;
    snprintf(row_key, sizeof(row_key), "{\"name\":\"%s\"}", pointer->name);
    os_code code = os_txn_get(txn, pointer->lake->pointers, row_key, NULL, &row, err);
    if (code == OS_OK && row != NULL)
        code = os_row_get_string(row, "object", &key, err);
    if (code == OS_OK && row != NULL)
        code = os_row_get_int(row, "version", &pointer->version, err);
    snprintf(pointer->key, sizeof(pointer->key), "%s", key);
    return code;
}

struct lake_pointer lake_pointer(struct lake *lake, const char *name)
{
    struct lake_pointer pointer = {.lake = lake, .name = name};
    os_verdict verdict = os_transact(lake->client, NULL, read_pointer, &pointer, NULL, NULL, &lake->error);
    if (verdict != OS_COMMITTED)
        fail_msg("%s", lake->error.message);
    return pointer;
}

static int count_object(void *context, const os_object *object)
{
    (void)object;
    ++*(int *)context;
    return 0;
}

int lake_objects(struct lake *lake)
{
    int count = 0;
    CHECK_CODE(os_list(lake->client, NULL, NULL, count_object, &count, &lake->error), OS_OK, &lake->error);
    return count;
}

void lake_check_reads(struct lake *lake, const char *key, const char *text)
{
    void *data = NULL;
    size_t length = 0;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    CHECK_CODE(os_get(lake->client, key, &sink, NULL, NULL, &lake->error), OS_OK, &lake->error);
    assert_string_equal(data, text);
    os_free(data);
}

int lake_hear(void *context, const os_txn_garbage *garbage)
{
    struct lake_heard *heard = context;
    heard->count++;
    heard->fate = garbage->fate;
    snprintf(heard->key, sizeof(heard->key), "%s", garbage->key);
    snprintf(heard->reason, sizeof(heard->reason), "%s", garbage->reason);
    return heard->stops;
}

os_txn_gc_result lake_collect(struct lake *lake, int of_any_age, int removes, struct lake_heard *heard)
{
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    os_txn_gc_result result = OS_TXN_GC_RESULT_INIT;
    options.intents = lake->intents;
    options.of_any_age = of_any_age;
    options.remove = removes;
    CHECK_CODE(os_txn_gc(lake->client, &options, NULL, heard != NULL ? lake_hear : NULL, heard, &result, &lake->error),
               OS_OK, &lake->error);
    assert_int_equal(result.failed, 0);
    return result;
}

void lake_check_nothing_left(struct lake *lake)
{
    assert_int_equal(lake_collect(lake, 1, 0, NULL).seen, 0);
}
