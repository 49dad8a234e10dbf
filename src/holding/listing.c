/* SPDX-License-Identifier: Apache-2.0 */
#include "holding/listing.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Some 700,000 leases. */
#define ROWS_MAX ((size_t)1 << 30)

static void begin_anew(void *context)
{
    struct holding_listing *listing = context;
    buf_reset(&listing->rows);
    listing->unreadable = 0;
}

static bool take_row(void *context, const struct table_row *row)
{
    struct holding_listing *listing = context;
    if (!row->readable) {
        listing->unreadable++;
        return true;
    }
    memset(listing->row, 0, listing->row_size);
    if (listing->fill(listing->context, row->item, listing->row))
        listing->no_memory = !buf_add(&listing->rows, listing->row, listing->row_size);
    return !listing->no_memory;
}

os_code listing_give(const struct holding_listing *listing, os_error *err)
{
    const char *rows = buf_str(&listing->rows);
    if (listing->no_memory)
        return error_no_memory(err);
    for (size_t at = 0; at < listing->rows.len; at += listing->row_size)
        if (listing->give(listing->context, rows + at) != 0)
            return error_set(err, OS_ERR_STOPPED, "The caller's callback stopped the list.");
    if (listing->unreadable > 0)
        return error_set(err, OS_ERR_PROTOCOL, "%zu more items of the table could not be read as a %s.",
                         listing->unreadable, listing->schema->words.what);
    return OS_OK;
}

bool listing_prepare(struct holding_listing *listing, struct holding_asking *asking)
{
    asking->request = (struct table_request){.verb = TABLE_LIST,
                                             .schema = listing->schema,
                                             .partition = listing->partition,
                                             .each = take_row,
                                             .each_context = listing,
                                             .known_only = true};
    asking->repeats = ASKING_UNTIL_CLEAR;
    asking->name = "list";
    asking->restart = begin_anew;
    asking->context = listing;
    buf_init(&listing->rows, ROWS_MAX);
    listing->row = malloc(listing->row_size);
    return listing->row != NULL;
}

void listing_free(struct holding_listing *listing)
{
    buf_free(&listing->rows);
    free(listing->row);
}

os_code listing_run(struct holding_listing *listing, os_client *client, const os_call *call, os_error *err)
{
    struct holding_asking asking = {.client = client};
    os_code code = listing_prepare(listing, &asking) ? asking_run(&asking, call, err) : error_no_memory(err);
    if (code == OS_OK)
        code = listing_give(listing, err);
    listing_free(listing);
    return code;
}
