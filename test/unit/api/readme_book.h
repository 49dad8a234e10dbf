/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases of the README of @pocketgems/dynamodb share: tables of models, in the embedded file or at DynamoDB, as
 * whoever includes this opens them. */
#ifndef OSCOMMIT_TEST_UNIT_API_README_BOOK_H
#define OSCOMMIT_TEST_UNIT_API_README_BOOK_H

#include "oscommit_model.h"
#include "unit/api/client_scratch.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { BOOK_MODELS_MAX = 3 };

struct book {
    struct scratch scratch;
    os_client *client;
    char prefix[48]; /* of its tables */
    os_model *models[BOOK_MODELS_MAX];
    size_t model_count;
    os_txn_options options;
    os_txn_result result;
    os_error error;
    os_txn_fn meanwhile; /* another transaction, in the first run */
    int64_t seen[2];
};
void book_open(struct book *ret); /* client and prefix */
void book_close(struct book *book);

static void book_set_up(struct book *ret)
{
    ret->options = (os_txn_options)OS_TXN_OPTIONS_INIT;
    ret->options.initial_backoff_ms = 1;
    ret->options.max_backoff_ms = 20;
    ret->result = (os_txn_result)OS_TXN_RESULT_INIT;
    book_open(ret);
}

static void book_tear_down(struct book *book)
{
    while (book->model_count > 0)
        os_model_free(book->models[--book->model_count]);
    book_close(book);
}

/* With its table, which several may have; JSON with ' for ". */
static const os_model *book_model(struct book *book, const char *table, const char *schema)
{
    char name[96];
    char text[1024];
    os_model **model = &book->models[book->model_count++];
    assert_true(book->model_count <= BOOK_MODELS_MAX);
    snprintf(name, sizeof(name), "%s-%s", book->prefix, table);
    snprintf(text, sizeof(text), "%s", schema);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    CHECK_CODE(os_model_parse(text, name, model, &book->error), OS_OK, &book->error);
    CHECK_CODE(os_model_table_create(book->client, *model, NULL, &book->error), OS_OK, &book->error);
    return *model;
}

static os_verdict book_transact(struct book *book, os_txn_fn function)
{
    return os_transact(book->client, &book->options, function, book, NULL, &book->result, &book->error);
}

#define CHECK_COMMITTED(book, function)                                                         \
    do {                                                                                        \
        if (book_transact(book, function) != OS_COMMITTED)                                      \
            fail_msg("%s: %s", os_verdict_name((book)->result.verdict), (book)->error.message); \
    } while (0)

static void book_let_another(struct book *book)
{
    os_error error;
    os_txn_fn meanwhile = book->meanwhile;
    book->meanwhile = NULL;
    if (meanwhile != NULL && os_transact(book->client, NULL, meanwhile, book, NULL, NULL, &error) != OS_COMMITTED)
        fail_msg("%s", error.message);
}

/* ------------------------------------------------------------------------------------------------ single rows */

struct book_row {
    const os_model *model;
    const char *fields; /* or the key */
    const char *field;  /* NULL: whether there is a row */
    const char *wanted; /* NULL: none */
};

static os_code book_put_row(void *context, os_txn *txn, os_error *err)
{
    const struct book_row *row = context;
    return os_txn_create_or_put(txn, row->model, row->fields, NULL, err);
}

static void book_put(struct book *book, const os_model *model, const char *fields)
{
    struct book_row row = {.model = model, .fields = fields};
    if (os_transact(book->client, NULL, book_put_row, &row, NULL, NULL, &book->error) != OS_COMMITTED)
        fail_msg("%s", book->error.message);
}

static os_code book_check_row(void *context, os_txn *txn, os_error *err)
{
    const struct book_row *wanted = context;
    os_row *row = NULL;
    const char *text = NULL;
    CHECK_CODE(os_txn_get(txn, wanted->model, wanted->fields, NULL, &row, err), OS_OK, err);
    if (wanted->field == NULL) {
        assert_int_equal(row != NULL, wanted->wanted != NULL);
        return OS_OK;
    }
    assert_non_null(row);
    CHECK_CODE(os_row_get(row, wanted->field, &text, err), OS_OK, err);
    assert_int_equal(text != NULL, wanted->wanted != NULL);
    if (text != NULL)
        assert_string_equal(text, wanted->wanted);
    return OS_OK;
}

static void check_field(struct book *book, const os_model *model, const char *key, const char *field,
                        const char *wanted)
{
    struct book_row row = {.model = model, .fields = key, .field = field, .wanted = wanted};
    if (os_transact(book->client, NULL, book_check_row, &row, NULL, NULL, &book->error) != OS_COMMITTED)
        fail_msg("%s", book->error.message);
}

static void check_is_there(struct book *book, const os_model *model, const char *key, bool is_there)
{
    check_field(book, model, key, NULL, is_there ? "a row" : NULL);
}

#endif
