/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and deletions, which are sent, looked at where an answer was lost, and told of in the same way: one item on its
 * condition, or two in one transaction.
 */
#ifndef OSCOMMIT_PERSISTENCE_MUTATION_H
#define OSCOMMIT_PERSISTENCE_MUTATION_H

#include "client/pause.h"
#include "document/document_delete.h"
#include "document/document_write.h"
#include "persistence/writing.h"

/* One of them, as it lies in memory while it is under way. */
struct mutation {
    struct document_write items[2];
    struct document_delete deletions[2]; /* either these */
    struct rows_write rows[2];           /* of one or the other */
    size_t count;
    struct rows_transaction transaction;
    uint8_t random[DOCUMENT_RANDOM_SIZE];
    char token[2 * DOCUMENT_RANDOM_SIZE + 1]; /* of a transaction */
    struct written written;
    struct rows_get gets[2]; /* of the look after a lost answer */
    bool needs_look;
    os_error error; /* why there was no answer that says it */
};

/* Those of a call. */
struct mutations {
    bool are_deletions;
    struct mutation *list;
    size_t count; /* that the call has */
    size_t begun;
    json_t *seen;                    /* which items are changed, so that none is twice */
    struct client_interval interval; /* between two looks */
    uint64_t pause_ms;
};

/* Its `work` is made here, and has one for each of the caller's; then each gets one item, or two. */
os_code mutations_begin(struct persistence *call, bool are_deletions);
/* The next one; to fill it comes first. */
os_code mutations_next(struct persistence *call, struct mutation **ret);
/* `wish` has no random bits yet. */
os_code mutation_add_write(struct persistence *call, struct mutation *mutation, struct document_wish *wish);
os_code mutation_add_deletion(struct persistence *call, struct mutation *mutation, const struct document_key *key,
                              int64_t version);

/* Sends all; the results are given. */
enum steps_next mutations_send(struct persistence *call);
/* W5, W6: looks at what needs it, if anything does; then the end. */
enum steps_next mutations_look(struct persistence *call);

#endif
