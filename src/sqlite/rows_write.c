/* SPDX-License-Identifier: Apache-2.0 */
/* All-or-nothing writes: each is evaluated against what is there, then all are written, or none. */
#include "attribute/value.h"
#include "base/error.h"
#include "sqlite/rows.h"
#include "sqlite/rows_token.h"
#include "sqlite/rows_work.h"

#include <stdlib.h>
#include <string.h>

void rows_answers_free(struct rows_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_decref(answers[i].item);
        free(answers[i].why);
        answers[i] = (struct rows_answer){.verdict = 0};
    }
}

struct writing {
    struct rows_conn at;
    const struct rows_transaction *transaction;
    struct rows_digest digest; /* of a transaction with a token */
    struct rows_work *works;
    struct sqlite_rows_table *tables; /* room for one for each write */
    size_t table_count;
    struct rows_answer *answers;
    bool has_refused;
    os_error *err;
};

/* ---------------------------------------------------------------------------------------------------------- verdicts */

/* What is wrong with one write; *err tells of the first. No memory is nobody's fault, and ends the whole. */
static enum table_outcome refuse(struct writing *writing, size_t number, const os_error *why)
{
    struct rows_answer *answer = &writing->answers[number];
    if (why->code == OS_ERR_NO_MEMORY)
        return rows_no_memory(writing->err);
    *answer = (struct rows_answer){.verdict = ROWS_REFUSED, .code = why->code, .why = strdup(why->message)};
    if (!writing->has_refused && writing->transaction->count > 1)
        error_set(writing->err, why->code, "Write %zu of %zu: %s", number + 1, writing->transaction->count,
                  why->message);
    else if (!writing->has_refused)
        error_set(writing->err, why->code, "%s", why->message);
    writing->has_refused = true;
    return TABLE_OK;
}

typedef os_code (*step_fn)(struct rows_work *work, os_error *err);

/* One step for all writes, so that each is told what is wrong with it. */
static enum table_outcome step_all(struct writing *writing, step_fn step)
{
    os_error why;
    enum table_outcome outcome = TABLE_OK;
    for (size_t i = 0; i < writing->transaction->count && outcome == TABLE_OK; i++)
        if (step(&writing->works[i], &why) != OS_OK)
            outcome = refuse(writing, i, &why);
        else
            writing->answers[i].verdict = ROWS_FINE;
    return outcome == TABLE_OK && writing->has_refused ? TABLE_REFUSED : outcome;
}

/* ----------------------------------------------------------------------------------------------------------- places */

static enum table_outcome find_table(struct writing *writing, const char *name, const struct sqlite_rows_table **ret)
{
    for (size_t i = 0; i < writing->table_count; i++)
        if (strcmp(writing->tables[i].name, name) == 0) {
            *ret = &writing->tables[i];
            return TABLE_OK;
        }
    *ret = &writing->tables[writing->table_count];
    return sqlite_rows_table_find(&writing->at, name, &writing->tables[writing->table_count++], writing->err);
}

static enum table_outcome check_twins(struct writing *writing)
{
    for (size_t i = 1; i < writing->transaction->count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct rows_work *a = &writing->works[j];
            const struct rows_work *b = &writing->works[i];
            if (a->table != b->table || !encoded_keys_equal(&a->key, &b->key))
                continue;
            error_set(writing->err, OS_ERR_ARGUMENT,
                      "Writes %zu and %zu of one transaction are about one item of the table %.255s. Make one of them, "
                      "or two transactions.",
                      j + 1, i + 1, a->table->name);
            return TABLE_REFUSED;
        }
    return TABLE_OK;
}

static enum table_outcome place_all(struct writing *writing)
{
    enum table_outcome outcome = TABLE_OK;
    for (size_t i = 0; i < writing->transaction->count && outcome == TABLE_OK; i++)
        outcome = find_table(writing, writing->works[i].write->table, &writing->works[i].table);
    if (outcome == TABLE_OK)
        outcome = step_all(writing, rows_work_place);
    return outcome == TABLE_OK ? check_twins(writing) : outcome;
}

/* ------------------------------------------------------------------------------------------------------- evaluation */

static enum table_outcome evaluate(struct writing *writing, size_t number)
{
    os_error why;
    bool holds = false;
    struct rows_work *work = &writing->works[number];
    struct rows_answer *answer = &writing->answers[number];
    enum table_outcome outcome = rows_item_find(&writing->at, work->table, &work->key, &work->before, writing->err);
    if (outcome != TABLE_OK)
        return outcome;
    if (rows_work_evaluate(work, &holds, &why) != OS_OK)
        return refuse(writing, number, &why);
    if (!holds) {
        answer->verdict = ROWS_CONDITION_FAILED;
        answer->item = json_incref(work->before);
    }
    return TABLE_OK;
}

