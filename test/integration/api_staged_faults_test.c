/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults around staged uploads: parts that have to be sent again (R15), a Complete that was not answered for certain
 * and a holder's upload that a contender aborts first (R14). Times are short: an attempt is dead five seconds after it
 * was signed.
 */
#include "support/big_body.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XML "Content-Type: application/xml\r\nx-amz-request-id: MADEUP\r\n"
#define FAILURE(code, message) \
    "<?xml version=\"1.0\"?><Error><Code>" code "</Code><Message>" message "</Message></Error>"

enum { LENGTH = 11 << 20 /* three parts */ };

static struct fault_match creations(const char *key)
{
    return (struct fault_match){.method = "POST", .path_contains = key, .query_contains = "uploads"};
}

static struct fault_match parts_of(const char *key)
{
    return (struct fault_match){.method = "PUT", .path_contains = key, .query_contains = "partNumber"};
}

static struct fault_match completes(const char *key)
{
    return (struct fault_match){.method = "POST", .path_contains = key, .query_contains = "uploadId"};
}

static struct fault_match aborts(const char *key)
{
    return (struct fault_match){.method = "DELETE", .path_contains = key, .query_contains = "uploadId"};
}

struct
try {
    struct fixture *f;
    os_client *client;
    char key[64];
    void *bytes;
    os_body body;
    os_call call;
    struct outcome outcome;
    uint64_t took_ms;
    pthread_t thread;
};

static void try_open(struct try *try, struct fixture *f, const char *name)
{
    memset(try, 0, sizeof(*try));
    try->f = f;
    assert_true(fixture_proxies(f));
    os_options options = fixture_fast_options(f);
    options.part_size = 5 * MIB;
    try->client = fixture_client(&options);
    fixture_key(f, name, try->key, sizeof(try->key));
    try->bytes = big_memory(LENGTH);
    try->body = (os_body)OS_BODY_MEMORY(try->bytes, LENGTH);
    try->call = (os_call)OS_CALL_INIT;
}

static void *try_put(void *argument)
{
    struct try *try = argument;
    uint64_t start = now_ms();
    try->outcome = put_absent(try->client, try->key, &try->body, &try->call);
    try->took_ms = now_ms() - start;
    return NULL;
}

static void try_close(struct try *try)
{
    outcome_clear(&try->outcome);
    os_client_close(try->client);
    free(try->bytes);
}

static unsigned add(struct try *try, struct fault_rule rule)
{
    unsigned id = fault_proxy_add(try->f->store_proxy, &rule);
    assert_true(id > 0);
    return id;
}

static size_t count(const struct try *try, struct fault_match match)
{
    return fault_proxy_count(try->f->store_proxy, &match);
}

static void check_nothing_left(const struct try *try)
{
    assert_int_equal(open_uploads(try->f, try->key), 0);
}

/* ------------------------------------------------------------------------------------------------ parts */

static void parts_are_sent_until_they_are_there(void **state)
{
    static const struct fault_rule faults[] = {
        {.action = FAULT_RESET},
        {.action = FAULT_DROP_ANSWER},
        {.action = FAULT_ANSWER,
         .status = 503,
         .headers = XML,
         .body = FAILURE("SlowDown", "Please reduce your rate.")},
        {.action = FAULT_ANSWER, .status = 500, .headers = XML, .body = FAILURE("InternalError", "We are sorry.")},
        {.action = FAULT_ANSWER, .status = 400, .headers = XML, .body = FAILURE("RequestTimeout", "It stood still.")},
        {.action = FAULT_ANSWER, .status = 400, .headers = XML, .body = FAILURE("BadDigest", "Other bytes came.")},
    };
    struct fixture *f = *state;
    struct try try;
    try_open(&try, f, "parts");
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct fault_rule rule = faults[i];
        rule.match = parts_of(try.key);
        rule.times = 1;
        add(&try, rule);
    }
    try_put(&try);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(try.outcome.result.attempts, 1);
    assert_int_equal(count(&try, parts_of(try.key)), 3 + sizeof(faults) / sizeof(faults[0]));
    assert_int_equal(count(&try, aborts(try.key)), 0);
    check_big(try.client, try.key, LENGTH);
    check_nothing_left(&try);
    try_close(&try);
}

