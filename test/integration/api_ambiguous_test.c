/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attempts that were not answered for certain (R10, R13): lost, made-up, late and half-way answers to PUT, COPY and
 * DELETE. Times are short: an attempt is dead ten seconds after it was signed. os_resolve stands in
 * api_resolve_test.c.
 */
#include "support/raw_service.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XML "Content-Type: application/xml\r\nx-amz-request-id: MADEUP\r\n"
#define FAILURE(code, message) \
    "<?xml version=\"1.0\"?><Error><Code>" code "</Code><Message>" message "</Message></Error>"

/* At the least, from before an attempt was signed: length, allowance, margin, less what a Date leaves out. */
enum { DEAD_MS = 9000 };

static struct fault_match attempt_on(const char *key)
{
    return (struct fault_match){.method = "PUT", .path_contains = key};
}

static unsigned add(struct fixture *f, struct fault_rule rule)
{
    unsigned id = fault_proxy_add(f->store_proxy, &rule);
    assert_true(id > 0);
    return id;
}

struct
try {
    struct fixture *f;
    os_client *client;
    const char *key;
    struct fault_match attempts;
    pthread_t thread;
    struct outcome outcome;
    uint64_t took_ms;
    uint64_t deadline_ms; /* 0: the default */
};

static struct try try_open(struct fixture *f, const char *name, os_toggle condition_headers)
{
    struct try try = {.f = f};
    assert_true(fixture_proxies(f));
    os_options options = fixture_fast_options(f);
    options.condition_headers = condition_headers;
    try.client = fixture_client(&options);
    try.key = fixture_key(f, name);
    try.attempts = attempt_on(try.key);
    return try;
}

static void *try_create(void *argument)
{
    struct try *try = argument;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = try->deadline_ms;
    uint64_t start = now_ms();
    try->outcome = create(try->client, try->key, "ours", &call);
    try->took_ms = now_ms() - start;
    return NULL;
}

static void try_close(struct try *try)
{
    outcome_clear(&try->outcome);
    os_client_close(try->client);
}
#define ENDED __attribute__((cleanup(try_close)))

/* R6, R13: every attempt has left once, none was repeated by a lower layer. */
static void check_sent(const struct try *try, size_t attempts)
{
    assert_int_equal(fault_proxy_count(try->f->store_proxy, &try->attempts), attempts);
    assert_int_equal(try->outcome.result.attempts, attempts);
}

/* ------------------------------------------------------------------------------------------- V4, row A */

static void proven_by_nonce(struct fixture *f, const char *name, struct fault_rule rule)
{
    ENDED struct try try = try_open(f, name, OS_OFF);
    rule.match = try.attempts;
    rule.times = 1;
    add(f, rule);
    try_create(&try);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_string_equal(try.outcome.result.rule, "V4");
    assert_true(try.took_ms < DEAD_MS); /* it did not wait for that */
    check_sent(&try, 1);
    CHECK_OBJECT(try.client, try.key, "ours");
    assert_string_equal(try.outcome.result.etag, "\"abdc793c700a0f9110566c092398985f\"");
}

SUITE_TEST(a_lost_answer_to_put_is_proven_by_the_nonce, 0)
{
    proven_by_nonce(f, "lost-put", (struct fault_rule){.action = FAULT_DROP_ANSWER});
}

SUITE_TEST(a_500_after_the_put_was_applied_is_proven_by_the_nonce, 0)
{
    proven_by_nonce(f, "put-500",
                    (struct fault_rule){.action = FAULT_ANSWER_AFTER,
                                        .status = 500,
                                        .headers = XML,
                                        .body = FAILURE("InternalError", "We encountered an internal error.")});
}

SUITE_TEST(a_put_that_a_layer_sends_twice_is_committed_once, BACKEND_REAL)
{
    ENDED struct try try = try_open(f, "put-twice", OS_ON); /* the second copy meets 412: no word about the first */
    add(f, (struct fault_rule){.match = try.attempts, .action = FAULT_REPLAY, .times = 1});
    try_create(&try);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    CHECK_OBJECT(try.client, try.key, "ours");
}

SUITE_TEST(a_copy_whose_answer_is_empty_is_proven_by_the_nonce, BACKEND_V4)
{
    ENDED struct try try = try_open(f, "copy-empty-answer", OS_OFF);
    put_plain(try.client, "copied-source", "source", NULL);
    add(f, (struct fault_rule){
               .match = try.attempts, .action = FAULT_ANSWER_AFTER, .times = 1, .status = 200, .headers = XML});
    try.outcome = copy(try.client, "copied-source", try.key, NULL);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_string_equal(try.outcome.result.rule, "V4");
    check_sent(&try, 1);
    CHECK_OBJECT(try.client, try.key, "source");
}

/* ------------------------------------------------------------------------------- row D, then a new guard */

