/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W5. What is found where a write should stand, or where a delete was, when the condition failed or the answer was lost: ours, or
 * another's.
 */
#ifndef OSCOMMIT_DOCUMENT_DOCUMENT_JUDGE_H
#define OSCOMMIT_DOCUMENT_DOCUMENT_JUDGE_H

#include "document/document_item.h"

/* In the order of what they say about a transaction. */
enum document_standing {
    DOCUMENT_OURS = 1,   /* the write was applied */
    DOCUMENT_CONFLICT,   /* it was not, and never will be: another version is there */
    DOCUMENT_ABSENT,     /* the same, and there is no document */
    DOCUMENT_UNREADABLE, /* what is there is no document. Without a lost answer the write was not applied */
    DOCUMENT_UNKNOWN,    /* it may have been applied, and replaced or deleted since */
    DOCUMENT_UNCHANGED,  /* what is expected is there: it was not applied so far, and the same may be sent again */
    DOCUMENT_GONE        /* of a delete: there is no document any more, by us or by another */
};

/* What is known about the sendings of a write, or of a delete, before the look. The promises are the caller's. Of both: nobody
 * writes over the document in the other spelling. */
struct document_sending {
    bool is_answer_lost;         /* one at least may have been applied, or may still be */
    bool is_never_deleted;       /* of a write: nobody deletes the document */
    bool is_never_created_again; /* of a delete: once it was deleted, nobody makes it again */
};

/* `found` came with the failed condition, or from a consistent read behind the last answer; it has been checked
 * (attribute/check.h) and has the key of the write. NULL: no item. *ret_version is that of the document found, or 0.
 *
 * A version proves little alone. A document that was deleted begins at 1 again, or by the Go code at any version; so after a
 * lost answer a version of another writer, an older one, and none at all may stand behind ours: UNKNOWN. If no document is
 * ever deleted, each version is written once: the one that we would have made, by another, is a CONFLICT; a later one is
 * UNKNOWN all the same, for ours may lie beneath. The token together with the version proves ours whatever was lost. */
enum document_standing document_judge(const json_t *found, const struct document_mark *wrote,
                                      struct document_sending sending, int64_t *ret_version);

/* What the write expects is there: it may be applied yet, if a copy of it is under way (W6). */
bool document_is_expected(const json_t *found, const struct document_mark *wrote);

/* The same of a delete at a version, or of whatever is there (0). The document that was at this version may have been deleted
 * and made again, up to it or past it: so after a lost answer any that is there is UNKNOWN. If it is never made again, one that
 * is there was not deleted: it is UNCHANGED, or with a later version a CONFLICT. */
enum document_standing document_judge_delete(const json_t *found, int64_t version, enum document_spelling spelling,
                                             struct document_sending sending, int64_t *ret_version);

/* W7. Of two items that were written in one transaction, which is applied to both or to none. They may be found one after the
 * other. */
enum document_standing document_judge_both(enum document_standing a, enum document_standing b);

#endif
