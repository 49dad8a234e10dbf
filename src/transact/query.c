/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/query.h"

#include "base/error.h"
#include "transact/query_token.h"

#include <stdlib.h>

enum { RUN_PAGE = 100 };

os_code query_new(struct os_txn *txn, const os_model *model, const os_query_options *options, bool is_scan,
                  struct os_query **ret, os_error *err)
{
    if (ret == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "A query or a scan wants a place to be given to: it is NULL.");
    struct os_query *query = calloc(1, sizeof(*query));
    if (query == NULL)
        return error_no_memory(err);
    query->txn = txn;
    query->next = txn->queries;
    txn->queries = query;
    query->tokens = json_array();
    os_code code = query_plan_open(model, options, is_scan, &query->plan, err);
    if (code == OS_OK && query->tokens == NULL)
        code = error_no_memory(err);
    *ret = code == OS_OK ? query : NULL;
    return code;
}

void query_free_all(struct os_txn *txn)
{
    while (txn->queries != NULL) {
        struct os_query *query = txn->queries;
        txn->queries = query->next;
        query_plan_free(&query->plan);
        json_decref(query->tokens);
        free(query);
    }
}

/* ------------------------------------------------------------------------------------------------ one page */

/* Where the next begins; NULL at the end. */
static os_code give_token(const struct query_reading *reading, const char **ret, os_error *err)
{
    struct os_query *query = reading->query;
    json_t *token = NULL;
    if (ret == NULL || reading->is_over)
        return OS_OK;
    os_code code = query_token_make(&query->plan, reading->start, &token, err);
    if (code == OS_OK && json_array_append_new(query->tokens, token) != 0)
        code = error_no_memory(err);
    if (code == OS_OK)
        *ret = json_string_value(token);
    return code;
}

os_code query_fetch(struct os_query *query, const struct query_wanted *wanted, os_error *err)
{
    struct query_reading reading = {.query = query, .rows = wanted->rows, .wanted = wanted->count};
    if (wanted->count == 0 || wanted->rows == NULL || wanted->ret_count == NULL)
        return error_set(err, OS_ERR_ARGUMENT,
                         "A fetch wants at least one row, room for as many, and for their number.");
    *wanted->ret_count = 0;
    os_code code = query_plan_build(&query->plan, err);
    if (code == OS_OK && wanted->token != NULL)
        code = query_token_read(&query->plan, wanted->token, &reading.start, err);
    if (code == OS_OK)
        code = query_read(&reading, err);
    if (code == OS_OK)
        code = give_token(&reading, wanted->ret_token, err);
    json_decref(reading.start);
    if (code == OS_OK)
        *wanted->ret_count = reading.count;
    return code;
}

/* ------------------------------------------------------------------------------------------------ one after the other */

static os_code show_rows(const struct query_reading *reading, struct query_showing *showing, os_error *err)
{
    for (size_t i = 0; i < reading->count; i++) {
        error_clear(err);
        os_code code = showing->each(showing->context, reading->rows[i], err);
        if (code == OS_OK)
            continue;
        if (err->code != code)
            (void)error_set(err, code, "The function that was given rows has ended the run: %s.", os_code_text(code));
        showing->has_ended = true;
        return code;
    }
    return OS_OK;
}

os_code query_run(struct os_query *query, struct query_showing *showing, os_error *err)
{
    struct os_row *rows[RUN_PAGE];
    struct query_reading reading = {.query = query, .rows = rows};
    size_t left = showing->count;
    if (left == 0 || showing->each == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "A run wants at least one row, and a function to give it to.");
    os_code code = query_plan_build(&query->plan, err);
    while (code == OS_OK && left > 0 && !reading.is_over) {
        reading.count = reading.scanned = 0; /* else a page would look at all that the ones before did, and drop it */
        reading.wanted = left < RUN_PAGE ? left : RUN_PAGE;
        code = query_read(&reading, err);
        if (code == OS_OK)
            code = show_rows(&reading, showing, err);
        left -= reading.count;
    }
    json_decref(reading.start);
    return code;
}
