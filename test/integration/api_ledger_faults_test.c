/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults between the client and DynamoDB: lost, late, wrong and repeated answers to PutItem (R4), throttling at HTTP
 * 400 (E1), refusals, and credentials and clocks that the service does not like (E2). The store is real and without
 * faults.
 */
#include "support/raw_service.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AMAZON_JSON         "Content-Type: application/x-amz-json-1.0\r\nx-amzn-RequestId: MADEUPREQUESTID\r\n"
#define CODE(name, message) "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" name "\",\"message\":\"" message "\"}"

/* The PutItem that acquires a record; not the one that releases it. */
#define ACQUIRE                                                      \
    {                                                                \
        .target = "PutItem", .body_contains = "attribute_not_exists" \
    }
#define ANY_PUT_ITEM        \
    {                       \
        .target = "PutItem" \
    }
static const struct fault_match acquire = ACQUIRE;
static const struct fault_match any_put_item = ANY_PUT_ITEM;

#define REFUSAL_OF(requests, how_often, text)                                                                 \
    {                                                                                                         \
        .match = requests, .action = FAULT_ANSWER, .times = how_often, .status = 400, .headers = AMAZON_JSON, \
        .body = text                                                                                          \
    }

/* Sooner than the end of any record or deadline here. */
enum { SOON_MS = 20000 };

static struct fault_match attempt_on(const char *key)
{
    return (struct fault_match){.method = "PUT", .path_contains = key};
}

/* One create of a new key under one fault of the ledger. */
struct run {
    struct fixture *f;
    os_client *client;
    const char *key;
    unsigned rule;
    uint64_t took_ms;
    struct outcome outcome;
};

static struct run run_start(struct fixture *f, const char *name, const struct fault_rule *rule)
{
    struct run run = {.f = f};
    assert_true(fixture_proxies(f));
    run.key = fixture_key(f, name);
    os_options options = fixture_options(f);
    options.length_s = 30; /* enough for a slow machine; and a fence is waited for much longer than SOON_MS */
    options.timeout_ms = 60000;
    run.client = fixture_client(&options);
    run.rule = fault_proxy_add(f->ledger_proxy, rule);
    assert_true(run.rule > 0);
    return run;
}

static void run_create(struct run *run, const os_call *call)
{
    uint64_t start = now_ms();
    run->outcome = create(run->client, run->key, "body", call);
    run->took_ms = now_ms() - start;
}

/* A commit without a stall, with one record and one attempt. */
static void check_smooth_commit(const struct run *run)
{
    CHECK_VERDICT(run->outcome, OS_COMMITTED);
    assert_true(run->took_ms < SOON_MS);
    assert_true(fault_proxy_hits(run->f->ledger_proxy, run->rule) >= 1);
    CHECK_OBJECT(run->client, run->key, "body");
    assert_int_equal(raw_count_items(run->f->ledger_endpoint, run->f->table, run->key), 1);
    struct fault_match attempt = attempt_on(run->key);
    assert_int_equal(fault_proxy_count(run->f->store_proxy, &attempt), 1);
    assert_int_equal(run->outcome.result.attempts, 1);
    assert_false(run->outcome.result.took_over);
}

static void check_nothing_happened(const struct run *run)
{
    CHECK_VERDICT(run->outcome, OS_NOT_EXECUTED);
    CHECK_ABSENT(run->client, run->key);
    struct fault_match attempt = attempt_on(run->key);
    assert_int_equal(fault_proxy_count(run->f->store_proxy, &attempt), 0);
    assert_int_equal(run->outcome.result.attempts, 0);
}

static void run_end(struct run *run)
{
    outcome_clear(&run->outcome);
    os_client_close(run->client);
}
#define ENDED __attribute__((cleanup(run_end)))

