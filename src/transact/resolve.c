/* SPDX-License-Identifier: Apache-2.0 */
/* X10: what came of an attempt, by its ticket. */
#include "base/error.h"
#include "client/arguments.h"
#include "client/row_set.h"
#include "transact/row_write.h"
#include "transact/transact.h"
#include "transact/txn_ticket.h"

#include <stdlib.h>
#include <string.h>

/* A fence fails only when another has written the row meanwhile. */
enum { LOOKS_MAX = 8 };

struct resolving {
    os_client *client;
    os_call call;
    uint64_t deadline_monotonic_ms;
    struct txn_ticket ticket;
    struct transaction_settings settings;
    struct rows_get gets[ROWS_AT_ONCE_MAX];
    struct transaction_row rows[ROWS_AT_ONCE_MAX];
};

static os_code begin(struct resolving *resolving, const char *text, os_error *err)
{
    os_code code = text != NULL ? txn_ticket_read(resolving->client, text, &resolving->ticket, err)
                                : error_set(err, OS_ERR_ARGUMENT, "There is no ticket: it is NULL.");
    if (code != OS_OK)
        return code;
    resolving->settings.count = (uint32_t)resolving->ticket.count;
    for (size_t i = 0; i < resolving->ticket.count; i++) {
        const struct row_mark *mark = &resolving->ticket.marks[i];
        resolving->settings.parts[i] = (uint8_t)mark->part;
        resolving->gets[i] = (struct rows_get){.of = {.table = mark->table, .key = mark->key}};
    }
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ requests */

/* Not of one instant, which only 4 MB of items can be. */
static os_code look(struct resolving *resolving, os_error *err)
{
    size_t count = resolving->ticket.count;
    struct row_call call = {.client = resolving->client,
                            .request = {.verb = ROW_READ, .gets = resolving->gets, .get_count = count},
                            .name = "look at the rows of a transaction"};
    os_code code = row_set_ask_one(&call, &resolving->call, resolving->deadline_monotonic_ms, err);
    memset(resolving->rows, 0, sizeof(resolving->rows));
    for (size_t i = 0; i < count && code == OS_OK; i++)
        row_see(&resolving->ticket.marks[i], &resolving->ticket.tokens, call.answer.items.items[i],
                &resolving->rows[i]);
    row_call_free(&call);
    return code;
}

/* X8. Of one that is sent twice the second finds the first: it is looked at. */
static os_code fence(const struct resolving *resolving, uint32_t part, bool *ret_is_done, os_error *err)
{
    struct row_write write;
    struct row_call call = {.client = resolving->client,
                            .request = {.verb = ROW_WRITE},
                            .repeats_unclear_ms = ROW_CALL_ALWAYS,
                            .name = "fence of a transaction"};
    *ret_is_done = false;
    os_code code = row_write_fence(&resolving->ticket.marks[part], resolving->ticket.tokens.fence, &write, err);
    if (code != OS_OK)
        return code;
    call.request.write = &write.write;
    code = row_set_ask_one(&call, &resolving->call, resolving->deadline_monotonic_ms, err);
    *ret_is_done = code == OS_OK && call.answer.outcome == TABLE_OK;
    row_call_free(&call);
    row_write_free(&write);
    return code;
}

/* APPLIED and NEVER are final; OPEN: others were faster each time. */
static os_code find_out(struct resolving *resolving, enum transaction_finding *ret, os_error *err)
{
    *ret = TRANSACTION_OPEN;
    for (int looks = 0; looks < LOOKS_MAX && *ret == TRANSACTION_OPEN; looks++) {
        uint32_t part = 0;
        bool is_fenced = false;
        os_code code = look(resolving, err);
        if (code != OS_OK)
            return code;
        *ret = transaction_judge(&resolving->settings, resolving->rows, &part);
        if (*ret == TRANSACTION_OPEN)
            code = fence(resolving, part, &is_fenced, err);
        if (code != OS_OK)
            return code;
        if (is_fenced)
            *ret = TRANSACTION_NEVER;
    }
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ what is said */

static os_verdict say_hidden(enum transaction_finding finding, os_error *err)
{
    const char *why = finding == TRANSACTION_MOVED
                          ? "Others have written its rows since, or have deleted them, and hide whether it was "
                            "applied. It will not be any more."
                      : finding == TRANSACTION_OPEN
                          ? "Others write its rows all the time. Ask again."
                          : "Its rows had no tokens when they were read, or were not read, and do not show it: "
                            "it may be applied yet. Ask again later.";
    (void)error_set(err, OS_ERR_UNDECIDED, "It is still not known whether the transaction was applied. %s", why);
    return OS_UNKNOWN;
}

static os_verdict say_finding(enum transaction_finding finding, os_error *err)
{
    if (finding == TRANSACTION_APPLIED) {
        error_clear(err);
        return OS_COMMITTED;
    }
    if (finding != TRANSACTION_NEVER)
        return say_hidden(finding, err);
    (void)error_set(err, OS_ERR_CONFLICT,
                    "The transaction was not applied, and never will be: run it again if it is still wanted.");
    return OS_NOT_EXECUTED;
}

os_verdict transact_resolve(os_client *client, const char *ticket, const os_call *call, os_error *err)
{
    enum transaction_finding finding = TRANSACTION_UNDECIDED;
    os_verdict verdict = OS_UNKNOWN;
    struct resolving *resolving = calloc(1, sizeof(*resolving));
    if (resolving == NULL) {
        (void)error_no_memory(err);
        return verdict;
    }
    resolving->client = client;
    os_code code = row_call_check(client, err);
    if (code == OS_OK)
        code = arguments_take_call(call, &resolving->call, err);
    if (code == OS_OK)
        code = begin(resolving, ticket, err);
    resolving->deadline_monotonic_ms = clock_monotonic_ms() + resolving->call.deadline_ms;
    if (code == OS_OK)
        code = find_out(resolving, &finding, err);
    if (code == OS_OK)
        verdict = say_finding(finding, err);
    txn_ticket_free(&resolving->ticket);
    free(resolving);
    return verdict;
}
