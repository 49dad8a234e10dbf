/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of intents (stage.h), each written by a transaction of its own. */
#ifndef OSCOMMIT_TRANSACT_INTENT_H
#define OSCOMMIT_TRANSACT_INTENT_H

#include "transact/transact.h"

/* What an intent is, as a model. */
extern const char intent_schema[];

struct intent {
    os_client *client;
    const os_model *model;
    const char *key; /* whole, of the object */
    os_call limits;
};

/* O1. *ret_unclear: it failed, and the intent may be there, or come yet. */
os_code intent_make(const struct intent *intent, bool *ret_unclear, os_error *err);
/* O2. The transaction, of which it becomes a part, is another one than that which made it. OS_ERR_CONFLICT: it is gone, or
 * marked. */
os_code intent_join(struct os_txn *txn, const os_model *model, const char *key, os_error *err);
/* O3. *ret_there: it is there, and marked; else it is gone. */
os_code intent_mark(const struct intent *intent, bool *ret_there, os_error *err);
/* O4. OS_OK also if it is gone. */
os_code intent_erase(const struct intent *intent, os_error *err);

/* What is left for the next of several calls; at least a millisecond, as 0 stands for the default. */
os_call stage_time_left(const struct os_txn *txn);

/* What the row of an intent says; borrowed from its fields. */
struct intent_fields {
    const char *key;
    const char *bucket; /* "": of an embedded store */
    int64_t since_s;
};
struct intent_fields intent_read(const json_t *fields);
const char *intent_bucket(const os_client *client); /* that of the client's own */

#endif