/* Of all of them together: TABLE_OK, or what stands in the way. */
static enum table_outcome judge(struct writing *writing)
{
    enum table_outcome outcome = TABLE_OK;
    size_t size = 0;
    if (writing->has_refused)
        return TABLE_REFUSED;
    for (size_t i = 0; i < writing->transaction->count; i++) {
        const struct rows_answer *answer = &writing->answers[i];
        const struct rows_work *work = &writing->works[i];
        if (answer->verdict == ROWS_CONDITION_FAILED && outcome != TABLE_CONFLICT)
            outcome = answer->item != NULL ? TABLE_CONFLICT : TABLE_CONFLICT_BLIND;
        if (work->text.len > 0)
            size += item_size(work->after);
    }
    if (outcome != TABLE_OK || size <= ROWS_TRANSACTION_SIZE_MAX)
        return outcome;
    error_set(writing->err, OS_ERR_TOO_LARGE,
              "The items of the transaction have %zu bytes together; DynamoDB takes at most %d. Write them in several.",
              size, ROWS_TRANSACTION_SIZE_MAX);
    return TABLE_REFUSED;
}

static enum table_outcome evaluate_all(struct writing *writing)
{
    enum table_outcome outcome = TABLE_OK;
    for (size_t i = 0; i < writing->transaction->count && outcome == TABLE_OK; i++)
        outcome = evaluate(writing, i);
    return outcome == TABLE_OK ? judge(writing) : outcome;
}

/* ---------------------------------------------------------------------------------------------------------- writing */

static enum table_outcome apply(struct writing *writing, const struct rows_work *work)
{
    const struct rows_item_change change = {
        .table = work->table, .key = &work->key, .before = work->before, .after = work->after, .text = &work->text};
    if (work->write->kind == ROWS_CHECK || (work->before == NULL && work->after == NULL))
        return TABLE_OK;
    int rc = rows_item_change(&writing->at, &change);
    return rc == SQLITE_OK ? TABLE_OK : rows_failed(writing->at.conn, rc, "write an item", writing->err);
}

static bool is_of_transaction(const void *context, const struct sqlite_rows_table *table, const struct encoded_key *key)
{
    const struct writing *writing = context;
    for (size_t i = 0; i < writing->transaction->count; i++)
        if (writing->works[i].table == table && encoded_keys_equal(&writing->works[i].key, key))
            return true;
    return false;
}

static enum table_outcome expire(struct writing *writing, const struct sqlite_rows_table *table)
{
    const struct rows_expiry expiry = {
        .table = table, .now_s = writing->transaction->now_s, .is_kept = is_of_transaction, .context = writing};
    return table->definition.ttl != NULL ? rows_expire(&writing->at, &expiry, writing->err) : TABLE_OK;
}

static enum table_outcome write_all(struct writing *writing)
{
    const struct rows_transaction *transaction = writing->transaction;
    enum table_outcome outcome = TABLE_OK;
    for (size_t i = 0; i < transaction->count && outcome == TABLE_OK; i++)
        outcome = apply(writing, &writing->works[i]);
    for (size_t i = 0; i < writing->table_count && outcome == TABLE_OK; i++)
        outcome = expire(writing, &writing->tables[i]);
    if (outcome == TABLE_OK && transaction->token != NULL)
        outcome = rows_token_put(&writing->at, transaction, &writing->digest, writing->err);
    return outcome == TABLE_OK ? rows_commit(&writing->at, writing->err) : outcome;
}

static enum table_outcome look_for_token(struct writing *writing, bool *ret_is_done)
{
    enum rows_token_state state = ROWS_TOKEN_NEW;
    enum table_outcome outcome = TABLE_OK;
    if (writing->transaction->token != NULL && writing->at.has_tables)
        outcome = rows_token_find(&writing->at, writing->transaction, &writing->digest, &state, writing->err);
    *ret_is_done = state == ROWS_TOKEN_DONE;
    if (state != ROWS_TOKEN_USED)
        return outcome;
    error_set(writing->err, OS_ERR_REFUSED,
              "The token %s was used within the last ten minutes, for other writes: nothing was done. Take a new token "
              "for each transaction.",
              writing->transaction->token);
    error_service(writing->err, 0, "IdempotentParameterMismatchException", NULL);
    return TABLE_REFUSED;
}

