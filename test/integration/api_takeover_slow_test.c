/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a dead or stuck holder costs at default settings, and what becomes of its late write: a holder killed between
 * record and PUT, a PUT that arrives after its fence, a body that stalls half-way past its lease. Minutes of waiting:
 * run in one configuration.
 */
#include "support/raw_service.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 20 };
static const char large[] = "1048576";

/* The settings of this program's clients: defaults, but where there is no fence a shorter lease; and versitygw, which
 * takes the rest of a stalled body at any time, gets the condition headers that it honours (R7). */
static os_options takeover_options(const struct fixture *f)
{
    os_options options = fixture_options(f);
    if (strcmp(f->backend->name, "versitygw") == 0)
        options.condition_headers = OS_ON;
    if ((f->backend->features & BACKEND_FENCE) == 0) {
        options.timeout_ms = 8000;
        options.max_clock_skew_rate = 2;
        options.length_s = 6;
        options.allowance_s = 1;
        options.margin_s = 1;
    }
    return options;
}

/* Creates one key, from a body of so many bytes (in one request if "whole" is said), and says its verdict. */
static int write_role(struct fixture *fixture, int argc, char **argv)
{
    os_options options = takeover_options(fixture);
    os_client *client = NULL;
    os_error error;
    size_t size = argc >= 2 ? (size_t)strtoul(argv[1], NULL, 10) : 0;
    options.stage_above = argc == 3 ? 2 * LARGE : 0;
    char *data = malloc(size + 1);
    if (data == NULL || size == 0 || os_client_open(&options, &client, &error) != OS_OK) {
        free(data);
        return 1;
    }
    memset(data, 'd', size);
    os_body body = OS_BODY_MEMORY(data, size);
    os_result result = OS_RESULT_INIT;
    os_verdict verdict = os_put_if_absent(client, argv[0], &body, NULL, NULL, &result, &error);
    printf("%s %s %u\n", os_verdict_name(verdict), result.rule, result.guards);
    fflush(stdout);
    os_result_clear(&result);
    os_client_close(client);
    free(data);
    return 0;
}

/* A process whose write is held by the proxy. */
struct holder {
    struct child child;
    const char *key;
    unsigned rule;
};

/* `rule` without a method: it meets the PUT. */
static void holder_start(struct holder *holder, struct fixture *f, const char *name, struct fault_rule rule,
                         const char *size)
{
    assert_true(fixture_proxies(f));
    fixture_export(f);
    holder->key = fixture_key(f, name);
    bool whole = rule.match.method == NULL;
    if (whole)
        rule.match.method = "PUT";
    rule.match.path_contains = holder->key;
    rule.times = 1;
    holder->rule = fault_proxy_add(f->store_proxy, &rule);
    const char *const arguments[] = {holder->key, size, whole ? "whole" : NULL, NULL};
    assert_true(child_start(&holder->child, "write", arguments));
    assert_true(fault_proxy_wait_hits(f->store_proxy, holder->rule, 1, 60000));
}

/* Creates the holder's key from here; returns how long it took. */
static uint64_t take_over(struct fixture *f, const char *key)
{
    os_options options = takeover_options(f);
    os_client *client = fixture_client(&options);
    uint64_t start = now_ms();
    struct outcome outcome = create(client, key, "the successor's", NULL);
    uint64_t took = now_ms() - start;
    CHECK_VERDICT(outcome, OS_COMMITTED);
    assert_true(outcome.result.took_over);
    CHECK_OBJECT(client, key, "the successor's");
    outcome_clear(&outcome);
    os_client_close(client);
    print_message("took over after %llu ms\n", (unsigned long long)took);
    return took;
}

