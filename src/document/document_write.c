/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_write.h"

#include <string.h>

enum { TOKEN_TEXT_SIZE = DOCUMENT_TOKEN_MAX + 1 + 2 * DOCUMENT_RANDOM_SIZE + 1 };

void document_write_free(struct document_write *write)
{
    json_decref(write->item);
    document_condition_free(&write->condition);
    *write = (struct document_write){.item = NULL};
}

/* --------------------------------------------------------------------------------------------------------- checks */

static os_code check_version(int64_t version, os_error *err)
{
    if (version >= 0 && version < INT64_MAX)
        return OS_OK;
    return error_set(
        err, OS_ERR_ARGUMENT,
        "The version of the document is %lld. Give the one that was read, or 0 if there is no document; the "
        "largest with a next one is 9223372036854775806.",
        (long long)version);
}

static os_code check_token(struct text token, os_error *err)
{
    if (token.len <= DOCUMENT_TOKEN_MAX && text_is_utf8(token) &&
        (token.len == 0 || memchr(token.p, '\0', token.len) == NULL))
        return OS_OK;
    return error_set(
        err, OS_ERR_ARGUMENT,
        "The client token has %zu bytes; it takes at most %d, in UTF-8 and without a NUL. Give another, or none.",
        token.len, DOCUMENT_TOKEN_MAX);
}

static os_code check_models(const struct document_wish *wish, os_error *err)
{
    enum document_kind kind = wish->key.kind;
    bool has_desired = wish->desired != NULL && !json_is_null(wish->desired);
    bool has_reported = wish->reported != NULL && !json_is_null(wish->reported);
    if (has_desired == (kind != DOCUMENT_REPORTED) && has_reported == (kind != DOCUMENT_DESIRED))
        return OS_OK;
    if (kind == DOCUMENT_COMBINED)
        return error_set(
            err, OS_ERR_ARGUMENT,
            "Combined documents are written with both models, and the %s one is missing (null counts as none). "
            "Give both, or store them apart.",
            has_desired    ? "reported"
            : has_reported ? "desired"
                           : "desired and the reported");
    return error_set(
        err, OS_ERR_ARGUMENT,
        "The item of a %s model takes this model and no other, and it is not null. Write the other model to its "
        "own item, or store them combined.",
        document_kind_name(kind));
}

/* --------------------------------------------------------------------------------------------------------- making */

static json_t *token_of(const struct document_wish *wish)
{
    char text[TOKEN_TEXT_SIZE];
    size_t len = wish->client_token.len;
    if (len > 0) {
        memcpy(text, wish->client_token.p, len);
        text[len++] = '#';
    }
    text_hex(wish->random, sizeof(wish->random), text + len);
    return json_string(text);
}

static os_code make_item(const struct document_wish *wish, json_t **ret, os_error *err)
{
    struct document document = {.version = wish->version + 1,
                                .timestamp_ns = wish->timestamp_ns,
                                .client_token = token_of(wish),
                                .desired = (json_t *)wish->desired,
                                .reported = (json_t *)wish->reported};
    os_code code = document.client_token != NULL ? document_to_item(&wish->key, &document, wish->spelling, ret, err)
                                                 : error_no_memory(err);
    json_decref(document.client_token);
    return code;
}

static os_code make_condition(const struct document_wish *wish, struct document_condition *ret, os_error *err)
{
    if (wish->version > 0)
        return document_condition_of_version(wish->version, wish->spelling, ret, err);
    document_condition_of_none(ret);
    return OS_OK;
}

os_code document_write_make(const struct document_wish *wish, struct document_write *ret, os_error *err)
{
    *ret = (struct document_write){.spelling = wish->spelling};
    os_code code = check_version(wish->version, err);
    if (code == OS_OK)
        code = check_token(wish->client_token, err);
    if (code == OS_OK)
        code = check_models(wish, err);
    if (code == OS_OK)
        code = make_item(wish, &ret->item, err);
    if (code == OS_OK)
        code = make_condition(wish, &ret->condition, err);
    if (code != OS_OK)
        document_write_free(ret);
    return code;
}

struct document_mark document_write_mark(const struct document_write *write)
{
    struct document_mark mark;
    (void)document_mark_read(write->item, write->spelling, &mark, NULL); /* it was made here */
    return mark;
}
