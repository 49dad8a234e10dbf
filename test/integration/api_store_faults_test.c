/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of the store that are definite, or that are mended on the spot: refusals (R8), redirects, clocks and tokens
 * (E2), throttled and broken reads, cancellation and deadlines. What ends in R13 stands in api_ambiguous_test.c.
 */
#include "support/raw_service.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MARK "x-amz-request-id: MADEUP\r\n"
#define XML  "Content-Type: application/xml\r\n" MARK
#define FAILURE(code, message) \
    "<?xml version=\"1.0\"?><Error><Code>" code "</Code><Message>" message "</Message></Error>"

/* The HEADs of an object; not the bucket's, and not the probes' (E7). */
static struct fault_match plain_head(const char *key)
{
    return (struct fault_match){.method = "HEAD", .path_contains = key, .has_header = "authorization"};
}

static struct fault_match attempt_on(const char *key)
{
    return (struct fault_match){.method = "PUT", .path_contains = key};
}

enum { SOON_MS = 20000 };

static os_client *proxied(struct fixture *f)
{
    assert_true(fixture_proxies(f));
    os_options options = fixture_options(f);
    options.length_s = 30; /* enough for a slow machine; and a fence is waited for much longer than SOON_MS */
    options.timeout_ms = 60000;
    return fixture_client(&options);
}

static unsigned add(struct fixture *f, struct fault_rule rule)
{
    unsigned id = fault_proxy_add(f->store_proxy, &rule);
    assert_true(id > 0);
    return id;
}

/* ------------------------------------------------------------------------------------------------ R8 */

struct refusal {
    const char *name;
    int status;
    const char *body;
    os_code code;
    const char *service_code;
};

static void check_refusal(struct fixture *f, const struct refusal *refusal)
{
    CLOSED os_client *client = proxied(f);
    const char *key = fixture_key(f, refusal->name);
    unsigned rule = add(f, (struct fault_rule){.match = attempt_on(key),
                                               .action = FAULT_ANSWER,
                                               .times = 1,
                                               .status = refusal->status,
                                               .headers = XML,
                                               .body = refusal->body});
    CLEARED struct outcome outcome = create(client, key, "refused", NULL);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, refusal->code);
    assert_string_equal(outcome.result.rule, "R8");
    assert_int_equal(outcome.result.attempts, 1);
    assert_string_equal(outcome.error.service_code, refusal->service_code);
    assert_int_equal(outcome.error.http_status, refusal->status);
    assert_string_equal(outcome.error.request_id, "MADEUP");
    CHECK_SAYS(&outcome.error, key);
    CHECK_SAYS(&outcome.error, refusal->service_code);
    assert_int_equal(fault_proxy_hits(f->store_proxy, rule), 1);
    CHECK_ABSENT(client, key);

    /* V5: the record was released, so that the next writer need not wait. */
    uint64_t start = now_ms();
    os_options options = fixture_options(f);
    CLOSED os_client *other = fixture_client(&options);
    CLEARED struct outcome next = create(other, key, "next", NULL);
    CHECK_VERDICT(next, OS_COMMITTED);
    assert_true(now_ms() - start < SOON_MS);
    assert_true(next.result.took_over);
    assert_int_equal(next.result.generation, outcome.result.generation + 2); /* release, takeover */
    CHECK_OBJECT(other, key, "next");
}

SUITE_TEST(a_refused_write_is_handed_over_within_a_poll, 0)
{
    static const struct refusal denied = {"denied", 403, FAILURE("AccessDenied", "Access Denied."), OS_ERR_DENIED,
                                          "AccessDenied"};
    check_refusal(f, &denied);
}

SUITE_TEST(every_definite_refusal_is_not_executed_with_its_own_code, 0)
{
    static const struct refusal refusals[] = {
        {"no-bucket", 404, FAILURE("NoSuchBucket", "The specified bucket does not exist"), OS_ERR_NO_BUCKET,
         "NoSuchBucket"},
        {"bad-digest", 400, FAILURE("BadDigest", "The Content-MD5 you specified did not match"), OS_ERR_REFUSED,
         "BadDigest"},
        {"bad-argument", 400, FAILURE("InvalidArgument", "Invalid Argument"), OS_ERR_REFUSED, "InvalidArgument"},
        {"no-key-id", 403, FAILURE("InvalidAccessKeyId", "The key id does not exist"), OS_ERR_CREDENTIALS,
         "InvalidAccessKeyId"},
        {"too-large", 400, FAILURE("EntityTooLarge", "Your proposed upload exceeds"), OS_ERR_TOO_LARGE,
         "EntityTooLarge"},
    };
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        check_refusal(f, &refusals[i]);
}

