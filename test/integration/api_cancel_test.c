/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are ended early: by their deadline, by a token, by closing the client. */
#include "support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The HEADs of an object; not the bucket's, and not the probes' (E7). */
static struct fault_match plain_head(const char *key)
{
    return (struct fault_match){.method = "HEAD", .path_contains = key, .has_header = "authorization"};
}

/* What is waited for where nothing ends the call: a minute for each request, and for the attempt. */
enum { SOON_MS = 30000, LONG_MS = 60000 };

static os_options proxied_options(struct fixture *f)
{
    assert_true(fixture_proxies(f));
    os_options options = fixture_options(f);
    options.request_timeout_ms = LONG_MS;
    options.timeout_ms = LONG_MS;
    return options;
}

static os_client *proxied(struct fixture *f)
{
    const os_options options = proxied_options(f);
    return fixture_client(&options);
}

static unsigned add(struct fixture *f, struct fault_rule rule)
{
    unsigned id = fault_proxy_add(f->store_proxy, &rule);
    assert_true(id > 0);
    return id;
}

struct waiting {
    os_client *client;
    const char *key;
    struct outcome outcome;
    uint64_t done_ms;
};

SUITE_TEST(a_deadline_before_anything_was_sent_is_not_executed, 0)
{
    CLOSED os_client *client = proxied(f);
    unsigned id = add(f, (struct fault_rule){.match = {.method = "HEAD"}, .action = FAULT_HOLD});
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 700;
    uint64_t start = now_ms();
    CLEARED struct outcome outcome = create(client, "never-sent", "x", &call);
    assert_in_range(now_ms() - start, 600, 60000); /* without it: two minutes */
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_DEADLINE);
    CHECK_SAYS(&outcome.error, "never-sent");
    assert_int_equal(outcome.result.attempts, 0);
    fault_proxy_release(f->store_proxy, id, FAULT_DISCARD);
}

struct cancelled {
    struct waiting waiting;
    os_cancel *cancel;
};

static void *create_cancellable(void *argument)
{
    struct cancelled *cancelled = argument;
    os_call call = OS_CALL_INIT;
    call.cancel = cancelled->cancel;
    cancelled->waiting.outcome = create(cancelled->waiting.client, cancelled->waiting.key, "x", &call);
    cancelled->waiting.done_ms = now_ms();
    return NULL;
}

static void check_cancelled(struct fixture *f, const char *name, struct fault_match held, os_verdict verdict,
                            os_code code)
{
    struct cancelled cancelled = {.waiting = {.client = proxied(f)}};
    assert_int_equal(os_cancel_new(&cancelled.cancel), OS_OK);
    const char *key = fixture_key(f, name);
    cancelled.waiting.key = key;
    unsigned id = add(f, (struct fault_rule){.match = held, .action = FAULT_HOLD});
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, create_cancellable, &cancelled), 0);
    assert_true(fault_proxy_wait_hits(f->store_proxy, id, 1, 60000));
    uint64_t start = now_ms();
    os_cancel_trigger(cancelled.cancel);
    pthread_join(thread, NULL);
    assert_true(cancelled.waiting.done_ms - start < SOON_MS);
    CHECK_VERDICT(cancelled.waiting.outcome, verdict);
    CHECK_ERROR(cancelled.waiting.outcome, code);
    assert_int_equal(cancelled.waiting.outcome.result.ticket != NULL, verdict == OS_UNKNOWN);
    fault_proxy_release(f->store_proxy, id, FAULT_DISCARD);
    outcome_clear(&cancelled.waiting.outcome);

    os_call call = OS_CALL_INIT; /* a token that was used stays cancelled */
    call.cancel = cancelled.cancel;
    struct outcome again = create(cancelled.waiting.client, key, "x", &call);
    CHECK_VERDICT(again, OS_NOT_EXECUTED);
    CHECK_ERROR(again, OS_ERR_CANCELLED);
    outcome_clear(&again);
    os_cancel_free(cancelled.cancel);
    os_client_close(cancelled.waiting.client);
}

