/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/rows_expression.h"

#include "attribute/value.h"
#include "base/error.h"
#include "base/text.h"
#include "syntax/json.h"

#include <string.h>

enum {
    /* Developer Guide, "Quotas". Of the operators it speaks for updates, whose + cannot be so many in 4 KB. In a
     * condition DynamoDB Local counts each comparison, each function, each AND and each OR. */
    EXPRESSION_MAX = 4096,
    OPERATORS_MAX = 300,
    SUBSTITUTES_MAX = 2 * 1024 * 1024,

    PLACEHOLDER_SIZE = 32,
    PART_MAX = 4096 /* a term or a change: paths of 32 steps, each shorter than a placeholder */
};

/* -------------------------------------------------------------------------------------------------- placeholders */

void rows_substitutes_init(struct rows_substitutes *substitutes)
{
    *substitutes = (struct rows_substitutes){.names = json_object(), .values = json_array()};
    substitutes->failed = substitutes->names == NULL || substitutes->values == NULL;
}

void rows_substitutes_free(struct rows_substitutes *substitutes)
{
    json_decref(substitutes->names);
    json_decref(substitutes->values);
    *substitutes = (struct rows_substitutes){.failed = true};
}

/* An expression while it is written. */
struct expression {
    struct buf text;
    size_t operators;
    struct rows_substitutes *substitutes;
};

static void add_name(struct expression *expression, const char *name)
{
    struct rows_substitutes *substitutes = expression->substitutes;
    const json_t *known = json_object_get(substitutes->names, name);
    size_t number = known != NULL ? (size_t)json_integer_value(known) : json_object_size(substitutes->names);
    if (known == NULL) {
        substitutes->bytes += strlen(name);
        if (json_object_set_new(substitutes->names, name, json_integer((json_int_t)number)) != 0)
            substitutes->failed = true;
    }
    buf_add_str(&expression->text, "#n");
    buf_add_number(&expression->text, number);
}

static void add_path(struct expression *expression, const struct path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        const struct path_step *step = &path->steps[i];
        if (step->name == NULL) {
            buf_add_char(&expression->text, '[');
            buf_add_number(&expression->text, step->index);
            buf_add_char(&expression->text, ']');
        } else {
            buf_add_str(&expression->text, i > 0 ? "." : "");
            add_name(expression, step->name);
        }
    }
}

static void add_value(struct expression *expression, const json_t *value)
{
    struct rows_substitutes *substitutes = expression->substitutes;
    buf_add_str(&expression->text, ":v");
    buf_add_number(&expression->text, json_array_size(substitutes->values));
    substitutes->bytes += value_size(value);
    if (json_array_append(substitutes->values, (json_t *)value) != 0)
        substitutes->failed = true;
}

/* ------------------------------------------------------------------------------------------- the whole expression */

static void expression_begin(struct expression *expression, struct rows_substitutes *substitutes)
{
    *expression = (struct expression){.substitutes = substitutes};
    buf_init(&expression->text, EXPRESSION_MAX + PART_MAX);
}

/* Behind each part: what is too long by now need not become longer. */
static bool expression_goes_on(const struct expression *expression)
{
    return buf_ok(&expression->text) && !expression->substitutes->failed && expression->text.len <= EXPRESSION_MAX;
}

static os_code expression_judge(const struct expression *expression, const char *member, os_error *err)
{
    if (!buf_ok(&expression->text) || expression->substitutes->failed)
        return error_no_memory(err);
    if (expression->text.len > EXPRESSION_MAX) {
        return error_set(err, OS_ERR_TOO_LARGE,
                         "The %s is longer than the 4 KB that DynamoDB takes, with every name and value as a "
                         "placeholder. Ask for less in one request.",
                         member);
    }
    if (expression->operators > OPERATORS_MAX) {
        return error_set(
            err, OS_ERR_TOO_LARGE,
            "The %s has %zu operators, each AND and OR among them; DynamoDB takes at most %d. Ask for less "
            "in one request.",
            member, expression->operators, OPERATORS_MAX);
    }
    return OS_OK;
}

