/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write of an item with a condition and changes, whose names, values and kinds are the bytes. It is refused with a
 * sentence, or its expressions are made of placeholders and words of DynamoDB's alone; each placeholder is given once, each
 * that is given is used, and what is given are the names and values of the write.
 */
#include "fuzz.h"

#include "attribute/value.h"
#include "base/buf.h"
#include "dynamo/rows_request.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS_MAX = 4, STEPS_MAX = 3, PATHS_MAX = 2 * TERMS_MAX, NAMES_MAX = PATHS_MAX * STEPS_MAX + 3 * TERMS_MAX };

/* What the write is made of. */
struct made {
    struct fuzz_bytes bytes;
    struct path_step steps[PATHS_MAX][STEPS_MAX];
    char *names[NAMES_MAX];
    size_t name_count;
    json_t *values; /* an array */
    struct condition_term terms[TERMS_MAX];
    struct change changes[TERMS_MAX];
};

static const struct rows_table table = {"orders", {"pk", NULL}};
static const struct endpoint endpoint = {.scheme = "https", .host = "dynamodb.us-east-1.amazonaws.com"};

/* ------------------------------------------------------------------------------------------------------- the write */

static const char *make_name(struct made *made)
{
    size_t length = fuzz_next(&made->bytes) % 8;
    size_t size = length < made->bytes.left ? length : made->bytes.left;
    char *name = fuzz_string(made->bytes.p, size);
    made->bytes.p += size;
    made->bytes.left -= size;
    made->names[made->name_count++] = name;
    return name;
}

static struct path make_path(struct made *made, size_t number)
{
    struct path_step *steps = made->steps[number];
    size_t count = 1 + fuzz_next(&made->bytes) % STEPS_MAX;
    for (size_t i = 0; i < count; i++) {
        unsigned kind = fuzz_next(&made->bytes);
        steps[i] = (struct path_step){.name = i == 0 || kind % 3 != 0 ? make_name(made) : NULL, .index = kind};
    }
    return (struct path){steps, count};
}

static json_t *make_value(struct made *made)
{
    static const char *const types[] = {"S", "N", "B"};
    unsigned kind = fuzz_next(&made->bytes);
    json_t *value;
    if (kind % 8 < 3)
        value = json_pack("{s:s+}", types[kind % 8], make_name(made), "");
    else if (kind % 8 == 3)
        value = json_pack("{s:[s,s]}", "SS", "a", "b");
    else if (kind % 8 == 4)
        value = json_pack("{s:b}", "NULL", 1);
    else
        value = json_pack("{s:s}", "N", "7");
    if (value == NULL) /* the name is no UTF-8 */
        value = json_pack("{s:s}", "S", "a");
    FUZZ_CHECK(value != NULL && json_array_append_new(made->values, value) == 0);
    return value;
}

static struct condition make_condition(struct made *made)
{
    size_t count = fuzz_next(&made->bytes) % (TERMS_MAX + 1);
    for (size_t i = 0; i < count; i++) {
        struct condition_term *term = &made->terms[i];
        unsigned kind = fuzz_next(&made->bytes);
        *term = (struct condition_term){.path = make_path(made, i),
                                        .test = CONDITION_EQUALS + kind % CONDITION_IS_ABSENT,
                                        .is_alternative = kind > 200};
        if (term->test < CONDITION_EXISTS)
            term->value = make_value(made);
        if (term->test == CONDITION_IS_BETWEEN)
            term->upper = make_value(made);
    }
    return (struct condition){made->terms, count};
}

static size_t make_changes(struct made *made)
{
    size_t count = fuzz_next(&made->bytes) % (TERMS_MAX + 1);
    for (size_t i = 0; i < count; i++) {
        struct change *change = &made->changes[i];
        *change = (struct change){.path = make_path(made, TERMS_MAX + i),
                                  .kind = CHANGE_SET + fuzz_next(&made->bytes) % CHANGE_DELETE};
        if (change->kind != CHANGE_REMOVE)
            change->value = make_value(made);
    }
    return count;
}

/* -------------------------------------------------------------------------------------------------------- the request */

