/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults between a holder of a lease and its table: lost, late, wrong and repeated answers, and throttling. Whoever took
 * it must recognise itself and not wait for itself; and what arrives late must harm nobody (L9).
 */
#include "support/leases.h"
#include "support/suite.h"

#include <stdatomic.h>
#include <string.h>

#define AMAZON_JSON "Content-Type: application/x-amz-json-1.0\r\nx-amzn-RequestId: MADEUPREQUESTID\r\n"
#define CODE(name)  "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" name "\",\"message\":\"made up\"}"

/* SOON: less than the time to live of what is not to be waited out, which is a minute. */
enum { SOON_MS = 30000, ANSWER_MS = 60000 };
/* Long enough for a machine that stands still for some seconds: what is left at an extension is nearly two thirds. */
enum { TTL_S = 15 };

/* Of every kind of answer that may be lost; the matches are the tests'. */
static const struct fault {
    const char *name;
    struct fault_rule rule;
} faults[] = {
    {.name = "a lost answer", .rule = {.action = FAULT_DROP_ANSWER, .times = 1}},
    {.name = "three lost answers", .rule = {.action = FAULT_DROP_ANSWER, .times = 3}},
    {.name = "a 500 after it was applied",
     .rule = {.action = FAULT_ANSWER_AFTER,
              .times = 1,
              .status = 500,
              .headers = AMAZON_JSON,
              .body = CODE("InternalServerError")}},
    {.name = "an answer cut short", .rule = {.action = FAULT_CUT, .times = 1, .bytes = 1}},
    {.name = "an answer with a wrong checksum", .rule = {.action = FAULT_CORRUPT_CRC, .times = 1}},
    {.name = "an answer that is not to be read",
     .rule = {.action = FAULT_ANSWER_AFTER,
              .times = 1,
              .status = 200,
              .headers = AMAZON_JSON,
              .body = "{\"Attributes\":{"}},
    {.name = "a request that a layer sends twice", .rule = {.action = FAULT_REPLAY, .times = 1}},
    {.name = "a connection that dies before", .rule = {.action = FAULT_RESET, .times = 2}},
    {.name = "throttling",
     .rule = {.action = FAULT_ANSWER,
              .times = 2,
              .status = 400,
              .headers = AMAZON_JSON,
              .body = CODE("ProvisionedThroughputExceededException")}},
};

/* A holder behind a proxy, and another one past it. */
struct pair {
    struct fixture *f;
    os_client *client;
    os_client *other;
    const char *name;
};

static struct pair pair_open(struct fixture *f, const char *name)
{
    struct pair pair = {.f = f};
    assert_true(fixture_proxies(f));
    pair.client = leases_client(f);
    pair.other = leases_direct_client(f);
    pair.name = fixture_key(f, name);
    return pair;
}

static unsigned pair_add(const struct pair *pair, struct fault_rule rule, const char *target, const char *body_contains)
{
    rule.match.target = target;
    rule.match.body_contains = body_contains;
    unsigned id = fault_proxy_add(pair->f->ledger_proxy, &rule);
    assert_true(id > 0);
    return id;
}

static void pair_close(struct pair *pair)
{
    os_client_close(pair->other);
    os_client_close(pair->client);
}
#define ENDED __attribute__((cleanup(pair_close)))

static void is_free(const struct pair *pair)
{
    os_error error;
    CHECK_CODE(leases_try(pair->other, pair->name, &error), OS_OK, &error);
}

static os_lease *acquire_soon(const struct pair *pair, const os_lease_options *options)
{
    uint64_t start_ms = now_ms();
    os_lease *lease = leases_acquire(pair->client, pair->name, options);
    assert_in_range(now_ms() - start_ms, 0, SOON_MS);
    assert_int_not_equal(os_lease_state(lease), OS_LEASE_LOST);
    return lease;
}

static os_lease_options fenced(void)
{
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.fencing = 1;
    return options;
}

/* ----------------------------------------------------------------------------------------------------- acquire */

/* It does not wait, either: its own item in its way is no conflict. */
SUITE_ROWS(faults, a_take_recognises_itself, 0)
{
    ENDED struct pair pair = pair_open(f, "take");
    unsigned rule = pair_add(&pair, row->rule, "PutItem", pair.name);
    os_lease *lease = acquire_soon(&pair, NULL);
    assert_true(fault_proxy_hits(f->ledger_proxy, rule) >= 1);
    os_error error;
    CHECK_CODE(leases_try(pair.other, pair.name, &error), OS_ERR_CONFLICT, &error);
    leases_release(lease);
    is_free(&pair);
}

