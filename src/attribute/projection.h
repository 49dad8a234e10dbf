/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of an item: what DynamoDB's projection expressions of the same form give (API Reference, ProjectionExpression).
 * The elements of a list that are asked for move together, and a list or a map of which nothing is there is left out: as
 * DynamoDB Local has it.
 */
#ifndef OSCOMMIT_ATTRIBUTE_PROJECTION_H
#define OSCOMMIT_ATTRIBUTE_PROJECTION_H

#include "attribute/path.h"

/* OS_ERR_ARGUMENT: a path that is none, or two of which one leads through the other. */
os_code projection_check(const struct path *paths, size_t count, os_error *err);

/* A new item for json_decref, which shares values with `item`; it may be empty. Without paths it is the whole item. NULL
 * when out of memory. */
json_t *projection_of(const json_t *item, const struct path *paths, size_t count);

#endif
