/* SPDX-License-Identifier: Apache-2.0 */
/* All leases, or locks, of a table: read to the end, and then given to the caller one by one. */
#ifndef OSCOMMIT_HOLDING_LISTING_H
#define OSCOMMIT_HOLDING_LISTING_H

#include "holding/asking.h"

#include "base/buf.h"

struct listing {
    const struct item_schema *schema;
    size_t row_size;
    /* Loop's thread, or a worker's: fills a row of zeros. False: it is not wanted. */
    bool (*fill)(void *context, const struct item *item, void *ret_row);
    int (*give)(void *context, const void *row); /* the calling thread; not 0: stop */
    void *context;
    const char *partition; /* NULL: of the whole table */
    struct buf rows;
    void *row;         /* the next one, while it is filled */
    size_t unreadable; /* items that do not fit */
    bool no_memory;
};

/* `schema` to `partition` are set, the rest is 0. OS_ERR_PROTOCOL after all rows were given: so many items could not be
 * read. Blocks. */
os_code listing_run(struct listing *listing, os_client *client, const os_call *call, os_error *err);

#endif