/* The TAKE, the number of its epoch, the TOKEN: each meets it, one after the other. */
SUITE_ROWS(faults, with_fencing_each_request_of_an_acquisition_is_answered_well_in_the_end, 0)
{
    ENDED struct pair pair = pair_open(f, "fenced-take");
    os_lease_options options = fenced();
    uint64_t last = 0;
    for (unsigned i = 0; i < 3; i++) {
        struct fault_rule rule = row->rule;
        rule.first = i + 1;
        leases_delete_item(f, pair.name); /* so that a token is asked for again */
        unsigned id = pair_add(&pair, rule, "UpdateItem", pair.name);
        os_lease *lease = acquire_soon(&pair, &options);
        assert_true(fault_proxy_hits(f->ledger_proxy, id) >= 1);
        assert_true(os_lease_token(lease) > last);
        last = os_lease_token(lease);
        assert_int_equal(leases_read(pair.other, pair.name).token, last);
        fault_proxy_remove(f->ledger_proxy, id);
        leases_release(lease);
    }
    is_free(&pair);
}

/* What it may have taken is given back within a second after its deadline, or left to end by itself. */
SUITE_TEST(an_acquisition_without_any_answer_ends_soon_after_its_deadline, 0)
{
    ENDED struct pair pair = pair_open(f, "no-answer");
    os_lease *never = NULL;
    os_error error;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 1000;
    unsigned taken = pair_add(&pair, (struct fault_rule){.action = FAULT_HOLD}, "PutItem", pair.name);
    unsigned dropped = pair_add(&pair, (struct fault_rule){.action = FAULT_HOLD}, "DeleteItem", pair.name);
    CHECK_CODE(os_lease_acquire(pair.client, pair.name, NULL, &call, &never, &error), OS_ERR_DEADLINE, &error);
    assert_null(never);
    assert_int_equal(fault_proxy_hits(f->ledger_proxy, taken), 1); /* whose answer is waited for for five seconds */
    assert_int_equal(fault_proxy_hits(f->ledger_proxy, dropped), 0);
    fault_proxy_release(f->ledger_proxy, taken, FAULT_DISCARD);
    is_free(&pair);
}

/* ------------------------------------------------------------------------------------------------------ extend */

static void note_lost(void *context, os_lease *lease, os_lease_status status)
{
    (void)lease;
    if (status == OS_LEASE_LOST)
        event_set(context);
}

/* It is held on to: the first extension meets it, and then others are answered well. */
SUITE_ROWS(faults, an_extension_recognises_itself, 0)
{
    ENDED struct pair pair = pair_open(f, "extended");
    struct event lost = EVENT_INIT;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = TTL_S;
    options.changed = note_lost;
    options.context = &lost;
    unsigned rule = pair_add(&pair, row->rule, "UpdateItem", pair.name);
    os_lease *lease = acquire_soon(&pair, &options);
    assert_true(fault_proxy_wait_hits(f->ledger_proxy, rule, row->rule.times, ANSWER_MS));
    fault_proxy_forget(f->ledger_proxy);
    const struct fault_match extension = {.target = "UpdateItem", .body_contains = pair.name};
    bool answered = fault_proxy_wait_answered(f->ledger_proxy, &extension, 200, 2, ANSWER_MS);
    assert_int_equal(event_count(&lost), 0);
    assert_true(answered);
    assert_int_not_equal(os_lease_state(lease), OS_LEASE_LOST);
    leases_release(lease);
    is_free(&pair);
}

/* L4, L6: lost before another has it, though no request of it was refused; and what then arrives finds nothing. */
SUITE_TEST(extensions_that_get_no_answer_lose_it_before_another_has_it, 0)
{
    ENDED struct pair pair = pair_open(f, "unanswered");
    struct event lost = EVENT_INIT;
    struct lease_waiter waiter = {.client = pair.other, .name = pair.name};
    os_error error;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = TTL_S;
    options.changed = note_lost;
    options.context = &lost;
    os_lease *lease = acquire_soon(&pair, &options);
    unsigned rule = pair_add(&pair, (struct fault_rule){.action = FAULT_HOLD}, "UpdateItem", pair.name);
    lease_waiter_start(&waiter);
    event_wait(&lost);
    uint64_t lost_ms = now_ms();
    assert_int_equal(os_lease_state(lease), OS_LEASE_LOST);
    assert_int_equal(os_lease_remaining_ms(lease), 0);
    lease_waiter_join(&waiter);
    assert_true(waiter.held_ms >= lost_ms);
    unsigned held = fault_proxy_hits(f->ledger_proxy, rule);
    assert_true(held >= 1);
    fault_proxy_release(f->ledger_proxy, rule, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(f->ledger_proxy, rule, held, ANSWER_MS));
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "had been lost before");
    leases_release(waiter.lease); /* it was held until now */
}

