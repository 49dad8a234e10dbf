/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Document paths: owner.names[3] as steps. What stands there in an item, and how it is set and removed, by the rules of
 * DynamoDB's update expressions (Developer Guide, "Using update expressions in DynamoDB").
 */
#ifndef OSCOMMIT_ATTRIBUTE_PATH_H
#define OSCOMMIT_ATTRIBUTE_PATH_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    PATH_STEPS_MAX = 32,         /* as many as an item has levels */
    PATH_NAME_MAX = 65535,       /* bytes (Developer Guide, "Quotas") */
    PATH_INDEX_MAX = 2147483647, /* DynamoDB Local: "List index is not within the allowable range" */
    PATH_TEXT_SIZE = 256
};

struct path_step {
    const char *name; /* borrowed; NULL: an element of a list */
    size_t index;     /* of the element, from 0 */
};

struct path {
    const struct path_step *steps; /* borrowed; the first has a name */
    size_t count;
};

/* OS_ERR_ARGUMENT: it has no steps, or too many, or begins with an index, or has a name or
 * an index that there cannot be. */
os_code path_check(const struct path *path, os_error *err);
/* "owner.names[3]", for a sentence; a long one ends with "...". Returns `ret`. */
const char *path_text(const struct path *path, char ret[PATH_TEXT_SIZE]);

/* By names and indexes; for an order in which the elements of a list come by index. */
int path_compare(const struct path *a, const struct path *b);

enum path_relation {
    PATHS_APART = 0,
    PATHS_OVERLAP, /* they are the same, or one leads through the other */
    PATHS_CONFLICT /* one takes for a list what the other takes for a map */
};
enum path_relation path_relate(const struct path *a, const struct path *b);

/* The value, borrowed; NULL when there is none. `item` may be NULL: there is none. */
const json_t *path_find(const json_t *item, const struct path *path);
/* Whether something can stand there: the map or the list that it would be in is there. */
bool path_has_parent(const json_t *item, const struct path *path);

/* Both need a parent. An index behind the end of the list appends; false when out of memory. */
bool path_set(json_t *item, const struct path *path, json_t *value); /* takes a reference of its own */
/* What stands behind an element of a list moves up. Nothing happens when there is none. */
void path_remove(json_t *item, const struct path *path);

#endif