struct waiting {
    os_client *client;
    const char *key;
    struct outcome outcome;
    uint64_t done_ms;
};

static void *create_in_thread(void *argument)
{
    struct waiting *waiting = argument;
    waiting->outcome = create(waiting->client, waiting->key, "second", NULL);
    waiting->done_ms = now_ms();
    return NULL;
}

SUITE_TEST(a_waiting_writer_takes_over_within_a_poll_of_the_failure, 0)
{
    CLOSED os_client *first = proxied(f);
    const char *key = fixture_key(f, "hand-over");
    unsigned refuse = add(f, (struct fault_rule){.match = attempt_on(key),
                                                 .action = FAULT_ANSWER,
                                                 .times = 1,
                                                 .delay_ms = 1000,
                                                 .status = 403,
                                                 .headers = XML,
                                                 .body = FAILURE("AccessDenied", "Access Denied.")});
    struct waiting failing = {.client = first, .key = key};
    pthread_t one;
    assert_int_equal(pthread_create(&one, NULL, create_in_thread, &failing), 0);
    assert_true(fault_proxy_wait_hits(f->store_proxy, refuse, 1, 60000));
    os_options options = fixture_options(f);
    struct waiting contender = {.client = fixture_client(&options), .key = key};
    pthread_t two;
    assert_int_equal(pthread_create(&two, NULL, create_in_thread, &contender), 0);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    CHECK_VERDICT(failing.outcome, OS_NOT_EXECUTED);
    CHECK_VERDICT(contender.outcome, OS_COMMITTED);
    assert_true(contender.outcome.result.took_over);
    assert_true(contender.done_ms < failing.done_ms + SOON_MS);
    outcome_clear(&failing.outcome);
    outcome_clear(&contender.outcome);
    os_client_close(contender.client);
}

SUITE_TEST(rename_with_a_delete_that_fails_leaves_both, 0)
{
    CLOSED os_client *client = proxied(f);
    const char *source = fixture_key(f, "rename-from");
    const char *key = fixture_key(f, "rename-to");
    put_plain(client, source, "moved", NULL);
    add(f, (struct fault_rule){.match = {.method = "DELETE"},
                               .action = FAULT_ANSWER,
                               .status = 403,
                               .headers = XML,
                               .body = FAILURE("AccessDenied", "Access Denied.")});
    CLEARED struct outcome done = rename_object(client, source, key, NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    CHECK_ERROR(done, OS_ERR_DENIED);
    CHECK_SAYS(&done.error, source);
    CHECK_OBJECT(client, key, "moved");
    CHECK_OBJECT(client, source, "moved");
}

/* ------------------------------------------------------------------------------------------------ reads */

static void commits_although(struct fixture *f, const char *name, struct fault_rule rule)
{
    CLOSED os_client *client = proxied(f);
    const char *key = fixture_key(f, name);
    rule.match = plain_head(key);
    unsigned id = add(f, rule);
    uint64_t start = now_ms();
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_true(now_ms() - start < SOON_MS);
    assert_true(fault_proxy_hits(f->store_proxy, id) >= 1);
    assert_int_equal(done.result.attempts, 1);
}

SUITE_TEST(a_throttled_head_is_asked_again, 0)
{
    commits_although(f, "head-503", (struct fault_rule){.action = FAULT_ANSWER, .times = 2, .status = 503});
}

SUITE_TEST(a_head_whose_connection_dies_is_asked_again, 0)
{
    commits_although(f, "head-reset", (struct fault_rule){.action = FAULT_RESET, .times = 2});
}

SUITE_TEST(a_head_without_a_date_is_asked_once_more, 0)
{
    commits_although(f, "head-date", (struct fault_rule){.action = FAULT_STRIP_ANSWER, .times = 1, .header = "date"});
}

SUITE_TEST(a_denied_head_is_not_executed, 0)
{
    CLOSED os_client *client = proxied(f);
    const char *key = fixture_key(f, "head-denied");
    unsigned id =
        add(f, (struct fault_rule){.match = plain_head(key), .action = FAULT_ANSWER, .status = 403, .headers = XML});
    CLEARED struct outcome outcome = create(client, key, "x", NULL);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_DENIED);
    CHECK_SAYS(&outcome.error, key);
    CHECK_SAYS(&outcome.error, "s3:ListBucket"); /* without it S3 says 403 of an absent key */
    assert_int_equal(outcome.error.http_status, 403);
    assert_int_equal(outcome.result.attempts, 0);
    fault_proxy_remove(f->store_proxy, id);
    CHECK_ABSENT(client, key);
}

