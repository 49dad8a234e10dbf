/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about several items, of several tables. */
#include "attribute/value.h"
#include "base/error.h"
#include "dynamo/rows_request_parts.h"
#include "syntax/json.h"

#include <string.h>

enum { TRANSACTION_SIZE_MAX = 4 * 1024 * 1024 /* API Reference, TransactWriteItems */, TOKEN_MAX = 36 };

/* -------------------------------------------------------------------------------------------------------- checks */

static os_code check_count(const char *operation, size_t count, size_t most, os_error *err)
{
    if (count >= 1 && count <= most)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "A %s has 1 to %zu items, and this one would have %zu: give it as many as it "
                     "may have.",
                     operation, most, count);
}

/* The service takes a name and an ARN for two tables here, and finds out itself. `b` may be a whole item. */
static bool is_same(const struct rows_table *table_a, const json_t *a, const struct rows_table *table_b,
                    const json_t *b)
{
    return strcmp(table_a->name, table_b->name) == 0 && rows_same_key(&table_a->keys, a, b);
}

static os_code refuse_twice(const char *operation, const struct rows_table *table, const json_t *item, os_error *err)
{
    char text[ROWS_KEY_TEXT_SIZE];
    return error_set(err, OS_ERR_ARGUMENT, "A %s names the item %s of table \"%s\" twice, which DynamoDB refuses.",
                     operation, rows_key_text(&table->keys, item, text), table->name);
}

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
    static const char operation[] = "TransactGetItems";
    buf_add_str(out, at > 0 ? ",{\"Get\":{" : "{\"Get\":{");
    os_code code = rows_add_get(out, &gets[at], err);
    buf_add_str(out, "}}");
    for (size_t i = 0; i < at && code == OS_OK; i++)
        if (is_same(gets[i].of.table, gets[i].of.key, gets[at].of.table, gets[at].of.key))
            code = refuse_twice(operation, gets[at].of.table, gets[at].of.key, err);
    return code == OS_OK ? check_body(out, operation, err) : code;
}

os_code rows_build_transact_get(const struct endpoint *endpoint, const struct rows_get *gets, size_t count,
                                struct http_request *ret, struct buf *ret_body, os_error *err)
{
    dynamo_open(ROWS_TRANSACTION_BODY_MAX + ROWS_BODY_MAX, ret, ret_body);
    os_code code = check_count("TransactGetItems", count, ROWS_TRANSACTION_MAX, err);
    buf_add_str(ret_body, "{\"TransactItems\":[");
    for (size_t i = 0; i < count && code == OS_OK; i++)
        code = add_transact_get(ret_body, gets, i, err);
    buf_add_char(ret_body, ']');
    return rows_finish(endpoint, "TransactGetItems", code, ret, ret_body, err);
}

static os_code check_transaction(const struct rows_transaction *transaction, os_error *err)
{
    struct text token = text_from(transaction->token);
    if (token.len == 0 || token.len > TOKEN_MAX || !text_is_visible(token)) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "A transaction needs a token of 1 to %d visible ASCII characters, and each its own: by it "
                         "DynamoDB knows one that is sent again.",
                         TOKEN_MAX);
    }
    return check_count("TransactWriteItems", transaction->count, ROWS_TRANSACTION_MAX, err);
}

static os_code add_transact_write(struct buf *out, const struct rows_write *writes, size_t at, os_error *err)
{
    static const char operation[] = "TransactWriteItems";
    static const char *const members[] = {
        [ROWS_PUT] = "Put", [ROWS_UPDATE] = "Update", [ROWS_DELETE] = "Delete", [ROWS_CHECK] = "ConditionCheck"};
    const struct rows_write *write = &writes[at];
    buf_add_strs(out, at > 0 ? ",{\"" : "{\"", members[write->kind], "\":{", NULL);
    os_code code = rows_add_write(out, write, err);
    buf_add_str(out, "}}");
    for (size_t i = 0; i < at && code == OS_OK; i++)
        if (is_same(writes[i].table, writes[i].item, write->table, write->item))
            code = refuse_twice(operation, write->table, write->item, err);
    return code == OS_OK ? check_body(out, operation, err) : code;
}

/* As far as it can be known before it is done: an update makes an item of a size that only the service sees. */
static os_code check_size(const struct rows_transaction *transaction, os_error *err)
{
    size_t size = 0;
    for (size_t i = 0; i < transaction->count; i++)
        size += item_size(transaction->writes[i].item);
    if (size <= TRANSACTION_SIZE_MAX)
        return OS_OK;
    return error_set(err, OS_ERR_TOO_LARGE,
                     "The items of the transaction have %zu bytes together; DynamoDB takes at most 4 MB. Make the "
                     "transaction smaller.",
                     size);
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
    if (code == OS_OK)
        code = check_size(transaction, err);
    return rows_finish(endpoint, "TransactWriteItems", code, ret, ret_body, err);
}

/* --------------------------------------------------------------------------------------------------------- batch */

static os_code check_keys(const struct rows_key *keys, size_t count, os_error *err)
{
    os_code code = check_count("BatchGetItem", count, ROWS_BATCH_MAX, err);
    for (size_t i = 0; i < count && code == OS_OK; i++) {
        code = rows_check_key(&keys[i], err);
        for (size_t j = 0; j < i && code == OS_OK; j++)
            if (is_same(keys[j].table, keys[j].key, keys[i].table, keys[i].key))
                code = refuse_twice("BatchGetItem", keys[i].table, keys[i].key, err);
    }
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
static bool add_keys(struct buf *out, const struct rows_key *keys, size_t count, size_t first)
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
    buf_add_str(out, "],\"ConsistentRead\":true}");
    return done;
}

os_code rows_build_batch(const struct endpoint *endpoint, const struct rows_key *keys, size_t count,
                         struct http_request *ret, struct buf *ret_body, os_error *err)
{
    dynamo_open(ROWS_BODY_MAX, ret, ret_body);
    os_code code = check_keys(keys, count, err);
    buf_add_str(ret_body, "{\"RequestItems\":{");
    for (size_t i = 0; i < count && code == OS_OK; i++)
        if (!is_named_before(keys, i) && !add_keys(ret_body, keys, count, i))
            code = error_no_memory(err);
    buf_add_char(ret_body, '}');
    return rows_finish(endpoint, "BatchGetItem", code, ret, ret_body, err);
}
