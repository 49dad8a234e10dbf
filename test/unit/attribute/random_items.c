/* SPDX-License-Identifier: Apache-2.0 */
#include "random_items.h"

#include "base/random.h"
#include "case_reading.h"
#include "support/test.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const names[] = {"a", "b", "l", "m", "x.y", "a b", "#n", "\xc3\xbc", "size", "0"};

static const char *const strings[] = {
    "", "a", "ab", "abc", "b", "B", "\xc3\xa4", "\xf0\x9f\x98\x80", "\xef\xbf\xbf", "a\\u0000b", "1", "e\xcc\x81"};

static const char *const numbers[] = {"0",
                                      "-0",
                                      "1",
                                      "1.0",
                                      "-1",
                                      "2",
                                      "10",
                                      "1e1",
                                      "0010",
                                      "0.1",
                                      ".5",
                                      "-0.50",
                                      "99",
                                      "100",
                                      "1e-130",
                                      "-1e-130",
                                      "1.1e-130",
                                      "9.9999999999999999999999999999999999999e125",
                                      "-9.9999999999999999999999999999999999999e+125",
                                      "1e125",
                                      "99999999999999999999999999999999999999",
                                      "12345678901234567890123456789012345678",
                                      "1e38",
                                      "9007199254740993",
                                      "9007199254740992",
                                      "0.00000000000000000000000000000000000001"};

static const char *const binaries[] = {
    "", "AA==", "AAA=", "AAAA", "YQ==", "YWI=", "YWJj", "YmM=", "/w==", "/////w==", "+A=="};

static const char *const faults[] = {"{'SS':[]}",
                                     "{'NS':['1','1.0']}",
                                     "{'SS':['a','a']}",
                                     "{'N':'999999999999999999999999999999999999999'}",
                                     "{'N':'1e126'}",
                                     "{'N':'1e-131'}",
                                     "{'N':''}",
                                     "{'N':'1e'}",
                                     "{'NULL':false}",
                                     "{'M':{'':{'S':'x'}}}",
                                     "{}",
                                     "{'S':'x','N':'1'}",
                                     "{'N':'0.1e-130'}",
                                     "{'BS':['YQ==','YQ==']}"};

size_t random_below(uint64_t *state, size_t bound)
{
    return (size_t)(random_next(state) % bound);
}

static bool one_in(uint64_t *state, size_t bound)
{
    return random_below(state, bound) == 0;
}

static const char *name_of(uint64_t *state)
{
    return names[random_below(state, COUNT(names))];
}

/* -------------------------------------------------------------------------------------------------------- values */

static json_t *string_of(uint64_t *state, enum value_type type)
{
    char quoted[64];
    if (type == VALUE_N)
        return json_string(numbers[random_below(state, COUNT(numbers))]);
    if (type == VALUE_B)
        return json_string(binaries[random_below(state, COUNT(binaries))]);
    snprintf(quoted, sizeof(quoted), "'%s'", strings[random_below(state, COUNT(strings))]);
    return case_json(quoted);
}

json_t *random_scalar(uint64_t *state, enum value_type type)
{
    return value_of_type(type, string_of(state, type));
}

static json_t *members_of(uint64_t *state, size_t most, size_t depth)
{
    json_t *members = json_object();
    for (size_t count = random_below(state, most + 1); count > 0; count--)
        assert_int_equal(json_object_set_new(members, name_of(state), random_value(state, depth)), 0);
    return members;
}

static json_t *elements_of(uint64_t *state, size_t depth)
{
    json_t *elements = json_array();
    for (size_t count = random_below(state, 5); count > 0; count--)
        assert_int_equal(json_array_append_new(elements, random_value(state, depth)), 0);
    return elements;
}

/* Twins may be in it, of which the service takes no set. */
static json_t *set_of(uint64_t *state, enum value_type type)
{
    json_t *elements = json_array();
    for (size_t count = 1 + random_below(state, 3); count > 0; count--)
        assert_int_equal(json_array_append_new(elements, string_of(state, type)), 0);
    return elements;
}

json_t *random_value(uint64_t *state, size_t depth)
{
    enum value_type type = VALUE_S + (unsigned)random_below(state, VALUE_BS);
    if (one_in(state, 100))
        return case_json(faults[random_below(state, COUNT(faults))]);
    if (one_in(state, 300))
        return case_nested(28 + random_below(state, 6), one_in(state, 2));
    if (depth == 0 && (type == VALUE_L || type == VALUE_M))
        type = VALUE_N;
    switch (type) {
    case VALUE_S:
    case VALUE_N:
    case VALUE_B: return random_scalar(state, type);
    case VALUE_BOOL: return value_of_type(type, json_boolean(random_below(state, 2)));
    case VALUE_NULL: return value_of_type(type, json_true());
    case VALUE_L: return value_of_type(type, elements_of(state, depth - 1));
    case VALUE_M: return value_of_type(type, members_of(state, 4, depth - 1));
    default: return value_of_type(type, set_of(state, value_type_of_elements(type)));
    }
}

json_t *random_item(uint64_t *state)
{
    return members_of(state, 8, 3);
}

/* --------------------------------------------------------------------------------------------------------- paths */

