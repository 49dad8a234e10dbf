/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W1. What a write asks of one item: that the document is at a version, and the whole item that has the next one.
 *
 * The proof that a document is ours is the pair of its version and its client token (document_judge.h), so a token must never
 * be in two writes.
 * A caller's token may well be: the Go code writes the id of a client there, in every write. So 128 random bits stand behind
 * what the caller gives, "TOKEN#0123456789abcdef0123456789abcdef", or alone. Two writes with the same token of a caller, from
 * one version, in two processes, are not taken for each other. The same write is sent again with the same item only; whoever
 * has read another version makes a new write, with new bits.
 */
#ifndef OSCOMMIT_DOCUMENT_DOCUMENT_WRITE_H
#define OSCOMMIT_DOCUMENT_DOCUMENT_WRITE_H

#include "document/document_condition.h"
#include "document/document_item.h"

enum {
    DOCUMENT_RANDOM_SIZE = 16,
    DOCUMENT_TOKEN_MAX = 128 /* bytes that a caller gives */
};

struct document_wish {
    struct document_key key;
    enum document_spelling spelling;
    int64_t version; /* that is there; 0: no document is */
    int64_t timestamp_ns;
    const json_t *desired; /* borrowed; NULL: none, as null is */
    const json_t *reported;
    struct text client_token;             /* the caller's; empty: none */
    uint8_t random[DOCUMENT_RANDOM_SIZE]; /* new ones for each write (random_bytes) */
};

struct document_write {
    json_t *item; /* all of it, for a PUT */
    struct document_condition condition;
    enum document_spelling spelling;
};
void document_write_free(struct document_write *write); /* one that is all zero is fine */

/* *ret is all zero on failure. OS_ERR_ARGUMENT: also a model that the kind of document has not, or lacks. OS_ERR_TOO_LARGE,
 * OS_ERR_NO_MEMORY. */
os_code document_write_make(const struct document_wish *wish, struct document_write *ret, os_error *err);

struct document_mark document_write_mark(const struct document_write *write); /* borrows from it; a ticket keeps it */

#endif
