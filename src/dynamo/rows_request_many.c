/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about several items, of several tables. */
#include "base/error.h"
#include "dynamo/rows_request_parts.h"
#include "rows/check.h"
#include "syntax/json.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------- transactions */

/* Behind each item: what has grown over the bound does not grow on. */
static os_code check_body(const struct buf *body, const char *operation, os_error *err)
{
    if (!buf_ok(body))
        return error_no_memory(err);
    if (body->len <= ROWS_TRANSACTION_BODY_MAX)
        return OS_OK;
    return error_set(err, OS_ERR_TOO_LARGE,
                     "The request of a %s has more than %d MB; DynamoDB takes at most 4 MB of items in one. Make the "
                     "transaction smaller.",
                     operation, ROWS_TRANSACTION_BODY_MAX / 1024 / 1024);
}

static os_code add_transact_get(struct buf *out, const struct rows_get *gets, size_t at, os_error *err)
{
    buf_add_str(out, at > 0 ? ",{\"Get\":{" : "{\"Get\":{");
    os_code code = rows_add_get(out, &gets[at], err);
    buf_add_str(out, "}}");
    return code == OS_OK ? check_body(out, "TransactGetItems", err) : code;
}

static os_code check_gets(const struct rows_get *gets, size_t count, os_error *err)
{
    os_code code = rows_check_gets(gets, count, err);
    for (size_t i = 0; i < count && code == OS_OK; i++)
        code = dynamo_check_table(gets[i].of.table->name, err);
    return code;
}

os_code rows_build_transact_get(const struct endpoint *endpoint, const struct rows_get *gets, size_t count,
                                struct http_request *ret, struct buf *ret_body, os_error *err)
{
    dynamo_open(ROWS_TRANSACTION_BODY_MAX + ROWS_BODY_MAX, ret, ret_body);
    os_code code = check_gets(gets, count, err);
    buf_add_str(ret_body, "{\"TransactItems\":[");
    for (size_t i = 0; i < count && code == OS_OK; i++)
        code = add_transact_get(ret_body, gets, i, err);
    buf_add_char(ret_body, ']');
    return rows_finish(endpoint, "TransactGetItems", code, ret, ret_body, err);
}

static os_code check_transaction(const struct rows_transaction *transaction, os_error *err)
{
    os_code code = rows_check_transaction(transaction, err);
    for (size_t i = 0; i < transaction->count && code == OS_OK; i++) {
        code = dynamo_check_table(transaction->writes[i].table->name, err);
        if (code == OS_OK)
            code = rows_check_write(&transaction->writes[i], err);
    }
    return code == OS_OK ? rows_check_together(transaction, err) : code;
}

static os_code add_transact_write(struct buf *out, const struct rows_write *writes, size_t at, os_error *err)
{
    static const char *const members[] = {
        [ROWS_PUT] = "Put", [ROWS_UPDATE] = "Update", [ROWS_DELETE] = "Delete", [ROWS_CHECK] = "ConditionCheck"};
    buf_add_strs(out, at > 0 ? ",{\"" : "{\"", members[writes[at].kind], "\":{", NULL);
    os_code code = rows_add_write(out, &writes[at], err);
    buf_add_str(out, "}}");
    return code == OS_OK ? check_body(out, "TransactWriteItems", err) : code;
}

os_code rows_build_transact_write(const struct endpoint *endpoint, const struct rows_transaction *transaction,
                                  struct http_request *ret, struct buf *ret_body, os_error *err)
{
    dynamo_open(ROWS_TRANSACTION_BODY_MAX + ROWS_BODY_MAX, ret, ret_body);
    os_code code = check_transaction(transaction, err);
    if (code != OS_OK)
        return dynamo_drop(ret, ret_body, code);
    buf_add_str(ret_body, "{\"ClientRequestToken\":");
    json_write_string(ret_body, transaction->token, strlen(transaction->token));
    buf_add_str(ret_body, ",\"TransactItems\":[");
    for (size_t i = 0; i < transaction->count && code == OS_OK; i++)
        code = add_transact_write(ret_body, transaction->writes, i, err);
    buf_add_char(ret_body, ']');
    return rows_finish(endpoint, "TransactWriteItems", code, ret, ret_body, err);
}

/* --------------------------------------------------------------------------------------------------------- batch */

static os_code check_keys(const struct rows_key *keys, size_t count, os_error *err)
{
    os_code code = rows_check_keys(keys, count, err);
    for (size_t i = 0; i < count && code == OS_OK; i++)
        code = dynamo_check_table(keys[i].table->name, err);
    return code;
}

static bool is_named_before(const struct rows_key *keys, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(keys[i].table->name, keys[at].table->name) == 0)
            return true;
    return false;
}

/* The keys of one table, which the one at `first` is the first of. */
static bool add_keys(struct buf *out, const struct rows_key *keys, size_t count, size_t first, bool is_eventual)
{
    const char *table = keys[first].table->name;
    bool done = true;
    buf_add_str(out, first > 0 ? "," : "");
    json_write_string(out, table, strlen(table));
    buf_add_str(out, ":{\"Keys\":[");
    for (size_t i = first; i < count && done; i++) {
        if (strcmp(keys[i].table->name, table) != 0)
            continue;
        buf_add_str(out, i > first ? "," : "");
        done = json_write(out, keys[i].key);
    }
    buf_add_str(out, is_eventual ? "]}" : "],\"ConsistentRead\":true}");
    return done;
}

os_code rows_build_batch(const struct endpoint *endpoint, const struct rows_key *keys, size_t count, bool is_eventual,
                         struct http_request *ret, struct buf *ret_body, os_error *err)
{
    dynamo_open(ROWS_BODY_MAX, ret, ret_body);
    os_code code = check_keys(keys, count, err);
    buf_add_str(ret_body, "{\"RequestItems\":{");
    for (size_t i = 0; i < count && code == OS_OK; i++)
        if (!is_named_before(keys, i) && !add_keys(ret_body, keys, count, i, is_eventual))
            code = error_no_memory(err);
    buf_add_char(ret_body, '}');
    return rows_finish(endpoint, "BatchGetItem", code, ret, ret_body, err);
}
