/* SPDX-License-Identifier: Apache-2.0 */
#include "case_reading.h"

#include "attribute/value.h"
#include "support/test.h"
#include "syntax/json.h"

#include <string.h>

json_t *case_json(const char *text)
{
    if (text == NULL)
        return NULL;
    char *quoted = strdup(text);
    assert_non_null(quoted);
    for (char *at = quoted; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    json_error_t where;
    json_t *json = json_parse(quoted, strlen(quoted), JSON_DECODE_ANY | JSON_ALLOW_NUL, &where);
    if (json == NULL)
        fail_msg("%s: %s", text, where.text);
    free(quoted);
    return json;
}

json_t *case_nested(size_t levels, bool maps)
{
    json_t *value = case_json("{'S':'x'}");
    for (; levels > 0; levels--)
        value = maps ? json_pack("{s:{s:o}}", "M", "a", value) : json_pack("{s:[o]}", "L", value);
    return value;
}

bool case_items_equal(json_t *a, json_t *b)
{
    json_t *map_a = json_pack("{s:O}", "M", a);
    json_t *map_b = json_pack("{s:O}", "M", b);
    bool equal = value_equal(map_a, map_b);
    json_decref(map_a);
    json_decref(map_b);
    return equal;
}

const struct path *case_path(const char *text, struct case_path *ret)
{
    assert_true(strlen(text) < sizeof(ret->names));
    strcpy(ret->names, text);
    ret->path = (struct path){ret->steps, 0};
    for (char *at = ret->names; *at != '\0';) {
        struct path_step *step = &ret->steps[ret->path.count++];
        bool is_index = *at == '[';
        if (is_index || *at == '.')
            *at++ = '\0'; /* ends the name before it */
        *step = is_index ? (struct path_step){.index = strtoul(at, NULL, 10)} : (struct path_step){.name = at};
        at += strcspn(at, is_index ? "]" : ".[");
        if (is_index)
            at++;
    }
    return &ret->path;
}

void case_condition_read(const struct condition_case *row, struct case_condition *ret)
{
    size_t count = 0;
    for (; count < CONDITION_CASE_TERMS && row->terms[count].path != NULL; count++)
        ret->terms[count] = (struct condition_term){
            .path = *case_path(row->terms[count].path, &ret->paths[count]),
            .test = row->terms[count].test,
            .value = case_json(row->terms[count].value),
            .upper = case_json(row->terms[count].upper),
            .is_alternative = row->terms[count].is_alternative,
        };
    ret->condition = (struct condition){ret->terms, count};
}

void case_condition_free(struct case_condition *condition)
{
    for (size_t i = 0; i < condition->condition.count; i++) {
        json_decref((json_t *)condition->terms[i].value);
        json_decref((json_t *)condition->terms[i].upper);
    }
}

void case_changes_read(const struct change_case *row, struct case_changes *ret)
{
    size_t count = 0;
    for (; count < CHANGE_CASE_CHANGES && row->changes[count].path != NULL; count++)
        ret->changes[count] = (struct change){
            .path = *case_path(row->changes[count].path, &ret->paths[count]),
            .kind = row->changes[count].kind,
            .value = case_json(row->changes[count].value),
        };
    ret->count = count;
}

void case_changes_free(struct case_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        json_decref((json_t *)changes->changes[i].value);
}
