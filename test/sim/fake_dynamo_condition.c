/* SPDX-License-Identifier: Apache-2.0 */
/* Condition expressions, as many of them as the protocol has (R3, R12, T3, R17). Every other one is refused, so that a
 * request that the protocol does not know is seen. */
#include "sim/fake_dynamo_internal.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64, PLACES_MAX = 16 };

struct evaluation {
    const json_t *names;
    const json_t *values;
    const json_t *item;
    char used[PLACES_MAX][NAME_SIZE]; /* placeholders */
    size_t used_count;
    struct text rest;
};

static bool note(struct evaluation *eval, const char *placeholder)
{
    for (size_t i = 0; i < eval->used_count; i++)
        if (strcmp(eval->used[i], placeholder) == 0)
            return true;
    if (eval->used_count == PLACES_MAX)
        return false;
    memcpy(eval->used[eval->used_count++], placeholder, strlen(placeholder) + 1);
    return true;
}

/* "#name" or ":value", with its first character. */
static bool take_placeholder(struct evaluation *eval, char first, char ret[NAME_SIZE])
{
    size_t len = 0;
    if (eval->rest.len == 0 || eval->rest.p[0] != first)
        return false;
    do {
        len++;
    } while (len < eval->rest.len &&
             ((eval->rest.p[len] >= 'a' && eval->rest.p[len] <= 'z') || eval->rest.p[len] == '_'));
    if (len < 2 || !text_copy(text_of(eval->rest.p, len), ret, NAME_SIZE))
        return false;
    eval->rest = text_of(eval->rest.p + len, eval->rest.len - len);
    return note(eval, ret);
}

/* *ret: the attribute of the item, NULL when it has none. */
static bool take_attribute(struct evaluation *eval, const json_t **ret)
{
    char placeholder[NAME_SIZE];
    if (!take_placeholder(eval, '#', placeholder))
        return false;
    const char *name = json_string_value(json_object_get(eval->names, placeholder));
    *ret = name != NULL ? json_object_get(eval->item, name) : NULL;
    return name != NULL;
}

static bool take_term(struct evaluation *eval, bool *ret)
{
    const json_t *attribute;
    char placeholder[NAME_SIZE];
    bool not_exists = text_take_str(&eval->rest, "attribute_not_exists(");
    bool exists = !not_exists && text_take_str(&eval->rest, "attribute_exists(");
    if (!take_attribute(eval, &attribute))
        return false;
    if (not_exists || exists) {
        *ret = (attribute != NULL) == exists;
        return text_take_char(&eval->rest, ')');
    }
    if (!text_take_str(&eval->rest, " = ") || !take_placeholder(eval, ':', placeholder))
        return false;
    const json_t *value = json_object_get(eval->values, placeholder);
    *ret = attribute != NULL && json_equal(attribute, value) != 0;
    return value != NULL;
}

const char *fake_condition_holds(const json_t *request, const json_t *item, bool *ret)
{
    const char *expression = json_string_value(json_object_get(request, "ConditionExpression"));
    struct evaluation eval = {.names = json_object_get(request, "ExpressionAttributeNames"),
                              .values = json_object_get(request, "ExpressionAttributeValues"),
                              .item = item,
                              .rest = text_from(expression)};
    bool all = true;
    if (expression == NULL)
        return "Every put of a record must have a condition";
    do {
        bool holds = false;
        if (!take_term(&eval, &holds))
            return "Invalid ConditionExpression: Syntax error, or a placeholder is not defined";
        all = all && holds;
    } while (text_take_str(&eval.rest, " AND "));
    if (eval.rest.len > 0)
        return "Invalid ConditionExpression: Syntax error";
    if (eval.values != NULL && json_object_size(eval.values) == 0)
        return "ExpressionAttributeValues must not be empty";
    if (json_object_size(eval.names) + json_object_size(eval.values) != eval.used_count)
        return "A value provided in ExpressionAttributeNames or ExpressionAttributeValues is unused in expressions";
    *ret = all;
    return NULL;
}