SUITE_TEST(a_late_put_item_is_followed_by_another_look, 0)
{
    assert_true(fixture_proxies(f));
    os_options options = fixture_options(f);
    options.recheck_after_ms = 300;
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "recheck");
    struct fault_rule slow = {.match = {.target = "PutItem"}, .action = FAULT_HOLD, .times = 1};
    unsigned held = fault_proxy_add(f->ledger_proxy, &slow);
    struct waiting writer = {.client = client, .key = key};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, create_in_thread, &writer), 0);
    assert_true(fault_proxy_wait_hits(f->ledger_proxy, held, 1, 60000));
    char path[160]; /* an outsider writes meanwhile */
    snprintf(path, sizeof(path), "/%s/%s", f->bucket, key);
    assert_int_equal(raw_s3(f->store_endpoint, "PUT", path, "outsider", NULL), 200);
    struct timespec pause = {.tv_nsec = 500 * 1000000L}; /* longer than recheck_after */
    nanosleep(&pause, NULL);
    fault_proxy_release(f->ledger_proxy, held, FAULT_FORWARD);
    pthread_join(thread, NULL);
    CHECK_VERDICT(writer.outcome, OS_CONFLICT);
    assert_int_equal(writer.outcome.result.attempts, 0);
    CHECK_OBJECT(client, key, "outsider");
    outcome_clear(&writer.outcome);
}

/* --------------------------------------------------------------------------------- regions, clocks, tokens */

static void check_second_head_names_region(struct fixture *f, const char *name, struct fault_rule rule)
{
    CLOSED os_client *client = proxied(f);
    const char *key = fixture_key(f, name);
    rule.match = plain_head(key);
    rule.action = FAULT_ANSWER;
    rule.times = 1;
    add(f, rule);
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 8000;
    os_error error;
    os_head(client, key, &call, NULL, &error);
    struct fault_seen seen;
    assert_true(fault_proxy_seen(f->store_proxy, &rule.match, 1, &seen));
    assert_non_null(strstr(seen.head, "/eu-central-1/s3/aws4_request"));
    fault_seen_free(&seen);
}

SUITE_TEST(a_redirect_is_followed_to_the_region_it_names, 0)
{
    check_second_head_names_region(
        f, "redirect-301", (struct fault_rule){.status = 301, .headers = MARK "x-amz-bucket-region: eu-central-1\r\n"});
    check_second_head_names_region(
        f, "redirect-400", (struct fault_rule){.status = 400, .headers = MARK "x-amz-bucket-region: eu-central-1\r\n"});
}

SUITE_TEST(a_redirect_without_a_region_is_a_wrong_region, 0)
{
    CLOSED os_client *client = proxied(f);
    add(f, (struct fault_rule){
               .match = plain_head("redirected-nowhere"), .action = FAULT_ANSWER, .status = 301, .headers = MARK});
    CLEARED struct outcome outcome = create(client, "redirected-nowhere", "x", NULL);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_REGION);
    CHECK_SAYS(&outcome.error, "region");
}

#define SKEWED \
    FAILURE("RequestTimeTooSkewed", "The difference between the request time and the current time is too large.")

