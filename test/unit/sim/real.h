/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the library to a real service, for a comparison with what the fake of it says. */
#ifndef OSCOMMIT_TEST_UNIT_SIM_REAL_H
#define OSCOMMIT_TEST_UNIT_SIM_REAL_H

#include "http/engine.h"
#include "wire.h"

struct real_service {
    struct http_engine *engine;
    struct endpoint endpoint;
    const char *service; /* "s3", "dynamodb" */
    struct sigv4_keys keys;
    char unique[32]; /* a name of this run's own: the bucket, the table */
};

/* From the environment variable; ends the program (77, or 1 with OSCOMMIT_REQUIRE_SERVERS=1) when it is not given. */
void real_open(struct real_service *ret, const char *variable, const char *service);
void real_close(struct real_service *real);

uint64_t real_now_ms(void);
/* Signs for the service with `keys`, at a time that is `offset_s` from now; in the query with WIRE_DYING. */
void real_sign(const struct real_service *real, const struct sigv4_keys *keys, int64_t offset_s, bool in_query,
               struct http_request *request);
/* What the service answers; the request stays the caller's. Fails the test when there is no answer. */
struct http_response real_answer(const struct real_service *real, struct http_request *request);
/* The same of one that was built just now: signs it with the service's keys, and takes it and its body. */
struct http_response real_exchange(const struct real_service *real, struct http_request *request, struct buf *body);

#endif
