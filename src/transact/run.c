/* SPDX-License-Identifier: Apache-2.0 */
/* A transaction from its first run to its verdict. */
#include "base/error.h"
#include "base/random.h"
#include "client/arguments.h"
#include "client/pause.h"
#include "transact/attempt.h"
#include "transact/end.h"
#include "transact/query.h"
#include "transact/transact.h"
#include "transact/txn_ticket.h"

#include <stdlib.h>
#include <string.h>

enum { RETRIES = 3, INITIAL_BACKOFF_MS = 500, MAX_BACKOFF_MS = 10000 };

/* ------------------------------------------------------------------------------------------------ committing */

/* What one run came to, for the loop around it. */
enum run_end { RUN_OVER = 1, RUN_AGAIN };

/* A row that was not read may never have been as the function has said. */
static os_verdict say_contention(const struct attempt *attempt, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    const struct os_row *row = attempt->in_the_way < attempt->count ? attempt->rows[attempt->in_the_way] : NULL;
    bool is_expected = row != NULL && (row->origin == ORIGIN_PUT || row->origin == ORIGIN_UPDATED);
    const char *fault =
        is_expected ? "was not as the transaction expects it: read it, and decide again" : "had changed meanwhile";
    (void)error_set(err, OS_ERR_CONFLICT, "The transaction was too often in contention: nothing was applied.");
    if (row != NULL)
        (void)error_set(err, OS_ERR_CONFLICT, "%s The last time the row %s %s.", err->message, row_text(row, text),
                        fault);
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

/* Another was faster: also at making a row whose absence this run has read. */
static bool was_in_contention(const struct attempt *attempt)
{
    size_t row = attempt->in_the_way;
    return attempt->verdict == TRANSACTION_CONFLICT ||
           (attempt->verdict == TRANSACTION_EXISTS && row < attempt->count && attempt->rows[row]->was_read);
}

static os_verdict say_verdict(const struct attempt *attempt, os_error *err)
{
    if (was_in_contention(attempt))
        return say_contention(attempt, err);
    switch (attempt->verdict) {
    case TRANSACTION_COMMITTED: error_clear(err); return OS_COMMITTED;
    case TRANSACTION_CONFLICT:
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
    os_code code = txn_parts(txn, attempt->rows, &attempt->count, err);
    return code == OS_OK ? attempt_prepare(attempt, err) : code;
}

static char *write_ticket(const struct attempt *attempt, os_error *err)
{
    struct txn_ticket ticket = {.tokens = attempt->tokens};
    for (size_t i = 0; i < attempt->count; i++)
        if (attempt->parts[i].mark.part != TRANSACTION_CHECK)
            ticket.marks[ticket.count++] = attempt->parts[i].mark;
    char *ret = txn_ticket_write(attempt->client, &ticket);
    if (ret == NULL)
        error_add(err, "There was no memory for a ticket: read the rows before you run it again.");
    return ret;
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
        *ret_end = was_in_contention(attempt) ? RUN_AGAIN : RUN_OVER;
    }
    if (verdict == OS_UNKNOWN)
        result->ticket = write_ticket(attempt, err);
    attempt_free(attempt);
    free(attempt);
    return verdict;
}

/* ------------------------------------------------------------------------------------------------ runs */

/* What the function has not heard of, or has passed over. */
static os_code check_whole(const struct os_txn *txn, os_error *err)
{
    if (txn->failed.code != OS_OK)
        return error_set(
            err, txn->failed.code,
            "The transaction's function has returned OS_OK, although what it asked for had failed: nothing "
            "was applied. %.600s",
            txn->failed.message);
    for (const struct os_row *row = txn->rows; row != NULL; row = row->next)
        if (row->is_broken)
            return error_no_memory(err);
    return OS_OK;
}

/* Rows that it makes are finalized, too. */
static os_code finalize(struct os_txn *txn, os_error *err)
{
    const os_txn_options *options = txn->options;
    os_code code = OS_OK;
    for (struct os_row *row = txn->rows; row != NULL && options->finalize != NULL && code == OS_OK; row = row->next)
        if (row_is_written(row) && row_is_whole(row))
            code = options->finalize(options->finalize_context, txn, row, err);
    return code;
}

static os_code call_function(struct os_txn *txn, const struct transact_arguments *arguments, os_error *err)
{
    os_code code = arguments->function(arguments->context, txn, err);
    if (code == OS_OK)
        code = finalize(txn, err);
    if (code != OS_OK) {
        if (err->code != code && code == OS_ERR_CONFLICT)
            (void)error_set(err, code, "The transaction's function has asked to run again: nothing was applied.");
        else if (err->code != code)
            (void)error_set(err, code, "The transaction's function has ended it: %s.", os_code_text(code));
        return code;
    }
    error_clear(err);
    return check_whole(txn, err);
}

static void begin_run(struct os_txn *txn, os_error *err)
{
    error_clear(err);
    error_clear(&txn->failed);
    txn_end_drop_all(txn);
    txn->read_count = 0;
    txn->only_reads = txn->options->read_only != 0;
    txn->caches_rows = txn->options->cache_rows != 0;
}

static os_verdict run_once(struct os_txn *txn, const struct transact_arguments *arguments, os_txn_result *result,
                           enum run_end *ret_end, os_error *err)
{
    os_verdict verdict = OS_COMMITTED;
    begin_run(txn, err);
    *ret_end = RUN_OVER;
    result->runs++;
    os_code code = call_function(txn, arguments, err);
    if (code != OS_OK) {
        *ret_end = code == OS_ERR_CONFLICT ? RUN_AGAIN : RUN_OVER;
        verdict = code == OS_ERR_CONFLICT ? OS_CONFLICT : OS_NOT_EXECUTED;
    } else if (needs_commit(txn)) {
        verdict = commit(txn, result, ret_end, err);
    }
    query_free_all(txn);
    if (txn->end_staged != NULL)
        txn->end_staged(txn, verdict);
    txn_free_rows(txn);
    return verdict;
}

/* A tenth more or less, so that those who met do not meet again. */
static uint64_t about(uint64_t pause_ms, uint64_t *jitter)
{
    return pause_ms - pause_ms / 10 + random_next(jitter) % (pause_ms / 5 + 1);
}

/* Whoever gives up between two runs has not met with contention in all of them. */
static os_verdict say_cut(const struct os_txn *txn, os_error *err)
{
    const os_error last = *err;
    enum op_reason reason = row_call_why_not(txn->client, txn->call);
    if (reason == 0)
        (void)error_no_memory(err);
    else
        (void)error_set(err, op_reason_code(reason),
                        "The transaction was not run again, and nothing was applied: %s. Last trouble: %.500s",
                        op_reason_clause(reason), last.message);
    return OS_NOT_EXECUTED;
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
        uint64_t this_ms = about(pause_ms, &jitter);
        if (left.deadline_ms <= this_ms) {
            error_add(err, "Its deadline left no time for another run.");
            return verdict;
        }
        if (!client_pause(txn->client, left.cancel, this_ms))
            return say_cut(txn, err);
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
        txn_end_tell_all(&txn, result.verdict);
    }
    os_verdict verdict = result.verdict;
    if (arguments->ret != NULL && arguments->ret->size == sizeof(*arguments->ret))
        *arguments->ret = result;
    else
        free(result.ticket);
    return verdict;
}
