/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that a run of a transaction puts, and its commit makes valid. The rules, in full in docs/catalog.md:
 * O1 Before an object is put, under a key that nobody has had, a row of its own has that key: its intent.
 * O2 The commit deletes the intent, on the condition that it is as it was: so the object is committed, and its intent gone,
 *    at one instant.
 * O3 Who removes an object that may be committed yet marks its intent first. From then on no commit is applied.
 * O4 An intent is deleted after its object.
 * O5 What is certainly not committed, and not under way to the store, needs no mark.
 */
#ifndef OSCOMMIT_TRANSACT_STAGE_H
#define OSCOMMIT_TRANSACT_STAGE_H

#include "transact/txn.h"

os_code transact_stage(struct os_txn *txn, const os_stage *stage, const char **ret_key, os_error *err);

struct stage_gc_arguments {
    const os_txn_gc_options *options;
    const os_call *call;
    os_txn_garbage_fn each;
    void *context;
    os_txn_gc_result *ret;
};
os_code stage_gc_run(os_client *client, const struct stage_gc_arguments *arguments, os_error *err); /* os_txn_gc */

#endif
