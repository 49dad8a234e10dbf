/* SPDX-License-Identifier: Apache-2.0 */
/*
 * os_resolve: an UNKNOWN is settled from its ticket, by another process, which makes no attempt. Each test brings about
 * an UNKNOWN with the fault proxy and then lets the evidence change.
 */
#include "support/raw_service.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAID_SIZE = 2048 };

#define CHECK_BEGINS(text, beginning) assert_int_equal(strncmp(text, beginning, strlen(beginning)), 0)

struct doubtful {
    struct fixture *f;
    os_client *client;
    os_cancel *cancel;
    const char *key;
    struct fault_match attempts;
    unsigned rule;
    struct outcome outcome;
};

static void *doubtful_create(void *argument)
{
    struct doubtful *doubtful = argument;
    os_call call = OS_CALL_INIT;
    call.cancel = doubtful->cancel;
    doubtful->outcome = create(doubtful->client, doubtful->key, "doubtful", &call);
    return NULL;
}

/* A write that is cancelled while its PUT is under `action`, which makes it UNKNOWN. */
static void doubtful_start(struct doubtful *doubtful, struct fixture *f, const char *name, enum fault_action action)
{
    memset(doubtful, 0, sizeof(*doubtful));
    doubtful->f = f;
    assert_true(fixture_proxies(f));
    fixture_export(f);
    os_options options = fixture_fast_options(f);
    doubtful->client = fixture_client(&options);
    assert_int_equal(os_cancel_new(&doubtful->cancel), OS_OK);
    doubtful->key = fixture_key(f, name);
    doubtful->attempts = (struct fault_match){.method = "PUT", .path_contains = doubtful->key};
    struct fault_rule rule = {.match = doubtful->attempts, .action = action, .times = 1};
    doubtful->rule = fault_proxy_add(f->store_proxy, &rule);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, doubtful_create, doubtful), 0);
    assert_true(fault_proxy_wait_hits(f->store_proxy, doubtful->rule, 1, 60000));
    os_cancel_trigger(doubtful->cancel);
    pthread_join(thread, NULL);
    CHECK_VERDICT(doubtful->outcome, OS_UNKNOWN);
    CHECK_ERROR(doubtful->outcome, OS_ERR_UNDECIDED);
    assert_non_null(doubtful->outcome.result.ticket);
    assert_null(strchr(doubtful->outcome.result.ticket, '\n'));
    assert_null(strstr(doubtful->outcome.result.ticket, raw_secret_key()));
}

static void doubtful_end(struct doubtful *doubtful)
{
    outcome_clear(&doubtful->outcome);
    os_cancel_free(doubtful->cancel);
    os_client_close(doubtful->client);
}

/* Resolves in a process of its own. What it says is "VERDICT RULE CODE", and behind that the ETag or the sentence. */
static void resolve_elsewhere(const char *ticket, const char *deadline_ms, char *ret, size_t size)
{
    struct child child;
    const char *const arguments[] = {ticket, deadline_ms, NULL};
    assert_true(child_start(&child, "resolve", arguments));
    assert_true(child_hear(&child, ret, size, 90000));
    assert_int_equal(child_wait(&child), 0);
}

static int resolve_role(struct fixture *fixture, int argc, char **argv)
{
    os_options options = fixture_fast_options(fixture);
    os_client *client = NULL;
    os_error error;
    if (argc != 2 || os_client_open(&options, &client, &error) != OS_OK)
        return 1;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = strtoull(argv[1], NULL, 10);
    struct outcome outcome = resolve(client, argv[0], &call);
    printf("%s %s %s %s\n", os_verdict_name(outcome.verdict), outcome.result.rule, os_code_name(outcome.error.code),
           outcome.error.code == OS_OK ? outcome.result.etag : outcome.error.message);
    fflush(stdout);
    outcome_clear(&outcome);
    os_client_close(client);
    return 0;
}

SUITE_TEST(a_put_that_lands_after_all_is_resolved_as_committed, 0)
{
    struct doubtful doubtful;
    doubtful_start(&doubtful, f, "lands", FAULT_HOLD);
    fault_proxy_release(doubtful.f->store_proxy, doubtful.rule, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(doubtful.f->store_proxy, doubtful.rule, 1, 60000));
    char said[SAID_SIZE];
    resolve_elsewhere(doubtful.outcome.result.ticket, "60000", said, sizeof(said));
    assert_string_equal(said, "committed V4 OS_OK \"413ce3b69a495db0d3c39e75728fde18\"");
    assert_int_equal(fault_proxy_count(doubtful.f->store_proxy, &doubtful.attempts), 1);
    doubtful_end(&doubtful);
}

