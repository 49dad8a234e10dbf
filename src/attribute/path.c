/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/path.h"

#include "attribute/type.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- paths */

static const char *fault_of(const struct path *path)
{
    if (path->count == 0 || path->count > PATH_STEPS_MAX)
        return "a document path has 1 to 32 steps";
    if (path->steps[0].name == NULL)
        return "a document path begins with the name of an attribute";
    for (size_t i = 0; i < path->count; i++) {
        const char *name = path->steps[i].name;
        if (name != NULL && (name[0] == '\0' || strlen(name) > PATH_NAME_MAX))
            return "the name of an attribute has 1 to 65535 bytes";
        if (name != NULL && !text_is_utf8(text_from(name)))
            return "the name of an attribute is UTF-8";
        if (name == NULL && path->steps[i].index > PATH_INDEX_MAX)
            return "the index of an element is at most 2147483647";
    }
    return NULL;
}

os_code path_check(const struct path *path, os_error *err)
{
    char text[PATH_TEXT_SIZE];
    const char *fault = fault_of(path);
    return fault == NULL ? OS_OK : error_set(err, OS_ERR_ARGUMENT, "\"%s\": %s.", path_text(path, text), fault);
}

static int write_step(const struct path_step *step, bool is_first, char *ret, size_t size)
{
    if (step->name == NULL)
        return snprintf(ret, size, "[%zu]", step->index);
    return snprintf(ret, size, "%s%s", is_first ? "" : ".", step->name[0] != '\0' ? step->name : "\"\"");
}

const char *path_text(const struct path *path, char ret[PATH_TEXT_SIZE])
{
    static const char cut[] = "...";
    size_t len = 0;
    ret[0] = '\0';
    for (size_t i = 0; i < path->count; i++) {
        int written = write_step(&path->steps[i], i == 0, ret + len, PATH_TEXT_SIZE - len);
        if (written >= (int)(PATH_TEXT_SIZE - len)) {
            len = text_utf8_cut(text_from(ret), PATH_TEXT_SIZE - sizeof(cut));
            memcpy(ret + len, cut, sizeof(cut));
            return ret;
        }
        len += (size_t)written;
    }
    return ret;
}

static int compare_steps(const struct path_step *a, const struct path_step *b)
{
    if (a->name != NULL && b->name != NULL)
        return strcmp(a->name, b->name);
    if (a->name != NULL || b->name != NULL)
        return a->name != NULL ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

int path_compare(const struct path *a, const struct path *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        int order = compare_steps(&a->steps[i], &b->steps[i]);
        if (order != 0)
            return order;
    }
    return (a->count > b->count) - (a->count < b->count);
}

enum path_relation path_relate(const struct path *a, const struct path *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        if ((a->steps[i].name == NULL) != (b->steps[i].name == NULL))
            return PATHS_CONFLICT;
        if (compare_steps(&a->steps[i], &b->steps[i]) != 0)
            return PATHS_APART;
    }
    return PATHS_OVERLAP;
}

/* --------------------------------------------------------------------------------------------------------- items */

static json_t *child(const json_t *container, const struct path_step *step)
{
    return step->name != NULL ? json_object_get(container, step->name) : json_array_get(container, step->index);
}

/* The JSON object or array in which the last step finds its value; NULL when there is none, or the other of the two. A
 * set is an array in JSON, and has no paths into it. */
static json_t *parent(const json_t *item, const struct path *path)
{
    const json_t *container = item;
    for (size_t i = 0; i + 1 < path->count; i++) {
        const json_t *value = child(container, &path->steps[i]);
        enum value_type type = value_type(value);
        container = type == VALUE_M || type == VALUE_L ? value_inside(value) : NULL;
    }
    bool is_named = path->steps[path->count - 1].name != NULL;
    return (is_named ? json_is_object(container) : json_is_array(container)) ? (json_t *)container : NULL;
}

const json_t *path_find(const json_t *item, const struct path *path)
{
    return child(parent(item, path), &path->steps[path->count - 1]);
}

bool path_has_parent(const json_t *item, const struct path *path)
{
    return parent(item, path) != NULL;
}

bool path_set(json_t *item, const struct path *path, json_t *value)
{
    const struct path_step *step = &path->steps[path->count - 1];
    json_t *container = parent(item, path);
    assert(container != NULL);
    if (step->name != NULL)
        return json_object_set(container, step->name, value) == 0;
    if (step->index < json_array_size(container))
        return json_array_set(container, step->index, value) == 0;
    return json_array_append(container, value) == 0;
}

void path_remove(json_t *item, const struct path *path)
{
    const struct path_step *step = &path->steps[path->count - 1];
    json_t *container = parent(item, path);
    assert(container != NULL);
    if (step->name != NULL)
        (void)json_object_del(container, step->name);
    else
        (void)json_array_remove(container, step->index);
}
