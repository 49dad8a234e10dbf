/* SPDX-License-Identifier: Apache-2.0 */
/* Asking for tasks: what the cases of queries and scans share. */
#ifndef OSCOMMIT_TEST_UNIT_API_QUERY_ASKING_H
#define OSCOMMIT_TEST_UNIT_API_QUERY_ASKING_H

#include "unit/api/query_shop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char task_schema[] =
    "{\"title\":\"Task\",\"type\":\"object\",\"properties\":{\"owner\":{\"type\":\"string\"},"
    "\"at\":{\"type\":\"integer\"},\"state\":{\"type\":\"string\"},\"points\":{\"type\":\"integer\"},"
    "\"title\":{\"type\":\"string\"},\"note\":{\"type\":\"string\"},\"until\":{\"type\":\"integer\"}},"
    "\"required\":[\"owner\",\"at\",\"state\",\"points\"],\"KEY\":[\"owner\"],\"SORT_KEY\":[\"at\"],"
    "\"INDEXES\":{\"byState\":{\"KEY\":[\"state\"],\"SORT_KEY\":[\"points\"]},"
    "\"few\":{\"KEY\":[\"points\",\"state\"],\"INCLUDE_ONLY\":[]},"
    "\"titled\":{\"KEY\":[\"title\"],\"SPARSE\":true}},\"EXPIRE_EPOCH_FIELD\":\"until\"}";

enum { CONDITIONS_MAX = 6, FOUND_MAX = 1024, MANY = 150 };

static void shop_set_up(struct shop *ret)
{
    shop_open(ret);
    CHECK_CODE(os_model_parse(task_schema, ret->table, &ret->task, &ret->error), OS_OK, &ret->error);
    ret->options = (os_txn_options)OS_TXN_OPTIONS_INIT;
    ret->options.initial_backoff_ms = 1;
    ret->options.max_backoff_ms = 20;
    ret->result = (os_txn_result)OS_TXN_RESULT_INIT;
}

static void shop_tear_down(struct shop *shop)
{
    os_model_free(shop->task);
    shop_close(shop);
}

static os_verdict transact(struct shop *shop, os_txn_fn function, void *context)
{
    return os_transact(shop->client, &shop->options, function, context, NULL, &shop->result, &shop->error);
}

#define CHECK_COMMITTED(shop, function, context)                                                \
    do {                                                                                        \
        if (transact(shop, function, context) != OS_COMMITTED)                                  \
            fail_msg("%s: %s", os_verdict_name((shop)->result.verdict), (shop)->error.message); \
    } while (0)

/* ------------------------------------------------------------------------------------------------ rows */

struct put {
    struct shop *shop;
    const char *owner;
    int from;
    int until;
    const char *more; /* members of JSON */
};

static os_code put_rows(void *context, os_txn *txn, os_error *err)
{
    const struct put *put = context;
    os_code code = OS_OK;
    for (int at = put->from; at <= put->until && code == OS_OK; at++) {
        char fields[256];
        snprintf(fields, sizeof(fields), "{\"owner\":\"%s\",\"at\":%d,%s}", put->owner, at, put->more);
        code = os_txn_create_or_put(txn, put->shop->task, fields, NULL, err);
    }
    return code;
}

static void put(struct shop *shop, const char *owner, int from, int until, const char *more)
{
    struct put all = {.shop = shop, .owner = owner, .from = from, .until = until, .more = more};
    CHECK_COMMITTED(shop, put_rows, &all);
}

static void put_many(struct shop *shop, const char *owner, const char *more)
{
    put(shop, owner, 1, MANY / 2, more);
    put(shop, owner, MANY / 2 + 1, MANY, more);
}

struct meanwhile {
    struct shop *shop;
    const char *fields;
};

static os_code put_one(void *context, os_txn *txn, os_error *err)
{
    const struct meanwhile *change = context;
    return os_txn_create_or_put(txn, change->shop->task, change->fields, NULL, err);
}

static void let_another_put(struct shop *shop, const char *fields)
{
    os_error error;
    struct meanwhile change = {.shop = shop, .fields = fields};
    assert_int_equal(os_transact(shop->client, NULL, put_one, &change, NULL, NULL, &error), OS_COMMITTED);
}

