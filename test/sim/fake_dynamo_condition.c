/* SPDX-License-Identifier: Apache-2.0 */
/* Condition expressions, as many of them as the protocol has (R3, R12, T3, R17; L2, L5, L7). Every other one is refused,
 * so that a request that the protocol does not know is seen. */
#include "sim/fake_dynamo_internal.h"

#include <stdio.h>
#include <string.h>

void fake_expressions_of(const struct fake_schema *schema, const json_t *request, struct fake_expressions *ret)
{
    *ret = (struct fake_expressions){.request = request,
                                     .names = json_object_get(request, "ExpressionAttributeNames"),
                                     .values = json_object_get(request, "ExpressionAttributeValues"),
                                     .rich = schema->updates};
}

/* ------------------------------------------------------------------------------------------------ placeholders */

static bool note(struct fake_expressions *expressions, const char *placeholder)
{
    for (size_t i = 0; i < expressions->used_count; i++)
        if (strcmp(expressions->used[i], placeholder) == 0)
            return true;
    if (expressions->used_count == FAKE_PLACES_MAX)
        return false;
    memcpy(expressions->used[expressions->used_count++], placeholder, strlen(placeholder) + 1);
    return true;
}

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool take_placeholder(struct fake_expressions *expressions, char first, char ret[FAKE_NAME_SIZE])
{
    struct text *rest = &expressions->rest;
    size_t len = 0;
    if (rest->len == 0 || rest->p[0] != first)
        return false;
    do {
        len++;
    } while (len < rest->len && is_of_name(rest->p[len]));
    if (len < 2 || !text_copy(text_of(rest->p, len), ret, FAKE_NAME_SIZE))
        return false;
    *rest = text_of(rest->p + len, rest->len - len);
    return note(expressions, ret);
}

const char *fake_take_name(struct fake_expressions *expressions)
{
    char placeholder[FAKE_NAME_SIZE];
    if (!take_placeholder(expressions, '#', placeholder))
        return NULL;
    return json_string_value(json_object_get(expressions->names, placeholder));
}

const json_t *fake_take_value(struct fake_expressions *expressions)
{
    char placeholder[FAKE_NAME_SIZE];
    if (!take_placeholder(expressions, ':', placeholder))
        return NULL;
    return json_object_get(expressions->values, placeholder);
}

const char *fake_expressions_end(const struct fake_expressions *expressions)
{
    if (expressions->values != NULL && json_object_size(expressions->values) == 0)
        return "ExpressionAttributeValues must not be empty";
    if (json_object_size(expressions->names) + json_object_size(expressions->values) != expressions->used_count)
        return "A value provided in ExpressionAttributeNames or ExpressionAttributeValues is unused in expressions";
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ conditions */

/* Of two numbers, as all that is compared so here. */
static bool is_below(const json_t *attribute, const json_t *value)
{
    uint64_t left;
    uint64_t right;
    return fake_typed_number(attribute, &left) && fake_typed_number(value, &right) && left < right;
}

/* What stands behind the attribute. */
static bool take_comparison(struct fake_expressions *expressions, const json_t *attribute, bool *ret)
{
    bool below = expressions->rich && text_take_str(&expressions->rest, " < ");
    bool at_least = !below && expressions->rich && text_take_str(&expressions->rest, " >= ");
    if (!below && !at_least && !text_take_str(&expressions->rest, " = "))
        return false;
    const json_t *value = fake_take_value(expressions);
    if (below || at_least)
        *ret = attribute != NULL && is_below(attribute, value) == below;
    else
        *ret = attribute != NULL && json_equal(attribute, value) != 0;
    return value != NULL;
}

static bool take_term(struct fake_expressions *expressions, const json_t *item, bool *ret)
{
    bool not_exists = text_take_str(&expressions->rest, "attribute_not_exists(");
    bool exists = !not_exists && text_take_str(&expressions->rest, "attribute_exists(");
    const char *name = fake_take_name(expressions);
    const json_t *attribute = name != NULL ? json_object_get(item, name) : NULL;
    if (name == NULL)
        return false;
    if (!not_exists && !exists)
        return take_comparison(expressions, attribute, ret);
    *ret = (attribute != NULL) == exists;
    return text_take_char(&expressions->rest, ')');
}

static bool take_all(struct fake_expressions *expressions, const json_t *item, bool *ret)
{
    *ret = true;
    do {
        bool holds = false;
        if (!take_term(expressions, item, &holds))
            return false;
        *ret = *ret && holds;
    } while (text_take_str(&expressions->rest, " AND "));
    return true;
}

/* AND binds more than OR (Developer Guide, "Condition expressions"). */
const char *fake_condition(struct fake_expressions *expressions, const json_t *item, bool *ret)
{
    const char *expression = json_string_value(json_object_get(expressions->request, "ConditionExpression"));
    *ret = false;
    if (expression == NULL)
        return "Every write must have a condition";
    expressions->rest = text_from(expression);
    do {
        bool holds = false;
        if (!take_all(expressions, item, &holds))
            return "Invalid ConditionExpression: Syntax error, or a placeholder is not defined";
        *ret = *ret || holds;
    } while (expressions->rich && text_take_str(&expressions->rest, " OR "));
    return expressions->rest.len > 0 ? "Invalid ConditionExpression: Syntax error" : NULL;
}

const char *fake_condition_holds(const struct fake_schema *schema, const json_t *request, const json_t *item, bool *ret)
{
    struct fake_expressions expressions;
    fake_expressions_of(schema, request, &expressions);
    const char *fault = fake_condition(&expressions, item, ret);
    return fault != NULL ? fault : fake_expressions_end(&expressions);
}
