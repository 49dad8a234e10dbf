/* SPDX-License-Identifier: Apache-2.0 */
#include "support/multipart_try.h"

#include <stdlib.h>
#include <string.h>

struct fault_match multipart_creations(const char *key)
{
    return (struct fault_match){.method = "POST", .path_contains = key, .query_contains = "uploads"};
}

struct fault_match multipart_parts(const char *key)
{
    return (struct fault_match){.method = "PUT", .path_contains = key, .query_contains = "partNumber"};
}

struct fault_match multipart_completes(const char *key)
{
    return (struct fault_match){.method = "POST", .path_contains = key, .query_contains = "uploadId"};
}

struct fault_match multipart_aborts(const char *key)
{
    return (struct fault_match){.method = "DELETE", .path_contains = key, .query_contains = "uploadId"};
}

void multipart_try_open(struct multipart_try *try, struct fixture *f, const char *name)
{
    memset(try, 0, sizeof(*try));
    try->f = f;
    assert_true(fixture_proxies(f));
    os_options options = fixture_fast_options(f);
    options.part_size = 5 * MIB;
    try->client = fixture_client(&options);
    try->key = fixture_key(f, name);
    try->bytes = big_memory(STAGED_LENGTH);
    try->body = (os_body)OS_BODY_MEMORY(try->bytes, STAGED_LENGTH);
    try->call = (os_call)OS_CALL_INIT;
}

void *multipart_try_put(void *argument)
{
    struct multipart_try *try = argument;
    uint64_t start = now_ms();
    try->outcome = put_absent(try->client, try->key, &try->body, &try->call);
    try->took_ms = now_ms() - start;
    return NULL;
}

void multipart_try_close(struct multipart_try *try)
{
    outcome_clear(&try->outcome);
    os_client_close(try->client);
    free(try->bytes);
}

unsigned multipart_try_add(struct multipart_try *try, struct fault_rule rule)
{
    unsigned id = fault_proxy_add(try->f->store_proxy, &rule);
    assert_true(id > 0);
    return id;
}

size_t multipart_try_count(const struct multipart_try *try, struct fault_match match)
{
    return fault_proxy_count(try->f->store_proxy, &match);
}

void check_no_uploads(const struct multipart_try *try)
{
    assert_int_equal(open_uploads(try->f, try->key), 0);
}

void multipart_try_use_profile(struct multipart_try *try, const char *profile, os_guard guard)
{
    os_options options = fixture_fast_options(try->f);
    options.part_size = 5 * MIB;
    options.store_profile = profile;
    options.guard = guard;
    options.request_timeout_ms = 60000; /* an abort that a test holds is not sent again beside it */
    os_client_close(try->client);
    try->client = fixture_client(&options);
}

void multipart_try_answer_409(struct multipart_try *try, os_guard guard, unsigned first)
{
    multipart_try_use_profile(try, "aws", guard);
    multipart_try_add(try,
                      (struct fault_rule){.match = multipart_completes(try->key),
                                          .action = FAULT_ANSWER,
                                          .first = first,
                                          .times = 1,
                                          .status = 409,
                                          .headers = XML,
                                          .body = FAILURE("ConditionalRequestConflict", "Upload the parts again.")});
}

void multipart_try_leave_unknown(struct multipart_try *try, enum fault_action action, unsigned *ret_rule)
{
    os_cancel *cancel = NULL;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    *ret_rule = multipart_try_add(
        try, (struct fault_rule){.match = multipart_completes(try->key), .action = action, .times = 1});
    try->call.cancel = cancel;
    assert_int_equal(pthread_create(&try->thread, NULL, multipart_try_put, try), 0);
    assert_true(fault_proxy_wait_hits(try->f->store_proxy, *ret_rule, 1, 60000));
    os_cancel_trigger(cancel);
    assert_int_equal(pthread_join(try->thread, NULL), 0);
    os_cancel_free(cancel);
    CHECK_VERDICT(try->outcome, OS_UNKNOWN);
    assert_non_null(try->outcome.result.ticket);
    assert_int_equal(multipart_try_count(try, multipart_aborts(try->key)), 0);
}