SUITE_TEST(a_put_that_never_lands_is_resolved_as_not_executed_once_it_is_dead, 0)
{
    struct doubtful doubtful;
    doubtful_start(&doubtful, f, "never-lands", FAULT_HOLD);
    fault_proxy_release(doubtful.f->store_proxy, doubtful.rule, FAULT_DISCARD);
    char said[SAID_SIZE];
    resolve_elsewhere(doubtful.outcome.result.ticket, "60000", said, sizeof(said));
    CHECK_BEGINS(said, "not executed R13.D OS_ERR_EXPIRED");
    CHECK_ABSENT(doubtful.client, doubtful.key);
    assert_int_equal(fault_proxy_count(doubtful.f->store_proxy, &doubtful.attempts), 1);
    doubtful_end(&doubtful);
}

SUITE_TEST(before_the_fence_an_unsettled_put_stays_unknown_at_the_deadline, 0)
{
    struct doubtful doubtful;
    doubtful_start(&doubtful, f, "too-early", FAULT_HOLD);
    char said[SAID_SIZE];
    resolve_elsewhere(doubtful.outcome.result.ticket, "300", said, sizeof(said));
    CHECK_BEGINS(said, "unknown V3 OS_ERR_UNDECIDED The write of ");
    fault_proxy_release(doubtful.f->store_proxy, doubtful.rule, FAULT_DISCARD);
    doubtful_end(&doubtful);
}

/* V4: the object is another writer's by now, and says that it replaced ours; so does that writer's record (row A). */
SUITE_TEST(a_later_holder_that_saw_our_nonce_proves_our_commit, 0)
{
    struct doubtful doubtful;
    doubtful_start(&doubtful, f, "seen-by-next", FAULT_HOLD_ANSWER);
    os_options options = fixture_fast_options(f);
    os_client *next = fixture_client(&options);
    const char *source = fixture_key(f, "next-source");
    put_plain(next, source, "the next", NULL);
    struct outcome replaced = copy_over(next, source, doubtful.key, "\"413ce3b69a495db0d3c39e75728fde18\"", NULL);
    CHECK_VERDICT(replaced, OS_COMMITTED);
    char said[SAID_SIZE];
    resolve_elsewhere(doubtful.outcome.result.ticket, "60000", said, sizeof(said));
    CHECK_BEGINS(said, "committed V4 OS_OK");
    CHECK_OBJECT(next, doubtful.key, "the next");
    fault_proxy_release(f->store_proxy, doubtful.rule, FAULT_FORWARD);
    outcome_clear(&replaced);
    os_client_close(next);
    doubtful_end(&doubtful);
}

/* Row E: another writer took our record over and committed. */
SUITE_TEST(another_writers_commit_under_our_record_is_a_conflict, 0)
{
    struct doubtful doubtful;
    doubtful_start(&doubtful, f, "overtaken", FAULT_HOLD);
    os_options options = fixture_fast_options(f);
    os_client *next = fixture_client(&options);
    struct outcome winner = create(next, doubtful.key, "the winner's", NULL);
    CHECK_VERDICT(winner, OS_COMMITTED);
    assert_true(winner.result.took_over);
    char said[SAID_SIZE];
    resolve_elsewhere(doubtful.outcome.result.ticket, "60000", said, sizeof(said));
    CHECK_BEGINS(said, "conflict R13.E OS_ERR_CONFLICT");
    fault_proxy_release(f->store_proxy, doubtful.rule, FAULT_DISCARD);
    outcome_clear(&winner);
    os_client_close(next);
    doubtful_end(&doubtful);
}

/* Row F: somebody outside the protocol wrote, our record stands. */
SUITE_TEST(an_outsiders_object_leaves_it_unknown_for_good, 0)
{
    struct doubtful doubtful;
    doubtful_start(&doubtful, f, "outsider", FAULT_HOLD);
    fault_proxy_release(f->store_proxy, doubtful.rule, FAULT_DISCARD);
    char path[160];
    snprintf(path, sizeof(path), "/%s/%s", f->bucket, doubtful.key);
    assert_int_equal(raw_s3(f->store_endpoint, "PUT", path, "outsider", NULL), 200);
    char said[SAID_SIZE];
    resolve_elsewhere(doubtful.outcome.result.ticket, "60000", said, sizeof(said));
    CHECK_BEGINS(said, "unknown R13.F OS_ERR_UNDECIDED It is not known whether the write of ");
    doubtful_end(&doubtful);
}

SUITE_TEST(resolving_makes_no_attempt_and_writes_no_record, 0)
{
    struct doubtful doubtful;
    doubtful_start(&doubtful, f, "reads-only", FAULT_HOLD_ANSWER);
    size_t puts = fault_proxy_count(f->store_proxy, &(struct fault_match){.method = "PUT"});
    size_t records = fault_proxy_count(f->ledger_proxy, &(struct fault_match){.target = "PutItem"});
    char said[SAID_SIZE];
    resolve_elsewhere(doubtful.outcome.result.ticket, "60000", said, sizeof(said));
    CHECK_BEGINS(said, "committed V4");
    assert_int_equal(fault_proxy_count(f->store_proxy, &(struct fault_match){.method = "PUT"}), puts);
    assert_int_equal(fault_proxy_count(f->ledger_proxy, &(struct fault_match){.target = "PutItem"}), records);
    fault_proxy_release(f->store_proxy, doubtful.rule, FAULT_FORWARD);
    doubtful_end(&doubtful);
}

