/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values as they are kept: numbers as number_text has them, which is how the service gives them back, and the elements
 * of a set in their order, which says nothing there. So two texts of equal values are equal.
 */
#ifndef OSCOMMIT_ATTRIBUTE_CANONICAL_H
#define OSCOMMIT_ATTRIBUTE_CANONICAL_H

#include "attribute/type.h"

/* For json_decref; both share strings with what they are given, which has been checked. NULL when out of memory. */
json_t *value_canonical(const json_t *value);
json_t *item_canonical(const json_t *item);

#endif
