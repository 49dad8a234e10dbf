/* SPDX-License-Identifier: Apache-2.0 */
/* Versioned documents in a table (oscommit_document.h): read, written, and told what came of a write. */
#ifndef OSCOMMIT_PERSISTENCE_PERSISTENCE_H
#define OSCOMMIT_PERSISTENCE_PERSISTENCE_H

#include "client/steps.h"
#include "oscommit_document.h"

/* As the caller gave them; nothing is checked yet. What a function does not have is zero. */
struct persistence_arguments {
    const os_document_store *store;
    const os_document_key *keys;
    const os_document_write *writes;
    const os_document_deletion *deletions;
    size_t count;   /* of one of them */
    const char *id; /* of a list; NULL: all */
    os_document_fn each;
    void *each_context;
    bool is_of_ticket;
    const char *ticket;
    const os_call *call;
    os_documents *ret_documents;
    os_document_result *ret_results; /* one for each write or deletion; one of a ticket */
    size_t result_count;
};

/* A call on documents (call.h). Each of the functions below is its first step. */
struct persistence;
typedef enum steps_next (*persistence_step_fn)(struct persistence *call);
enum steps_next persistence_read(struct persistence *call);
enum steps_next persistence_write(struct persistence *call);
enum steps_next persistence_delete(struct persistence *call);
enum steps_next persistence_list(struct persistence *call);
enum steps_next persistence_create(struct persistence *call);
enum steps_next persistence_check(struct persistence *call);
enum steps_next persistence_resolve(struct persistence *call);

void persistence_documents_free(os_documents *documents);

/* The call from its first step to its code. Blocks. `err` may be NULL. */
os_code persistence_call(os_client *client, const struct persistence_arguments *arguments, persistence_step_fn first,
                         os_error *err);

#endif
