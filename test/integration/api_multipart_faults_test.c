/* SPDX-License-Identifier: Apache-2.0 */
/* Faults while parts are sent: they go again, or the call ends and takes its upload with it (R15). Times are short. */
#include "support/multipart_try.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

SUITE_TEST(parts_are_sent_until_they_are_there, 0)
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
    struct multipart_try try;
    multipart_try_open(&try, f, "parts");
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct fault_rule rule = faults[i];
        rule.match = multipart_parts(try.key);
        rule.times = 1;
        multipart_try_add(&try, rule);
    }
    multipart_try_put(&try);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(try.outcome.result.attempts, 1);
    assert_int_equal(multipart_try_count(&try, multipart_parts(try.key)), 3 + sizeof(faults) / sizeof(faults[0]));
    assert_int_equal(multipart_try_count(&try, multipart_aborts(try.key)), 0);
    check_big(try.client, try.key, STAGED_LENGTH);
    check_no_uploads(&try);
    multipart_try_close(&try);
}

SUITE_TEST(the_creation_of_an_upload_is_asked_for_again, 0)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "creation");
    multipart_try_add(&try, (struct fault_rule){.match = multipart_creations(try.key),
                                                .action = FAULT_ANSWER,
                                                .times = 2,
                                                .status = 503,
                                                .headers = XML,
                                                .body = FAILURE("SlowDown", "Please reduce your request rate.")});
    multipart_try_put(&try);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(multipart_try_count(&try, multipart_creations(try.key)), 3);
    check_no_uploads(&try);
    multipart_try_close(&try);
}

SUITE_TEST(a_refused_part_ends_the_call_and_its_upload, 0)
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
        struct multipart_try try;
        multipart_try_open(&try, f, "refused");
        multipart_try_add(&try, (struct fault_rule){.match = multipart_parts(try.key),
                                                    .action = FAULT_ANSWER,
                                                    .status = cases[i].status,
                                                    .headers = XML,
                                                    .body = cases[i].body});
        multipart_try_put(&try);
        CHECK_VERDICT(try.outcome, OS_NOT_EXECUTED);
        CHECK_ERROR(try.outcome, cases[i].code);
        assert_int_equal(try.outcome.result.attempts, 0);
        assert_int_equal(multipart_try_count(&try, multipart_aborts(try.key)), 1);
        CHECK_ABSENT(try.client, try.key);
        check_no_uploads(&try);
        multipart_try_close(&try);
    }
}

SUITE_TEST(a_deadline_ends_parts_that_are_not_answered, 0)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "held");
    unsigned id = multipart_try_add(&try, (struct fault_rule){.match = multipart_parts(try.key), .action = FAULT_HOLD});
    try.call.deadline_ms = 4000;
    multipart_try_put(&try);
    CHECK_VERDICT(try.outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(try.outcome, OS_ERR_DEADLINE);
    assert_in_range(try.took_ms, 4000, 60000);
    fault_proxy_release(try.f->store_proxy, id, FAULT_DISCARD);
    check_no_uploads(&try);
    multipart_try_close(&try);
}

/* What the documentation promises of memory: parts_at_once on their way, and one that waits to be sent. */
SUITE_TEST(a_stream_is_read_no_further_ahead_than_promised, 0)
{
    struct multipart_try try;
    struct big_stream endless = {.length = UINT64_C(1) << 50};
    multipart_try_open(&try, f, "ahead");
    os_options options = fixture_fast_options(try.f);
    options.part_size = 5 * MIB;
    options.stage_above = MIB;
    options.parts_at_once = 2;
    os_client *client = fixture_client(&options);
    unsigned id = multipart_try_add(&try, (struct fault_rule){.match = multipart_parts(try.key), .action = FAULT_HOLD});
    os_body body = big_stream_body(&endless);
    try.call.deadline_ms = 8000; /* less than the patience with a part that is not answered */
    struct outcome outcome = put_absent(client, try.key, &body, &try.call);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_DEADLINE);
    assert_int_equal(multipart_try_count(&try, multipart_parts(try.key)), 2);
    assert_int_equal(endless.offset, 3 * 5 * MIB);
    fault_proxy_release(try.f->store_proxy, id, FAULT_DISCARD);
    check_no_uploads(&try);
    outcome_clear(&outcome);
    os_client_close(client);
    multipart_try_close(&try);
}

SUITE_TEST(an_abort_that_is_not_answered_keeps_nobody, 0)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "abort-held");
    unsigned parts =
        multipart_try_add(&try, (struct fault_rule){.match = multipart_parts(try.key), .action = FAULT_HOLD});
    unsigned held =
        multipart_try_add(&try, (struct fault_rule){.match = multipart_aborts(try.key), .action = FAULT_HOLD});
    try.call.deadline_ms = 5000; /* the upload is there by then */
    multipart_try_put(&try);
    CHECK_VERDICT(try.outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(try.outcome, OS_ERR_DEADLINE);
    assert_in_range(try.took_ms, 7000, 60000);
    assert_int_equal(open_uploads(try.f, try.key), 1);
    fault_proxy_release(try.f->store_proxy, parts, FAULT_DISCARD);
    fault_proxy_release(try.f->store_proxy, held, FAULT_DISCARD);
    multipart_try_close(&try);
}

