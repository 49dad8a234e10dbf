/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions as the library writes them: placeholders for every name and value, no parentheses, one clause of a kind. */
#include "sim/fake_rows.h"

#include <stdlib.h>
#include <string.h>

enum { TERMS_MAX = 320, STEPS_MAX = 2048, PLACEHOLDER_MAX = 64 };

struct fake_rows_parts {
    const json_t *request;
    json_t *used;     /* the placeholders that were met */
    struct text rest; /* of the expression that is being read */
    bool no_memory;
    struct path_step steps[STEPS_MAX];
    size_t step_count;
    struct condition_term terms[TERMS_MAX];
    size_t term_count;
    struct change changes[TERMS_MAX];
    size_t change_count;
    struct path paths[TERMS_MAX];
    size_t path_count;
};

struct fake_rows_parts *fake_rows_parts_new(const json_t *request)
{
    struct fake_rows_parts *parts = calloc(1, sizeof(*parts));
    if (parts == NULL)
        return NULL;
    parts->request = request;
    parts->used = json_object();
    if (parts->used != NULL)
        return parts;
    free(parts);
    return NULL;
}

void fake_rows_parts_free(struct fake_rows_parts *parts)
{
    if (parts == NULL)
        return;
    json_decref(parts->used);
    free(parts);
}

static bool open_expression(struct fake_rows_parts *parts, const char *member)
{
    const char *text = json_string_value(json_object_get(parts->request, member));
    parts->rest = text_from(text);
    return text != NULL;
}

static bool is_at_end(const struct fake_rows_parts *parts)
{
    return parts->rest.len == 0;
}

/* -------------------------------------------------------------------------------------------------- placeholders */

/* What "#name" or ":value" stands for, in that member. */
static const json_t *take_placeholder(struct fake_rows_parts *parts, char mark, const char *member)
{
    char name[PLACEHOLDER_MAX];
    size_t length = 1;
    if (parts->rest.len == 0 || parts->rest.p[0] != mark)
        return NULL;
    while (length < parts->rest.len && strchr(" .,()[", parts->rest.p[length]) == NULL)
        length++;
    if (!text_copy(text_of(parts->rest.p, length), name, sizeof(name)))
        return NULL;
    parts->rest = text_of(parts->rest.p + length, parts->rest.len - length);
    parts->no_memory = json_object_set_new(parts->used, name, json_true()) != 0 || parts->no_memory;
    return json_object_get(json_object_get(parts->request, member), name);
}

static const json_t *take_value(struct fake_rows_parts *parts)
{
    return take_placeholder(parts, ':', "ExpressionAttributeValues");
}

static bool take_step(struct fake_rows_parts *parts, bool is_first)
{
    uint64_t index = 0;
    if (parts->step_count == STEPS_MAX)
        return false;
    struct path_step *step = &parts->steps[parts->step_count];
    if (!is_first && text_take_char(&parts->rest, '[')) {
        *step = (struct path_step){.name = NULL};
        if (!text_take_u64(&parts->rest, &index) || !text_take_char(&parts->rest, ']'))
            return false;
        step->index = (size_t)index;
    } else {
        const json_t *name = take_placeholder(parts, '#', "ExpressionAttributeNames");
        *step = (struct path_step){.name = json_string_value(name)};
        if (step->name == NULL)
            return false;
    }
    parts->step_count++;
    return true;
}

static bool take_path(struct fake_rows_parts *parts, struct path *ret)
{
    const struct path_step *first = &parts->steps[parts->step_count];
    size_t before = parts->step_count;
    if (!take_step(parts, true))
        return false;
    while (text_take_char(&parts->rest, '.') || (parts->rest.len > 0 && parts->rest.p[0] == '['))
        if (!take_step(parts, false))
            return false;
    *ret = (struct path){first, parts->step_count - before};
    return true;
}

