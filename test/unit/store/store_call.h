/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a store that block the test: an S3 store on a loop of its own, and what it answered as a copy. */
#ifndef OSCOMMIT_TEST_STORE_STORE_CALL_H
#define OSCOMMIT_TEST_STORE_STORE_CALL_H

#include "store/store.h"
#include "support/http_server.h"
#include "unit/loop/on_loop.h"

struct on_store {
    struct on_loop on;
    struct store *store;
    struct endpoint endpoint;
    struct credentials *credentials;
    char bucket[64];
};
/* Fails the test when it cannot. `url` is that of an S3 service; the keys are those of raw_service.h. */
void on_store_open(struct on_store *ret, const char *url, const char *bucket);
/* That one takes answers without a mark for the store's. */
void on_store_open_marks(struct on_store *ret, const char *url, const char *bucket, enum store_marks marks);
/* That one has keys from such a source, which is asked for them. */
void on_store_open_source(struct on_store *ret, const char *url, const char *bucket,
                          const struct credentials_source *source);
void on_store_close(struct on_store *on);
/* That of a server of its own, with the bucket "bucket"; and its end. */
struct http_server *on_store_serve(struct on_store *ret, enum store_marks marks);
void on_store_stop(struct on_store *on, struct http_server *server);

/* The answer without what is borrowed (`response`). The request's deadline is set here. */
struct store_answer store_call(struct on_store *on, struct store_request *request);
/* The same as a guarded attempt, signed in the query for now and a minute. */
struct store_answer store_call_guarded(struct on_store *on, struct store_request *request);

/* The same, sent as `sending` says; its deadline is set here. */
struct store_answer store_call_sending(struct on_store *on, struct store_request *request,
                                       const struct store_sending *sending);

/* Prepares it as such an attempt, and says how it would travel. Nothing is sent. */
struct http_delivery store_call_delivery(struct on_store *on, const struct store_request *request);

#define CHECK_ANSWER(answer, wanted) store_check_answer((answer), (wanted), __FILE__, __LINE__)
void store_check_answer(struct store_answer answer, os_code wanted, const char *file, int line);

#endif
