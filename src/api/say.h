/* SPDX-License-Identifier: Apache-2.0 */
/* How a function of a transaction begins, and what it says. */
#ifndef OSCOMMIT_API_SAY_H
#define OSCOMMIT_API_SAY_H

#include "base/error.h"
#include "transact/txn.h"

static inline os_code say_begin(const os_txn *txn, os_error *own)
{
    error_clear(own);
    return txn != NULL ? OS_OK : error_set(own, OS_ERR_ARGUMENT, "There is no transaction: it is NULL.");
}

/* The caller's `err` may be NULL. Of what was refused for its arguments nothing is left. */
static inline os_code say(os_txn *txn, os_code code, os_error *own, os_error *err)
{
    if (code == OS_OK)
        error_clear(own);
    else if (code != OS_ERR_ARGUMENT && txn->failed.code == OS_OK)
        txn->failed = *own;
    if (err != NULL)
        *err = *own;
    return code;
}

#endif