/* Placeholders, and words of the language: nothing in it needs an escape. */
static os_code expression_end(struct expression *expression, const char *member, struct buf *out, os_error *err)
{
    os_code code = expression_judge(expression, member, err);
    if (code == OS_OK && expression->text.len > 0)
        buf_add_strs(out, ",\"", member, "\":\"", buf_str(&expression->text), "\"", NULL);
    buf_free(&expression->text);
    return code;
}

/* ---------------------------------------------------------------------------------------------------- conditions */

static void add_function(struct expression *expression, const char *name, const struct condition_term *term)
{
    buf_add_strs(&expression->text, name, "(", NULL);
    add_path(expression, &term->path);
    if (term->value != NULL) {
        buf_add_str(&expression->text, ", ");
        add_value(expression, term->value);
    }
    buf_add_char(&expression->text, ')');
}

static void add_comparison(struct expression *expression, const char *operator, const struct condition_term * term)
{
    add_path(expression, &term->path);
    buf_add_str(&expression->text, operator);
    add_value(expression, term->value);
}

static void add_term(struct expression *expression, const struct condition_term *term)
{
    static const char *const words[] = {[CONDITION_EQUALS] = " = ",
                                        [CONDITION_DIFFERS] = " <> ",
                                        [CONDITION_IS_BELOW] = " < ",
                                        [CONDITION_IS_AT_MOST] = " <= ",
                                        [CONDITION_IS_ABOVE] = " > ",
                                        [CONDITION_IS_AT_LEAST] = " >= ",
                                        [CONDITION_IS_BETWEEN] = " BETWEEN ",
                                        [CONDITION_BEGINS_WITH] = "begins_with",
                                        [CONDITION_CONTAINS] = "contains",
                                        [CONDITION_EXISTS] = "attribute_exists",
                                        [CONDITION_IS_ABSENT] = "attribute_not_exists"};
    struct condition_term bare = *term;
    expression->operators++;
    switch (term->test) {
    case CONDITION_EXISTS:
    case CONDITION_IS_ABSENT: bare.value = NULL; /* fall through */
    case CONDITION_BEGINS_WITH:
    case CONDITION_CONTAINS: add_function(expression, words[term->test], &bare); break;
    case CONDITION_IS_BETWEEN:
        add_comparison(expression, words[term->test], term);
        buf_add_str(&expression->text, " AND ");
        add_value(expression, term->upper);
        break;
    default: add_comparison(expression, words[term->test], term); break;
    }
}

/* AND binds more than OR (Developer Guide, "Condition expressions"). */
os_code rows_add_condition(struct buf *out, const char *member, const struct condition *condition,
                           struct rows_substitutes *substitutes, os_error *err)
{
    struct expression expression;
    expression_begin(&expression, substitutes);
    for (size_t i = 0; i < condition->count && expression_goes_on(&expression); i++) {
        if (i > 0) {
            buf_add_str(&expression.text, condition->terms[i].is_alternative ? " OR " : " AND ");
            expression.operators++;
        }
        add_term(&expression, &condition->terms[i]);
    }
    return expression_end(&expression, member, out, err);
}

os_code rows_add_key_condition(struct buf *out, const struct rows_list *list, struct rows_substitutes *substitutes,
                               os_error *err)
{
    const struct rows_keys *keys = rows_list_keys(list);
    const struct path_step steps[] = {{.name = keys->partition}, {.name = keys->sort}};
    const struct condition_term terms[] = {
        {.path = {&steps[0], 1}, .test = CONDITION_EQUALS, .value = list->partition},
        {.path = {&steps[1], 1}, .test = list->sort.test, .value = list->sort.value, .upper = list->sort.upper}};
    bool has_range = list->sort.test != 0;
    const struct condition condition = {terms, has_range ? 2 : 1};
    return rows_add_condition(out, "KeyConditionExpression", &condition, substitutes, err);
}

/* ------------------------------------------------------------------------------------------------------- changes */