/* A fault that a create survives. */
static const struct survived {
    const char *name;
    const char *key;
    struct fault_rule rule;
} survived_faults[] = {
    {.name = "three lost answers in a row are survived",
     .key = "lost-answers",
     .rule = {.match = ACQUIRE, .action = FAULT_DROP_ANSWER, .times = 3}},
    {.name = "a 500 after PutItem was applied is survived",
     .key = "500-after",
     .rule = {.match = ACQUIRE,
              .action = FAULT_ANSWER_AFTER,
              .times = 1,
              .status = 500,
              .headers = AMAZON_JSON,
              .body = CODE("InternalServerError", "made up")}},
    {.name = "a wrong CRC makes an answer count for nothing",
     .key = "wrong-crc",
     .rule = {.match = ACQUIRE, .action = FAULT_CORRUPT_CRC, .times = 1}},
    {.name = "an answer cut short is survived",
     .key = "cut-answer",
     .rule = {.match = ACQUIRE, .action = FAULT_CUT, .times = 1, .bytes = 1}},
    {.name = "an unreadable answer is survived",
     .key = "unreadable",
     .rule = {.match = ACQUIRE,
              .action = FAULT_ANSWER_AFTER,
              .times = 1,
              .status = 200,
              .headers = AMAZON_JSON,
              .body = "{\"Attributes\":{\"pa"}},
    {.name = "a PutItem that a layer sends twice is survived",
     .key = "sent-twice",
     .rule = {.match = ACQUIRE, .action = FAULT_REPLAY, .times = 1}},
    {.name = "a connection that dies before PutItem is survived",
     .key = "reset-before",
     .rule = {.match = ACQUIRE, .action = FAULT_RESET, .times = 2}},
    {.name = "E1: a table's throttling at HTTP 400 is waited out",
     .key = "throttled",
     .rule = REFUSAL_OF(ACQUIRE, 3, CODE("ProvisionedThroughputExceededException", "slow down"))},
    {.name = "E1: an account's throttling at HTTP 400 is waited out",
     .key = "throttled",
     .rule = REFUSAL_OF(ACQUIRE, 3, CODE("ThrottlingException", "slow down"))},
    {.name = "E1: a limit of requests at HTTP 400 is waited out",
     .key = "throttled",
     .rule = REFUSAL_OF(ACQUIRE, 3, CODE("RequestLimitExceeded", "slow down"))},
    {.name = "E1: a conflict of transactions at HTTP 400 is waited out",
     .key = "throttled",
     .rule = REFUSAL_OF(ACQUIRE, 3, CODE("TransactionConflictException", "slow down"))},
    {.name = "E2: a refused time of signing is mended",
     .key = "ledger-skew",
     .rule = REFUSAL_OF(ACQUIRE, 1,
                        CODE("InvalidSignatureException",
                             "Signature expired: 20260101T000000Z is now earlier than 20260101T010000Z"))},
    {.name = "a slow ledger is no reason to give up",
     .key = "slow-ledger",
     .rule = {.match = ANY_PUT_ITEM, .action = FAULT_PASS, .delay_ms = 1500}},
};

SUITE_ROWS(survived_faults, a_create_commits, 0)
{
    ENDED struct run run = run_start(f, row->key, &row->rule);
    run_create(&run, NULL);
    check_smooth_commit(&run);
}

/* ------------------------------------------------------------------------------------------------ R4 */

SUITE_TEST(a_lost_answer_to_put_item_is_recognised_as_our_own_record, 0)
{
    ENDED struct run run =
        run_start(f, "lost-answer", &(struct fault_rule){.match = acquire, .action = FAULT_DROP_ANSWER, .times = 1});
    run_create(&run, NULL);
    check_smooth_commit(&run);
    assert_int_equal(fault_proxy_count(f->ledger_proxy, &acquire), 2);
    json_t *item = raw_item(f->ledger_endpoint, f->table, run.key, "*");
    assert_int_equal(strtoull(raw_attribute(item, "generation", 'N'), NULL, 10), run.outcome.result.generation);
    json_decref(item);
}

SUITE_TEST(a_failed_condition_without_an_item_is_followed_by_a_get_item, 0)
{
    ENDED struct run run = run_start(
        f, "blind",
        &(struct fault_rule){.match = acquire,
                             .action = FAULT_ANSWER_AFTER,
                             .times = 1,
                             .status = 400,
                             .headers = AMAZON_JSON,
                             .body = CODE("ConditionalCheckFailedException", "The conditional request failed")});
    run_create(&run, NULL);
    check_smooth_commit(&run);
    struct fault_match get = {.target = "GetItem", .body_contains = run.key};
    assert_true(fault_proxy_count(f->ledger_proxy, &get) >= 1);
    struct fault_seen seen;
    assert_true(fault_proxy_seen(f->ledger_proxy, &get, 0, &seen));
    assert_non_null(strstr(seen.body, "\"ConsistentRead\":true"));
    fault_seen_free(&seen);
}

SUITE_TEST(a_record_that_is_gone_again_is_a_new_guard, 0)
{
    ENDED struct run run =
        run_start(f, "gone-again",
                  &(struct fault_rule)REFUSAL_OF(
                      acquire, 1, CODE("ConditionalCheckFailedException", "The conditional request failed")));
    run_create(&run, NULL);
    check_smooth_commit(&run);
    assert_int_equal(run.outcome.result.guards, 2);
}

SUITE_TEST(put_item_asks_for_the_old_item, 0)
{
    ENDED struct run run = run_start(f, "all-old", &(struct fault_rule){.match = acquire, .action = FAULT_PASS});
    run_create(&run, NULL);
    check_smooth_commit(&run);
    struct fault_seen seen;
    assert_true(fault_proxy_seen(f->ledger_proxy, &acquire, 0, &seen));
    assert_non_null(strstr(seen.body, "\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\""));
    fault_seen_free(&seen);
}

