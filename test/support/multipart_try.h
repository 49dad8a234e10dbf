/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A put of three parts through a fault proxy, with short times, and the requests that it is made of. The body is in
 * memory, so that it can be staged again.
 */
#ifndef OSCOMMIT_TEST_MULTIPART_TRY_H
#define OSCOMMIT_TEST_MULTIPART_TRY_H

#include "support/big_body.h"

#include <pthread.h>

#define XML "Content-Type: application/xml\r\nx-amz-request-id: MADEUP\r\n"
#define FAILURE(code, message) \
    "<?xml version=\"1.0\"?><Error><Code>" code "</Code><Message>" message "</Message></Error>"

enum { STAGED_LENGTH = 11 << 20 };

struct multipart_try {
    struct fixture *f;
    os_client *client;
    const char *key;
    void *bytes;
    os_body body;
    os_call call;
    struct outcome outcome;
    uint64_t took_ms;
    pthread_t thread;
};

/* The requests of one key. */
struct fault_match multipart_creations(const char *key);
struct fault_match multipart_parts(const char *key);
struct fault_match multipart_completes(const char *key);
struct fault_match multipart_aborts(const char *key);
void multipart_try_open(struct multipart_try *try, struct fixture *f, const char *name);
void *multipart_try_put(void *argument);
void multipart_try_close(struct multipart_try *try);
unsigned multipart_try_add(struct multipart_try *try, struct fault_rule rule);
size_t multipart_try_count(const struct multipart_try *try, struct fault_match match);
/* Another client, with a shipped profile or one of a file. */
void multipart_try_use_profile(struct multipart_try *try, const char *profile, os_guard guard);
/* A client whose store may answer a Complete with an undecided 409 (R7), and does so once, from the first-th on. */
void multipart_try_answer_409(struct multipart_try *try, os_guard guard, unsigned first);
/* The put, cancelled while nobody knows where its Complete is: the rule has it. */
void multipart_try_leave_unknown(struct multipart_try *try, enum fault_action action, unsigned *ret_rule);
void check_no_uploads(const struct multipart_try *try);

#endif
