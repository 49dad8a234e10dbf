/* SPDX-License-Identifier: Apache-2.0 */
#include "plain/explain.h"

#include "base/container.h"
#include "base/error.h"
#include "client/arguments.h"

#include <stdlib.h>

enum { EXPLAIN_SOURCES_MAX = 16 };

struct explain_note {
    const char *source;
    bool used;
    char why[CHAIN_REASON_SIZE];
};

struct explain {
    struct sync sync;
    struct op op;
    struct op_limits limits;
    struct loop_blocking blocking;
    const struct credentials *credentials;
    struct fetcher fetcher;
    enum op_reason reason; /* 0: it was not interrupted */
    struct explain_note notes[EXPLAIN_SOURCES_MAX];
    size_t note_count;
    struct credentials_finding finding;
    os_code code;
    os_error error;
};

/* On a worker; the caller's function runs on his own thread, afterwards. */
static void keep_note(void *context, const char *source, const char *why)
{
    struct explain *explain = context;
    if (explain->note_count == EXPLAIN_SOURCES_MAX)
        return;
    struct explain_note *note = &explain->notes[explain->note_count++];
    note->source = source;
    note->used = why == NULL;
    (void)TEXT_COPY_STR_CUT(why != NULL ? why : "", note->why);
}

static void explain_work(struct loop_blocking *blocking)
{
    struct explain *explain = container_of(blocking, struct explain, blocking);
    explain->code = credentials_explain(explain->credentials, &explain->fetcher, keep_note, explain, &explain->finding,
                                        &explain->error);
}

static void explain_done(struct loop_blocking *blocking)
{
    struct explain *explain = container_of(blocking, struct explain, blocking);
    op_end(&explain->op);
    if (explain->reason != 0 && explain->code != OS_OK) {
        explain->code = error_set(&explain->error, op_reason_code(explain->reason),
                                  "The search for credentials was ended: %s.", op_reason_clause(explain->reason));
    }
    sync_finish(&explain->sync);
}

/* The search ends then, which is told by explain_done. */
static void explain_interrupted(struct op *op, enum op_reason reason)
{
    struct explain *explain = container_of(op, struct explain, op);
    if (explain->reason == 0)
        explain->reason = reason;
    fetcher_stop(&explain->fetcher);
}

static void explain_start(struct sync *sync)
{
    struct explain *explain = container_of(sync, struct explain, sync);
    if (!op_begin(&explain->op, &explain->limits, NULL, explain_interrupted)) {
        explain->code = error_no_memory(&explain->error);
        sync_finish(sync);
        return;
    }
    explain->blocking = (struct loop_blocking){.work = explain_work, .done = explain_done, .lane = LOOP_LOOKS};
    loop_run_blocking(explain->limits.loop, &explain->blocking);
}

static void give_finding(const struct explain *explain, const struct explain_arguments *arguments)
{
    os_credentials_info info = OS_CREDENTIALS_INFO_INIT;
    for (size_t i = 0; arguments->each != NULL && i < explain->note_count; i++) {
        const struct explain_note *note = &explain->notes[i];
        arguments->each(arguments->context, note->source, note->used, note->used ? NULL : note->why);
    }
    if (arguments->ret == NULL || explain->code != OS_OK)
        return;
    (void)TEXT_COPY_STR(explain->finding.source, info.source);
    (void)TEXT_COPY_STR(explain->finding.key_end, info.key_end);
    info.expires_s = explain->finding.expires_s;
    versioned_give(&info, sizeof(info), arguments->ret);
}

static os_code search(os_client *client, struct explain *explain, os_error *err)
{
    os_code code = credentials_make_fetcher(explain->credentials, &explain->fetcher, err);
    if (code != OS_OK)
        return code;
    code = sync_run(client, &explain->sync, err);
    fetcher_close(&explain->fetcher);
    return code;
}

os_code explain_credentials(os_client *client, const void *context, os_error *err)
{
    const struct explain_arguments *arguments = context;
    const struct credentials *credentials = arguments->of_ledger ? client->keys.ledger : client->keys.store;
    os_call call;
    os_code code = arguments_take_call(arguments->call, &call, err);
    if (code == OS_OK && credentials == NULL)
        code = error_set(err, OS_ERR_CONFIG, "The %s needs no credentials: it is none that is signed for.",
                         arguments->of_ledger ? "ledger" : "store");
    if (code != OS_OK)
        return code;
    struct explain *explain = calloc(1, sizeof(*explain));
    if (explain == NULL)
        return error_no_memory(err);
    explain->sync.start = explain_start;
    explain->limits = client_limits(client, &call);
    explain->credentials = credentials;
    code = search(client, explain, err);
    if (code == OS_OK) {
        give_finding(explain, arguments);
        code = explain->code;
        if (code != OS_OK)
            *err = explain->error;
    }
    free(explain);
    return code;
}
