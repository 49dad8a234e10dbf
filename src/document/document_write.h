/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a write asks of one item: that the document is at a version, and the whole item that has the next one. And what is
 * found where it should stand, when the condition failed or the answer was lost: ours, or another's.
 *
 * The proof that a document is ours is the pair of its version and its client token, so a token must never be in two writes.
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

/* ------------------------------------------------------------------------------------------------------ judgement */

/* In the order of what they say about a transaction. */
enum document_standing {
    DOCUMENT_OURS = 1,   /* the write was applied */
    DOCUMENT_CONFLICT,   /* it was not, and never will be: another version is there */
    DOCUMENT_ABSENT,     /* the same, and there is no document */
    DOCUMENT_UNREADABLE, /* what is there is no document. Without a lost answer the write was not applied */
    DOCUMENT_UNKNOWN,    /* it may have been applied, and replaced or deleted since */
    DOCUMENT_UNCHANGED /* what the write expects is there: it was not applied so far, and the same may be sent again */
};

/* What is known about the sendings of a write before the look. */
struct document_sending {
    bool is_answer_lost;   /* one at least may have been applied, or may still be */
    bool is_never_deleted; /* the caller's promise for this document */
};

/* `found` came with the failed condition, or from a consistent read behind the last answer; it has been checked
 * (attribute/check.h) and has the key of the write. NULL: no item. *ret_version is that of the document found, or 0.
 *
 * A version proves little alone. A document that was deleted begins at 1 again, so after a lost answer a version of another
 * writer, an older one, and none at all may stand behind ours: UNKNOWN. If no document is ever deleted, each version is
 * written once: the one that we would have made, by another, is a CONFLICT; a later one is UNKNOWN all the same, for ours may
 * lie beneath. The token together with the version proves ours whatever was lost. */
enum document_standing document_judge(const json_t *found, const struct document_mark *wrote,
                                      struct document_sending sending, int64_t *ret_version);

/* Of two items that were written in one transaction, which is applied to both or to none. */
enum document_standing document_judge_both(enum document_standing a, enum document_standing b);

#endif
