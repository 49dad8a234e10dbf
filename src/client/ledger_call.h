/* SPDX-License-Identifier: Apache-2.0 */
/* One request to the ledger from the calling thread: repeated when it was throttled, ended by deadline or cancellation.
 */
#ifndef OSCOMMIT_CLIENT_LEDGER_CALL_H
#define OSCOMMIT_CLIENT_LEDGER_CALL_H

#include "client/client.h"
#include "loop/op.h"

struct ledger_call {
    struct sync sync;
    os_client *client;
    struct ledger_request request;
    os_call call;
    struct op op;
    struct clock_reading sent;
    struct ledger_op *under_way;
    bool given; /* LIST: a row, so that beginning again would give it twice */
    struct ledger_answer answer;
};

/* `request` was set; its sync is ready to begin. Until it is over, its outcome is LEDGER_REFUSED: it could not begin.
 * OS_ERR_CONFIG: the client has no ledger. */
os_code ledger_call_prepare(struct ledger_call *ledger_call, os_client *client, const os_call *call, os_error *err);
/* What the ledger said, as below. */
enum ledger_outcome ledger_call_outcome(const struct ledger_call *ledger_call, os_error *err);
/* Both, and what is between. Blocks. Gives what the ledger said, which is in `answer`; *err is filled for every outcome but OK
 * and the conflicts. */
enum ledger_outcome ledger_call_run(struct ledger_call *ledger_call, os_client *client, const os_call *call,
                                    os_error *err);
os_code ledger_code_of(enum ledger_outcome outcome, const os_error *err);

struct kept_row {
    char *path;
    char *etag;
    char *other;
    char *upload;
    char *bucket;
    char *fault; /* as in struct ledger_row */
    bool readable;
    struct record record;
};
struct kept_rows {
    struct kept_row *list;
    size_t count;
    size_t cap;
    struct ledger_call *call;
    bool failed;
};
/* Every row of a record's path, or of the whole table (NULL). `ret` was all zero, and is freed either way. */
os_code ledger_rows_read(os_client *client, const char *path, const os_call *call, struct kept_rows *ret,
                         os_error *err);
void ledger_rows_free(struct kept_rows *rows);

#endif
