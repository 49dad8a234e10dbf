/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the item of a document must be for a write or a delete. At a version: it has this one, and none of the other spelling.
 * The Go code also writes where there is no version, whichever it expects (write.go, conditionWriteExpression): it makes a
 * document again that was deleted, at any version, and writes over what is no document. Nothing here does.
 */
#ifndef OSCOMMIT_DOCUMENT_DOCUMENT_CONDITION_H
#define OSCOMMIT_DOCUMENT_DOCUMENT_CONDITION_H

#include "attribute/condition.h"
#include "document/document_spelling.h"

#include <stdint.h>

enum { DOCUMENT_TERMS_MAX = 2 };

struct document_condition {
    json_t *expected; /* the value of the version; NULL: there is none */
    struct condition_term terms[DOCUMENT_TERMS_MAX];
    size_t count;
};
void document_condition_free(struct document_condition *condition); /* one that is all zero is fine */

/* Whatever is there, or nothing; but not of the other spelling. */
void document_condition_of_any(enum document_spelling spelling, struct document_condition *ret);
/* No item at all. */
void document_condition_of_none(struct document_condition *ret);
/* A version of at least 1. OS_ERR_NO_MEMORY: *ret is all zero. */
os_code document_condition_of_version(int64_t version, enum document_spelling spelling, struct document_condition *ret,
                                      os_error *err);

struct condition document_condition_terms(const struct document_condition *condition); /* borrows from it */

#endif
