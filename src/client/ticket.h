/* SPDX-License-Identifier: Apache-2.0 */
/* A ticket as one line of JSON: what a resolution needs, for any process that is configured for the same store and
 * ledger. */
#ifndef OSCOMMIT_CLIENT_TICKET_H
#define OSCOMMIT_CLIENT_TICKET_H

#include "client/ticket_place.h"
#include "commit/guard.h"
#include "oscommit.h"

/* malloc'ed, or NULL when out of memory. `key` is the whole object key, `upload` the upload's id of a Complete. */
char *ticket_write(const struct ticket_place *place, const char *key, const char *upload,
                   const struct guard_ticket *ticket);

/* What a ticket must be of. */
struct ticket_contents {
    struct ticket_place place;
    const char *key; /* the whole object key; NULL: any below the place's prefix */
    bool same_store; /* ticket_place_check */
};

/* *ret_key is malloc'ed; `ret_upload` holds RECORD_UPLOAD_SIZE, "" for what is no Complete. OS_ERR_ARGUMENT when it
 * does not parse or is of another place or key. */
os_code ticket_read(const char *text, const struct ticket_contents *contents, char **ret_key, char *ret_upload,
                    struct guard_ticket *ret, os_error *err);

#endif