/* Inside a transaction of SQLite. Whatever is not TABLE_OK is rolled back. */
static enum table_outcome write_in(struct writing *writing)
{
    bool is_done = false;
    enum table_outcome outcome = look_for_token(writing, &is_done);
    if (outcome != TABLE_OK || is_done)
        return outcome;
    outcome = place_all(writing);
    if (outcome == TABLE_OK)
        outcome = evaluate_all(writing);
    return outcome == TABLE_OK ? write_all(writing) : outcome;
}

/* ---------------------------------------------------------------------------------------------------------- the whole */

static os_code check_transaction(const struct rows_transaction *transaction, os_error *err)
{
    const char *token = transaction->token;
    if (transaction->count < 1 || transaction->count > ROWS_AT_ONCE_MAX) {
        return error_set(err, OS_ERR_ARGUMENT, "A transaction has 1 to %d writes; this one has %zu.", ROWS_AT_ONCE_MAX,
                         transaction->count);
    }
    if (token == NULL)
        return OS_OK;
    if (token[0] == '\0' || strlen(token) > ROWS_TOKEN_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "A token has 1 to %d characters; this one has %zu.", ROWS_TOKEN_MAX,
                         strlen(token));
    for (size_t i = 0; i < transaction->count; i++)
        if (transaction->writes[i].shown != ROWS_SHOW_NOTHING)
            return error_set(err, OS_ERR_ARGUMENT,
                             "A transaction with a token shows no items: they are not kept for the time when it comes "
                             "again. Read them afterwards.");
    return OS_OK;
}

static enum table_outcome write_checked(struct writing *writing, struct sqlite_rows *rows,
                                        struct sqlite_patience patience)
{
    const struct rows_transaction *transaction = writing->transaction;
    enum table_outcome outcome = step_all(writing, rows_work_check);
    if (outcome == TABLE_OK && transaction->token != NULL &&
        rows_digest_of(transaction, &writing->digest, writing->err) != OS_OK)
        outcome = TABLE_REFUSED;
    if (outcome == TABLE_OK)
        outcome = rows_enter(rows, patience, ROWS_TO_WRITE, &writing->at, writing->err);
    if (writing->at.conn == NULL)
        return outcome;
    outcome = write_in(writing);
    rows_leave(&writing->at);
    return outcome;
}

/* What is told of each write: its verdict where that is what decided, and what was asked to be shown. */
static void answer_all(struct writing *writing, enum table_outcome outcome)
{
    bool is_judged = outcome == TABLE_OK || outcome == TABLE_CONFLICT || outcome == TABLE_CONFLICT_BLIND ||
                     (outcome == TABLE_REFUSED && writing->has_refused);
    if (!is_judged)
        rows_answers_free(writing->answers, writing->transaction->count);
    for (size_t i = 0; outcome == TABLE_OK && i < writing->transaction->count; i++) {
        const struct rows_work *work = &writing->works[i];
        if (work->write->shown == ROWS_SHOW_BEFORE)
            writing->answers[i].item = json_incref(work->before);
        else if (work->write->shown == ROWS_SHOW_AFTER)
            writing->answers[i].item = json_incref(work->after);
    }
}

static void free_writing(struct writing *writing)
{
    size_t count = writing->transaction->count;
    for (size_t i = 0; writing->works != NULL && i < count; i++)
        rows_work_free(&writing->works[i]);
    for (size_t i = 0; i < writing->table_count; i++)
        sqlite_rows_table_free(&writing->tables[i]);
    free(writing->works);
    free(writing->tables);
}

enum table_outcome sqlite_rows_write(struct sqlite_rows *rows, const struct rows_transaction *transaction,
                                     struct sqlite_patience patience, struct rows_answer *ret_answers, os_error *err)
{
    struct writing writing = {.transaction = transaction, .answers = ret_answers, .err = err};
    error_clear(err);
    memset(ret_answers, 0, transaction->count * sizeof(*ret_answers));
    if (check_transaction(transaction, err) != OS_OK)
        return TABLE_REFUSED;
    writing.works = calloc(transaction->count, sizeof(*writing.works));
    writing.tables = calloc(transaction->count, sizeof(*writing.tables));
    enum table_outcome outcome = rows_no_memory(err);
    if (writing.works != NULL && writing.tables != NULL) {
        error_clear(err);
        for (size_t i = 0; i < transaction->count; i++)
            writing.works[i].write = &transaction->writes[i];
        outcome = write_checked(&writing, rows, patience);
    }
    answer_all(&writing, outcome);
    free_writing(&writing);
    return outcome;
}
