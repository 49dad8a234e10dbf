/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/projection.h"

#include "attribute/type.h"

#include <stdlib.h>
#include <string.h>

os_code projection_check(const struct path *paths, size_t count, os_error *err)
{
    char text_a[PATH_TEXT_SIZE];
    char text_b[PATH_TEXT_SIZE];
    for (size_t i = 0; i < count; i++) {
        os_code code = path_check(&paths[i], err);
        if (code != OS_OK)
            return code;
        for (size_t j = 0; j < i; j++)
            if (path_relate(&paths[j], &paths[i]) != PATHS_APART) {
                return error_set(err, OS_ERR_ARGUMENT,
                                 "Two paths of one projection overlap: %s and %s. Leave one of them out.",
                                 path_text(&paths[j], text_a), path_text(&paths[i], text_b));
            }
    }
    return OS_OK;
}

/* In their order, paths through one value stand beside each other, and the elements of a list come by index. */
struct projection {
    const struct path **paths;
    bool failed; /* no memory */
};

static int order_paths(const void *a, const void *b)
{
    return path_compare(*(const struct path *const *)a, *(const struct path *const *)b);
}

static bool is_same_step(const struct path_step *a, const struct path_step *b)
{
    if (a->name == NULL || b->name == NULL)
        return a->name == b->name && a->index == b->index;
    return strcmp(a->name, b->name) == 0;
}

static size_t end_of_group(const struct projection *projection, size_t from, size_t to, size_t depth)
{
    size_t end = from + 1;
    while (end < to && is_same_step(&projection->paths[from]->steps[depth], &projection->paths[end]->steps[depth]))
        end++;
    return end;
}

static json_t *project(struct projection *projection, json_t *container, size_t from, size_t to, size_t depth);

/* What the paths from..to, which are one up to `depth`, want of that value; NULL: nothing. */
static json_t *project_child(struct projection *projection, json_t *child, size_t from, size_t to, size_t depth)
{
    const struct path *path = projection->paths[from];
    if (child == NULL || path->count == depth + 1)
        return json_incref(child);
    enum value_type type = path->steps[depth + 1].name != NULL ? VALUE_M : VALUE_L;
    if (value_type(child) != type)
        return NULL;
    json_t *inside = project(projection, (json_t *)value_inside(child), from, to, depth + 1);
    bool is_empty = json_object_size(inside) == 0 && json_array_size(inside) == 0;
    if (is_empty) {
        json_decref(inside);
        return NULL;
    }
    json_t *value = value_of_type(type, inside);
    projection->failed = projection->failed || value == NULL;
    return value;
}

static json_t *project(struct projection *projection, json_t *container, size_t from, size_t to, size_t depth)
{
    bool is_list = json_is_array(container);
    json_t *parts = is_list ? json_array() : json_object();
    projection->failed = projection->failed || parts == NULL;
    for (size_t end; from < to && !projection->failed; from = end) {
        const struct path_step *step = &projection->paths[from]->steps[depth];
        json_t *child = is_list ? json_array_get(container, step->index) : json_object_get(container, step->name);
        end = end_of_group(projection, from, to, depth);
        json_t *part = project_child(projection, child, from, end, depth);
        if (part != NULL &&
            (is_list ? json_array_append_new(parts, part) : json_object_set_new(parts, step->name, part)) != 0)
            projection->failed = true;
    }
    return parts;
}

json_t *projection_of(const json_t *item, const struct path *paths, size_t count)
{
    if (count == 0)
        return json_incref((json_t *)item);
    struct projection projection = {.paths = malloc(count * sizeof(*projection.paths))};
    if (projection.paths == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        projection.paths[i] = &paths[i];
    qsort(projection.paths, count, sizeof(*projection.paths), order_paths);
    json_t *parts = project(&projection, (json_t *)item, 0, count, 0);
    free(projection.paths);
    if (projection.failed) {
        json_decref(parts);
        return NULL;
    }
    return parts;
}