/* ------------------------------------------------------------------------------------------------ asking */

/* What is asked, and found: the numbers of the tasks. */
struct ask {
    struct shop *shop;
    bool is_scan;
    os_query_options options;
    const char *where[CONDITIONS_MAX][3];
    size_t count; /* of all; 0: as many as there are */
    size_t page;  /* fetched as so many each; 0: run */
    os_code (*then)(struct ask *ask, os_txn *txn, os_row *row, os_error *err);
    void *context;
    os_txn *txn;
    size_t rows;
    size_t pages;
    char found[FOUND_MAX];
};

static struct ask ask_of(struct shop *shop, const char *owner)
{
    struct ask ret = {.shop = shop, .options = OS_QUERY_OPTIONS_INIT, .where = {{"owner", "==", owner}}};
    return ret;
}

static struct ask ask_index(struct shop *shop, const char *index, const char *field, const char *value)
{
    struct ask ret = {.shop = shop, .options = OS_QUERY_OPTIONS_INIT, .where = {{field, "==", value}}};
    ret.options.index = index;
    return ret;
}

static os_code take_row(void *context, os_row *row, os_error *err)
{
    struct ask *ask = context;
    int64_t at = 0;
    size_t len = strlen(ask->found);
    os_code code = ask->then != NULL ? ask->then(ask, ask->txn, row, err) : OS_OK;
    if (code == OS_OK)
        code = os_row_get_int(row, "at", &at, err);
    ask->rows++;
    snprintf(ask->found + len, FOUND_MAX - len, "%s%d", len > 0 ? " " : "", (int)at);
    return code;
}

static os_code make_query(struct ask *ask, os_txn *txn, os_query **ret, os_error *err)
{
    os_code code = (ask->is_scan ? os_txn_scan : os_txn_query)(txn, ask->shop->task, &ask->options, ret, err);
    for (size_t i = 0; i < CONDITIONS_MAX && ask->where[i][0] != NULL && code == OS_OK; i++)
        code = os_query_filter(*ret, ask->where[i][0], ask->where[i][1], ask->where[i][2], err);
    return code;
}

static os_code fetch_all(struct ask *ask, os_query *query, os_error *err)
{
    os_row *rows[MANY];
    const char *token = NULL;
    size_t wanted = ask->count > 0 ? ask->count : SIZE_MAX;
    os_code code = OS_OK;
    do {
        size_t count = 0;
        code = os_query_fetch(query, ask->page < wanted - ask->rows ? ask->page : wanted - ask->rows, token, rows,
                              &count, &token, err);
        ask->pages++;
        for (size_t i = 0; i < count && code == OS_OK; i++)
            code = take_row(ask, rows[i], err);
    } while (code == OS_OK && token != NULL && ask->rows < wanted);
    return code;
}

static os_code look_for(void *context, os_txn *txn, os_error *err)
{
    struct ask *ask = context;
    os_query *query = NULL;
    ask->txn = txn;
    ask->rows = ask->pages = 0;
    ask->found[0] = '\0';
    os_code code = make_query(ask, txn, &query, err);
    if (code != OS_OK)
        return code;
    if (ask->page > 0)
        return fetch_all(ask, query, err);
    return os_query_run(query, ask->count > 0 ? ask->count : SIZE_MAX, take_row, ask, err);
}

static const char *found(struct ask *ask)
{
    CHECK_COMMITTED(ask->shop, look_for, ask);
    return ask->found;
}

#define CHECK_FOUND(ask, wanted) assert_string_equal(found(ask), wanted)

static const char *refusal(struct ask *ask)
{
    assert_int_equal(transact(ask->shop, look_for, ask), OS_NOT_EXECUTED);
    assert_int_equal(ask->shop->error.code, OS_ERR_ARGUMENT);
    return ask->shop->error.message;
}

#define CHECK_REFUSED(ask, words)                       \
    do {                                                \
        if (strstr(refusal(ask), (words)) == NULL)      \
            fail_msg("%s", (ask)->shop->error.message); \
    } while (0)

#endif
