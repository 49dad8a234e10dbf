/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions on an item: what DynamoDB's condition expressions of the same form say (Developer Guide, "Condition and
 * filter expressions, operators, and functions").
 */
#ifndef OSCOMMIT_ATTRIBUTE_CONDITION_H
#define OSCOMMIT_ATTRIBUTE_CONDITION_H

#include "attribute/path.h"

enum condition_test {
    CONDITION_EQUALS = 1,
    CONDITION_DIFFERS, /* also a value of another type, and none */
    CONDITION_IS_BELOW,
    CONDITION_IS_AT_MOST,
    CONDITION_IS_ABOVE,
    CONDITION_IS_AT_LEAST,
    CONDITION_IS_BETWEEN, /* the bounds are in it */
    CONDITION_BEGINS_WITH,
    CONDITION_CONTAINS, /* a part of an S or a B; an element of a set or a list */
    CONDITION_EXISTS,
    CONDITION_IS_ABSENT
};

struct condition_term {
    struct path path;
    enum condition_test test;
    const json_t *value; /* borrowed; EXISTS, IS_ABSENT: none */
    const json_t *upper; /* borrowed; IS_BETWEEN */
    bool is_alternative; /* begins one: the terms before it hold, or these. The first does anyway */
};

/* Alternatives, of which one must hold with all its terms. Without terms it holds. */
struct condition {
    const struct condition_term *terms; /* borrowed */
    size_t count;
};

/* OS_ERR_ARGUMENT: the service would refuse it, whatever the item. OS_ERR_NO_MEMORY. */
os_code condition_check(const struct condition *condition, os_error *err);

/* Of a condition and an item that have been checked. `item` NULL: there is none, which has no attributes. */
bool condition_holds(const struct condition *condition, const json_t *item);

#endif
