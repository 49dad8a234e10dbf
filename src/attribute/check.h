/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a value, or an item, is one that DynamoDB stores. Everything else here takes what has passed this. */
#ifndef OSCOMMIT_ATTRIBUTE_CHECK_H
#define OSCOMMIT_ATTRIBUTE_CHECK_H

#include "attribute/path.h"
#include "attribute/value.h"
#include "syntax/json.h"

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

/* What has more could be written, and not be read back: an answer has something around the item, too. Of a value: what
 * its JSON counts for in the bound of json_read. OS_ERR_TOO_LARGE. */
enum { ITEM_VALUES_MAX = JSON_VALUES_MAX - 64 };
size_t value_count(const json_t *value);
os_code item_check_count(size_t count, os_error *err);

#endif
