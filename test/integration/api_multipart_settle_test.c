/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last step of a call whose Complete came to nothing (R14): the abort of its upload, and the look after it. Times
 * are short: an attempt is dead ten seconds after it was signed.
 */
#include "support/multipart_try.h"
#include "support/suite.h"

#include <pthread.h>

/* A Complete that the store is at for longer than its allowance: no answer comes, it is called dead, the upload is
 * still open, and the next guard's Complete of it is answered by a 409. The test does the store's work later. */
static void lose_a_slow_complete(struct multipart_try *try)
{
    multipart_try_answer_409(try, OS_GUARD_RECORD, 2);
    multipart_try_add(try,
                      (struct fault_rule){.match = multipart_completes(try->key), .action = FAULT_RESET, .times = 1});
}

static void complete_at_last(const struct multipart_try *try)
{
    char upload[1025];
    upload_of(try->f, try->key, upload);
    complete_upload(try->f, try->key, upload);
}

/* R14: the upload is aborted first, and then the object is looked at: nothing is staged again beside our own commit. */
SUITE_TEST(a_complete_that_outlasts_its_allowance_is_committed, BACKEND_FENCE)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "slow-complete");
    lose_a_slow_complete(&try);
    unsigned held =
        multipart_try_add(&try, (struct fault_rule){.match = multipart_aborts(try.key), .action = FAULT_HOLD});
    assert_int_equal(pthread_create(&try.thread, NULL, multipart_try_put, &try), 0);
    assert_true(fault_proxy_wait_hits(try.f->store_proxy, held, 1, 60000));
    complete_at_last(&try);
    fault_proxy_release(try.f->store_proxy, held, FAULT_FORWARD);
    assert_int_equal(pthread_join(try.thread, NULL), 0);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_string_equal(try.outcome.result.rule, "V4");
    assert_string_not_equal(try.outcome.result.etag, "");
    assert_int_equal(try.outcome.result.attempts, 2);
    assert_int_equal(multipart_try_count(&try, multipart_creations(try.key)), 1);
    check_big(try.client, try.key, STAGED_LENGTH);
    check_no_uploads(&try);
    multipart_try_close(&try);
}

/* While it may not abort the upload, nobody can say that the Complete is lost; not by a ticket either. */
SUITE_TEST(a_slow_complete_whose_upload_cannot_be_aborted_is_unknown, BACKEND_FENCE)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "slow-denied");
    lose_a_slow_complete(&try);
    multipart_try_add(&try, (struct fault_rule){.match = multipart_aborts(try.key),
                                                .action = FAULT_ANSWER,
                                                .status = 403,
                                                .headers = XML,
                                                .body = FAILURE("AccessDenied", "Access Denied.")});
    multipart_try_put(&try);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    CHECK_ERROR(try.outcome, OS_ERR_UNDECIDED);
    assert_int_equal(multipart_try_count(&try, multipart_creations(try.key)), 1);
    struct outcome resolved = resolve(try.client, try.outcome.result.ticket, NULL);
    CHECK_VERDICT(resolved, OS_UNKNOWN);
    complete_at_last(&try);
    struct outcome again = resolve(try.client, resolved.result.ticket, NULL);
    CHECK_VERDICT(again, OS_COMMITTED);
    check_big(try.client, try.key, STAGED_LENGTH);
    outcome_clear(&again);
    outcome_clear(&resolved);
    multipart_try_close(&try);
}

struct resolving {
    os_client *client;
    const char *ticket;
    const os_call *call;
    struct outcome outcome;
};

static void *resolve_beside(void *argument)
{
    struct resolving *resolving = argument;
    resolving->outcome = resolve(resolving->client, resolving->ticket, resolving->call);
    return NULL;
}

