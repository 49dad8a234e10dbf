/* SPDX-License-Identifier: Apache-2.0 */
/* os_txn_gc: what was staged and is not committed, by the intents that are there (stage.h, O3, O4). */
#include "base/error.h"
#include "client/arguments.h"
#include "plain/plain.h"
#include "transact/intent.h"
#include "transact/stage.h"

#include <string.h>

enum { STAGE_GC_DAY_S = 24 * 60 * 60 };

struct stage_gc {
    const struct stage_gc_arguments *arguments;
    os_txn_gc_options options;
    os_call call;
    struct os_txn time; /* knows what is left of it */
    int64_t now_s;      /* before the intents were read */
    os_txn_gc_result result;
    os_error *err;
};

/* ------------------------------------------------------------------------------------------------ telling */

static os_code tell(struct stage_gc *gc, const os_txn_garbage *garbage)
{
    const struct stage_gc_arguments *arguments = gc->arguments;
    switch (garbage->fate) {
    case OS_GARBAGE_FOUND: gc->result.found++; break;
    case OS_GARBAGE_REMOVED: gc->result.removed++; break;
    case OS_GARBAGE_SPARED: gc->result.spared++; break;
    case OS_GARBAGE_FAILED: gc->result.failed++; break;
    }
    if (arguments->each != NULL && arguments->each(arguments->context, garbage) != 0)
        return error_set(gc->err, OS_ERR_STOPPED, "The caller's callback stopped the search.");
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ removing */

/* O3, O4. *ret_gone: the intent was gone already. */
static os_code remove_one(const struct stage_gc *gc, const char *key, struct intent *intent, bool *ret_gone,
                          os_error *err)
{
    bool is_there = false;
    intent->limits = stage_time_left(&gc->time);
    os_code code = intent_mark(intent, &is_there, err);
    *ret_gone = code == OS_OK && !is_there;
    if (code != OS_OK || !is_there)
        return code;
    const os_call left = stage_time_left(&gc->time);
    const struct plain_arguments arguments = {.key = key, .call = &left};
    code = plain_call(gc->time.client, &arguments, plain_delete, err);
    intent->limits = stage_time_left(&gc->time);
    return code == OS_OK ? intent_erase(intent, err) : code;
}

static os_code judge_old(struct stage_gc *gc, const struct intent_fields *fields, const char *key)
{
    struct intent intent = {.client = gc->time.client, .model = gc->options.intents, .key = fields->key};
    os_txn_garbage garbage = {
        .size = sizeof(garbage), .fate = OS_GARBAGE_FOUND, .key = key, .since_s = fields->since_s, .reason = ""};
    os_error failure;
    bool is_gone = false;
    if (!gc->options.remove)
        return tell(gc, &garbage);
    os_code code = remove_one(gc, key, &intent, &is_gone, &failure);
    if (code == OS_ERR_CANCELLED || code == OS_ERR_DEADLINE || code == OS_ERR_NO_MEMORY) {
        *gc->err = failure;
        return code;
    }
    garbage.fate = code != OS_OK ? OS_GARBAGE_FAILED : is_gone ? OS_GARBAGE_SPARED : OS_GARBAGE_REMOVED;
    if (code != OS_OK)
        garbage.reason = failure.message;
    else if (is_gone)
        garbage.reason = "Its transaction was committed meanwhile, or another gc has removed it.";
    return tell(gc, &garbage);
}

/* One table may have the intents of many buckets, and those of clients with another prefix. */
static bool is_ours(const struct stage_gc *gc, const struct intent_fields *fields, const char **ret_key)
{
    const os_client *client = gc->time.client;
    const char *root = client->settings.prefix != NULL ? client->settings.prefix : "";
    const char *prefix = gc->options.prefix != NULL ? gc->options.prefix : "";
    if (strcmp(fields->bucket, intent_bucket(client)) != 0 || strncmp(fields->key, root, strlen(root)) != 0)
        return false;
    *ret_key = fields->key + strlen(root);
    return strncmp(*ret_key, prefix, strlen(prefix)) == 0;
}

static os_code judge(struct stage_gc *gc, const json_t *item)
{
    const char *key = NULL;
    json_t *row = NULL;
    os_error failure;
    os_code code = model_row_from_item(gc->options.intents->model, NULL, item, &row, &failure);
    if (code != OS_OK) {
        const os_txn_garbage garbage = {
            .size = sizeof(garbage), .fate = OS_GARBAGE_FAILED, .key = "", .reason = failure.message};
        return tell(gc, &garbage);
    }
    const struct intent_fields fields = intent_read(row);
    if (is_ours(gc, &fields, &key)) {
        uint64_t age_s = fields.since_s < gc->now_s ? (uint64_t)(gc->now_s - fields.since_s) : 0;
        gc->result.seen++;
        if (gc->options.of_any_age || age_s > gc->options.older_than_s)
            code = judge_old(gc, &fields, key);
    }
    json_decref(row);
    return code;
}

/* ------------------------------------------------------------------------------------------------ the search */

static os_code judge_page(struct stage_gc *gc, const struct rows_page *page)
{
    size_t i;
    json_t *item;
    json_array_foreach(page->items, i, item)
    {
        os_code code = judge(gc, item);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

/* *start_key is replaced by where the next page begins; NULL: there is none. */
static os_code search_page(struct stage_gc *gc, json_t **start_key)
{
    const struct rows_list list = {.table = &gc->options.intents->table, .start_key = *start_key};
    struct row_call call = {
        .client = gc->time.client, .request = {.verb = ROW_LIST, .list = &list}, .name = "search for intents"};
    os_code code = row_set_ask_one(&call, &gc->call, gc->time.deadline_monotonic_ms, gc->err);
    json_decref(*start_key);
    *start_key = code == OS_OK ? json_incref(call.answer.page.last_key) : NULL;
    if (code == OS_OK)
        code = judge_page(gc, &call.answer.page);
    row_call_free(&call);
    return code;
}

static os_code search(struct stage_gc *gc)
{
    json_t *start_key = NULL;
    os_code code = OS_OK;
    do
        code = search_page(gc, &start_key);
    while (code == OS_OK && start_key != NULL);
    json_decref(start_key);
    return code;
}

static os_code begin(struct stage_gc *gc, os_client *client)
{
    struct clock_reading now;
    os_code code =
        versioned_copy(gc->arguments->options, &gc->options, sizeof(gc->options), "os_txn_gc_options", gc->err);
    if (code == OS_OK && (gc->options.intents == NULL || !gc->options.intents->is_of_intents))
        code = error_set(gc->err, OS_ERR_ARGUMENT,
                         "A gc of staged objects needs the model of their intents: make one with os_stage_model.");
    if (code == OS_OK)
        code = arguments_take_call(gc->arguments->call, &gc->call, gc->err);
    if (code == OS_OK)
        code = row_call_check(client, gc->err);
    if (code != OS_OK)
        return code;
    if (gc->options.older_than_s == 0)
        gc->options.older_than_s = STAGE_GC_DAY_S;
    clock_read(&now);
    gc->now_s = (int64_t)(now.realtime_ms / 1000);
    gc->time = (struct os_txn){.client = client,
                               .call = &gc->call,
                               .deadline_monotonic_ms = gc->call.deadline_ms > UINT64_MAX - now.monotonic_ms
                                                            ? UINT64_MAX
                                                            : now.monotonic_ms + gc->call.deadline_ms};
    return OS_OK;
}

static os_code perform_gc(os_client *client, const void *context, os_error *err)
{
    struct stage_gc gc = {.arguments = context, .err = err};
    os_code code = begin(&gc, client);
    if (code == OS_OK)
        code = search(&gc);
    if (gc.arguments->ret != NULL)
        versioned_give(&gc.result, sizeof(gc.result), gc.arguments->ret);
    return code;
}

os_code stage_gc_run(os_client *client, const struct stage_gc_arguments *arguments, os_error *err)
{
    static const os_txn_gc_result nothing;
    if (arguments->ret != NULL)
        versioned_give(&nothing, sizeof(nothing), arguments->ret);
    return client_perform(client, perform_gc, arguments, err);
}
