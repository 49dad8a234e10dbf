/* SPDX-License-Identifier: Apache-2.0 */
/* What tickets about items of tables share: one line of JSON, which says what it is of, and where. */
#ifndef OSCOMMIT_CLIENT_TABLE_TICKET_H
#define OSCOMMIT_CLIENT_TABLE_TICKET_H

#include "client/client.h"
#include "syntax/json.h"

/* One kind of them. */
struct table_ticket {
    const char *kind; /* "document" */
    const char *of;   /* "of a document" */
    int version;
    size_t size_max;
};

/* An object for the members of its own kind; json_decref. `table`: of the client; "" where each item names its own. NULL: out
 * of memory. */
json_t *table_ticket_begin(const os_client *client, const struct table_ticket *kind, const char *table);
/* Takes `root`, which may be NULL. malloc'ed; NULL: out of memory, or too long. */
char *table_ticket_end(const struct table_ticket *kind, json_t *root);

/* OS_ERR_ARGUMENT: "This is no ticket of a document: ..." */
os_code table_ticket_refuse(const struct table_ticket *kind, const char *why, os_error *err);
/* *ret is for json_decref, also on failure. OS_ERR_ARGUMENT: it is none of this kind, or is of another place. */
os_code table_ticket_read(const os_client *client, const struct table_ticket *kind, const char *table,
                          const char *ticket, json_t **ret, os_error *err);

#endif
