/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random transactions: what DynamoDB Local says of each write of one, and what the library does; and what is in the tables in
 * the end.
 */
#include "random_tables.h"

enum { TRANSACTIONS = 800 /* of which the library refuses most */, WRITES = 4 };

struct random_write {
    struct many *many;
    struct random_condition condition;
    struct random_changes changes;
    enum rows_verdict kind; /* what the library says of it */
    const json_t *before;   /* borrowed; NULL: there is none */
    json_t *after;          /* NULL: none is left */
    json_t *item;
};

static void make_write(uint64_t *random, struct random_write *ret, struct rows_write *write)
{
    memset(ret, 0, sizeof(*ret));
    ret->many = &tables[random_below(random, TABLES)];
    write->kind = ROWS_PUT + (unsigned)random_below(random, ROWS_CHECK);
    write->table = &ret->many->table;
    ret->item = write->kind == ROWS_PUT ? random_row(random, ret->many) : random_key(random, ret->many);
    ret->before = json_array_get(ret->many->items, place_of(ret->many, ret->item));
    write->item = ret->item;
    if (write->kind == ROWS_CHECK || random_below(random, 3) == 0)
        random_condition(random, ret->before != NULL ? ret->before : ret->item, &ret->condition);
    if (write->kind == ROWS_UPDATE)
        random_changes(random, ret->before != NULL ? ret->before : ret->item, &ret->changes);
    write->condition = ret->condition.condition;
    write->changes = ret->changes.changes;
    write->change_count = ret->changes.count;
}

static void write_free(struct random_write *made)
{
    random_condition_free(&made->condition);
    random_changes_free(&made->changes);
    json_decref(made->after);
    json_decref(made->item);
}

/* Of what passed the checks of the library. */
static void play_write(struct random_write *made, const struct rows_write *write)
{
    os_code code = OS_OK;
    if (!condition_holds(&write->condition, made->before)) {
        made->kind = ROWS_CONDITION_FAILED;
        return;
    }
    if (write->kind == ROWS_PUT)
        made->after = json_incref(made->item);
    if (write->kind == ROWS_CHECK)
        made->after = json_incref((json_t *)made->before);
    if (write->kind == ROWS_UPDATE)
        code = change_apply(made->before != NULL ? made->before : made->item, write->changes, write->change_count,
                            &made->after, NULL);
    bool is_row = made->after == NULL || is_taken_by_index(made->after);
    made->kind = code == OS_OK && is_row ? ROWS_NOT_IN_THE_WAY : ROWS_REFUSED;
}

static json_t *report_write(const struct rows_write *write)
{
    return json_pack("[s,s,O,o,o]", "write", write->table->name, write->item, report_condition(&write->condition),
                     report_changes(write->changes, write->change_count));
}

/* For a change that an item has no place for DynamoDB Local refuses the whole request, where the API Reference has a
 * reason of ValidationError (TransactWriteItems, "TransactionCanceledException"). */
static bool is_refused_whole(const struct random_write *made, size_t count, enum table_outcome outcome,
                             const struct rows_answer *said)
{
    bool is_refused = false;
    for (size_t i = 0; i < count; i++)
        is_refused = is_refused || made[i].kind == ROWS_REFUSED;
    return is_refused && outcome == TABLE_REFUSED && said[0].verdict == ROWS_NOT_JUDGED;
}

static void compare_reasons(const struct random_write *made, const struct rows_write *writes, size_t count,
                            enum table_outcome outcome, const struct rows_answer *said, const os_error *err)
{
    bool is_cancelled = false;
    if (is_refused_whole(made, count, outcome, said))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct rows_answer *reason = &said[i];
        bool is_other = reason->item != NULL && !case_items_equal(reason->item, (json_t *)made[i].before);
        is_cancelled = is_cancelled || made[i].kind != ROWS_NOT_IN_THE_WAY;
        if (reason->verdict != made[i].kind || is_other)
            report_difference(seed, reason->why != NULL ? reason->why : "a verdict", made[i].before,
                              report_write(&writes[i]), made[i].after, reason->item, err->message);
    }
    if (is_cancelled == (outcome == TABLE_OK))
        report_difference(seed, "a transaction", NULL, NULL, NULL, NULL, err->message);
}

