/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a listing asks of the table, and an item of its answer as an entry. Of an id it is a Query: the partition, and sort keys
 * that begin as all of documents do. Of all it is a Scan with a filter; the Go code has none, and passes over what comes
 * (list.go). Pages without an entry come, and are not the last: there the Go code ends.
 */
#ifndef OSCOMMIT_DOCUMENT_DOCUMENT_LIST_H
#define OSCOMMIT_DOCUMENT_DOCUMENT_LIST_H

#include "attribute/condition.h"
#include "document/document_item.h"

enum { DOCUMENT_LIST_PATHS = 6 };

struct document_list {
    json_t *partition;                      /* of a Query; NULL: Scan */
    json_t *prefix;                         /* that the sort key begins with; Scan: the partition key */
    struct condition_term filter;           /* of a Scan */
    struct path paths[DOCUMENT_LIST_PATHS]; /* all but the models */
};
void document_list_free(struct document_list *list); /* one that is all zero is fine */

/* *ret is all zero on failure: OS_ERR_ARGUMENT, OS_ERR_NO_MEMORY. */
os_code document_list_of_id(struct text id, enum document_spelling spelling, struct document_list *ret, os_error *err);
os_code document_list_of_all(enum document_spelling spelling, struct document_list *ret, os_error *err);

/* A combined document is one entry. The Go code makes two of it, which say the same. */
struct document_entry {
    struct document_key key; /* its kind is 0: the item is none of a document, and is passed over */
    struct document_mark mark;
    int64_t timestamp_ns;
};
/* Of an item that has been checked (attribute/check.h), from which *ret borrows. OS_ERR_PROTOCOL: the key is of a document, and
 * in *ret, and the rest is not. */
os_code document_entry_read(const json_t *item, enum document_spelling spelling, struct document_entry *ret,
                            os_error *err);

#endif
