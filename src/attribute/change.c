/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/change.h"

#include "attribute/check.h"
#include "attribute/scalar.h"

#include <stdlib.h>

static os_code refuse(const struct change *change, os_code code, const char *fault, os_error *err)
{
    char text[PATH_TEXT_SIZE];
    return error_set(err, code, "%s: %s.", path_text(&change->path, text), fault);
}

/* --------------------------------------------------------------------------------------------------------- check */

static const char *operand_fault(enum change_kind kind, enum value_type type)
{
    bool is_set = value_type_of_elements(type) != VALUE_NONE;
    switch (kind) {
    case CHANGE_INCREMENT: return type == VALUE_N ? NULL : "only a number (N) can be added to a number";
    case CHANGE_ADD: return type == VALUE_N || is_set ? NULL : "ADD takes a number (N) or a set (SS, NS, BS)";
    case CHANGE_DELETE: return is_set ? NULL : "DELETE takes a set (SS, NS, BS)";
    case CHANGE_SET:
    case CHANGE_REMOVE: break;
    }
    return NULL;
}

static os_code check_change(const struct change *change, os_error *err)
{
    if (change->kind == CHANGE_REMOVE)
        return path_check(&change->path, err);
    os_code code = value_check(change->value, &change->path, err);
    if (code != OS_OK)
        return code;
    const char *fault = operand_fault(change->kind, value_type(change->value));
    return fault == NULL ? OS_OK : refuse(change, OS_ERR_ARGUMENT, fault, err);
}

static os_code check_pair(const struct change *a, const struct change *b, os_error *err)
{
    char text_a[PATH_TEXT_SIZE];
    char text_b[PATH_TEXT_SIZE];
    enum path_relation relation = path_relate(&a->path, &b->path);
    if (relation == PATHS_APART)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT, "Two changes of one write %s: %s and %s. Make one of them, or two writes.",
                     relation == PATHS_OVERLAP ? "overlap" : "take one value for a list and for a map",
                     path_text(&a->path, text_a), path_text(&b->path, text_b));
}