/* SQLite says of each write what the library does. */
static void compare_sqlite(const struct random_write *made, const struct rows_transaction *transaction, bool is_taken)
{
    struct rows_answer own[WRITES];
    os_error err = {.code = OS_OK};
    enum table_outcome outcome =
        sqlite_rows_transact(embedded, transaction, sqlite_patience_ms(PATIENT_MS), NOW_S, own, &err);
    if (!is_taken && outcome != TABLE_REFUSED)
        report_difference(seed, "SQLite does not refuse a transaction", NULL, report_write(&transaction->writes[0]),
                          NULL, NULL, err.message);
    for (size_t i = 0; i < transaction->count && is_taken; i++) {
        bool is_other = own[i].item != NULL && !case_items_equal(own[i].item, (json_t *)made[i].before);
        if (own[i].verdict != made[i].kind || is_other)
            report_difference(seed, "a verdict of SQLite", made[i].before, report_write(&transaction->writes[i]),
                              made[i].after, own[i].item, err.message);
    }
    rows_answers_free(own, transaction->count);
}

static void transact(size_t number, struct random_write made[WRITES], struct rows_write writes[WRITES], size_t count)
{
    char token[37];
    struct http_request request;
    struct buf body;
    struct rows_answer said[WRITES];
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};
    snprintf(token, sizeof(token), "%.24s-%zu", server.unique, number);
    const struct rows_transaction transaction = {writes, count, token};
    if (rows_build_transact_write(&server.endpoint, &transaction, &request, &body, NULL) != OS_OK) {
        compare_sqlite(made, &transaction, false);
        return;
    }
    for (size_t i = 0; i < count; i++)
        play_write(&made[i], &writes[i]);
    struct http_response response = real_exchange(&server, &request, &body);
    enum table_outcome outcome = rows_read_transact_write(&response, WHERE, &transaction, said, &detail, &err);
    compare_reasons(made, writes, count, outcome, said, &err);
    compare_sqlite(made, &transaction, true);
    for (size_t i = 0; i < count && outcome == TABLE_OK; i++)
        remember(made[i].many, made[i].item, made[i].after);
    rows_answers_free(said, count);
    http_response_free(&response);
}

static void compare_table(const struct many *many)
{
    os_error err = {.code = OS_OK};
    json_t *theirs = list_there((struct rows_list){.table = &many->table}, &err);
    if (!same_items(many->items, theirs, false))
        report_difference(seed, "what is in the table", NULL, NULL, many->items, theirs, err.message);
    json_t *own = list_in_sqlite((struct rows_list){.table = &many->table}, &err);
    if (!same_items(many->items, own, false))
        report_difference(seed, "what is in the table of SQLite", NULL, NULL, many->items, own, err.message);
    json_decref(own);
    json_decref(theirs);
}

TEST(transactions_do_what_the_library_says)
{
    uint64_t random = seed;
    for (size_t i = 0; i < TRANSACTIONS; i++) {
        struct random_write made[WRITES];
        struct rows_write writes[WRITES];
        memset(writes, 0, sizeof(writes));
        size_t count = 1 + random_below(&random, WRITES);
        for (size_t j = 0; j < count; j++)
            make_write(&random, &made[j], &writes[j]);
        transact(i, made, writes, count);
        for (size_t j = 0; j < count; j++)
            write_free(&made[j]);
    }
    for (size_t i = 0; i < TABLES; i++)
        compare_table(&tables[i]);
    assert_no_differences();
}

int main(int argc, char **argv)
{
    return run_with_tables(argc, argv);
}