SUITE_TEST(a_killed_holders_key_is_free_within_seconds, 0)
{
    struct holder holder;
    holder_start(&holder, f, "killed", (struct fault_rule){.action = FAULT_HOLD}, "5");
    child_kill(&holder.child);
    uint64_t took = take_over(f, holder.key);
    if (f->backend->features & BACKEND_FENCE)
        assert_true(took <= 50000); /* length 5 + allowance 5 + margin 2, one poll, rounding; without a fence 60 s */
    else
        assert_in_range(took, 15500, 16000 + 30000); /* timeout 8 s x rate 2; and what a slow machine takes */

    /* What the dead process sent arrives at last. */
    fault_proxy_release(f->store_proxy, holder.rule, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(f->store_proxy, holder.rule, 1, 60000));
    if (f->backend->features & BACKEND_FENCE) {
        struct fault_match attempts = {.method = "PUT", .path_contains = holder.key};
        struct fault_seen seen;
        assert_true(fault_proxy_seen(f->store_proxy, &attempts, 0, &seen));
        assert_int_equal(seen.upstream_status, 403);
        fault_seen_free(&seen);
        os_options options = takeover_options(f);
        CLOSED os_client *client = fixture_client(&options);
        CHECK_OBJECT(client, holder.key, "the successor's");
    }
}

SUITE_TEST(a_holder_that_was_killed_after_its_put_has_committed, 0)
{
    struct holder holder;
    holder_start(&holder, f, "killed-late", (struct fault_rule){.action = FAULT_HOLD_ANSWER}, "5");
    child_kill(&holder.child);
    os_options options = takeover_options(f);
    CLOSED os_client *client = fixture_client(&options);
    uint64_t start = now_ms();
    CLEARED struct outcome outcome = create(client, holder.key, "too late", NULL);
    CHECK_VERDICT(outcome, OS_CONFLICT);
    assert_true(now_ms() - start < 9000); /* before the fence */
    CHECK_OBJECT(client, holder.key, "ddddd");
}

static int note_blocked(void *context, const os_record *record)
{
    *(int64_t *)context = record->fence_s - record->since_s;
    return 0;
}

/* R15.2: parts go before the record, so that its fence is that of a small request. */
SUITE_TEST(a_writer_of_a_megabyte_that_is_killed_blocks_no_longer_than_that_of_a_byte, BACKEND_FENCE)
{
    struct holder holder;
    struct fault_rule held = {.action = FAULT_HOLD, .match = {.method = "POST", .query_contains = "uploadId="}};
    holder_start(&holder, f, "killed-large", held, large);
    child_kill(&holder.child);
    os_options options = takeover_options(f);
    CLOSED os_client *client = fixture_client(&options);
    os_error error;
    int64_t blocked_s = 0;
    CHECK_CODE(os_table_list(client, holder.key, NULL, note_blocked, &blocked_s, &error), OS_OK, &error);
    assert_in_range(blocked_s, 10, 11); /* length 5 + allowance 5, and 10 ms for the part */
    assert_true(take_over(f, holder.key) <= 50000);

    fault_proxy_release(f->store_proxy, holder.rule, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(f->store_proxy, holder.rule, 1, 60000));
    CHECK_OBJECT(client, holder.key, "the successor's");
}

/*
 * A body of which the store has half when the sender's lease ends, while something between them holds the rest. The
 * allowance of 70 s for such a PUT is longer than the store keeps the connection: the successor is safe, and so is its
 * commit when the rest arrives.
 */
SUITE_TEST(a_body_that_stalls_half_way_past_its_lease_harms_nobody, BACKEND_REAL)
{
    struct holder holder;
    holder_start(&holder, f, "stalled", (struct fault_rule){.action = FAULT_STALL_UPSTREAM, .bytes = LARGE / 2}, large);
    child_kill(&holder.child);
    uint64_t took = take_over(f, holder.key);
    assert_true(took <= 115000); /* length 5 + allowance 70 + margin 2, one poll, rounding */
    fault_proxy_release(f->store_proxy, holder.rule, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(f->store_proxy, holder.rule, 1, 120000));
    os_options options = takeover_options(f);
    CLOSED os_client *client = fixture_client(&options);
    CHECK_OBJECT(client, holder.key, "the successor's");
}

int main(int argc, char **argv)
{
    static const struct suite_role roles[] = {{"write", write_role}, {0}};
    static const struct suite suite = {
        .name = "takeover", .roles = roles, .needs = BACKEND_S3, .only = "minio,versitygw,minio+v2"};
    return suite_main(&suite, argc, argv);
}
