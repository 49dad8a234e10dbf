/* SPDX-License-Identifier: Apache-2.0 */
/* What is called when a transaction is over. */
#ifndef OSCOMMIT_TRANSACT_END_H
#define OSCOMMIT_TRANSACT_END_H

#include "transact/txn.h"

/* OS_ERR_ARGUMENT, OS_ERR_NO_MEMORY. */
os_code txn_end_add(struct os_txn *txn, os_txn_end_fn function, void *context, os_error *err);
/* Of a run that is followed by another. */
void txn_end_drop_all(struct os_txn *txn);
/* Calls all, and drops them. */
void txn_end_tell_all(struct os_txn *txn, os_verdict verdict);

#endif
