/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/query_token.h"

#include "attribute/check.h"
#include "base/digest.h"
#include "base/error.h"
#include "rows/check.h"
#include "syntax/json.h"

#include <string.h>

enum { DIGEST_SIZE = 65, QUESTION_MAX = 16 * 1024 * 1024 };

/* ------------------------------------------------------------------------------------------------ what is asked */

static void add_text(struct buf *out, const char *text)
{
    json_write_string(out, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
    buf_add_char(out, ',');
}

static void add_value(struct buf *out, const json_t *value)
{
    if (value != NULL && !json_write(out, value))
        out->failed = true;
    buf_add_char(out, ',');
}

static void add_comparison(struct buf *out, enum condition_test test, const json_t *value, const json_t *upper)
{
    buf_add_number(out, test);
    buf_add_char(out, ',');
    add_value(out, test != 0 ? value : NULL);
    add_value(out, test == CONDITION_IS_BETWEEN ? upper : NULL);
}

/* All that says which rows come, and in which order. */
static bool digest_of(const struct rows_list *list, char ret[DIGEST_SIZE])
{
    struct buf out;
    buf_init(&out, QUESTION_MAX);
    add_text(&out, list->table->name);
    add_text(&out, list->index);
    add_value(&out, list->partition);
    add_comparison(&out, list->sort.test, list->sort.value, list->sort.upper);
    for (size_t i = 0; i < list->filter.count; i++) {
        const struct condition_term *term = &list->filter.terms[i];
        add_text(&out, term->path.steps[0].name);
        add_comparison(&out, term->test, term->value, term->upper);
    }
    buf_add_str(&out, list->is_descending ? "descending," : "ascending,");
    buf_add_number(&out, list->segment);
    buf_add_char(&out, ',');
    buf_add_number(&out, list->segments);
    bool is_done = buf_ok(&out) && sha256_hex(buf_str(&out), out.len, ret);
    buf_free(&out);
    return is_done;
}

/* ------------------------------------------------------------------------------------------------ tokens */

os_code query_token_make(const struct query_plan *plan, const json_t *last_key, json_t **ret, os_error *err)
{
    char digest[DIGEST_SIZE];
    struct buf out;
    *ret = NULL;
    json_t *token = digest_of(&plan->list, digest) ? json_pack("{s:s, s:O}", "of", digest, "after", last_key) : NULL;
    buf_init(&out, QUERY_TOKEN_MAX);
    if (token != NULL && json_write(&out, token))
        *ret = json_stringn_nocheck(buf_str(&out), out.len);
    buf_free(&out);
    json_decref(token);
    return *ret != NULL ? OS_OK : error_no_memory(err);
}

static os_code refuse(const struct query_plan *plan, const char *fault, os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT,
                     "The token to go on with, of a %s of %.60s, %s. Begin again, without a token.",
                     plan->is_scan ? "scan" : "query", plan->model->model->name, fault);
}

static os_code check_key(const struct query_plan *plan, json_t *key, os_error *err)
{
    os_error why;
    struct rows_list list = plan->list;
    list.start_key = key;
    bool is_key = json_is_object(key) && item_check(key, &why) == OS_OK && rows_check_list(&list, &why) == OS_OK;
    return is_key ? OS_OK : refuse(plan, "has no key of these rows", err);
}

os_code query_token_read(const struct query_plan *plan, const char *token, json_t **ret, os_error *err)
{
    char digest[DIGEST_SIZE];
    *ret = NULL;
    if (!digest_of(&plan->list, digest))
        return error_no_memory(err);
    size_t len = strnlen(token, QUERY_TOKEN_MAX + 1);
    json_t *read = len <= QUERY_TOKEN_MAX ? json_read(token, len) : NULL;
    const char *of = json_member_string(read, "of");
    json_t *key = json_object_get(read, "after");
    os_code code = OS_OK;
    if (of == NULL || key == NULL || json_object_size(read) != 2)
        code = refuse(plan, "is none", err);
    else if (strcmp(of, digest) != 0)
        code = refuse(plan, "is of one that asks for something else", err);
    else
        code = check_key(plan, key, err);
    if (code == OS_OK)
        *ret = json_incref(key);
    json_decref(read);
    return code;
}