SUITE_TEST(a_slow_complete_that_lands_before_its_ticket_is_settled_is_committed, BACKEND_FENCE)
{
    struct multipart_try try;
    unsigned rule;
    multipart_try_open(&try, f, "slow-ticket");
    multipart_try_leave_unknown(&try, FAULT_HOLD, &rule);
    fault_proxy_release(try.f->store_proxy, rule, FAULT_DISCARD);
    unsigned held =
        multipart_try_add(&try, (struct fault_rule){.match = multipart_aborts(try.key), .action = FAULT_HOLD});
    struct resolving resolving = {.client = try.client, .ticket = try.outcome.result.ticket};
    assert_int_equal(pthread_create(&try.thread, NULL, resolve_beside, &resolving), 0);
    assert_true(fault_proxy_wait_hits(try.f->store_proxy, held, 1, 60000));
    complete_at_last(&try);
    fault_proxy_release(try.f->store_proxy, held, FAULT_FORWARD);
    assert_int_equal(pthread_join(try.thread, NULL), 0);
    CHECK_VERDICT(resolving.outcome, OS_COMMITTED);
    assert_string_equal(resolving.outcome.result.rule, "V4");
    check_big(try.client, try.key, STAGED_LENGTH);
    outcome_clear(&resolving.outcome);
    multipart_try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ other writers */

/* A ticket's settlement that waits at its abort. The Complete was called lost, and its upload is still open. */
static unsigned begin_to_settle(struct multipart_try *try, struct resolving *resolving)
{
    unsigned rule;
    multipart_try_leave_unknown(try, FAULT_HOLD, &rule);
    fault_proxy_release(try->f->store_proxy, rule, FAULT_DISCARD);
    unsigned held = multipart_try_add(
        try, (struct fault_rule){.match = multipart_aborts(try->key), .action = FAULT_HOLD, .times = 1});
    resolving->client = try->client;
    resolving->ticket = try->outcome.result.ticket;
    assert_int_equal(pthread_create(&try->thread, NULL, resolve_beside, resolving), 0);
    assert_true(fault_proxy_wait_hits(try->f->store_proxy, held, 1, 60000));
    return held;
}

static void end_settling(struct multipart_try *try, unsigned held)
{
    fault_proxy_release(try->f->store_proxy, held, FAULT_FORWARD);
    assert_int_equal(pthread_join(try->thread, NULL), 0);
}

/* The record of a lost Complete is not released: the next writer aborts the upload before he writes. */
static void check_next_writer(struct multipart_try *try)
{
    CLEARED struct outcome next = create(try->client, try->key, "next", NULL);
    CHECK_VERDICT(next, OS_COMMITTED);
    assert_true(next.result.took_over);
    assert_int_equal(multipart_try_count(try, multipart_aborts(try->key)), 2);
    check_no_uploads(try);
}

SUITE_TEST(a_complete_that_is_being_settled_keeps_its_record, BACKEND_FENCE)
{
    struct multipart_try try;
    struct resolving resolving = {.call = NULL};
    multipart_try_open(&try, f, "settle-record");
    unsigned held = begin_to_settle(&try, &resolving);
    check_next_writer(&try);
    end_settling(&try, held);
    CHECK_VERDICT(resolving.outcome, OS_UNKNOWN);
    struct outcome again = resolve(try.client, resolving.outcome.result.ticket, NULL);
    CHECK_VERDICT(again, OS_CONFLICT);
    CHECK_OBJECT(try.client, try.key, "next");
    outcome_clear(&again);
    outcome_clear(&resolving.outcome);
    multipart_try_close(&try);
}

/* Not by the next guard of its call either, whose own Complete was answered. */
SUITE_TEST(the_next_guard_keeps_the_record_of_a_slow_complete, BACKEND_FENCE)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "slow-record");
    lose_a_slow_complete(&try);
    unsigned held = multipart_try_add(
        &try, (struct fault_rule){.match = multipart_aborts(try.key), .action = FAULT_HOLD, .times = 1});
    assert_int_equal(pthread_create(&try.thread, NULL, multipart_try_put, &try), 0);
    assert_true(fault_proxy_wait_hits(try.f->store_proxy, held, 1, 60000));
    check_next_writer(&try);
    end_settling(&try, held);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    assert_non_null(try.outcome.result.ticket);
    CHECK_OBJECT(try.client, try.key, "next");
    multipart_try_close(&try);
}

SUITE_TEST(a_slow_complete_that_was_replaced_is_unknown, BACKEND_FENCE)
{
    struct multipart_try try;
    struct resolving resolving = {.call = NULL};
    multipart_try_open(&try, f, "slow-replaced");
    unsigned held = begin_to_settle(&try, &resolving);
    complete_at_last(&try);
    put_plain(try.client, try.key, "next", NULL);
    end_settling(&try, held);
    CHECK_VERDICT(resolving.outcome, OS_UNKNOWN);
    assert_non_null(resolving.outcome.result.ticket);
    CHECK_OBJECT(try.client, try.key, "next");
    outcome_clear(&resolving.outcome);
    multipart_try_close(&try);
}