static bool is_word(const char *word, size_t length)
{
    static const char *const words[] = {"SET",         "REMOVE",   "ADD",
                                        "DELETE",      "AND",      "OR",
                                        "BETWEEN",     "contains", "attribute_exists",
                                        "begins_with", "NOT",      "attribute_not_exists"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return true;
    return false;
}

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

/* `names` and `values` are what is given; `used` takes what is used of both. */
static void check_expression(const char *text, const json_t *names, const json_t *values, json_t *used)
{
    for (bool in_brackets = false; *text != '\0'; text++) {
        if (*text == '[' || *text == ']') {
            in_brackets = *text == '[';
        } else if (*text == '#' || *text == ':') {
            char key[32];
            size_t length = length_of(text + 1) + 1;
            FUZZ_CHECK(length < sizeof(key));
            memcpy(key, text, length);
            key[length] = '\0';
            FUZZ_CHECK(json_object_get(*text == '#' ? names : values, key) != NULL);
            FUZZ_CHECK(json_object_set_new(used, key, json_true()) == 0);
            text += length - 1;
        } else if (isdigit((unsigned char)*text)) {
            FUZZ_CHECK(in_brackets);
        } else if (isalpha((unsigned char)*text)) {
            size_t length = length_of(text);
            FUZZ_CHECK(is_word(text, length));
            text += length - 1;
        } else {
            FUZZ_CHECK(strchr(" ().,=<>+", *text) != NULL);
        }
    }
}

static void check_names(const struct made *made, const json_t *names)
{
    const char *key, *other;
    json_t *name, *twin;
    json_object_foreach((json_t *)names, key, name)
    {
        size_t given = 0;
        for (size_t i = 0; i < made->name_count; i++)
            given += strcmp(made->names[i], json_string_value(name)) == 0 ? 1 : 0;
        FUZZ_CHECK(given > 0 || strcmp(json_string_value(name), table.keys.partition) == 0);
        json_object_foreach((json_t *)names, other, twin)
        {
            FUZZ_CHECK(strcmp(key, other) == 0 || !json_equal(name, twin));
        }
    }
}

static void check_values(const struct made *made, const json_t *values)
{
    const char *key;
    json_t *value, *one;
    size_t i;
    json_object_foreach((json_t *)values, key, value)
    {
        bool given = false;
        json_array_foreach(made->values, i, one)
        {
            given = given || value_equal(value, one);
        }
        FUZZ_CHECK(given);
    }
}

static void check_body(const struct made *made, const struct buf *body)
{
    json_t *root = json_loadb(buf_str(body), body->len, 0, NULL);
    json_t *used = json_object();
    FUZZ_CHECK(root != NULL && used != NULL);
    const json_t *names = json_object_get(root, "ExpressionAttributeNames");
    const json_t *values = json_object_get(root, "ExpressionAttributeValues");
    static const char *const members[] = {"ConditionExpression", "UpdateExpression"};
    for (size_t i = 0; i < 2; i++)
        if (json_object_get(root, members[i]) != NULL)
            check_expression(json_string_value(json_object_get(root, members[i])), names, values, used);
    FUZZ_CHECK(json_object_size(used) == json_object_size(names) + json_object_size(values));
    check_names(made, names);
    check_values(made, values);
    json_decref(used);
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct made made = {.bytes = {data, size}, .values = json_array()};
    json_t *item = json_pack("{s:{s:s}}", "pk", "S", "a");
    struct http_request request;
    struct buf body;
    os_error err = {.code = OS_OK};

    FUZZ_CHECK(made.values != NULL && item != NULL);
    struct rows_write write = {.kind = ROWS_PUT + fuzz_next(&made.bytes) % 3, .table = &table, .item = item};
    write.condition = make_condition(&made);
    if (write.kind == ROWS_UPDATE) {
        write.change_count = make_changes(&made);
        write.changes = made.changes;
    }
    os_code code = rows_build_write(&endpoint, &write, &request, &body, &err);
    if (code == OS_OK)
        check_body(&made, &body);
    else
        fuzz_check_error(code, &err);
    FUZZ_CHECK(code == OS_OK || (code == OS_ERR_ARGUMENT && body.data == NULL));
    http_request_free(&request);
    buf_free(&body);
    for (size_t i = 0; i < made.name_count; i++)
        free(made.names[i]);
    json_decref(made.values);
    json_decref(item);
    return 0;
}
