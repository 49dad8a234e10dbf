/* SPDX-License-Identifier: Apache-2.0 */
#include "plain_request.h"

#include "base/buf.h"
#include "support/test.h"

#include <stdio.h>

void plain_begin(struct plain_request *plain, json_t *request)
{
    *plain = (struct plain_request){request, json_object(), json_object()};
}

static void add_to(json_t *object, const char *member, json_t *value)
{
    assert_int_equal(json_object_set_new(object, member, value), 0);
}

static void end_text(struct plain_request *plain, const char *member, struct buf *text)
{
    assert_true(buf_ok(text));
    if (text->len > 0)
        add_to(plain->request, member, json_string(buf_str(text)));
    buf_free(text);
}

static void write_path(struct plain_request *plain, struct buf *text, const struct path *path)
{
    char placeholder[32];
    for (size_t i = 0; i < path->count; i++) {
        const struct path_step *step = &path->steps[i];
        if (step->name == NULL) {
            snprintf(placeholder, sizeof(placeholder), "[%zu]", step->index);
        } else {
            snprintf(placeholder, sizeof(placeholder), "#n%zu", json_object_size(plain->names));
            add_to(plain->names, placeholder, json_string(step->name));
        }
        buf_add_strs(text, step->name != NULL && i > 0 ? "." : "", placeholder, NULL);
    }
}

/* Nothing for NULL. */
static void write_value(struct plain_request *plain, struct buf *text, const char *before, const json_t *value)
{
    char placeholder[32];
    if (value == NULL)
        return;
    snprintf(placeholder, sizeof(placeholder), ":v%zu", json_object_size(plain->values));
    add_to(plain->values, placeholder, json_incref((json_t *)value));
    buf_add_strs(text, before, placeholder, NULL);
}

static void write_term(struct plain_request *plain, struct buf *text, const struct condition_term *term)
{
    static const char *const operators[] = {
        [CONDITION_EQUALS] = " = ",          [CONDITION_DIFFERS] = " <> ", [CONDITION_IS_BELOW] = " < ",
        [CONDITION_IS_AT_MOST] = " <= ",     [CONDITION_IS_ABOVE] = " > ", [CONDITION_IS_AT_LEAST] = " >= ",
        [CONDITION_IS_BETWEEN] = " BETWEEN "};
    static const char *const functions[] = {[CONDITION_BEGINS_WITH] = "begins_with(",
                                            [CONDITION_CONTAINS] = "contains(",
                                            [CONDITION_EXISTS] = "attribute_exists(",
                                            [CONDITION_IS_ABSENT] = "attribute_not_exists("};
    bool is_function = term->test > CONDITION_IS_BETWEEN;
    buf_add_str(text, is_function ? functions[term->test] : "");
    write_path(plain, text, &term->path);
    write_value(plain, text, is_function ? ", " : operators[term->test], term->value);
    write_value(plain, text, " AND ", term->upper);
    buf_add_str(text, is_function ? ")" : "");
}

void plain_condition(struct plain_request *plain, const char *member, const struct condition *condition)
{
    struct buf text;
    buf_init(&text, 1 << 16);
    for (size_t i = 0; i < condition->count; i++) {
        buf_add_str(&text, i == 0 ? "" : condition->terms[i].is_alternative ? " OR " : " AND ");
        write_term(plain, &text, &condition->terms[i]);
    }
    end_text(plain, member, &text);
}

static void write_change(struct plain_request *plain, struct buf *text, const struct change *change)
{
    write_path(plain, text, &change->path);
    if (change->kind == CHANGE_SET)
        buf_add_str(text, " =");
    if (change->kind == CHANGE_INCREMENT) {
        buf_add_str(text, " = ");
        write_path(plain, text, &change->path);
        buf_add_str(text, " +");
    }
    write_value(plain, text, " ", change->value);
}

void plain_changes(struct plain_request *plain, const struct change *changes, size_t count)
{
    static const struct {
        const char *word;
        unsigned kinds;
    } clauses[] = {{" SET ", 1U << CHANGE_SET | 1U << CHANGE_INCREMENT},
                   {" ADD ", 1U << CHANGE_ADD},
                   {" REMOVE ", 1U << CHANGE_REMOVE},
                   {" DELETE ", 1U << CHANGE_DELETE}};
    struct buf text;
    buf_init(&text, 1 << 16);
    for (size_t clause = 0; clause < sizeof(clauses) / sizeof(clauses[0]); clause++) {
        const char *before = clauses[clause].word;
        for (size_t i = 0; i < count; i++) {
            if ((clauses[clause].kinds >> changes[i].kind & 1) == 0)
                continue;
            buf_add_str(&text, before);
            write_change(plain, &text, &changes[i]);
            before = ", ";
        }
    }
    end_text(plain, "UpdateExpression", &text);
}

void plain_paths(struct plain_request *plain, const struct path *paths, size_t count)
{
    struct buf text;
    buf_init(&text, 1 << 16);
    for (size_t i = 0; i < count; i++) {
        buf_add_str(&text, i > 0 ? ", " : "");
        write_path(plain, &text, &paths[i]);
    }
    end_text(plain, "ProjectionExpression", &text);
}

json_t *plain_end(struct plain_request *plain)
{
    if (json_object_size(plain->names) > 0)
        add_to(plain->request, "ExpressionAttributeNames", json_incref(plain->names));
    if (json_object_size(plain->values) > 0)
        add_to(plain->request, "ExpressionAttributeValues", json_incref(plain->values));
    json_decref(plain->names);
    json_decref(plain->values);
    return plain->request;
}
