/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/end.h"

#include "base/error.h"

#include <stdlib.h>

struct txn_end {
    struct txn_end *next;
    os_txn_end_fn function;
    void *context;
};

os_code txn_end_add(struct os_txn *txn, os_txn_end_fn function, void *context, os_error *err)
{
    struct txn_end **last = &txn->ends;
    if (function == NULL)
        return error_set(err, OS_ERR_ARGUMENT,
                         "There is nothing to call at the end of the transaction: the function is NULL.");
    struct txn_end *end = malloc(sizeof(*end));
    if (end == NULL)
        return error_no_memory(err);
    while (*last != NULL)
        last = &(*last)->next;
    *end = (struct txn_end){NULL, function, context};
    *last = end;
    return OS_OK;
}

static struct txn_end *take_first(struct os_txn *txn)
{
    struct txn_end *ret = txn->ends;
    if (ret != NULL)
        txn->ends = ret->next;
    return ret;
}

void txn_end_drop_all(struct os_txn *txn)
{
    for (struct txn_end *end = take_first(txn); end != NULL; end = take_first(txn))
        free(end);
}

void txn_end_tell_all(struct os_txn *txn, os_verdict verdict)
{
    for (struct txn_end *end = take_first(txn); end != NULL; end = take_first(txn)) {
        end->function(end->context, verdict);
        free(end);
    }
}
