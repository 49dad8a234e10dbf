/* SPDX-License-Identifier: Apache-2.0 */
/* The items of a document that are written or deleted, and what is said of it. */
#ifndef OSCOMMIT_PERSISTENCE_WRITING_H
#define OSCOMMIT_PERSISTENCE_WRITING_H

#include "document/document_judge.h"
#include "persistence/call.h"

/* One item as it is to be, or was to be: what a judgement needs, and a ticket keeps. Of a deletion the mark has the version that
 * is to be there, or 0, and no token. */
struct written_item {
    json_t *key; /* own; its attributes */
    enum document_kind kind;
    struct document_mark mark; /* its token is borrowed */
};

struct written {
    struct written_item items[2]; /* the second only of models that are stored apart */
    size_t count;
    bool is_deletion;
};

/* A consistent look at both, each at its own instant: one answer may not have room for two; `gets` has, and borrows. */
void writing_make_look(const struct persistence_store *store, const struct written *written, struct rows_get gets[2],
                       struct row_request *ret);

void writing_set_version(os_document_result *ret, enum document_kind kind, int64_t version);
void writing_say_committed(const struct written *written, os_document_result *ret);
void writing_say_conflict(const struct written *written, os_document_result *ret); /* but for the versions found */
/* After a lost answer, by what was found where they should stand: items that have been checked, or NULL. `error`: why there
 * is no answer that says it; OS_OK where a condition failed. */
void writing_judge(const struct persistence_store *store, const struct written *written, json_t *const found[2],
                   const os_error *error, os_document_result *ret);

/* W6: a copy that is under way could be applied to what was found. A deletion is not waited for: what is found does not show
 * whose it was. */
bool writing_may_follow(const struct written *written, json_t *const found[2]);

/* After a lost answer, and no look came to an end, for which `why` is the reason: UNKNOWN. */
void writing_say_unseen(const struct written *written, const os_error *why, os_document_result *ret);

/* The result of an UNKNOWN gets its ticket: one line of JSON. A deletion leaves nothing that could decide one. Without memory it has none, and the sentence says so. */
void writing_add_ticket(const struct persistence *call, const struct written *written, os_document_result *ret);
/* A ticket of this store. `*ret` is for written_free, and borrows from *ret_root, for json_decref; both are set in any case.
 * OS_ERR_ARGUMENT: it is none, or of another table. */
os_code writing_read_ticket(const struct persistence *call, const char *ticket, struct written *ret, json_t **ret_root,
                            os_error *err);
void written_free(struct written *written);

#endif