static const struct {
    const char *name;
    const char *key;
    os_toggle condition_headers;
    struct fault_rule rule; /* of the first attempt */
} waited_out[] = {
    {.name = "a connection that dies before the PUT is waited out",
     .key = "put-reset",
     .condition_headers = OS_OFF,
     .rule = {.action = FAULT_RESET}},
    {.name = "a 503 to the PUT is waited out",
     .key = "put-503",
     .condition_headers = OS_OFF,
     .rule = {.action = FAULT_ANSWER,
              .status = 503,
              .headers = XML,
              .body = FAILURE("SlowDown", "Please reduce your request rate.")}},
    {.name = "signature_expired_is_never_definite", /* docs/counterexamples.md */
     .key = "put-expired",
     .condition_headers = OS_OFF,
     .rule = {.action = FAULT_ANSWER,
              .status = 403,
              .headers = XML,
              .body = FAILURE("AccessDenied", "Request has expired")}},
    {.name = "a 409 of an unknown store is ambiguous",
     .key = "put-409",
     .condition_headers = OS_ON,
     .rule = {.action = FAULT_ANSWER,
              .status = 409,
              .headers = XML,
              .body = FAILURE("ConditionalRequestConflict", "At least one of the conditions was changed.")}},
};

SUITE_ROWS(waited_out, a_put_is_dead_then_tried_again, BACKEND_REAL)
{
    ENDED struct try try = try_open(f, row->key, row->condition_headers);
    struct fault_rule rule = row->rule;
    rule.match = try.attempts;
    rule.times = 1;
    unsigned id = add(f, rule);
    try_create(&try);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(try.outcome.result.guards, 2);
    assert_int_equal(fault_proxy_hits(f->store_proxy, id), 1);
    check_sent(&try, 2);
    assert_in_range(try.took_ms, DEAD_MS, 60000); /* no second copy before the first was dead */
    CHECK_OBJECT(try.client, try.key, "ours");
}

SUITE_TEST(a_copy_answered_200_with_an_error_inside_is_not_a_commit, BACKEND_REAL)
{
    ENDED struct try try = try_open(f, "copy-200-error", OS_OFF);
    put_plain(try.client, "copied-source", "source", NULL);
    add(f, (struct fault_rule){.match = try.attempts,
                               .action = FAULT_ANSWER,
                               .times = 1,
                               .status = 200,
                               .headers = XML,
                               .body = FAILURE("InternalError", "We encountered an internal error.")});
    try.outcome = copy(try.client, "copied-source", try.key, NULL);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(try.outcome.result.guards, 2);
    check_sent(&try, 2);
    CHECK_OBJECT(try.client, try.key, "source");
}

SUITE_TEST(an_update_whose_connection_died_is_tried_again_on_the_very_version, BACKEND_REAL)
{
    ENDED struct try try = try_open(f, "update-reset", OS_OFF);
    CLEARED struct outcome first = create(try.client, try.key, "first", NULL);
    CHECK_VERDICT(first, OS_COMMITTED);
    fault_proxy_forget(f->store_proxy);
    add(f, (struct fault_rule){.match = try.attempts, .action = FAULT_RESET, .times = 1});
    try.outcome = replace(try.client, try.key, first.result.etag, "ours", NULL);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(try.outcome.result.guards, 2);
    check_sent(&try, 2);
    CHECK_OBJECT(try.client, try.key, "ours");
}

/* ------------------------------------------------------------------------------------------- rows B and C */

SUITE_TEST(a_412_although_the_very_version_is_there_is_not_executed, BACKEND_REAL)
{
    ENDED struct try try = try_open(f, "row-b", OS_ON);
    add(f, (struct fault_rule){
               .match = try.attempts,
               .action = FAULT_ANSWER,
               .times = 1,
               .status = 412,
               .headers = XML,
               .body = FAILURE("PreconditionFailed", "At least one of the pre-conditions you specified did not hold")});
    try_create(&try);
    CHECK_VERDICT(try.outcome, OS_NOT_EXECUTED);
    assert_string_equal(try.outcome.result.rule, "R13.B");
    CHECK_SAYS(&try.outcome.error, try.key);
    check_sent(&try, 1);
    CHECK_ABSENT(try.client, try.key);
}

/* The PUT is held until an outsider has written the key. */
static void create_beside_outsider(struct try *try, enum fault_release how)
{
    unsigned id = add(try->f, (struct fault_rule){.match = try->attempts, .action = FAULT_HOLD, .times = 1});
    assert_int_equal(pthread_create(&try->thread, NULL, try_create, try), 0);
    assert_true(fault_proxy_wait_hits(try->f->store_proxy, id, 1, 60000));
    char path[160];
    snprintf(path, sizeof(path), "/%s/%s", try->f->bucket, try->key);
    assert_int_equal(raw_s3(try->f->store_endpoint, "PUT", path, "outsider", NULL), 200);
    fault_proxy_release(try->f->store_proxy, id, how);
    pthread_join(try->thread, NULL);
}

