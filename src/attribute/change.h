/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of an item: what DynamoDB's update expressions of the same form make of it (Developer Guide, "Using update
 * expressions in DynamoDB"). All of them see the item as it was before: what one sets, no other reads, and a list keeps
 * its indexes until all are made.
 */
#ifndef OSCOMMIT_ATTRIBUTE_CHANGE_H
#define OSCOMMIT_ATTRIBUTE_CHANGE_H

#include "attribute/path.h"

enum change_kind {
    CHANGE_SET = 1,
    CHANGE_INCREMENT, /* SET path = path + value: the number must be there */
    CHANGE_ADD,       /* to a number or a set; to nothing: the value */
    CHANGE_REMOVE,
    CHANGE_DELETE /* elements from a set; the last of them with the attribute */
};

struct change {
    struct path path;
    enum change_kind kind;
    const json_t *value; /* borrowed; REMOVE: none */
};

/* What the service would refuse, whatever the item: a value, an operand of the wrong type, two paths of which one leads
 * through the other. OS_ERR_ARGUMENT, OS_ERR_NO_MEMORY. */
os_code changes_check(const struct change *changes, size_t count, os_error *err);

/* The new item, for json_decref; it shares values with the changes. `item`, which may be NULL, stays as it is. Both have
 * been checked.
 *   OS_ERR_REFUSED    the item has no place for a change, or a value of another type there, or a sum is no number
 *   OS_ERR_TOO_LARGE  the new item is
 *   OS_ERR_NO_MEMORY */
os_code change_apply(const json_t *item, const struct change *changes, size_t count, json_t **ret, os_error *err);

#endif