static void the_creation_of_an_upload_is_asked_for_again(void **state)
{
    struct try try;
    try_open(&try, *state, "creation");
    add(&try, (struct fault_rule){.match = creations(try.key),
                                  .action = FAULT_ANSWER,
                                  .times = 2,
                                  .status = 503,
                                  .headers = XML,
                                  .body = FAILURE("SlowDown", "Please reduce your request rate.")});
    try_put(&try);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(count(&try, creations(try.key)), 3);
    check_nothing_left(&try);
    try_close(&try);
}

static void a_refused_part_ends_the_call_and_its_upload(void **state)
{
    static const struct {
        int status;
        const char *body;
        os_code code;
    } cases[] = {
        {403, FAILURE("AccessDenied", "Access Denied."), OS_ERR_DENIED},
        {400, FAILURE("EntityTooSmall", "Too small."), OS_ERR_REFUSED},
        {507, FAILURE("XMinioStorageFull", "Full."), OS_ERR_NO_SPACE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct try try;
        try_open(&try, *state, "refused");
        add(&try, (struct fault_rule){.match = parts_of(try.key),
                                      .action = FAULT_ANSWER,
                                      .status = cases[i].status,
                                      .headers = XML,
                                      .body = cases[i].body});
        try_put(&try);
        CHECK_VERDICT(try.outcome, OS_NOT_EXECUTED);
        CHECK_ERROR(try.outcome, cases[i].code);
        assert_int_equal(try.outcome.result.attempts, 0);
        assert_int_equal(count(&try, aborts(try.key)), 1);
        CHECK_ABSENT(try.client, try.key);
        check_nothing_left(&try);
        try_close(&try);
    }
}

static void a_deadline_ends_parts_that_are_not_answered(void **state)
{
    struct try try;
    try_open(&try, *state, "held");
    unsigned id = add(&try, (struct fault_rule){.match = parts_of(try.key), .action = FAULT_HOLD});
    try.call.deadline_ms = 1500;
    try_put(&try);
    CHECK_VERDICT(try.outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(try.outcome, OS_ERR_DEADLINE);
    assert_in_range(try.took_ms, 1500, 4000);
    fault_proxy_release(try.f->store_proxy, id, FAULT_DISCARD);
    check_nothing_left(&try);
    try_close(&try);
}

/* What the documentation promises of memory: parts_at_once on their way, and one that waits to be sent. */
static void a_stream_is_read_no_further_ahead_than_promised(void **state)
{
    struct try try;
    struct big_stream endless = {.length = UINT64_C(1) << 50};
    try_open(&try, *state, "ahead");
    os_options options = fixture_fast_options(try.f);
    options.part_size = 5 * MIB;
    options.stage_above = MIB;
    options.parts_at_once = 2;
    os_client *client = fixture_client(&options);
    unsigned id = add(&try, (struct fault_rule){.match = parts_of(try.key), .action = FAULT_HOLD});
    os_body body = big_stream_body(&endless);
    try.call.deadline_ms = 2000;
    struct outcome outcome = put_absent(client, try.key, &body, &try.call);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_DEADLINE);
    assert_int_equal(count(&try, parts_of(try.key)), 2);
    assert_int_equal(endless.offset, 3 * 5 * MIB);
    fault_proxy_release(try.f->store_proxy, id, FAULT_DISCARD);
    check_nothing_left(&try);
    outcome_clear(&outcome);
    os_client_close(client);
    try_close(&try);
}

static void an_abort_that_is_not_answered_keeps_nobody(void **state)
{
    struct try try;
    try_open(&try, *state, "abort-held");
    unsigned parts = add(&try, (struct fault_rule){.match = parts_of(try.key), .action = FAULT_HOLD});
    unsigned held = add(&try, (struct fault_rule){.match = aborts(try.key), .action = FAULT_HOLD});
    try.call.deadline_ms = 1000;
    try_put(&try);
    CHECK_VERDICT(try.outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(try.outcome, OS_ERR_DEADLINE);
    assert_in_range(try.took_ms, 2500, 6000);
    assert_int_equal(open_uploads(try.f, try.key), 1);
    fault_proxy_release(try.f->store_proxy, parts, FAULT_DISCARD);
    fault_proxy_release(try.f->store_proxy, held, FAULT_DISCARD);
    try_close(&try);
}

/* Somebody's housekeeping, in the midst of the parts: memory can be read again. */
static void an_upload_that_is_aborted_under_its_parts_is_staged_again(void **state)
{
    struct try try;
    char upload[1025];
    try_open(&try, *state, "swept");
    unsigned id = add(&try, (struct fault_rule){.match = parts_of(try.key), .action = FAULT_HOLD, .times = 3});
    assert_int_equal(pthread_create(&try.thread, NULL, try_put, &try), 0);
    assert_true(fault_proxy_wait_hits(try.f->store_proxy, id, 3, 10000));
    upload_of(try.f, try.key, upload);
    abort_upload(try.f, try.key, upload);
    fault_proxy_release(try.f->store_proxy, id, FAULT_FORWARD);
    assert_int_equal(pthread_join(try.thread, NULL), 0);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(count(&try, creations(try.key)), 2);
    check_big(try.client, try.key, LENGTH);
    check_nothing_left(&try);
    try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ the Complete */

static void a_lost_answer_to_the_complete_is_proven_by_the_nonce(void **state)
{
    static const struct fault_rule faults[] = {
        {.action = FAULT_DROP_ANSWER},
        {.action = FAULT_CUT, .bytes = 30},
        {.action = FAULT_ANSWER_AFTER,
         .status = 200,
         .headers = XML,
         .body = FAILURE("InternalError", "We encountered an internal error. Please try again.")},
        {.action = FAULT_ANSWER_AFTER,
         .status = 404,
         .headers = XML,
         .body = FAILURE("NoSuchUpload", "The specified multipart upload does not exist.")},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct try try;
        struct fault_rule rule = faults[i];
        try_open(&try, *state, "lost-complete");
        rule.match = completes(try.key);
        rule.times = 1;
        add(&try, rule);
        try_put(&try);
        CHECK_VERDICT(try.outcome, OS_COMMITTED);
        assert_string_equal(try.outcome.result.rule, "V4");
        assert_int_equal(try.outcome.result.attempts, 1);
        assert_int_equal(count(&try, completes(try.key)), 1);
        assert_int_equal(count(&try, aborts(try.key)), 0); /* MinIO says 204 to the abort of a completed upload */
        check_big(try.client, try.key, LENGTH);
        check_nothing_left(&try);
        try_close(&try);
    }
}

/* R14: the upload is still open when the attempt is dead, so it was never applied; a new guard completes it. */
static void a_complete_that_never_came_is_tried_again_on_the_same_upload(void **state)
{
    struct try try;
    try_open(&try, *state, "complete-reset");
    add(&try, (struct fault_rule){.match = completes(try.key), .action = FAULT_RESET, .times = 1});
    try_put(&try);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(try.outcome.result.guards, 2);
    assert_int_equal(try.outcome.result.attempts, 2);
    assert_in_range(try.took_ms, 3000, 15000); /* no second copy before the first was dead */
    assert_int_equal(count(&try, creations(try.key)), 1);
    check_big(try.client, try.key, LENGTH);
    check_nothing_left(&try);
    try_close(&try);
}

static void an_upload_that_is_aborted_before_its_complete_is_staged_again(void **state)
{
    struct try try;
    char upload[1025];
    try_open(&try, *state, "gone");
    unsigned id = add(&try, (struct fault_rule){.match = completes(try.key), .action = FAULT_HOLD, .times = 1});
    assert_int_equal(pthread_create(&try.thread, NULL, try_put, &try), 0);
    assert_true(fault_proxy_wait_hits(try.f->store_proxy, id, 1, 10000));
    upload_of(try.f, try.key, upload);
    abort_upload(try.f, try.key, upload);
    fault_proxy_release(try.f->store_proxy, id, FAULT_FORWARD);
    assert_int_equal(pthread_join(try.thread, NULL), 0);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(try.outcome.result.attempts, 2);
    assert_int_equal(count(&try, creations(try.key)), 2);
    check_big(try.client, try.key, LENGTH);
    check_nothing_left(&try);
    try_close(&try);
}

/* R7: on a store whose 409 leaves the expectation undecided, parts are staged again, where they can be read again. */
static void answer_409_once(struct try *try, os_guard guard)
{
    os_options options = fixture_fast_options(try->f);
    options.part_size = 5 * MIB;
    options.store_profile = "aws";
    options.guard = guard;
    os_client_close(try->client);
    try->client = fixture_client(&options);
    add(try, (struct fault_rule){.match = completes(try->key),
                                 .action = FAULT_ANSWER,
                                 .times = 1,
                                 .status = 409,
                                 .headers = XML,
                                 .body = FAILURE("ConditionalRequestConflict", "Upload the parts again.")});
}

static void after_an_undecided_409_the_parts_are_staged_again(void **state)
{
    static const os_guard guards[] = {OS_GUARD_RECORD, OS_GUARD_NATIVE, OS_GUARD_BOTH};
    for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++) {
        struct try try;
        try_open(&try, *state, "undecided");
        answer_409_once(&try, guards[i]);
        try_put(&try);
        CHECK_VERDICT(try.outcome, OS_COMMITTED);
        assert_int_equal(try.outcome.result.guard, guards[i]);
        assert_int_equal(try.outcome.result.attempts, 2);
        assert_int_equal(count(&try, creations(try.key)), 2);
        assert_int_equal(count(&try, completes(try.key)), 2);
        assert_int_equal(count(&try, aborts(try.key)), 1);
        check_big(try.client, try.key, LENGTH);
        check_nothing_left(&try);
        try_close(&try);
    }
}

static void after_an_undecided_409_a_stream_is_not_executed(void **state)
{
    struct try try;
    struct big_stream stream = {.length = LENGTH};
    try_open(&try, *state, "undecided-stream");
    answer_409_once(&try, OS_GUARD_RECORD);
    try.body = big_stream_body(&stream);
    try_put(&try);
    CHECK_VERDICT(try.outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(try.outcome, OS_ERR_EXPIRED);
    assert_int_equal(count(&try, creations(try.key)), 1);
    CHECK_ABSENT(try.client, try.key);
    check_nothing_left(&try);
    try_close(&try);
}

/* A profile that knows of CRC64NVME: the parts carry it instead of an MD5, and the Complete the sum of the whole. */
static void the_profiles_checksum_goes_with_parts_and_complete(void **state)
{
    struct try try;
    try_open(&try, *state, "sums");
    answer_409_once(&try, OS_GUARD_RECORD);
    fault_proxy_clear(try.f->store_proxy);
    try_put(&try);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    struct fault_match parts = parts_of(try.key);
    struct fault_match complete = completes(try.key);
    parts.has_header = "x-amz-checksum-crc64nvme";
    parts.lacks_header = "content-md5";
    complete.has_header = "x-amz-checksum-crc64nvme";
    assert_int_equal(count(&try, parts), 3);
    assert_int_equal(count(&try, complete), 1);
    check_big(try.client, try.key, LENGTH);
    try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ unknown */

/* Cancelled while nobody knows where its Complete is. */
static void leave_unknown(struct try *try, enum fault_action action, unsigned *ret_rule)
{
    os_cancel *cancel = NULL;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    *ret_rule = add(try, (struct fault_rule){.match = completes(try->key), .action = action, .times = 1});
    try->call.cancel = cancel;
    assert_int_equal(pthread_create(&try->thread, NULL, try_put, try), 0);
    assert_true(fault_proxy_wait_hits(try->f->store_proxy, *ret_rule, 1, 20000));
    os_cancel_trigger(cancel);
    assert_int_equal(pthread_join(try->thread, NULL), 0);
    os_cancel_free(cancel);
    CHECK_VERDICT(try->outcome, OS_UNKNOWN);
    assert_non_null(try->outcome.result.ticket);
    assert_int_equal(count(try, aborts(try->key)), 0);
}

static void an_unknown_complete_is_resolved_by_its_upload(void **state)
{
    struct try try;
    unsigned rule;
    try_open(&try, *state, "unknown");
    leave_unknown(&try, FAULT_HOLD, &rule);
    assert_int_equal(open_uploads(try.f, try.key), 1);
    fault_proxy_release(try.f->store_proxy, rule, FAULT_DISCARD);
    struct outcome resolved = resolve(try.client, try.outcome.result.ticket, NULL);
    CHECK_VERDICT(resolved, OS_NOT_EXECUTED);
    CHECK_ERROR(resolved, OS_ERR_EXPIRED);
    assert_string_equal(resolved.result.rule, "R14");
    assert_string_equal(resolved.result.request, "CompleteMultipartUpload");
    CHECK_ABSENT(try.client, try.key);
    check_nothing_left(&try);
    outcome_clear(&resolved);
    try_close(&try);
}

static void an_unknown_complete_that_was_applied_is_resolved_as_committed(void **state)
{
    struct try try;
    unsigned rule;
    try_open(&try, *state, "applied");
    leave_unknown(&try, FAULT_HOLD_ANSWER, &rule);
    fault_proxy_release(try.f->store_proxy, rule, FAULT_DISCARD);
    struct outcome resolved = resolve(try.client, try.outcome.result.ticket, NULL);
    CHECK_VERDICT(resolved, OS_COMMITTED);
    assert_int_equal(count(&try, aborts(try.key)), 0);
    check_big(try.client, try.key, LENGTH);
    check_nothing_left(&try);
    outcome_clear(&resolved);
    try_close(&try);
}

/* The holder is dead, as far as anybody knows. Its Complete comes after the takeover, and finds no upload. */
static void a_contender_aborts_the_holders_upload_before_it_takes_over(void **state)
{
    struct try try;
    unsigned rule;
    try_open(&try, *state, "contended");
    leave_unknown(&try, FAULT_HOLD, &rule);
    assert_int_equal(open_uploads(try.f, try.key), 1);
    struct outcome next = create(try.client, try.key, "next", NULL);
    CHECK_VERDICT(next, OS_COMMITTED);
    assert_true(next.result.took_over);
    assert_int_equal(count(&try, aborts(try.key)), 1);
    check_nothing_left(&try);
    fault_proxy_release(try.f->store_proxy, rule, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(try.f->store_proxy, rule, 1, 10000));
    CHECK_OBJECT(try.client, try.key, "next");
    struct outcome resolved = resolve(try.client, try.outcome.result.ticket, NULL);
    CHECK_VERDICT(resolved, OS_CONFLICT);
    outcome_clear(&resolved);
    outcome_clear(&next);
    try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ unguarded */

static void an_unguarded_complete_that_is_not_answered_is_undecided(void **state)
{
    struct try try;
    struct big_stream stream = {.length = LENGTH};
    os_error error;
    try_open(&try, *state, "plain-lost");
    add(&try, (struct fault_rule){.match = completes(try.key), .action = FAULT_DROP_ANSWER, .times = 1});
    os_body body = big_stream_body(&stream);
    os_options options = fixture_options(try.f);
    options.stage_above = 5 * MIB;
    os_client *client = fixture_client(&options);
    CHECK_CODE(os_put(client, try.key, &body, NULL, NULL, NULL, &error), OS_ERR_UNDECIDED, &error);
    assert_int_equal(count(&try, aborts(try.key)), 0);
    check_big(client, try.key, LENGTH);
    os_client_close(client);
    try_close(&try);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
        SUITE_TEST(parts_are_sent_until_they_are_there, 0),
        SUITE_TEST(the_creation_of_an_upload_is_asked_for_again, 0),
        SUITE_TEST(a_refused_part_ends_the_call_and_its_upload, 0),
        SUITE_TEST(a_deadline_ends_parts_that_are_not_answered, 0),
        SUITE_TEST(a_stream_is_read_no_further_ahead_than_promised, 0),
        SUITE_TEST(an_abort_that_is_not_answered_keeps_nobody, 0),
        SUITE_TEST(an_upload_that_is_aborted_under_its_parts_is_staged_again, 0),
        SUITE_TEST(a_lost_answer_to_the_complete_is_proven_by_the_nonce, 0),
        SUITE_TEST(a_complete_that_never_came_is_tried_again_on_the_same_upload, BACKEND_FENCE),
        SUITE_TEST(an_upload_that_is_aborted_before_its_complete_is_staged_again, BACKEND_FENCE),
        SUITE_TEST(after_an_undecided_409_the_parts_are_staged_again, BACKEND_FENCE),
        SUITE_TEST(after_an_undecided_409_a_stream_is_not_executed, BACKEND_FENCE),
        SUITE_TEST(the_profiles_checksum_goes_with_parts_and_complete, BACKEND_FENCE),
        SUITE_TEST(an_unknown_complete_is_resolved_by_its_upload, BACKEND_FENCE),
        SUITE_TEST(an_unknown_complete_that_was_applied_is_resolved_as_committed, 0),
        SUITE_TEST(a_contender_aborts_the_holders_upload_before_it_takes_over, 0),
        SUITE_TEST(an_unguarded_complete_that_is_not_answered_is_undecided, 0),
        {0}};
    static const struct suite suite = {
        .name = "faults around staged uploads", .tests = tests, .needs = BACKEND_S3 | BACKEND_UPLOADS};
    return suite_main(&suite, argc, argv);
}
