/* SPDX-License-Identifier: Apache-2.0 */
/* Values of attributes, and items, which are JSON objects of them by name: how large they are, and how two compare. They
 * are well formed (check.h). */
#ifndef OSCOMMIT_ATTRIBUTE_VALUE_H
#define OSCOMMIT_ATTRIBUTE_VALUE_H

#include "attribute/type.h"

enum { ITEM_SIZE_MAX = 400 * 1024 }; /* bytes (Developer Guide, "Quotas") */

/* Bytes of an item (Developer Guide, "DynamoDB item sizes and formats"). */
size_t value_size(const json_t *value);
size_t item_size(const json_t *item); /* names and values */

/* Numbers by what they are, sets and maps in any order. */
bool value_equal(const json_t *a, const json_t *b);

/* Two of one type that has an order: < 0, 0, > 0. */
int value_compare(const json_t *a, const json_t *b);

#endif