/* MinIO accepts the abort of a completed upload, so the proxy says what other stores say. */
SUITE_TEST(a_slow_complete_that_may_have_been_deleted_is_unknown, BACKEND_FENCE)
{
    struct multipart_try try;
    struct resolving resolving = {.call = NULL};
    multipart_try_open(&try, f, "slow-deleted");
    unsigned held = begin_to_settle(&try, &resolving);
    multipart_try_add(&try, (struct fault_rule){.match = multipart_aborts(try.key),
                                                .action = FAULT_ANSWER,
                                                .status = 404,
                                                .headers = XML,
                                                .body = FAILURE("NoSuchUpload", "No such upload.")});
    complete_at_last(&try);
    CHECK_CODE(os_delete(try.client, try.key, NULL, &resolving.outcome.error), OS_OK, &resolving.outcome.error);
    fault_proxy_release(try.f->store_proxy, held, FAULT_DISCARD);
    assert_int_equal(pthread_join(try.thread, NULL), 0);
    CHECK_VERDICT(resolving.outcome, OS_UNKNOWN);
    assert_non_null(resolving.outcome.result.ticket);
    CHECK_ABSENT(try.client, try.key);
    outcome_clear(&resolving.outcome);
    multipart_try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ what is gone */

static struct fault_match asks_for_parts(const char *key)
{
    return (struct fault_match){.method = "GET", .path_contains = key, .query_contains = "uploadId"};
}

/* The first ListParts is that of the round in which the Complete was dead. */
SUITE_TEST(only_its_name_says_that_an_upload_is_gone, BACKEND_FENCE)
{
    static const struct fault_rule answers[] = {
        {.action = FAULT_ANSWER, .status = 404, .headers = XML, .body = "", .first = 2},
        {.action = FAULT_ANSWER, .status = 200, .headers = XML, .body = "<nothing/>", .first = 2},
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct multipart_try try;
        unsigned rule;
        multipart_try_open(&try, f, "strange-parts");
        multipart_try_leave_unknown(&try, FAULT_HOLD, &rule);
        fault_proxy_release(try.f->store_proxy, rule, FAULT_DISCARD);
        struct fault_rule strange = answers[i];
        strange.match = asks_for_parts(try.key);
        multipart_try_add(&try, strange);
        uint64_t start = now_ms();
        struct outcome resolved = resolve(try.client, try.outcome.result.ticket, NULL);
        CHECK_VERDICT(resolved, OS_UNKNOWN);
        assert_in_range(now_ms() - start, 2000, 60000); /* the call's own time: two minutes */
        check_no_uploads(&try);
        outcome_clear(&resolved);
        multipart_try_close(&try);
    }
}

SUITE_TEST(who_may_not_ask_for_parts_believes_that_the_abort_was_accepted, BACKEND_FENCE)
{
    struct multipart_try try;
    unsigned rule;
    multipart_try_open(&try, f, "denied-parts");
    multipart_try_leave_unknown(&try, FAULT_HOLD, &rule);
    fault_proxy_release(try.f->store_proxy, rule, FAULT_DISCARD);
    multipart_try_add(&try, (struct fault_rule){.match = asks_for_parts(try.key),
                                                .action = FAULT_ANSWER,
                                                .first = 2,
                                                .status = 403,
                                                .headers = XML,
                                                .body = FAILURE("AccessDenied", "Access Denied.")});
    struct outcome resolved = resolve(try.client, try.outcome.result.ticket, NULL);
    CHECK_VERDICT(resolved, OS_NOT_EXECUTED);
    check_no_uploads(&try);
    outcome_clear(&resolved);
    multipart_try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ its end */

enum { LONG_MS = 120000, SHORT_MS = 60000 };

SUITE_TEST(an_upload_that_never_goes_does_not_hold_up_the_call, 0)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "stays");
    multipart_try_add(&try,
                      (struct fault_rule){.match = multipart_completes(try.key),
                                          .action = FAULT_ANSWER,
                                          .status = 400,
                                          .headers = XML,
                                          .body = FAILURE("InvalidPart", "One or more parts could not be found.")});
    multipart_try_add(&try, (struct fault_rule){.match = asks_for_parts(try.key),
                                                .action = FAULT_ANSWER,
                                                .status = 200,
                                                .headers = XML,
                                                .body = "<ListPartsResult><IsTruncated>false</IsTruncated>"
                                                        "</ListPartsResult>"});
    try.call.deadline_ms = LONG_MS;
    multipart_try_put(&try);
    CHECK_VERDICT(try.outcome, OS_NOT_EXECUTED);
    assert_in_range(multipart_try_count(&try, multipart_aborts(try.key)), 4, 200); /* of two uploads */
    assert_in_range(try.took_ms, 0, SHORT_MS);
    check_no_uploads(&try);
    multipart_try_close(&try);
}