const char *fake_rows_parts_end(const struct fake_rows_parts *parts)
{
    const json_t *names = json_object_get(parts->request, "ExpressionAttributeNames");
    const json_t *values = json_object_get(parts->request, "ExpressionAttributeValues");
    if (parts->no_memory)
        return "There is no memory";
    if (json_object_size(names) + json_object_size(values) != json_object_size(parts->used))
        return "A name or a value is not used in expressions, or not given";
    if ((names != NULL && json_object_size(names) == 0) || (values != NULL && json_object_size(values) == 0))
        return "Names or values must not be empty";
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------- conditions */

static bool take_function(struct fake_rows_parts *parts, struct condition_term *ret)
{
    static const struct {
        const char *word;
        enum condition_test test;
        bool has_value;
    } functions[] = {{"attribute_not_exists(", CONDITION_IS_ABSENT, false},
                     {"attribute_exists(", CONDITION_EXISTS, false},
                     {"begins_with(", CONDITION_BEGINS_WITH, true},
                     {"contains(", CONDITION_CONTAINS, true}};
    size_t i = 0;
    while (i < sizeof(functions) / sizeof(functions[0]) && !text_take_str(&parts->rest, functions[i].word))
        i++;
    if (i == sizeof(functions) / sizeof(functions[0]))
        return false;
    ret->test = functions[i].test;
    if (!take_path(parts, &ret->path))
        return false;
    if (functions[i].has_value && text_take_str(&parts->rest, ", "))
        ret->value = take_value(parts);
    return (ret->value != NULL) == functions[i].has_value && text_take_char(&parts->rest, ')');
}

static bool take_comparison(struct fake_rows_parts *parts, struct condition_term *ret)
{
    static const struct {
        const char *word;
        enum condition_test test;
    } operators[] = {{" = ", CONDITION_EQUALS},          {" <> ", CONDITION_DIFFERS}, {" < ", CONDITION_IS_BELOW},
                     {" <= ", CONDITION_IS_AT_MOST},     {" > ", CONDITION_IS_ABOVE}, {" >= ", CONDITION_IS_AT_LEAST},
                     {" BETWEEN ", CONDITION_IS_BETWEEN}};
    size_t i = 0;
    if (!take_path(parts, &ret->path))
        return false;
    while (i < sizeof(operators) / sizeof(operators[0]) && !text_take_str(&parts->rest, operators[i].word))
        i++;
    if (i == sizeof(operators) / sizeof(operators[0]))
        return false;
    ret->test = operators[i].test;
    ret->value = take_value(parts);
    if (ret->test == CONDITION_IS_BETWEEN && text_take_str(&parts->rest, " AND "))
        ret->upper = take_value(parts);
    return ret->value != NULL && (ret->upper != NULL) == (ret->test == CONDITION_IS_BETWEEN);
}

const char *fake_rows_read_condition(struct fake_rows_parts *parts, const char *member, struct condition *ret)
{
    bool is_alternative = true;
    *ret = (struct condition){&parts->terms[parts->term_count], 0};
    if (!open_expression(parts, member))
        return NULL;
    do {
        struct condition_term *term = &parts->terms[parts->term_count];
        if (parts->term_count == TERMS_MAX)
            return "The condition has too many terms";
        *term = (struct condition_term){.is_alternative = is_alternative && ret->count > 0};
        if (!take_function(parts, term) && !take_comparison(parts, term))
            return "The condition cannot be read";
        parts->term_count++;
        ret->count++;
        is_alternative = text_take_str(&parts->rest, " OR ");
    } while (is_alternative || text_take_str(&parts->rest, " AND "));
    return is_at_end(parts) ? NULL : "The condition does not end";
}

/* ------------------------------------------------------------------------------------------------------- changes */

/* "a = :v", "a = a + :v". */
static bool take_set(struct fake_rows_parts *parts, struct change *ret)
{
    struct path again;
    ret->kind = CHANGE_SET;
    if (!text_take_str(&parts->rest, " = "))
        return false;
    if (parts->rest.len > 0 && parts->rest.p[0] == '#') {
        ret->kind = CHANGE_INCREMENT;
        if (!take_path(parts, &again) || path_compare(&again, &ret->path) != 0 || !text_take_str(&parts->rest, " + "))
            return false;
    }
    ret->value = take_value(parts);
    return ret->value != NULL;
}

static bool take_change(struct fake_rows_parts *parts, enum change_kind clause, struct change *ret)
{
    *ret = (struct change){.kind = clause};
    if (!take_path(parts, &ret->path))
        return false;
    if (clause == CHANGE_SET)
        return take_set(parts, ret);
    if (clause == CHANGE_REMOVE)
        return true;
    ret->value = text_take_char(&parts->rest, ' ') ? take_value(parts) : NULL;
    return ret->value != NULL;
}

static bool take_clause(struct fake_rows_parts *parts, enum change_kind *ret)
{
    static const struct {
        const char *word;
        enum change_kind kind;
    } clauses[] = {{"SET ", CHANGE_SET}, {"REMOVE ", CHANGE_REMOVE}, {"ADD ", CHANGE_ADD}, {"DELETE ", CHANGE_DELETE}};
    for (size_t i = 0; i < sizeof(clauses) / sizeof(clauses[0]); i++) {
        if (text_take_str(&parts->rest, clauses[i].word)) {
            *ret = clauses[i].kind;
            return true;
        }
    }
    return false;
}

const char *fake_rows_read_changes(struct fake_rows_parts *parts, const struct change **ret, size_t *ret_count)
{
    enum change_kind clause = 0;
    unsigned met = 0;
    *ret = parts->changes;
    *ret_count = 0;
    if (!open_expression(parts, "UpdateExpression"))
        return NULL;
    while (take_clause(parts, &clause)) {
        if ((met & 1u << clause) != 0)
            return "A clause comes twice";
        met |= 1u << clause;
        do {
            if (parts->change_count == TERMS_MAX || !take_change(parts, clause, &parts->changes[parts->change_count]))
                return "The update cannot be read";
            parts->change_count++;
        } while (text_take_str(&parts->rest, ", "));
        (void)text_take_char(&parts->rest, ' ');
    }
    *ret_count = parts->change_count;
    return is_at_end(parts) && met != 0 ? NULL : "The update does not end";
}

/* --------------------------------------------------------------------------------------------------- projections */

const char *fake_rows_read_paths(struct fake_rows_parts *parts, const struct path **ret, size_t *ret_count)
{
    *ret = parts->paths;
    *ret_count = 0;
    if (!open_expression(parts, "ProjectionExpression"))
        return NULL;
    do {
        if (parts->path_count == TERMS_MAX || !take_path(parts, &parts->paths[parts->path_count]))
            return "The projection cannot be read";
        parts->path_count++;
    } while (text_take_str(&parts->rest, ", "));
    *ret_count = parts->path_count;
    return is_at_end(parts) ? NULL : "The projection does not end";
}