static void add_change(struct expression *expression, const struct change *change)
{
    add_path(expression, &change->path);
    switch (change->kind) {
    case CHANGE_SET: buf_add_str(&expression->text, " = "); break;
    case CHANGE_INCREMENT:
        buf_add_str(&expression->text, " = ");
        add_path(expression, &change->path);
        buf_add_str(&expression->text, " + ");
        break;
    case CHANGE_ADD:
    case CHANGE_DELETE: buf_add_char(&expression->text, ' '); break;
    case CHANGE_REMOVE: return;
    }
    add_value(expression, change->value);
}

/* The changes of one clause, whose word `clause` begins with; INCREMENT is one of SET's. */
static void add_clause(struct expression *expression, const char *clause, unsigned kinds, const struct change *changes,
                       size_t count)
{
    bool first = true;
    for (size_t i = 0; i < count && expression_goes_on(expression); i++) {
        if ((kinds & 1u << changes[i].kind) == 0)
            continue;
        buf_add_strs(&expression->text, first && expression->text.len > 0 ? " " : "", first ? clause : ", ", NULL);
        add_change(expression, &changes[i]);
        first = false;
    }
}

/* An expression has one clause of each kind (API Reference, UpdateItem). */
os_code rows_add_changes(struct buf *out, const struct change *changes, size_t count,
                         struct rows_substitutes *substitutes, os_error *err)
{
    struct expression expression;
    expression_begin(&expression, substitutes);
    add_clause(&expression, "SET ", 1u << CHANGE_SET | 1u << CHANGE_INCREMENT, changes, count);
    add_clause(&expression, "REMOVE ", 1u << CHANGE_REMOVE, changes, count);
    add_clause(&expression, "ADD ", 1u << CHANGE_ADD, changes, count);
    add_clause(&expression, "DELETE ", 1u << CHANGE_DELETE, changes, count);
    return expression_end(&expression, "UpdateExpression", out, err);
}

/* --------------------------------------------------------------------------------------------------- projections */

os_code rows_add_projection(struct buf *out, const struct path *paths, size_t count,
                            struct rows_substitutes *substitutes, os_error *err)
{
    struct expression expression;
    expression_begin(&expression, substitutes);
    for (size_t i = 0; i < count && expression_goes_on(&expression); i++) {
        buf_add_str(&expression.text, i > 0 ? ", " : "");
        add_path(&expression, &paths[i]);
    }
    return expression_end(&expression, "ProjectionExpression", out, err);
}

/* ---------------------------------------------------------------------------------------------- names and values */

static void add_names(struct buf *out, const json_t *names)
{
    const char *name;
    json_t *number;
    const char *between = ",\"ExpressionAttributeNames\":{";
    json_object_foreach((json_t *)names, name, number)
    {
        buf_add_strs(out, between, "\"#n", NULL);
        buf_add_number(out, (uint64_t)json_integer_value(number));
        buf_add_str(out, "\":");
        json_write_string(out, name, strlen(name));
        between = ",";
    }
    buf_add_str(out, json_object_size(names) > 0 ? "}" : "");
}

static bool add_values(struct buf *out, const json_t *values)
{
    size_t index;
    json_t *value;
    bool done = true;
    const char *between = ",\"ExpressionAttributeValues\":{";
    json_array_foreach(values, index, value)
    {
        buf_add_strs(out, between, "\":v", NULL);
        buf_add_number(out, index);
        buf_add_str(out, "\":");
        done = done && json_write(out, value);
        between = ",";
    }
    buf_add_str(out, json_array_size(values) > 0 ? "}" : "");
    return done;
}

os_code rows_add_substitutes(struct buf *out, const struct rows_substitutes *substitutes, os_error *err)
{
    if (substitutes->failed)
        return error_no_memory(err);
    if (substitutes->bytes > SUBSTITUTES_MAX) {
        return error_set(err, OS_ERR_TOO_LARGE,
                         "The names and values in the expressions have %zu bytes; DynamoDB takes at most %d. Ask for "
                         "less in one request.",
                         substitutes->bytes, SUBSTITUTES_MAX);
    }
    add_names(out, substitutes->names);
    return add_values(out, substitutes->values) ? OS_OK : error_no_memory(err);
}