static void hold_parts_and_aborts(struct multipart_try *try, unsigned *ret_parts, unsigned *ret_aborts)
{
    *ret_parts = multipart_try_add(try, (struct fault_rule){.match = multipart_parts(try->key), .action = FAULT_HOLD});
    *ret_aborts =
        multipart_try_add(try, (struct fault_rule){.match = multipart_aborts(try->key), .action = FAULT_HOLD});
    try->call.deadline_ms = LONG_MS;
    assert_int_equal(pthread_create(&try->thread, NULL, multipart_try_put, try), 0);
    assert_true(fault_proxy_wait_hits(try->f->store_proxy, *ret_parts, 1, 60000));
}

static void check_ended_soon(struct multipart_try *try, unsigned parts, unsigned aborts)
{
    CHECK_VERDICT(try->outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(try->outcome, OS_ERR_CANCELLED);
    assert_in_range(try->took_ms, 0, SHORT_MS);
    fault_proxy_release(try->f->store_proxy, parts, FAULT_DISCARD);
    fault_proxy_release(try->f->store_proxy, aborts, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(try->f->store_proxy, aborts, 1, 60000));
}

SUITE_TEST(cancellation_ends_the_abort_soon, 0)
{
    struct multipart_try try;
    unsigned parts, aborts;
    os_cancel *cancel = NULL;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    multipart_try_open(&try, f, "cancel-dark");
    try.call.cancel = cancel;
    hold_parts_and_aborts(&try, &parts, &aborts);
    os_cancel_trigger(cancel);
    assert_int_equal(pthread_join(try.thread, NULL), 0);
    check_ended_soon(&try, parts, aborts);
    os_cancel_free(cancel);
    multipart_try_close(&try);
}

SUITE_TEST(closing_the_client_ends_the_abort_soon, 0)
{
    struct multipart_try try;
    unsigned parts, aborts;
    multipart_try_open(&try, f, "close-dark");
    hold_parts_and_aborts(&try, &parts, &aborts);
    uint64_t start = now_ms();
    os_client_close(try.client);
    try.client = NULL;
    assert_in_range(now_ms() - start, 0, SHORT_MS);
    assert_int_equal(pthread_join(try.thread, NULL), 0);
    check_ended_soon(&try, parts, aborts);
    multipart_try_close(&try);
}

/* What was sent before stays unknown then: neither the abort nor the look is left out, nor waited for long. */
SUITE_TEST(cancellation_ends_the_settlement_soon, BACKEND_FENCE)
{
    for (int is_head = 0; is_head < 2; is_head++) {
        struct multipart_try try;
        struct resolving resolving = {.call = NULL};
        os_call call = OS_CALL_INIT;
        assert_int_equal(os_cancel_new(&call.cancel), OS_OK);
        call.deadline_ms = LONG_MS;
        multipart_try_open(&try, f, "cancel-settling");
        resolving.call = &call;
        unsigned held = begin_to_settle(&try, &resolving);
        const struct fault_match heads = {.method = "HEAD", .path_contains = try.key};
        unsigned head = 0;
        if (is_head) {
            head = multipart_try_add(&try, (struct fault_rule){.match = heads, .action = FAULT_HOLD});
            fault_proxy_release(try.f->store_proxy, held, FAULT_FORWARD);
            assert_true(fault_proxy_wait_hits(try.f->store_proxy, head, 1, 60000));
        }
        uint64_t start = now_ms();
        os_cancel_trigger(call.cancel);
        assert_int_equal(pthread_join(try.thread, NULL), 0);
        assert_in_range(now_ms() - start, 1000, SHORT_MS);
        CHECK_VERDICT(resolving.outcome, OS_UNKNOWN);
        assert_non_null(resolving.outcome.result.ticket);
        fault_proxy_clear(try.f->store_proxy);
        outcome_clear(&resolving.outcome);
        os_cancel_free(call.cancel);
        multipart_try_close(&try);
    }
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "the end of lost Completes", .needs = BACKEND_S3 | BACKEND_UPLOADS};
    return suite_main(&suite, argc, argv);
}
