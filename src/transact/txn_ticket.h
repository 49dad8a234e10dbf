/* SPDX-License-Identifier: Apache-2.0 */
/* X9, X10: what a later look needs of an attempt, as one line of JSON. */
#ifndef OSCOMMIT_TRANSACT_TXN_TICKET_H
#define OSCOMMIT_TRANSACT_TXN_TICKET_H

#include "client/client.h"
#include "transact/row_token.h"

struct txn_ticket {
    struct row_tokens tokens;
    size_t count;
    struct row_mark marks[ROWS_AT_ONCE_MAX]; /* no CHECK */
    /* Of one that was read. */
    struct rows_table tables[ROWS_AT_ONCE_MAX];
    json_t *root;
};

/* malloc'ed; NULL: out of memory. */
char *txn_ticket_write(const os_client *client, const struct txn_ticket *ticket);
/* *ret is for txn_ticket_free, also on failure, and stays where it is. OS_ERR_ARGUMENT: it is none, or is of another place. */
os_code txn_ticket_read(const os_client *client, const char *text, struct txn_ticket *ret, os_error *err);
void txn_ticket_free(struct txn_ticket *ticket);

#endif