static const char *member_of(uint64_t *state, const json_t *members)
{
    size_t size = json_object_size(members);
    void *at = json_object_iter((json_t *)members);
    if (size == 0 || one_in(state, 8))
        return name_of(state);
    for (size_t skipped = random_below(state, size); skipped > 0; skipped--)
        at = json_object_iter_next((json_t *)members, at);
    return json_object_iter_key(at);
}

static size_t index_of(uint64_t *state, const json_t *elements)
{
    size_t size = json_array_size(elements);
    return one_in(state, 30) ? 9 + random_below(state, 100) : random_below(state, size + 2);
}

/* Nothing is asked of the inside of an index's key: that is refused for an index which a request may not name. */
static bool is_of_index(const char *name)
{
    return strcmp(name, "g") == 0 || strcmp(name, "h") == 0;
}

/* Down into the item as long as it goes on there, and sometimes a step further. */
void random_path(uint64_t *state, const json_t *item, struct random_path *ret)
{
    const json_t *container = item;
    const json_t *value = NULL;
    bool is_map = true;
    bool is_key;
    ret->path = (struct path){ret->steps, 0};
    do {
        struct path_step *step = &ret->steps[ret->path.count++];
        bool is_other = ret->path.count > 1 && one_in(state, 15);
        if (is_map != is_other)
            *step = (struct path_step){.name = member_of(state, container)};
        else
            *step = (struct path_step){.index = index_of(state, container)};
        value = step->name != NULL ? json_object_get(container, step->name) : json_array_get(container, step->index);
        enum value_type type = value_type(value);
        is_map = type == VALUE_L ? false : type == VALUE_M ? true : one_in(state, 2);
        container = type == VALUE_L || type == VALUE_M ? value_inside(value) : NULL;
        is_key = ret->path.count == 1 && is_of_index(ret->steps[0].name);
    } while (!is_key && ret->path.count < RANDOM_STEPS &&
             !one_in(state, container != NULL ? 3 : 1 + random_below(state, 2)));
}

void random_paths(uint64_t *state, const json_t *item, struct random_paths *ret)
{
    ret->count = 1 + random_below(state, RANDOM_PATHS);
    for (size_t i = 0; i < ret->count; i++) {
        random_path(state, item, &ret->made[i]);
        ret->paths[i] = ret->made[i].path;
    }
}

/* ------------------------------------------------------------------------------------------ conditions and changes */

/* One that is there, one inside of it, or any other. */
static json_t *value_near(uint64_t *state, const json_t *item, const struct path *path)
{
    const json_t *value = path_find(item, path);
    enum value_type type = value_type(value);
    const json_t *inside = value_inside(value);
    enum value_type element = value_type_of_elements(type);
    size_t choice = random_below(state, 6);
    if (value != NULL && choice == 0)
        return json_deep_copy(value);
    if (value_type_has_order(type) && choice < 4)
        return random_scalar(state, type);
    if (type == VALUE_L && choice < 3 && json_array_size(inside) > 0)
        return json_deep_copy(json_array_get(inside, random_below(state, json_array_size(inside))));
    if (element != VALUE_NONE && choice < 3)
        return random_scalar(state, element);
    if (element != VALUE_NONE && choice < 5)
        return value_of_type(type, set_of(state, element));
    return random_value(state, 2);
}

void random_condition(uint64_t *state, const json_t *item, struct random_condition *ret)
{
    ret->condition = (struct condition){ret->terms, one_in(state, 2) ? 1 : 1 + random_below(state, RANDOM_TERMS)};
    for (size_t i = 0; i < ret->condition.count; i++) {
        struct condition_term *term = &ret->terms[i];
        random_path(state, item, &ret->made[i]);
        *term = (struct condition_term){.path = ret->made[i].path,
                                        .test = CONDITION_EQUALS + (unsigned)random_below(state, CONDITION_IS_ABSENT),
                                        .is_alternative = one_in(state, 2)};
        if (term->test < CONDITION_EXISTS)
            term->value = value_near(state, item, &term->path);
        if (term->test == CONDITION_IS_BETWEEN) {
            enum value_type type = value_type(term->value);
            term->upper =
                value_type_has_order(type) && !one_in(state, 10) ? random_scalar(state, type) : random_value(state, 0);
        }
    }
}

void random_condition_free(struct random_condition *condition)
{
    for (size_t i = 0; i < condition->condition.count; i++) {
        json_decref((json_t *)condition->terms[i].value);
        json_decref((json_t *)condition->terms[i].upper);
    }
}

void random_changes(uint64_t *state, const json_t *item, struct random_changes *ret)
{
    ret->count = 1 + random_below(state, RANDOM_CHANGES);
    for (size_t i = 0; i < ret->count; i++) {
        struct change *change = &ret->changes[i];
        random_path(state, item, &ret->made[i]);
        *change = (struct change){.path = ret->made[i].path,
                                  .kind = CHANGE_SET + (unsigned)random_below(state, CHANGE_DELETE)};
        if (change->kind != CHANGE_REMOVE)
            change->value = value_near(state, item, &change->path);
        enum value_type type = value_type(change->value);
        bool is_odd = type != VALUE_N && value_type_of_elements(type) == VALUE_NONE;
        if (is_odd && change->kind != CHANGE_SET && change->kind != CHANGE_REMOVE && !one_in(state, 10)) {
            json_decref((json_t *)change->value);
            change->value = random_scalar(state, VALUE_N);
        }
    }
}

void random_changes_free(struct random_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        json_decref((json_t *)changes->changes[i].value);
}
