/* SPDX-License-Identifier: Apache-2.0 */
/* All leases, or locks, of a table: read to the end, and then given to the caller one by one. */
#ifndef OSCOMMIT_HOLDING_LISTING_H
#define OSCOMMIT_HOLDING_LISTING_H

#include "holding/asking.h"

#include "base/buf.h"

struct holding_listing {
    const struct item_schema *schema;
    size_t row_size;
    /* Loop's thread, or a worker's: fills a row of zeros. False: it is not wanted. */
    bool (*fill)(void *context, const struct item *item, void *ret_row);
    int (*give)(void *context, const void *row); /* a thread that may block; not 0: stop */
    void *context;
    const char *partition; /* NULL: of the whole table */
    struct buf rows;
    void *row;         /* the next one, while it is filled */
    size_t unreadable; /* items that do not fit */
    bool no_memory;
};

/* `schema` to `partition` are set, the rest is 0. Fills `asking` with what asks for all of them. False: no memory. */
bool listing_prepare(struct holding_listing *listing, struct holding_asking *asking);
/* When the table has answered. OS_ERR_PROTOCOL after all rows were given: so many items could not be read. Runs functions
 * of the caller's, which may block. */
os_code listing_give(const struct holding_listing *listing, os_error *err);
void listing_free(struct holding_listing *listing);

/* All of it, on a thread that may block. */
os_code listing_run(struct holding_listing *listing, os_client *client, const os_call *call, os_error *err);

#endif