SUITE_TEST(a_request_refused_for_its_time_is_signed_anew, 0)
{
    CLOSED os_client *client = proxied(f);
    const char *key = fixture_key(f, "skewed-get");
    put_plain(client, key, "x", NULL);
    struct fault_match get = {.method = "GET", .path_contains = key};
    add(f, (struct fault_rule){
               .match = get, .action = FAULT_ANSWER, .times = 1, .status = 403, .headers = XML, .body = SKEWED});
    CHECK_OBJECT(client, key, "x");
    assert_int_equal(fault_proxy_count(f->store_proxy, &get), 2);
}

/* The answer to a HEAD has no body to say RequestTimeTooSkewed in: only its Date tells. */
SUITE_TEST(a_head_refused_by_a_clock_far_from_ours_is_signed_by_that_clock, 0)
{
    CLOSED os_client *client = proxied(f);
    const char *key = fixture_key(f, "skewed-head");
    struct fault_match head = plain_head(key);
    char headers[96];
    char day[16];
    time_t there = time(NULL) + 2 * 86400;
    struct tm utc;
    gmtime_r(&there, &utc);
    strftime(headers, sizeof(headers), MARK "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
    strftime(day, sizeof(day), "/%Y%m%d/", &utc);
    add(f, (struct fault_rule){.match = head, .action = FAULT_ANSWER, .times = 1, .status = 403, .headers = headers});
    os_error error;
    os_head(client, key, NULL, NULL, &error);
    struct fault_seen seen;
    assert_true(fault_proxy_seen(f->store_proxy, &head, 1, &seen));
    assert_non_null(strstr(seen.head, day)); /* of the credential scope */
    fault_seen_free(&seen);
}

SUITE_TEST(an_attempt_refused_for_its_time_is_a_new_guard, 0)
{
    CLOSED os_client *client = proxied(f);
    const char *key = fixture_key(f, "skewed-put");
    add(f, (struct fault_rule){.match = attempt_on(key),
                               .action = FAULT_ANSWER,
                               .times = 1,
                               .status = 403,
                               .headers = XML,
                               .body = SKEWED});
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_int_equal(done.result.guards, 2);
    assert_int_equal(done.result.attempts, 2);
}

static _Atomic int keys_given;

static int give_keys(void *context, os_credentials *ret)
{
    (void)context;
    keys_given++;
    ret->access_key_id = raw_access_key();
    ret->secret_access_key = raw_secret_key();
    return 0;
}

/* The part of a query from a name to the next '&'. */
static void query_value(const char *query, const char *name, char *ret, size_t size)
{
    const char *at = strstr(query, name);
    assert_non_null(at);
    snprintf(ret, size, "%.*s", (int)strcspn(at, "&"), at);
}

SUITE_TEST(an_expired_token_signs_the_same_date_and_length_again, 0)
{
    assert_true(fixture_proxies(f));
    os_options options = fixture_options(f);
    options.credentials = give_keys;
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "expired-token");
    struct fault_match attempts = attempt_on(key);
    add(f, (struct fault_rule){.match = attempts,
                               .action = FAULT_ANSWER,
                               .times = 1,
                               .status = 400,
                               .headers = XML,
                               .body = FAILURE("ExpiredToken", "The provided token has expired.")});
    keys_given = 0;
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_int_equal(done.result.guards, 1);
    assert_true(keys_given >= 2);
    assert_int_equal(fault_proxy_count(f->store_proxy, &attempts), 2);
    static const char *const fixed[] = {"X-Amz-Date=", "X-Amz-Expires="};
    for (size_t i = 0; i < 2; i++) {
        struct fault_seen one;
        struct fault_seen two;
        assert_true(fault_proxy_seen(f->store_proxy, &attempts, 0, &one));
        assert_true(fault_proxy_seen(f->store_proxy, &attempts, 1, &two));
        char first[64];
        char second[64];
        query_value(one.query, fixed[i], first, sizeof(first));
        query_value(two.query, fixed[i], second, sizeof(second));
        assert_string_equal(first, second);
        fault_seen_free(&one);
        fault_seen_free(&two);
    }
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "faults of the store", .needs = BACKEND_REAL, .only = "minio"};
    return suite_main(&suite, argc, argv);
}
