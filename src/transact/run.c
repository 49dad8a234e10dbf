/* SPDX-License-Identifier: Apache-2.0 */
/* A transaction from its first run to its verdict. */
#include "base/error.h"
#include "base/random.h"
#include "client/arguments.h"
#include "client/pause.h"
#include "transact/attempt.h"
#include "transact/transact.h"

#include <stdlib.h>
#include <string.h>

enum { RETRIES = 3, INITIAL_BACKOFF_MS = 500, MAX_BACKOFF_MS = 10000 };

/* ------------------------------------------------------------------------------------------------ committing */

/* What one run came to, for the loop around it. */
enum run_end { RUN_OVER = 1, RUN_AGAIN };

static os_verdict say_contention(const struct attempt *attempt, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    bool is_known = attempt->in_the_way < attempt->count;
    (void)error_set(err, OS_ERR_CONFLICT, "The transaction was too often in contention: nothing was applied.%s%.250s%s",
                    is_known ? " The last time the row " : "",
                    is_known ? row_text(attempt->rows[attempt->in_the_way], text) : "",
                    is_known ? " had changed meanwhile." : "");
    return OS_CONFLICT;
}

static os_verdict say_exists(const struct attempt *attempt, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    (void)error_set(err, OS_ERR_BUSY, "The row %.250s is there already: nothing was applied.",
                    attempt->in_the_way < attempt->count ? row_text(attempt->rows[attempt->in_the_way], text) : "");
    return OS_CONFLICT;
}

static os_verdict say_unknown(const struct attempt *attempt, os_error *err)
{
    (void)error_set(err, OS_ERR_UNDECIDED,
                    "It is not known whether the transaction was applied, or will be: an answer was lost.%s%.500s",
                    attempt->error.code != OS_OK ? " Last trouble: " : "", attempt->error.message);
    return OS_UNKNOWN;
}

static os_verdict say_verdict(const struct attempt *attempt, os_error *err)
{
    switch (attempt->verdict) {
    case TRANSACTION_COMMITTED: error_clear(err); return OS_COMMITTED;
    case TRANSACTION_CONFLICT: return say_contention(attempt, err);
    case TRANSACTION_EXISTS: return say_exists(attempt, err);
    case TRANSACTION_UNKNOWN: return say_unknown(attempt, err);
    case TRANSACTION_NOT_EXECUTED: break;
    }
    *err = attempt->error;
    return OS_NOT_EXECUTED;
}

/* Rows that were read at one instant, or of which there is one, need no request: they were so at that instant. */
static bool needs_commit(const struct os_txn *txn)
{
    bool reads_together = txn->read_count <= 1;
    for (const struct os_row *row = txn->rows; row != NULL; row = row->next) {
        if (row_is_written(row))
            return true;
        reads_together = reads_together && !row->is_weak;
    }
    return txn->row_count > 0 && !reads_together;
}

static os_code take_rows(const struct os_txn *txn, struct attempt *attempt, os_error *err)
{
    attempt->client = txn->client;
    attempt->limits = txn_time_left(txn);
    for (struct os_row *row = txn->rows; row != NULL; row = row->next)
        attempt->rows[attempt->count++] = row;
    return attempt_prepare(attempt, err);
}

static os_verdict commit(const struct os_txn *txn, os_txn_result *result, enum run_end *ret_end, os_error *err)
{
    os_verdict verdict = OS_NOT_EXECUTED;
    struct attempt *attempt = calloc(1, sizeof(*attempt));
    *ret_end = RUN_OVER;
    if (attempt == NULL) {
        (void)error_no_memory(err);
        return verdict;
    }
    if (take_rows(txn, attempt, err) == OS_OK && sync_run(txn->client, &attempt->sync, err) == OS_OK) {
        verdict = say_verdict(attempt, err);
        result->requests += attempt->requests;
        *ret_end = attempt->verdict == TRANSACTION_CONFLICT ? RUN_AGAIN : RUN_OVER;
    }
    attempt_free(attempt);
    free(attempt);
    return verdict;
}

/* ------------------------------------------------------------------------------------------------ runs */

