/* SPDX-License-Identifier: Apache-2.0 */
/* Which store and ledger a ticket is of (R17). Every part is compared by itself, so that no two places look alike. */
#ifndef OSCOMMIT_CLIENT_TICKET_PLACE_H
#define OSCOMMIT_CLIENT_TICKET_PLACE_H

#include "client/settings.h"

#include <jansson.h>

enum ticket_part {
    TICKET_STORE,    /* "s3" or "file" */
    TICKET_ENDPOINT, /* host and port; of a file store its root */
    TICKET_BUCKET,
    TICKET_PREFIX,
    TICKET_LEDGER,          /* "dynamodb", "sqlite", or "" */
    TICKET_LEDGER_ENDPOINT, /* host and port; of SQLite the file */
    TICKET_LEDGER_REGION,
    TICKET_TABLE,
    TICKET_RECORD_PREFIX,
    TICKET_PARTS
};

/* Borrowed; "" where there is none. */
struct ticket_place {
    const char *part[TICKET_PARTS];
};

/* The place of a client; borrows from its settings. */
void ticket_place_of(const struct settings *settings, struct ticket_place *ret);

/* malloc'ed JSON; NULL when out of memory. */
json_t *ticket_place_write(const struct ticket_place *place);

/* OS_ERR_ARGUMENT names the first part in which they differ. `same_store`: its owner says that two endpoints are names
 * of one store, or of one ledger; NULL: he cannot say so. */
os_code ticket_place_check(const json_t *written, const struct ticket_place *own, const bool *same_store,
                           os_error *err);

#endif
