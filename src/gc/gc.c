/* SPDX-License-Identifier: Apache-2.0 */
/*
 * os_gc: what writers that died have left. First everything is read, then the store's time is taken, and only then
 * judged and removed: so nothing counts as older than it is.
 */
#include "gc/gc.h"

#include "base/error.h"
#include "base/text.h"
#include "client/arguments.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- begin */

static os_code gc_begin(struct gc *gc, const struct gc_arguments *arguments)
{
    struct clock_reading now;
    os_code code = versioned_copy(arguments->options, &gc->options, sizeof(gc->options), "os_gc_options", gc->err);
    if (code == OS_OK)
        code = arguments_take_call(arguments->call, &gc->call, gc->err);
    if (code != OS_OK)
        return code;
    if (gc->options.older_than_s == 0)
        gc->options.older_than_s = GC_DAY_S;
    clock_read(&now);
    bool endless = gc->call.deadline_ms > UINT64_MAX - now.monotonic_ms;
    gc->deadline_monotonic_ms = endless ? UINT64_MAX : now.monotonic_ms + gc->call.deadline_ms;
    const struct settings *settings = &gc->client->settings;
    const char *root = settings->prefix ? settings->prefix : "";
    gc->root_length = strlen(root);
    gc->record_length = settings->record_prefix ? strlen(settings->record_prefix) : 0;
    gc->prefix = text_join(root, gc->options.prefix ? gc->options.prefix : "");
    gc->path_prefix = gc->prefix ? client_record_path(gc->client, gc->prefix) : NULL;
    return gc->path_prefix ? OS_OK : error_no_memory(gc->err);
}

/* Rows of other keys are not our affair, nor what is no record. */
static void keep_wanted(struct gc *gc)
{
    size_t kept = 0;
    for (size_t i = 0; i < gc->rows.count; i++) {
        struct kept_row *row = &gc->rows.list[i];
        if (row->readable && strncmp(row->path, gc->path_prefix, strlen(gc->path_prefix)) == 0) {
            struct kept_row first = gc->rows.list[kept];
            gc->rows.list[kept++] = *row;
            *row = first; /* freed with the others */
        }
    }
    gc->result.records = kept;
}

/* The largest Date so far: too old a one only spares more. The list of uploads lent its own. */
static os_code gc_read_time(struct gc *gc)
{
    os_code code = OS_OK;
    if (gc->result.listing == OS_GC_LISTING_NONE) {
        struct store_call head = {.request = {.verb = STORE_HEAD_BUCKET}, .may_repeat = true};
        code = store_call_run(&head, gc->client, gc_call(gc), gc->err);
    }
    if (code == OS_OK)
        code = client_store_time(gc->client, &gc->date_s, gc->err);
    gc->result.date_s = (int64_t)gc->date_s;
    return code;
}

static os_code gc_search(struct gc *gc)
{
    os_code code = OS_OK;
    if (gc->client->ledger)
        code = ledger_rows_read(gc->client, NULL, gc_call(gc), &gc->rows, gc->err);
    if (code == OS_OK)
        keep_wanted(gc);
    if (code == OS_OK)
        code = gc_collect_uploads(gc);
    if (code == OS_OK)
        code = gc_read_time(gc);
    if (code == OS_OK)
        code = gc_judge_uploads(gc);
    return code == OS_OK ? gc_judge_records(gc) : code;
}

static void gc_give_result(const struct gc *gc, os_gc_result *ret)
{
    if (ret != NULL)
        versioned_give(&gc->result, sizeof(gc->result), ret);
}

static os_code gc_perform(os_client *client, const void *context, os_error *err)
{
    const struct gc_arguments *arguments = context;
    struct gc gc = {.client = client, .each = arguments->each, .context = arguments->context, .err = err};
    os_code code = gc_begin(&gc, arguments);
    if (code == OS_OK)
        code = gc_search(&gc);
    gc_give_result(&gc, arguments->ret);
    gc_free_uploads(&gc);
    ledger_rows_free(&gc.rows);
    free(gc.path_prefix);
    free(gc.prefix);
    return code;
}

os_code gc_run(os_client *client, const struct gc_arguments *arguments, os_error *err)
{
    const struct gc nothing = {.client = client};
    gc_give_result(&nothing, arguments->ret);
    return client_perform(client, gc_perform, arguments, err);
}