/* ----------------------------------------------------------------------------------------------------- release */

/* The answer to the second of two copies says that nothing is there: whether the first did it, nobody knows. */
static void release_under(const struct fault *fault, os_lease *lease)
{
    os_error error;
    os_code code = os_lease_release(lease, NULL, &error);
    CHECK_CODE(code, fault->rule.action == FAULT_REPLAY ? OS_ERR_CONFLICT : OS_OK, &error);
}

SUITE_ROWS(faults, a_release_is_confirmed_in_the_end, 0)
{
    ENDED struct pair pair = pair_open(f, "released");
    os_lease *lease = acquire_soon(&pair, NULL);
    unsigned rule = pair_add(&pair, row->rule, "DeleteItem", pair.name);
    release_under(row, lease);
    assert_true(fault_proxy_hits(f->ledger_proxy, rule) >= 1);
    is_free(&pair);
}

SUITE_ROWS(faults, with_fencing_a_release_is_confirmed_in_the_end, 0)
{
    ENDED struct pair pair = pair_open(f, "fenced-released");
    os_lease_options options = fenced();
    os_lease *lease = acquire_soon(&pair, &options);
    uint64_t token = os_lease_token(lease);
    unsigned rule = pair_add(&pair, row->rule, "UpdateItem", pair.name);
    release_under(row, lease);
    assert_true(fault_proxy_hits(f->ledger_proxy, rule) >= 1);
    os_lease_info info = leases_read(pair.other, pair.name);
    assert_int_equal(info.held, 0);
    assert_int_equal(info.token, token);
    is_free(&pair);
}

SUITE_TEST(a_release_without_an_answer_is_undecided_at_its_deadline, 0)
{
    ENDED struct pair pair = pair_open(f, "undecided");
    os_error error;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 2000;
    os_lease *lease = acquire_soon(&pair, NULL);
    pair_add(&pair, (struct fault_rule){.action = FAULT_RESET}, "DeleteItem", pair.name);
    CHECK_CODE(os_lease_release(lease, &call, &error), OS_ERR_UNDECIDED, &error);
    CHECK_SAYS(&error, "was not confirmed");
    assert_int_equal(leases_read(pair.other, pair.name).held, 1);
}

/* -------------------------------------------------------------------------------------------------------- late */

/* L9: its holder has taken it by another request meanwhile. */
SUITE_TEST(a_take_that_comes_late_changes_nothing, 0)
{
    ENDED struct pair pair = pair_open(f, "late-take");
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = TTL_S; /* its answer is waited for as long as a sixth */
    const struct fault_match take = {.target = "PutItem", .body_contains = pair.name};
    unsigned rule = pair_add(&pair, (struct fault_rule){.action = FAULT_HOLD, .times = 1}, "PutItem", pair.name);
    os_lease *lease = acquire_soon(&pair, &options);
    fault_proxy_release(f->ledger_proxy, rule, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(f->ledger_proxy, rule, 1, ANSWER_MS));
    struct fault_seen seen;
    assert_true(fault_proxy_seen(f->ledger_proxy, &take, 0, &seen));
    assert_int_equal(seen.upstream_status, 400);
    fault_seen_free(&seen);
    assert_int_not_equal(os_lease_state(lease), OS_LEASE_LOST);
    leases_release(lease);
    is_free(&pair);
}

/* L9: nobody holds what it leaves, and whoever comes waits that out. */
SUITE_TEST(a_take_that_comes_after_its_release_is_waited_out, 0)
{
    ENDED struct pair pair = pair_open(f, "later-take");
    struct lease_waiter waiter = {.client = pair.other, .name = pair.name};
    os_error error;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = TTL_S;
    unsigned rule = pair_add(&pair, (struct fault_rule){.action = FAULT_HOLD, .times = 1}, "PutItem", pair.name);
    leases_release(acquire_soon(&pair, &options));
    fault_proxy_release(f->ledger_proxy, rule, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(f->ledger_proxy, rule, 1, ANSWER_MS));
    uint64_t start_ms = now_ms();
    CHECK_CODE(leases_try(pair.other, pair.name, &error), OS_ERR_CONFLICT, &error);
    lease_waiter_start(&waiter);
    lease_waiter_join(&waiter);
    assert_in_range(waiter.held_ms - start_ms, TTL_S * 1000, TTL_S * 1000 + SOON_MS);
    leases_release(waiter.lease);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {
        .name = "faults of a lease's table", .needs = BACKEND_DYNAMO, .only = "minio,minio+dynalite"};
    return suite_main(&suite, argc, argv);
}