/* ------------------------------------------------------------------------------------------------ E1 */

SUITE_TEST(throttling_without_end_is_not_executed_at_the_deadline, 0)
{
    ENDED struct run run =
        run_start(f, "throttled-for-ever",
                  &(struct fault_rule)REFUSAL_OF(any_put_item, 0, CODE("ThrottlingException", "Rate exceeded")));
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 6000;
    run_create(&run, &call);
    check_nothing_happened(&run);
    assert_true(run.outcome.error.code == OS_ERR_THROTTLED || run.outcome.error.code == OS_ERR_DEADLINE);
    CHECK_SAYS(&run.outcome.error, "ThrottlingException");
    assert_in_range(run.took_ms, 5900, 60000);
}

/* ------------------------------------------------------------------------------------------------ refusals */

static const struct refusal {
    const char *name;
    const char *key;
    const char *body;
    const char *service_code;
    os_code code;
} refusals[] = {
    {.name = "access denied by the table",
     .key = "ledger-denied",
     .body = CODE("AccessDeniedException", "User is not authorized to perform: dynamodb:PutItem"),
     .service_code = "AccessDeniedException",
     .code = OS_ERR_DENIED},
    {.name = "an absent table",
     .key = "table-absent",
     .body = CODE("ResourceNotFoundException", "Requested resource not found"),
     .service_code = "ResourceNotFoundException",
     .code = OS_ERR_NO_TABLE},
    {.name = "a wrong key schema",
     .key = "key-schema",
     .body = CODE("ValidationException", "One or more parameter values were invalid: Missing the key id in the item"),
     .service_code = "ValidationException",
     .code = OS_ERR_TABLE},
    {.name = "an unknown key id",
     .key = "unknown-key",
     .body = CODE("UnrecognizedClientException", "The security token included in the request is invalid."),
     .service_code = "UnrecognizedClientException",
     .code = OS_ERR_CREDENTIALS},
};

SUITE_ROWS(refusals, a_refusal_is_not_executed, 0)
{
    const struct fault_rule rule = REFUSAL_OF(ANY_PUT_ITEM, 0, row->body);
    ENDED struct run run = run_start(f, row->key, &rule);
    run_create(&run, NULL);
    check_nothing_happened(&run);
    CHECK_ERROR(run.outcome, row->code);
    assert_string_equal(run.outcome.error.service_code, row->service_code);
    assert_int_equal(run.outcome.error.http_status, 400);
    assert_string_equal(run.outcome.error.request_id, "MADEUPREQUESTID");
    CHECK_SAYS(&run.outcome.error, f->table);
    assert_true(run.took_ms < SOON_MS);
}

/* ------------------------------------------------------------------------------------------------ E2 */

struct key_giver {
    _Atomic int calls;
};

static int give_keys(void *context, os_credentials *ret)
{
    struct key_giver *giver = context;
    giver->calls++;
    ret->access_key_id = raw_access_key();
    ret->secret_access_key = raw_secret_key();
    return 0;
}

SUITE_TEST(an_expired_token_renews_the_credentials, 0)
{
    assert_true(fixture_proxies(f));
    struct key_giver giver = {0};
    os_options options = fixture_options(f);
    options.dynamodb_credentials = give_keys;
    options.dynamodb_credentials_context = &giver;
    CLOSED os_client *client = fixture_client(&options);
    struct fault_rule rule =
        REFUSAL_OF(acquire, 1, CODE("ExpiredTokenException", "The security token included in the request is expired"));
    unsigned id = fault_proxy_add(f->ledger_proxy, &rule);
    const char *key = fixture_key(f, "expired-token");
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_int_equal(fault_proxy_hits(f->ledger_proxy, id), 1);
    assert_true(giver.calls >= 2);
}

/* -------------------------------------------------------------------------------------- releases and reads */

SUITE_TEST(a_release_that_fails_does_not_change_a_verdict, 0)
{
    assert_true(fixture_proxies(f));
    os_options options = fixture_options(f);
    options.release = OS_RELEASE_ALWAYS;
    CLOSED os_client *client = fixture_client(&options);
    struct fault_rule rule = {.match = {.target = "PutItem", .body_contains = "\"timeout\":{\"N\":\"0\"}"},
                              .action = FAULT_RESET};
    unsigned id = fault_proxy_add(f->ledger_proxy, &rule);
    const char *key = fixture_key(f, "release-fails");
    uint64_t start = now_ms();
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_true(now_ms() - start < 9000); /* the release goes on in the background, for ten seconds */
    assert_true(fault_proxy_wait_hits(f->ledger_proxy, id, 1, 60000));
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "faults of the ledger", .needs = BACKEND_REAL, .only = "minio"};
    return suite_main(&suite, argc, argv);
}