os_code changes_check(const struct change *changes, size_t count, os_error *err)
{
    for (size_t i = 0; i < count; i++) {
        os_code code = check_change(&changes[i], err);
        for (size_t j = 0; j < i && code == OS_OK; j++)
            code = check_pair(&changes[j], &changes[i], err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

/* --------------------------------------------------------------------------------------------------------- apply */

/* What a change comes to, found out before any is made. */
struct change_step {
    const struct path *path;
    json_t *value; /* a reference; NULL: removed */
    bool is_nothing;
};

static os_code add_numbers(const struct change *change, const json_t *before, json_t **ret, os_error *err)
{
    struct number sum = scalar_number(value_inside(before));
    struct number more = scalar_number(value_inside(change->value));
    enum number_fault fault = number_add(&sum, &more, &sum);
    if (fault != NUMBER_OK) {
        char path[PATH_TEXT_SIZE];
        return error_set(err, OS_ERR_REFUSED, "%s: the sum %s.", path_text(&change->path, path),
                         number_fault_text(fault));
    }
    *ret = value_of_number(&sum);
    return *ret != NULL ? OS_OK : error_no_memory(err);
}

/* Appends those of `from` that are not in `other`. */
static bool append_others(enum value_type type, const json_t *from, const json_t *other, json_t *ret)
{
    size_t index;
    json_t *element;
    size_t count = json_array_size(other);
    const json_t **sorted = scalars_sorted(type, other);
    bool done = sorted != NULL;
    json_array_foreach(from, index, element)
    {
        if (done && !scalars_have(type, sorted, count, element))
            done = json_array_append(ret, element) == 0;
    }
    free(sorted);
    return done;
}

/* *ret stays NULL when nothing is left: there is no empty set. */
static os_code change_set(const struct change *change, const json_t *before, json_t **ret, os_error *err)
{
    enum value_type type = value_type_of_elements(value_type(before));
    const json_t *old = value_inside(before);
    const json_t *given = value_inside(change->value);
    json_t *elements = json_array();
    bool done = elements != NULL && (change->kind == CHANGE_ADD ? json_array_extend(elements, (json_t *)old) == 0 &&
                                                                      append_others(type, given, old, elements)
                                                                : append_others(type, old, given, elements));
    if (!done || json_array_size(elements) == 0) {
        json_decref(elements);
        return done ? OS_OK : error_no_memory(err);
    }
    *ret = value_of_type(value_type(before), elements);
    return *ret != NULL ? OS_OK : error_no_memory(err);
}

static os_code refuse_type(const struct change *change, const json_t *before, os_error *err)
{
    char text[PATH_TEXT_SIZE];
    return error_set(err, OS_ERR_REFUSED, "%s: the value there is of type %s, the one of the change of type %s.",
                     path_text(&change->path, text), value_type_name(value_type(before)),
                     value_type_name(value_type(change->value)));
}

static os_code resolve_existing(const struct change *change, const json_t *before, struct change_step *ret,
                                os_error *err)
{
    enum value_type type = value_type(before);
    if (type != value_type(change->value))
        return refuse_type(change, before, err);
    return type == VALUE_N ? add_numbers(change, before, &ret->value, err)
                           : change_set(change, before, &ret->value, err);
}

static os_code resolve(const struct change *change, const json_t *item, struct change_step *ret, os_error *err)
{
    const json_t *before = path_find(item, &change->path);
    *ret = (struct change_step){.path = &change->path};
    if (change->kind == CHANGE_INCREMENT && before == NULL)
        return refuse(change, OS_ERR_REFUSED, "the item has no number there to add to", err);
    if (!path_has_parent(item, &change->path)) {
        return refuse(change, OS_ERR_REFUSED,
                      "the item has no map or list in which this could stand (DynamoDB says: \"The document path "
                      "provided in the update expression is invalid for update\"). Set the map or the list first",
                      err);
    }
    if (change->kind == CHANGE_SET || (change->kind == CHANGE_ADD && before == NULL)) {
        ret->value = json_incref((json_t *)change->value);
        return OS_OK;
    }
    ret->is_nothing = before == NULL;
    return before == NULL || change->kind == CHANGE_REMOVE ? OS_OK : resolve_existing(change, before, ret, err);
}

static int order_steps(const void *a, const void *b)
{
    const struct change_step *step_a = a;
    const struct change_step *step_b = b;
    return path_compare(step_a->path, step_b->path);
}

/* In the order of their indexes, so that what is appended to a list keeps that; removals last, from the end of a list,
 * so that its indexes are those of the item before. */
static bool make_steps(struct change_step *steps, size_t count, json_t *item)
{
    qsort(steps, count, sizeof(*steps), order_steps);
    for (size_t i = 0; i < count; i++)
        if (steps[i].value != NULL && !path_set(item, steps[i].path, steps[i].value))
            return false;
    for (size_t i = count; i > 0; i--)
        if (steps[i - 1].value == NULL && !steps[i - 1].is_nothing)
            path_remove(item, steps[i - 1].path);
    return true;
}

static os_code apply(json_t *item, const struct change *changes, struct change_step *steps, size_t count, os_error *err)
{
    for (size_t i = 0; i < count; i++) {
        os_code code = resolve(&changes[i], item, &steps[i], err);
        if (code != OS_OK)
            return code;
    }
    if (!make_steps(steps, count, item))
        return error_no_memory(err);
    return item_check_size(item, err);
}

os_code change_apply(const json_t *item, const struct change *changes, size_t count, json_t **ret, os_error *err)
{
    json_t *copy = item != NULL ? json_deep_copy(item) : json_object();
    struct change_step *steps = calloc(count > 0 ? count : 1, sizeof(*steps));
    os_code code = copy != NULL && steps != NULL ? apply(copy, changes, steps, count, err) : error_no_memory(err);
    for (size_t i = 0; steps != NULL && i < count; i++)
        json_decref(steps[i].value);
    free(steps);
    if (code == OS_OK)
        *ret = copy;
    else
        json_decref(copy);
    return code;
}