SUITE_TEST(a_resolved_ticket_can_be_resolved_again, 0)
{
    struct doubtful doubtful;
    doubtful_start(&doubtful, f, "again", FAULT_HOLD_ANSWER);
    for (int i = 0; i < 2; i++) {
        CLEARED struct outcome outcome = resolve(doubtful.client, doubtful.outcome.result.ticket, NULL);
        CHECK_VERDICT(outcome, OS_COMMITTED);
        assert_null(outcome.result.ticket);
    }
    fault_proxy_release(f->store_proxy, doubtful.rule, FAULT_FORWARD);
    doubtful_end(&doubtful);
}

SUITE_TEST(a_ticket_that_is_none_is_refused, 0)
{
    static const char *const bad[] = {
        "not json", "{}", "[]", "null", "{\"path\":1}", "\"string\"", "{\"version\":1,\"nonce\":\"\"}"};
    os_options options = fixture_fast_options(f);
    CLOSED os_client *client = fixture_client(&options);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CLEARED struct outcome outcome = resolve(client, bad[i], NULL);
        CHECK_VERDICT(outcome, OS_UNKNOWN);
        CHECK_ERROR(outcome, OS_ERR_ARGUMENT);
        CHECK_SAYS(&outcome.error, "ticket");
    }
    CLEARED struct outcome none = resolve(client, NULL, NULL);
    CHECK_VERDICT(none, OS_UNKNOWN);
    CHECK_ERROR(none, OS_ERR_ARGUMENT);
}

SUITE_TEST(a_ticket_cut_short_or_of_another_store_is_refused, 0)
{
    struct doubtful doubtful;
    doubtful_start(&doubtful, f, "foreign", FAULT_HOLD);
    char *ticket = strdup(doubtful.outcome.result.ticket);
    assert_non_null(ticket);
    os_options options = fixture_fast_options(f);
    options.store_url = "s3://some-other-bucket";
    os_client *elsewhere = fixture_client(&options);
    struct outcome foreign = resolve(elsewhere, ticket, NULL);
    CHECK_VERDICT(foreign, OS_UNKNOWN);
    CHECK_ERROR(foreign, OS_ERR_ARGUMENT);
    for (size_t len = strlen(ticket); len > 0; len -= len > 7 ? 7 : len) {
        ticket[len - 1] = '\0';
        CLEARED struct outcome cut = resolve(doubtful.client, ticket, NULL);
        CHECK_VERDICT(cut, OS_UNKNOWN);
        CHECK_ERROR(cut, OS_ERR_ARGUMENT);
    }
    fault_proxy_release(f->store_proxy, doubtful.rule, FAULT_DISCARD);
    free(ticket);
    outcome_clear(&foreign);
    os_client_close(elsewhere);
    doubtful_end(&doubtful);
}

/* Row B. The ticket does not say what was copied, so neither does the sentence. */
SUITE_TEST(a_copy_that_was_refused_is_resolved_in_a_sentence_without_its_source, 0)
{
    assert_true(fixture_proxies(f));
    os_options options = fixture_fast_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "copy-refused");
    put_plain(client, "resolved-source", "source", NULL);
    fault_proxy_add(f->store_proxy, &(struct fault_rule){
                                        .match = {.method = "PUT", .path_contains = key},
                                        .action = FAULT_ANSWER,
                                        .times = 1,
                                        .status = 412,
                                        .headers = "Content-Type: application/xml\r\nx-amz-request-id: R\r\n",
                                        .body = "<Error><Code>PreconditionFailed</Code><Message>no</Message></Error>"});
    fault_proxy_add(
        f->store_proxy, /* all but the first; those of E7 are presigned */
        &(struct fault_rule){.match = {.method = "HEAD", .path_contains = key, .has_header = "Authorization"},
                             .action = FAULT_RESET,
                             .first = 2});
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 7000; /* less than the patience with a store that does not answer */
    CLEARED struct outcome doubtful = copy(client, "resolved-source", key, &call);
    CHECK_VERDICT(doubtful, OS_UNKNOWN);
    fault_proxy_clear(f->store_proxy);
    CLEARED struct outcome resolved = resolve(client, doubtful.result.ticket, NULL);
    CHECK_VERDICT(resolved, OS_NOT_EXECUTED);
    assert_string_equal(resolved.result.rule, "R13.B");
    CHECK_SAYS(&resolved.error, key);
    assert_null(strstr(resolved.error.message, "source"));
    assert_null(strstr(resolved.error.message, "(null)"));
    CHECK_ABSENT(client, key);
}

int main(int argc, char **argv)
{
    static const struct suite_role roles[] = {{"resolve", resolve_role}, {0}};
    static const struct suite suite = {
        .name = "resolving", .roles = roles, .needs = BACKEND_REAL, .only = "minio,versitygw"};
    return suite_main(&suite, argc, argv);
}
