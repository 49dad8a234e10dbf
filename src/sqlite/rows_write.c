/* SPDX-License-Identifier: Apache-2.0 */
/* All-or-nothing writes: each is evaluated against what is there, then all are written, or none. */
#include "attribute/value.h"
#include "base/error.h"
#include "rows/check.h"
#include "sqlite/rows.h"
#include "sqlite/rows_token.h"
#include "sqlite/rows_work.h"

#include <stdlib.h>
#include <string.h>

struct writing {
    struct rows_conn at;
    size_t count;
    int64_t now_s;
    struct rows_token token; /* its text is NULL of a write alone */
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
    if (!writing->has_refused && writing->count > 1)
        error_set(writing->err, why->code, "Write %zu of %zu: %s", number + 1, writing->count, why->message);
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
    for (size_t i = 0; i < writing->count && outcome == TABLE_OK; i++)
        if (step(&writing->works[i], &why) != OS_OK)
            outcome = refuse(writing, i, &why);
        else
            writing->answers[i].verdict = ROWS_NOT_IN_THE_WAY;
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

static enum table_outcome place_all(struct writing *writing)
{
    enum table_outcome outcome = TABLE_OK;
    for (size_t i = 0; i < writing->count && outcome == TABLE_OK; i++)
        outcome = find_table(writing, writing->works[i].write->table->name, &writing->works[i].table);
    if (outcome == TABLE_OK)
        outcome = step_all(writing, rows_work_place);
    return outcome;
}

/* ------------------------------------------------------------------------------------------------------- evaluation */

/* Of a request that is as it may be: which item it does not fit. */
static void name_item(const struct rows_write *write, os_error *why)
{
    char key[ROWS_KEY_TEXT_SIZE];
    const os_error fault = *why;
    if (why->code != OS_ERR_NO_MEMORY)
        error_set(why, fault.code, "The item %s of table \"%s\" was not written: %s",
                  rows_key_text(&write->table->keys, write->item, key), write->table->name, fault.message);
}

static enum table_outcome evaluate(struct writing *writing, size_t number)
{
    os_error why;
    bool holds = false;
    struct rows_work *work = &writing->works[number];
    struct rows_answer *answer = &writing->answers[number];
    enum table_outcome outcome = rows_item_find(&writing->at, work->table, &work->key, &work->before, writing->err);
    if (outcome != TABLE_OK)
        return outcome;
    if (rows_work_evaluate(work, &holds, &why) != OS_OK) {
        name_item(work->write, &why);
        return refuse(writing, number, &why);
    }
    if (!holds) {
        answer->verdict = ROWS_CONDITION_FAILED;
        answer->item = json_incref(work->before);
    }
    return TABLE_OK;
}

/* Of all of them together: TABLE_OK, or what stands in the way. A condition that failed goes before what was refused, as in
 * an answer of DynamoDB: both may come of the same write of another. */
static enum table_outcome judge(struct writing *writing)
{
    enum table_outcome outcome = TABLE_OK;
    size_t size = 0;
    for (size_t i = 0; i < writing->count; i++) {
        const struct rows_answer *answer = &writing->answers[i];
        const struct rows_work *work = &writing->works[i];
        if (answer->verdict == ROWS_CONDITION_FAILED && outcome != TABLE_CONFLICT_BLIND)
            outcome = answer->item != NULL ? TABLE_CONFLICT : TABLE_CONFLICT_BLIND;
        if (work->text.len > 0)
            size += item_size(work->after);
    }
    if (outcome != TABLE_OK) {
        error_clear(writing->err);
        return outcome;
    }
    return !writing->has_refused && rows_check_size(size, writing->err) == OS_OK ? TABLE_OK : TABLE_REFUSED;
}

static enum table_outcome evaluate_all(struct writing *writing)
{
    enum table_outcome outcome = TABLE_OK;
    for (size_t i = 0; i < writing->count && outcome == TABLE_OK; i++)
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
    return rc == SQLITE_OK ? TABLE_OK : ledger_failed(writing->at.conn, rc, "write an item", writing->err);
}

static bool is_of_transaction(const void *context, const struct sqlite_rows_table *table, const struct encoded_key *key)
{
    const struct writing *writing = context;
    for (size_t i = 0; i < writing->count; i++)
        if (writing->works[i].table == table && encoded_keys_equal(&writing->works[i].key, key))
            return true;
    return false;
}

static enum table_outcome expire(struct writing *writing, const struct sqlite_rows_table *table)
{
    const struct rows_expiry expiry = {
        .table = table, .now_s = writing->now_s, .is_kept = is_of_transaction, .context = writing};
    return table->definition.ttl != NULL ? rows_expire(&writing->at, &expiry, writing->err) : TABLE_OK;
}

static enum table_outcome write_all(struct writing *writing)
{
    enum table_outcome outcome = TABLE_OK;
    for (size_t i = 0; i < writing->count && outcome == TABLE_OK; i++)
        outcome = apply(writing, &writing->works[i]);
    for (size_t i = 0; i < writing->table_count && outcome == TABLE_OK; i++)
        outcome = expire(writing, &writing->tables[i]);
    if (outcome == TABLE_OK && writing->token.text != NULL)
        outcome = rows_token_put(&writing->at, &writing->token, writing->err);
    return outcome == TABLE_OK ? rows_commit(&writing->at, writing->err) : outcome;
}

static enum table_outcome look_for_token(struct writing *writing, bool *ret_is_done)
{
    enum rows_token_state state = ROWS_TOKEN_NEW;
    enum table_outcome outcome = TABLE_OK;
    if (writing->token.text != NULL && writing->at.has_tables)
        outcome = rows_token_find(&writing->at, &writing->token, &state, writing->err);
    *ret_is_done = state == ROWS_TOKEN_DONE;
    if (state != ROWS_TOKEN_USED)
        return outcome;
    error_set(writing->err, OS_ERR_REFUSED,
              "The token %s was used within the last ten minutes, for other writes: nothing was done. Take a new token "
              "for each transaction.",
              writing->token.text);
    error_service(writing->err, 0, "IdempotentParameterMismatchException", NULL);
    return TABLE_REFUSED;
}

/* Q1. Inside a transaction of SQLite. Whatever is not TABLE_OK is rolled back. */
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

/* With all writes checked as they are. */
static enum table_outcome write_checked(struct writing *writing, struct sqlite_rows *rows,
                                        struct sqlite_patience patience)
{
    enum table_outcome outcome = rows_enter(rows, patience, ROWS_TO_WRITE, &writing->at, writing->err);
    if (outcome != TABLE_OK)
        return outcome;
    outcome = write_in(writing);
    rows_leave(&writing->at);
    return outcome;
}

/* What is told of each write: its verdict where that is what decided. */
static void answer_all(struct writing *writing, enum table_outcome outcome)
{
    bool is_judged = outcome == TABLE_OK || outcome == TABLE_CONFLICT || outcome == TABLE_CONFLICT_BLIND ||
                     (outcome == TABLE_REFUSED && writing->has_refused);
    if (!is_judged)
        rows_answers_free(writing->answers, writing->count);
}

static bool begin_writing(struct writing *writing, const struct rows_write *writes)
{
    writing->works = calloc(writing->count, sizeof(*writing->works));
    writing->tables = calloc(writing->count, sizeof(*writing->tables));
    for (size_t i = 0; writing->works != NULL && i < writing->count; i++)
        writing->works[i].write = &writes[i];
    return writing->works != NULL && writing->tables != NULL;
}

static void free_writing(struct writing *writing)
{
    for (size_t i = 0; writing->works != NULL && i < writing->count; i++)
        rows_work_free(&writing->works[i]);
    for (size_t i = 0; i < writing->table_count; i++)
        sqlite_rows_table_free(&writing->tables[i]);
    free(writing->works);
    free(writing->tables);
}

static json_t *returned(const struct rows_work *work)
{
    if (!work->write->returns_item)
        return NULL;
    return json_incref(work->write->kind == ROWS_UPDATE ? work->after : work->before);
}

enum table_outcome sqlite_rows_write(struct sqlite_rows *rows, const struct rows_write *write,
                                     struct sqlite_patience patience, int64_t now_s, json_t **ret_item, os_error *err)
{
    struct rows_answer answer = {.verdict = ROWS_NOT_JUDGED};
    struct writing writing = {.count = 1, .now_s = now_s, .answers = &answer, .err = err};
    error_clear(err);
    *ret_item = NULL;
    enum table_outcome outcome =
        begin_writing(&writing, write) ? step_all(&writing, rows_work_check_alone) : rows_no_memory(err);
    if (outcome == TABLE_OK)
        outcome = write_checked(&writing, rows, patience);
    if (outcome == TABLE_OK)
        *ret_item = returned(&writing.works[0]);
    else if (outcome == TABLE_CONFLICT)
        *ret_item = json_incref(answer.item);
    rows_answers_free(&answer, 1);
    free_writing(&writing);
    return outcome;
}

static enum table_outcome transact_checked(struct writing *writing, const struct rows_transaction *transaction,
                                           struct sqlite_rows *rows, struct sqlite_patience patience)
{
    enum table_outcome outcome = step_all(writing, rows_work_check);
    if (outcome != TABLE_OK)
        return outcome;
    if (rows_check_together(transaction, writing->err) != OS_OK ||
        rows_token_make(transaction, writing->now_s, &writing->token, writing->err) != OS_OK)
        return TABLE_REFUSED;
    return write_checked(writing, rows, patience);
}

enum table_outcome sqlite_rows_transact(struct sqlite_rows *rows, const struct rows_transaction *transaction,
                                        struct sqlite_patience patience, int64_t now_s, struct rows_answer *ret_answers,
                                        os_error *err)
{
    struct writing writing = {.count = transaction->count, .now_s = now_s, .answers = ret_answers, .err = err};
    error_clear(err);
    memset(ret_answers, 0, transaction->count * sizeof(*ret_answers));
    if (rows_check_transaction(transaction, err) != OS_OK)
        return TABLE_REFUSED;
    enum table_outcome outcome = begin_writing(&writing, transaction->writes)
                                     ? transact_checked(&writing, transaction, rows, patience)
                                     : rows_no_memory(err);
    answer_all(&writing, outcome);
    free_writing(&writing);
    return outcome;
}