static os_verdict run_once(struct os_txn *txn, const struct transact_arguments *arguments, os_txn_result *result,
                           enum run_end *ret_end, os_error *err)
{
    os_verdict verdict = OS_COMMITTED;
    error_clear(err);
    *ret_end = RUN_OVER;
    result->runs++;
    txn->read_count = 0;
    os_code code = arguments->function(arguments->context, txn, err);
    if (code == OS_OK) {
        error_clear(err);
        if (needs_commit(txn))
            verdict = commit(txn, result, ret_end, err);
    } else {
        *ret_end = code == OS_ERR_CONFLICT ? RUN_AGAIN : RUN_OVER;
        verdict = code == OS_ERR_CONFLICT ? OS_CONFLICT : OS_NOT_EXECUTED;
        if (err->code != code)
            (void)error_set(err, code, "The transaction's function has ended it: %s.", os_code_text(code));
    }
    txn_free_rows(txn);
    return verdict;
}

/* A tenth more or less, so that those who met do not meet again. */
static uint64_t about(uint64_t pause_ms, uint64_t *jitter)
{
    return pause_ms - pause_ms / 10 + random_next(jitter) % (pause_ms / 5 + 1);
}

static os_verdict run_all(struct os_txn *txn, const struct transact_arguments *arguments, os_txn_result *result,
                          os_error *err)
{
    const os_txn_options *options = txn->options;
    uint32_t retries = options->no_retries ? 0 : options->retries != 0 ? options->retries : RETRIES;
    uint64_t most_ms = options->max_backoff_ms != 0 ? options->max_backoff_ms : MAX_BACKOFF_MS;
    uint64_t pause_ms = options->initial_backoff_ms != 0 ? options->initial_backoff_ms : INITIAL_BACKOFF_MS;
    uint64_t jitter = 0;
    enum run_end end = RUN_OVER;
    (void)random_bytes(&jitter, sizeof(jitter)); /* without it: less jitter */
    for (uint32_t run = 0;; run++) {
        os_verdict verdict = run_once(txn, arguments, result, &end, err);
        os_call left = txn_time_left(txn);
        if (end == RUN_OVER || run >= retries)
            return verdict;
        pause_ms = pause_ms < most_ms ? pause_ms : most_ms;
        if (left.deadline_ms <= pause_ms || !client_pause(txn->client, left.cancel, about(pause_ms, &jitter)))
            return verdict;
        pause_ms *= 2;
    }
}

/* ------------------------------------------------------------------------------------------------ the call */

static os_code check_arguments(os_client *client, const struct transact_arguments *arguments, os_error *err)
{
    const os_txn_options *options = arguments->options;
    if (arguments->function == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "A transaction has no function: it is NULL.");
    if (options != NULL && options->size != sizeof(*options))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The options of a transaction have a wrong size: set them with "
                         "OS_TXN_OPTIONS_INIT.");
    if (arguments->ret != NULL && arguments->ret->size != sizeof(*arguments->ret))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The result of a transaction has a wrong size: set it with "
                         "OS_TXN_RESULT_INIT.");
    return row_call_check(client, err);
}

os_verdict transact_run(os_client *client, const struct transact_arguments *arguments, os_error *err)
{
    static const os_txn_options defaults = OS_TXN_OPTIONS_INIT;
    os_txn_result result = OS_TXN_RESULT_INIT;
    struct clock_reading now;
    os_call call;
    clock_read(&now);
    os_code code = check_arguments(client, arguments, err);
    if (code == OS_OK)
        code = arguments_take_call(arguments->call, &call, err);
    result.verdict = OS_NOT_EXECUTED;
    if (code == OS_OK) {
        struct os_txn txn = {.client = client,
                             .options = arguments->options != NULL ? arguments->options : &defaults,
                             .call = &call,
                             .deadline_monotonic_ms = now.monotonic_ms + call.deadline_ms};
        result.verdict = run_all(&txn, arguments, &result, err);
    }
    if (arguments->ret != NULL && arguments->ret->size == sizeof(*arguments->ret))
        *arguments->ret = result;
    return result.verdict;
}
