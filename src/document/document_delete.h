/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a delete asks of one item: that the document is at a version; or nothing, as the Go code deletes at version 0
 * (delete.go). Then it is done also where there is no item. It leaves nothing behind that says whose it was: document_judge.h
 * has what can be said when its answer was lost.
 */
#ifndef OSCOMMIT_DOCUMENT_DOCUMENT_DELETE_H
#define OSCOMMIT_DOCUMENT_DOCUMENT_DELETE_H

#include "document/document_condition.h"
#include "document/document_key.h"

struct document_delete {
    json_t *key;
    struct document_condition condition;
};
void document_delete_free(struct document_delete *deletion); /* one that is all zero is fine */

/* `version` 0: whatever is there, but for what is of the other spelling. *ret is all zero on failure: OS_ERR_ARGUMENT,
 * OS_ERR_NO_MEMORY. */
os_code document_delete_make(const struct document_key *key, enum document_spelling spelling, int64_t version,
                             struct document_delete *ret, os_error *err);

#endif