SUITE_TEST(an_outsider_between_record_and_put_is_a_conflict_with_condition_headers, BACKEND_REAL)
{
    ENDED struct try try = try_open(f, "row-c", OS_ON);
    create_beside_outsider(&try, FAULT_FORWARD);
    CHECK_VERDICT(try.outcome, OS_CONFLICT);
    assert_string_equal(try.outcome.result.rule, "R13.C");
    assert_string_equal(try.outcome.result.found_etag, "\"bed945e0718a876291b22dd13f70586a\"");
    CHECK_OBJECT(try.client, try.key, "outsider");
}

SUITE_TEST(a_stripped_condition_header_breaks_the_signature, BACKEND_REAL)
{
    ENDED struct try try = try_open(f, "stripped", OS_ON);
    unsigned id =
        add(f, (struct fault_rule){.match = try.attempts, .action = FAULT_STRIP_REQUEST, .header = "if-none-match"});
    try.deadline_ms = 4000;
    try_create(&try);
    assert_int_not_equal(try.outcome.verdict, OS_COMMITTED);
    fault_proxy_remove(f->store_proxy, id);
    CHECK_ABSENT(try.client, try.key);
}

/* ------------------------------------------------------------------------------------------------ row E */

SUITE_TEST(a_late_put_after_the_fence_is_refused_and_harms_nobody, BACKEND_REAL)
{
    ENDED struct try late = try_open(f, "late-put", OS_OFF);
    unsigned id = add(f, (struct fault_rule){.match = late.attempts, .action = FAULT_HOLD, .times = 1});
    late.deadline_ms = 8000; /* before its fence, so that it makes no second attempt */
    uint64_t start = now_ms();
    assert_int_equal(pthread_create(&late.thread, NULL, try_create, &late), 0);
    assert_true(fault_proxy_wait_hits(f->store_proxy, id, 1, 60000));

    os_options options = fixture_fast_options(f);
    CLOSED os_client *other = fixture_client(&options);
    CLEARED struct outcome winner = create(other, late.key, "the winner's", NULL);
    CHECK_VERDICT(winner, OS_COMMITTED);
    assert_true(winner.result.took_over);
    assert_in_range(now_ms() - start, DEAD_MS, 60000);
    pthread_join(late.thread, NULL);
    CHECK_VERDICT(late.outcome, OS_UNKNOWN);

    fault_proxy_release(f->store_proxy, id, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(f->store_proxy, id, 1, 60000));
    struct fault_seen seen;
    assert_true(fault_proxy_seen(f->store_proxy, &late.attempts, 0, &seen));
    assert_int_equal(seen.upstream_status, 403);
    fault_seen_free(&seen);
    CHECK_OBJECT(other, late.key, "the winner's");
    CLEARED struct outcome settled = resolve(late.client, late.outcome.result.ticket, NULL);
    CHECK_VERDICT(settled, OS_CONFLICT);
    assert_string_equal(settled.result.rule, "R13.E");
    assert_string_equal(settled.result.found_etag, winner.result.etag);
}

/* ------------------------------------------------------------------------------------------------ row F */

SUITE_TEST(an_outsiders_object_where_ours_was_lost_is_unknown, BACKEND_REAL)
{
    ENDED struct try try = try_open(f, "row-f", OS_OFF);
    create_beside_outsider(&try, FAULT_DISCARD);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    CHECK_ERROR(try.outcome, OS_ERR_UNDECIDED);
    assert_string_equal(try.outcome.result.rule, "R13.F");
    assert_non_null(try.outcome.result.ticket);
    CHECK_OBJECT(try.client, try.key, "outsider");
}

SUITE_TEST(a_delete_that_was_applied_and_not_answered_is_unknown, BACKEND_REAL)
{
    ENDED struct try try = try_open(f, "delete-lost", OS_OFF);
    char etag[128];
    put_plain(try.client, try.key, "x", etag);
    add(f, (struct fault_rule){
               .match = {.method = "DELETE", .path_contains = try.key}, .action = FAULT_DROP_ANSWER, .times = 1});
    try.outcome = delete_version(try.client, try.key, etag, NULL);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    assert_non_null(try.outcome.result.ticket);
    CHECK_SAYS(&try.outcome.error, try.key);
    CHECK_ABSENT(try.client, try.key);
}

/* -------------------------------------------------------------------------------------- stores without a fence */

SUITE_TEST(without_a_fence_a_lost_attempt_is_unknown_at_the_deadline, 0)
{
    if (f->backend->features & BACKEND_FENCE)
        skip();
    ENDED struct try try = try_open(f, "never-dead", OS_OFF);
    add(f, (struct fault_rule){.match = try.attempts, .action = FAULT_RESET, .times = 1});
    try.deadline_ms = 15000; /* past what would be a fence */
    try_create(&try);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    assert_non_null(try.outcome.result.ticket);
    assert_in_range(try.took_ms, 14800, 60000);
    check_sent(&try, 1);
    assert_false(try.outcome.result.fenced);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {
        .name = "ambiguous attempts", .needs = BACKEND_DYNAMO, .only = "minio,gofakes3,minio+v2"};
    return suite_main(&suite, argc, argv);
}
