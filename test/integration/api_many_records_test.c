/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys with more records than a page of the table has (R13's Query), and a ledger that takes its time. Each record of a
 * key stands for a version that somebody has replaced or deleted, and stays until TTL takes it away.
 */
#include "support/raw_service.h"
#include "support/suite.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 25 /* BatchWriteItem's most */ };

static json_t *old_record(const char *path, const char *etag, bool fence)
{
    char nonce[40];
    char ttl[32];
    snprintf(nonce, sizeof(nonce), "%032x", (unsigned)rand());
    snprintf(ttl, sizeof(ttl), "%lld", (long long)time(NULL) + 3000);
    json_t *item = json_pack("{s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s}}", "path", "S", path, "etag",
                             "S", etag, "generation", "N", "77", "timeout", "N", "0", "ttl", "N", ttl, "nonce", "S",
                             nonce, "saw", "S", "00000000000000000000000000000000");
    assert_non_null(item);
    if (fence)
        assert_int_equal(json_object_set_new(item, "fence", json_pack("{s:s}", "N", "1000000000")), 0);
    return item;
}

static void put_batch(const struct fixture *f, json_t *puts)
{
    json_t *answer = NULL;
    json_t *request = json_pack("{s:{s:o}}", "RequestItems", f->table, puts);
    assert_int_equal(raw_dynamo(f->ledger_endpoint, "BatchWriteItem", request, &answer), 200);
    assert_int_equal(json_object_size(json_object_get(answer, "UnprocessedItems")), 0);
    json_decref(answer);
}

/* Their ETags come before `~`. */
static void put_old_records(const struct fixture *f, const char *key, unsigned count)
{
    for (unsigned at = 0; at < count; at += BATCH) {
        json_t *puts = json_array();
        for (unsigned i = at; i < at + BATCH && i < count; i++) {
            char etag[64];
            snprintf(etag, sizeof(etag), "\"%032x\"", i);
            assert_int_equal(
                json_array_append_new(puts, json_pack("{s:{s:o}}", "PutRequest", "Item", old_record(key, etag, true))),
                0);
        }
        put_batch(f, puts);
    }
}

/* An attempt that the store never saw, and did not answer. */
static struct outcome create_after_a_lost_attempt(struct fixture *f, os_client *client, const char *key)
{
    struct fault_rule rule = {.match = {.method = "PUT", .path_contains = key},
                              .action = FAULT_ANSWER,
                              .times = 1,
                              .status = 500,
                              .headers = "Content-Type: application/xml\r\nx-amz-request-id: MADEUP\r\n",
                              .body = "<Error><Code>InternalError</Code><Message>made up</Message></Error>"};
    assert_true(fault_proxy_add(f->store_proxy, &rule) > 0);
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 400000; /* less than E5's ten minutes */
    return create(client, key, "ours", &call);
}

static os_client *proxied_client(struct fixture *f, os_options *ret_options)
{
    assert_true(fixture_proxies(f));
    *ret_options = fixture_fast_options(f);
    return fixture_client(ret_options);
}

static void decides_among(struct fixture *f, unsigned count)
{
    os_options options;
    CLOSED os_client *client = proxied_client(f, &options);
    const char *key = fixture_key(f, "many");
    put_old_records(f, key, count);
    uint64_t start = now_ms();
    CLEARED struct outcome done = create_after_a_lost_attempt(f, client, key);
    print_message("%u records of one key: decided after %llu ms, %u requests\n", count,
                  (unsigned long long)(now_ms() - start), done.result.requests);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_int_equal(done.result.attempts, 2);
    CHECK_OBJECT(client, key, "ours");
}

SUITE_TEST(ten_thousand_records_of_one_key_are_read, 0)
{
    decides_among(f, 10000);
}

SUITE_TEST(thirty_thousand_records_of_one_key_are_read, 0)
{
    decides_among(f, 30000);
}

/* A peer's record, the last of some pages: whoever wrote it may have deleted what we wrote. */
SUITE_TEST(a_lock_on_the_last_page_counts, 0)
{
    os_options options;
    CLOSED os_client *client = proxied_client(f, &options);
    const char *key = fixture_key(f, "last-page");
    put_old_records(f, key, 9000);
    assert_true(raw_put_item(f->ledger_endpoint, f->table, old_record(key, "\"zzz\"", false)));
    CLEARED struct outcome outcome = create_after_a_lost_attempt(f, client, key);
    CHECK_VERDICT(outcome, OS_UNKNOWN);
    assert_string_equal(outcome.result.rule, "R13.F");
    CHECK_ABSENT(client, key);
}

/* ------------------------------------------------------------------------------------------------ a slow ledger */

static struct outcome create_through_slowness(struct fixture *f, os_client *client, const char *name)
{
    const char *key = fixture_key(f, name);
    uint64_t start = now_ms();
    struct outcome done = create(client, key, "ours", NULL);
    print_message("committed after %llu ms, %u guards, %u requests\n", (unsigned long long)(now_ms() - start),
                  done.result.guards, done.result.requests);
    CHECK_VERDICT(done, OS_COMMITTED);
    CHECK_OBJECT(client, key, "ours");
    return done;
}

static void slow_down(struct fixture *f, unsigned delay_ms)
{
    struct fault_rule slow = {.action = FAULT_PASS, .delay_ms = delay_ms};
    assert_true(fixture_proxies(f));
    assert_true(fault_proxy_add(f->ledger_proxy, &slow) > 0);
}

enum { SLOW_MS = 3000 };

static void count_cut_short(void *context, const os_metric *metric)
{
    if (metric->kind == OS_METRIC_REQUEST && strcmp(metric->operation, "PutItem") == 0 &&
        metric->duration_us < SLOW_MS * 1000)
        atomic_fetch_add((atomic_uint *)context, 1);
}

/* Slower than the first try is patient, and than the usual length leaves room for (E6). */
SUITE_TEST(a_ledger_that_takes_three_seconds_is_used, 0)
{
    slow_down(f, SLOW_MS);
    atomic_uint cut_short = 0;
    os_options options = fixture_options(f);
    options.metric = count_cut_short;
    options.metric_context = &cut_short;
    CLOSED os_client *client = fixture_client(&options);
    struct outcome done = create_through_slowness(f, client, "slow");
    unsigned first_cut_short = atomic_load(&cut_short);
    outcome_clear(&done);
    done = create_through_slowness(f, client, "slow");
    outcome_clear(&done);
    assert_int_equal(atomic_load(&cut_short), first_cut_short); /* it is known to be slow by now */
}

SUITE_TEST(request_timeout_ms_rules_over_a_very_slow_ledger, 0)
{
    slow_down(f, 11000);
    os_options options = fixture_options(f);
    options.request_timeout_ms = 30000;
    options.length_s = 50;
    CLOSED os_client *client = fixture_client(&options);
    CLEARED struct outcome done = create_through_slowness(f, client, "very-slow");
    assert_int_equal(done.result.guards, 1);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {
        .name = "many records", .needs = BACKEND_DYNAMO | BACKEND_FENCE, .only = "minio"};
    return suite_main(&suite, argc, argv);
}
