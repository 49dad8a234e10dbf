/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One write on a bucket with versioning whose answer is lost (R16), beside others. Times are short: an attempt is dead
 * five seconds after it was signed.
 */
#ifndef OSCOMMIT_TEST_VERSIONS_TRY_H
#define OSCOMMIT_TEST_VERSIONS_TRY_H

#include "support/fault_proxy.h"
#include "support/suite.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define TRY_XML "Content-Type: application/xml\r\nx-amz-request-id: MADEUP\r\n"

struct
try {
    struct fixture *f;
    os_client *client;
    char bucket[64];
    const char *key;
    char path[192]; /* of the object */
    struct fault_match writes;
    pthread_t thread;
    const char *etag; /* NULL: create */
    bool deletes;
    uint64_t deadline_ms;
    struct outcome outcome;
};

/* Makes the bucket, with versioning, and a client of it. */
void try_open(struct try *try, struct fixture *f, const char *name, os_guard guard);
void try_close(struct try *try);
/* So that the client has seen the bucket's versions, and that ETags are MD5. */
void try_before(struct try *try);
/* So that the client has seen that the store's 404 of a deleted key names its delete marker. After try_before. */
void try_see_marker(struct try *try);

/* The write is held before it (FAULT_HOLD) or after it (FAULT_HOLD_ANSWER) was applied; then its connection dies. */
unsigned try_begin(struct try *try, enum fault_action held);
void try_end(struct try *try, unsigned id);

void try_outsider(const struct try *try, const char *method, const char *text);
void try_check_rule(const struct try *try, const char *rule);
size_t try_lists(const struct try *try); /* that were asked for */

#endif