SUITE_TEST(a_call_cancelled_before_its_attempt_is_not_executed, 0)
{
    check_cancelled(f, "cancel-early", plain_head("cancel-early"), OS_NOT_EXECUTED, OS_ERR_CANCELLED);
}

SUITE_TEST(a_call_cancelled_during_its_attempt_is_unknown_and_has_a_ticket, 0)
{
    check_cancelled(f, "cancel-late", (struct fault_match){.method = "PUT"}, OS_UNKNOWN, OS_ERR_UNDECIDED);
}

enum { LARGE = 3 << 20 };

static void *create_large(void *argument)
{
    struct cancelled *cancelled = argument;
    char *data = calloc(1, LARGE);
    os_call call = OS_CALL_INIT;
    call.cancel = cancelled->cancel;
    os_body body = OS_BODY_MEMORY(data, LARGE);
    cancelled->waiting.outcome.result = (os_result)OS_RESULT_INIT;
    cancelled->waiting.outcome.verdict =
        os_put_if_absent(cancelled->waiting.client, cancelled->waiting.key, &body, NULL, &call,
                         &cancelled->waiting.outcome.result, &cancelled->waiting.outcome.error);
    free(data);
    return NULL;
}

/* The connection to the store ends in the middle of the body, as when its writer is killed. Some stores keep what came:
 * versitygw 1.8.0 does, without a Content-MD5. */
SUITE_TEST(a_body_cut_short_is_no_object, 0)
{
    os_options options = proxied_options(f);
    options.stage_above = 2 * (uint64_t)LARGE; /* in one request */
    struct cancelled cancelled = {.waiting = {.client = fixture_client(&options)}};
    assert_int_equal(os_cancel_new(&cancelled.cancel), OS_OK);
    const char *key = fixture_key(f, "cut-short");
    cancelled.waiting.key = key;
    struct fault_match put = {.method = "PUT", .path_contains = key};
    unsigned id = add(f, (struct fault_rule){.match = put, .action = FAULT_STALL_CLIENT, .bytes = LARGE / 2});
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, create_large, &cancelled), 0);
    assert_true(fault_proxy_wait_hits(f->store_proxy, id, 1, 60000));
    os_cancel_trigger(cancelled.cancel);
    pthread_join(thread, NULL);
    CHECK_VERDICT(cancelled.waiting.outcome, OS_UNKNOWN);
    fault_proxy_release(f->store_proxy, id, FAULT_DISCARD);
    assert_true(fault_proxy_wait_finished(f->store_proxy, id, 1, 60000));
    struct fault_seen seen;
    assert_true(fault_proxy_seen(f->store_proxy, &put, 0, &seen));
    assert_non_null(strcasestr(seen.head, "\r\ncontent-md5: "));
    fault_seen_free(&seen);
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 1500; /* its fence is 75 s away */
    struct outcome settled = resolve(cancelled.waiting.client, cancelled.waiting.outcome.result.ticket, &call);
    CHECK_VERDICT(settled, OS_UNKNOWN);
    CHECK_ABSENT(cancelled.waiting.client, key);
    outcome_clear(&settled);
    outcome_clear(&cancelled.waiting.outcome);
    os_cancel_free(cancelled.cancel);
    os_client_close(cancelled.waiting.client);
}

SUITE_TEST(closing_the_client_ends_what_runs, 0)
{
    os_client *client = proxied(f);
    const char *key = fixture_key(f, "closing");
    put_plain(client, key, "x", NULL);
    uint64_t start = now_ms();
    os_client_close(client);
    assert_true(now_ms() - start < SOON_MS);
    os_client_close(NULL);
    os_cancel_free(NULL);
    os_result_clear(NULL);
    os_free(NULL);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "ending calls early", .needs = BACKEND_REAL, .only = "minio,versitygw"};
    return suite_main(&suite, argc, argv);
}
