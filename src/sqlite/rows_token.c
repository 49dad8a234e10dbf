/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/rows_token.h"

#include "attribute/canonical.h"
#include "base/error.h"
#include "syntax/json.h"

#include <string.h>

/* API Reference, TransactWriteItems: ClientRequestToken. */
enum { TOKEN_LIVES_S = 10 * 60 };

/* --------------------------------------------------------------------------------------------------------- digest */

/* Takes `value`, which may be NULL for want of memory; then the array is given up. */
static json_t *append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0)
        return array;
    json_decref(array);
    return NULL;
}

static json_t *path_tree(const struct path *path)
{
    json_t *steps = json_array();
    for (size_t i = 0; i < path->count; i++) {
        const struct path_step *step = &path->steps[i];
        steps = append(steps, step->name != NULL ? json_string(step->name) : json_integer((json_int_t)step->index));
    }
    return steps;
}

static json_t *value_tree(const json_t *value)
{
    return value != NULL ? value_canonical(value) : json_null();
}

static json_t *condition_tree(const struct condition *condition)
{
    json_t *terms = json_array();
    for (size_t i = 0; i < condition->count; i++) {
        const struct condition_term *term = &condition->terms[i];
        bool has_value = term->test != CONDITION_EXISTS && term->test != CONDITION_IS_ABSENT;
        terms = append(terms, json_integer(term->test));
        terms = append(terms, json_boolean(term->is_alternative));
        terms = append(terms, path_tree(&term->path));
        terms = append(terms, value_tree(has_value ? term->value : NULL));
        terms = append(terms, value_tree(term->test == CONDITION_IS_BETWEEN ? term->upper : NULL));
    }
    return terms;
}

static json_t *changes_tree(const struct rows_write *write)
{
    json_t *changes = json_array();
    for (size_t i = 0; write->kind == ROWS_UPDATE && i < write->change_count; i++) {
        const struct change *change = &write->changes[i];
        changes = append(changes, json_integer(change->kind));
        changes = append(changes, path_tree(&change->path));
        changes = append(changes, value_tree(change->kind != CHANGE_REMOVE ? change->value : NULL));
    }
    return changes;
}

static json_t *write_tree(const struct rows_write *write)
{
    json_t *parts = append(json_array(), json_integer(write->kind));
    parts = append(parts, json_string(write->table->name));
    parts = append(parts, item_canonical(write->item));
    parts = append(parts, condition_tree(&write->condition));
    return append(parts, changes_tree(write));
}

static bool add_write(struct digest_stream *stream, const struct rows_write *write)
{
    struct buf text;
    json_t *tree = write_tree(write);
    buf_init(&text, 2 * ROWS_TEXT_MAX);
    bool written = tree != NULL && json_write_as(&text, tree, JSON_COMPACT | JSON_SORT_KEYS) && buf_ok(&text);
    if (written)
        digest_stream_add(stream, text.data, text.len);
    buf_free(&text);
    json_decref(tree);
    return written;
}

os_code rows_token_make(const struct rows_transaction *transaction, int64_t now_s, struct rows_token *ret,
                        os_error *err)
{
    struct digest_stream stream;
    size_t len = 0;
    *ret = (struct rows_token){.text = transaction->token, .now_s = now_s};
    if (!digest_stream_begin(&stream, "SHA256"))
        return error_no_memory(err);
    bool added = true;
    for (size_t i = 0; i < transaction->count && added; i++)
        added = add_write(&stream, &transaction->writes[i]);
    added = added && digest_stream_end(&stream, ret->writes, &len);
    digest_stream_free(&stream);
    return added ? OS_OK : error_no_memory(err);
}

/* --------------------------------------------------------------------------------------------------------- tokens */

enum table_outcome rows_token_find(struct rows_conn *at, const struct rows_token *token, enum rows_token_state *ret,
                                   os_error *err)
{
    sqlite3_stmt *get = sqlite_statement(at->conn, ROWS_TOKEN_GET);
    int rc = get != NULL ? sqlite3_bind_text(get, 1, token->text, -1, SQLITE_STATIC) : sqlite_code(at->conn);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(get, 2, token->now_s - TOKEN_LIVES_S);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(get) & 0xff;
    *ret = ROWS_TOKEN_NEW;
    if (rc == SQLITE_ROW) {
        const void *writes = sqlite3_column_blob(get, 0);
        bool is_same = sqlite3_column_bytes(get, 0) == SHA256_SIZE && writes != NULL &&
                       memcmp(writes, token->writes, SHA256_SIZE) == 0;
        *ret = is_same ? ROWS_TOKEN_DONE : ROWS_TOKEN_USED;
    }
    (void)sqlite3_reset(get);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? TABLE_OK : ledger_failed(at->conn, rc, "look for a token", err);
}

static int expire_tokens(struct rows_conn *at, int64_t now_s)
{
    sqlite3_stmt *expire = sqlite_statement(at->conn, ROWS_TOKENS_EXPIRE);
    int rc = expire != NULL ? sqlite3_bind_int64(expire, 1, now_s - TOKEN_LIVES_S) : sqlite_code(at->conn);
    return rc == SQLITE_OK ? sqlite_run(expire) : rc;
}

enum table_outcome rows_token_put(struct rows_conn *at, const struct rows_token *token, os_error *err)
{
    sqlite3_stmt *put = sqlite_statement(at->conn, ROWS_TOKEN_PUT);
    int rc = put != NULL ? sqlite3_bind_text(put, 1, token->text, -1, SQLITE_STATIC) : sqlite_code(at->conn);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(put, 2, token->now_s);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_blob(put, 3, token->writes, SHA256_SIZE, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite_run(put);
    if (rc == SQLITE_OK)
        rc = expire_tokens(at, token->now_s);
    return rc == SQLITE_OK ? TABLE_OK : ledger_failed(at->conn, rc, "write a token", err);
}
