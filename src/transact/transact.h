/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions over typed rows (oscommit_model.h): what the functions of the header do. */
#ifndef OSCOMMIT_TRANSACT_TRANSACT_H
#define OSCOMMIT_TRANSACT_TRANSACT_H

#include "transact/txn.h"

/* A read of rows, none of which the transaction has. Blocks. ret[i] is NULL where there is none. */
os_code transact_get(struct os_txn *txn, const os_row_key *keys, size_t count, const os_get_options *options,
                     struct os_row **ret, os_error *err);

os_code transact_create(struct os_txn *txn, const os_model *model, const char *fields, struct os_row **ret,
                        os_error *err);
os_code transact_put(struct os_txn *txn, const os_model *model, const char *fields, const char *expected,
                     os_error *err);
os_code transact_update(struct os_txn *txn, const os_model *model, const char *original, const char *updated,
                        os_error *err);
os_code transact_delete(struct os_txn *txn, struct os_row *row, os_error *err);
os_code transact_erase(struct os_txn *txn, const os_model *model, const char *key, os_error *err);

/* The table of a model. */
struct transact_table {
    const os_model *model;
    bool creates; /* else it is only looked at */
    const os_call *call;
};
/* Blocks. */
os_code transact_table(os_client *client, const struct transact_table *asked, os_error *err);

/* The table as a resource of CloudFormation. */
os_code transact_table_resource(const os_model *model, char **ret, os_error *err);

struct transact_arguments {
    const os_txn_options *options;
    os_txn_fn function;
    void *context;
    const os_call *call;
    os_txn_result *ret; /* may be NULL */
};
/* Runs until there is a verdict. Blocks. */
os_verdict transact_run(os_client *client, const struct transact_arguments *arguments, os_error *err);

/* X10. Blocks. */
os_verdict transact_resolve(os_client *client, const char *ticket, const os_call *call, os_error *err);

#endif