static struct fault_match asked_for_parts(const char *key)
{
    return (struct fault_match){.method = "GET", .path_contains = key, .query_contains = "uploadId"};
}

/* `stream`: what happens before it breaks. */
static void put_broken_stream(struct multipart_try *try, struct big_stream stream)
{
    stream.length = 12 * MIB;
    stream.breaks = true;
    try->body = big_stream_body(&stream);
    multipart_try_put(try);
    CHECK_VERDICT(try->outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(try->outcome, OS_ERR_BODY);
    CHECK_ABSENT(try->client, try->key);
    check_no_uploads(try);
}

/* Parts that the store has taken, and whose answers come as soon as the stream has broken. */
struct drain {
    struct fault_proxy *proxy;
    unsigned parts;
    pthread_t thread;
    bool held;
    bool started;
};

static void *answer_parts(void *argument)
{
    struct drain *drain = argument;
    fault_proxy_release(drain->proxy, drain->parts, FAULT_FORWARD);
    return NULL;
}

static void break_with_two_parts_under_way(void *context)
{
    struct drain *drain = context;
    drain->held = fault_proxy_wait_hits(drain->proxy, drain->parts, 2, 60000);
    drain->started = pthread_create(&drain->thread, NULL, answer_parts, drain) == 0;
}

/* What is answered cannot come later. */
SUITE_TEST(parts_under_way_are_waited_for_before_their_upload_is_aborted, 0)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "drained");
    struct drain drain = {.proxy = try.f->store_proxy};
    drain.parts =
        multipart_try_add(&try, (struct fault_rule){.match = multipart_parts(try.key), .action = FAULT_HOLD_ANSWER});
    put_broken_stream(
        &try, (struct big_stream){.at = 12 * MIB, .meanwhile = break_with_two_parts_under_way, .context = &drain});
    assert_true(drain.held && drain.started);
    assert_int_equal(pthread_join(drain.thread, NULL), 0);
    assert_int_equal(multipart_try_count(&try, multipart_parts(try.key)), 2);
    assert_int_equal(multipart_try_count(&try, multipart_aborts(try.key)), 1);
    assert_int_equal(multipart_try_count(&try, asked_for_parts(try.key)), 1);
    multipart_try_close(&try);
}

struct release {
    struct fault_proxy *proxy;
    unsigned looks;
    unsigned parts;
};

/* The abort was accepted, and the first look found nothing: the parts come before the store sees the second one. */
static void *release_before_the_second_look(void *argument)
{
    struct release *release = argument;
    bool looks = fault_proxy_wait_hits(release->proxy, release->looks, 1, 60000);
    fault_proxy_release(release->proxy, release->parts, FAULT_FORWARD);
    bool came = fault_proxy_wait_finished(release->proxy, release->parts,
                                          fault_proxy_hits(release->proxy, release->parts), 60000);
    fault_proxy_release(release->proxy, release->looks, FAULT_FORWARD);
    return looks && came ? release : NULL;
}

/* A part that was not answered may be taken after the abort: who cannot know looks again. */
SUITE_TEST(a_part_that_comes_after_the_abort_leaves_no_upload, 0)
{
    struct multipart_try try;
    struct release release;
    pthread_t thread;
    void *released = NULL;
    multipart_try_open(&try, f, "late-part");
    release.proxy = try.f->store_proxy;
    release.parts =
        multipart_try_add(&try, (struct fault_rule){.match = multipart_parts(try.key), .action = FAULT_HOLD});
    release.looks = multipart_try_add(
        &try, (struct fault_rule){.match = asked_for_parts(try.key), .action = FAULT_HOLD, .first = 2, .times = 1});
    assert_int_equal(pthread_create(&thread, NULL, release_before_the_second_look, &release), 0);
    put_broken_stream(&try, (struct big_stream){0});
    assert_int_equal(pthread_join(thread, &released), 0);
    assert_non_null(released);
    assert_in_range(multipart_try_count(&try, asked_for_parts(try.key)), 2, 3);
    multipart_try_close(&try);
}

/* Somebody's housekeeping, in the midst of the parts: memory can be read again. */
SUITE_TEST(an_upload_that_is_aborted_under_its_parts_is_staged_again, 0)
{
    struct multipart_try try;
    char upload[1025];
    multipart_try_open(&try, f, "swept");
    unsigned id = multipart_try_add(
        &try, (struct fault_rule){.match = multipart_parts(try.key), .action = FAULT_HOLD, .times = 3});
    assert_int_equal(pthread_create(&try.thread, NULL, multipart_try_put, &try), 0);
    assert_true(fault_proxy_wait_hits(try.f->store_proxy, id, 3, 60000));
    upload_of(try.f, try.key, upload);
    abort_upload(try.f, try.key, upload);
    fault_proxy_release(try.f->store_proxy, id, FAULT_FORWARD);
    assert_int_equal(pthread_join(try.thread, NULL), 0);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(multipart_try_count(&try, multipart_creations(try.key)), 2);
    check_big(try.client, try.key, STAGED_LENGTH);
    check_no_uploads(&try);
    multipart_try_close(&try);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "faults around parts", .needs = BACKEND_S3 | BACKEND_UPLOADS};
    return suite_main(&suite, argc, argv);
}
