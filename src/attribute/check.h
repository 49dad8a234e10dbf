/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a value, or an item, is one that DynamoDB stores. Everything else here takes what has passed this. */
#ifndef OSCOMMIT_ATTRIBUTE_CHECK_H
#define OSCOMMIT_ATTRIBUTE_CHECK_H

#include "attribute/path.h"
#include "attribute/value.h"

/* Lists and maps in an item, one inside the other. DynamoDB has 32 levels (Developer Guide, "Quotas"), and the first is
 * the item itself: so does DynamoDB Local count. */
enum { VALUE_LEVELS_MAX = 31 };

/* A value that stands, or may stand, at `at`: the sentence names the path of what is wrong. OS_ERR_ARGUMENT,
 * OS_ERR_NO_MEMORY. */
os_code value_check(const json_t *value, const struct path *at, os_error *err);
/* One that is compared with what stands there, and has 32 levels of its own: so does DynamoDB Local count. */
os_code value_check_operand(const json_t *value, const struct path *at, os_error *err);

/* The values, their names, and the size: OS_ERR_TOO_LARGE. */
os_code item_check(const json_t *item, os_error *err);
os_code item_check_size(const json_t *item, os_error *err);

#endif
