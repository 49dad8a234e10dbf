/* SPDX-License-Identifier: Apache-2.0 */
/* Locks with owner and instance, as the items that they are kept as. */
#ifndef OSCOMMIT_HOLDING_LOCK_H
#define OSCOMMIT_HOLDING_LOCK_H

#include "item/item.h"

enum lock_attribute {
    LOCK_AT_ID,
    LOCK_AT_NAMESPACE,
    LOCK_AT_NAME,
    LOCK_AT_OWNER,
    LOCK_AT_INSTANCE,
    LOCK_AT_DURATION,
    LOCK_AT_EXPIRY,
    LOCK_ATTRIBUTES
};

extern const struct item_schema lock_schema;

#endif
