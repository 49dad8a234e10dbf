/* SPDX-License-Identifier: Apache-2.0 */
/* A lease <-> the item that it is kept as, and its requests as those of a table. Names as the crate dynamodb-lease has
 * them; what it does not know begins with "lease_" as well. */
#ifndef OSCOMMIT_HOLDING_LEASE_ITEM_H
#define OSCOMMIT_HOLDING_LEASE_ITEM_H

#include "lease/lease.h"
#include "table/table.h"

enum lease_attribute {
    LEASE_AT_KEY,
    LEASE_AT_EXPIRY,
    LEASE_AT_VERSION,
    LEASE_AT_TTL,
    LEASE_AT_OWNER,
    LEASE_AT_TOKEN,
    LEASE_ATTRIBUTES
};

extern const struct item_schema lease_schema;

enum { LEASE_NAME_MAX = 1024, LEASE_OWNER_MAX = 255, LEASE_CHANGES_MAX = 5 };

/* L8: the item that counts the epochs of a lease's tokens has this behind its name. */
#define LEASE_EPOCH_SUFFIX "#fencing-epoch"

/* Who asks. Strings live as long as what is made of them. */
struct lease_holder {
    const char *name;
    const char *epoch_name; /* with the suffix */
    const char *owner;      /* "": not told */
    bool fencing;
};

/* One request of a lease, as it lies in memory while it is under way. */
struct lease_wire {
    struct lease_request request;
    struct item item;
    struct item_condition condition;
    struct item_change changes[LEASE_CHANGES_MAX];
    struct table_request table; /* but for its deadline */
};

/* Points into itself and into what `holder` points to: not to be copied. */
void lease_wire_fill(const struct lease_request *request, const struct lease_holder *holder, struct lease_wire *ret);

/* `item` NULL: there is none. */
void lease_item_of(const struct item *item, struct lease_item *ret);

/* The name of a lease; OS_ERR_ARGUMENT says what is wrong with it. */
os_code lease_check_name(const char *given, os_error *err);

enum lease_outcome lease_outcome_of(enum table_outcome outcome);

#endif
