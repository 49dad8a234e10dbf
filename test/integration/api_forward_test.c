/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward-only keys on real stores with conditions (N4): an attempt whose answer says nothing is sent again, and one
 * HEAD decides, also after others have written on. None of this takes the time of a fence.
 */
#include "support/mode.h"

#include <stdio.h>
#include <string.h>

static const struct fault_rule answer_503 = {.action = FAULT_ANSWER,
                                             .status = 503,
                                             .headers = "Content-Type: application/xml\r\n",
                                             .body = "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code></Error>"};
static const struct fault_rule lose_answer = {.action = FAULT_DROP_ANSWER};
static const struct fault_rule lose_request = {.action = FAULT_RESET};

static os_call promise(void)
{
    os_call call = OS_CALL_INIT;
    call.forward_only = OS_ON;
    return call;
}

/* A client of another process, as it were. */
static os_client *open_other(struct fixture *f)
{
    os_options options = fixture_options(f);
    options.guard = OS_GUARD_NATIVE;
    options.store_profile = f->backend->name;
    options.ledger_url = NULL;
    options.forward_only = OS_ON;
    return fixture_client(&options);
}

static void create_forward(struct mode *mode)
{
    const os_call call = promise();
    mode->outcome = create(mode->client, mode->key, "ours", &call);
}

/* The caller gives up while the answer is still to come. */
static struct outcome create_undecided(const struct mode *mode)
{
    os_call call = promise();
    call.deadline_ms = 6000; /* sent by then, and not yet dead */
    struct outcome undecided = create(mode->client, mode->key, "ours", &call);
    CHECK_VERDICT(undecided, OS_UNKNOWN);
    return undecided;
}

SUITE_TEST(a_503_to_a_create_costs_two_requests_more, 0)
{
    ENDED struct mode mode = mode_open(f, "forward-503", OS_GUARD_NATIVE, NULL);
    mode_add(&mode, answer_503);
    create_forward(&mode);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    assert_int_equal(mode.outcome.result.requests, 3);
    assert_int_equal(mode.outcome.result.attempts, 2);
    assert_int_equal(mode.outcome.result.guards, 1);
    CHECK_OBJECT(mode.client, mode.key, "ours");
}

SUITE_TEST(a_request_that_was_lost_is_sent_again, 0)
{
    ENDED struct mode mode = mode_open(f, "forward-lost", OS_GUARD_NATIVE, NULL);
    const os_call call = promise();
    CLEARED struct outcome first = create(mode.client, mode.key, "first", &call);
    CHECK_VERDICT(first, OS_COMMITTED);
    struct fault_rule twice = lose_request;
    twice.times = 2;
    mode_add(&mode, twice);
    mode.outcome = replace(mode.client, mode.key, first.result.etag, "second", &call);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    assert_int_equal(mode.outcome.result.attempts, 3);
    CHECK_OBJECT(mode.client, mode.key, "second");
}

/* The first copy was applied and its answer lost; the second one would be answered 412. */
SUITE_TEST(a_lost_answer_is_seen_at_once, 0)
{
    ENDED struct mode mode = mode_open(f, "forward-answer", OS_GUARD_NATIVE, NULL);
    mode_add(&mode, lose_answer);
    create_forward(&mode);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    assert_string_equal(mode.outcome.result.rule, "V4");
    assert_int_equal(mode.outcome.result.attempts, 1);
}

/* While we wait for the answer others replace what we wrote, twice: the last version's pairs tell of ours. */
SUITE_TEST(a_write_that_others_have_replaced_is_committed, 0)
{
    ENDED struct mode mode = mode_open(f, "forward-chain", OS_GUARD_NATIVE, NULL);
    CLOSED os_client *other = open_other(f);
    const struct fault_match looks = {.method = "HEAD", .path_contains = mode.key};
    unsigned held = mode_add(&mode, (struct fault_rule){.action = FAULT_HOLD_ANSWER});
    unsigned blind = fault_proxy_add(f->store_proxy, &(struct fault_rule){.match = looks, .action = FAULT_RESET});
    CLEARED struct outcome undecided = create_undecided(&mode);
    assert_true(fault_proxy_wait_hits(f->store_proxy, held, 1, 60000)); /* it has written */
    fault_proxy_remove(f->store_proxy, held);
    fault_proxy_remove(f->store_proxy, blind);
    char etag[128];
    os_object object = OS_OBJECT_INIT;
    assert_int_equal(os_head(other, mode.key, NULL, &object, NULL), OS_OK);
    memcpy(etag, object.etag, sizeof(etag));
    for (int i = 0; i < 2; i++) {
        CLEARED struct outcome replaced = replace(other, mode.key, etag, i ? "third" : "second", NULL);
        CHECK_VERDICT(replaced, OS_COMMITTED);
        memcpy(etag, replaced.result.etag, sizeof(etag));
    }
    mode.outcome = resolve(mode.client, undecided.result.ticket, NULL);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    assert_string_equal(mode.outcome.result.rule, "V4");
}

/* Our request never came; another created the key meanwhile, and says over what. */
SUITE_TEST(a_write_that_another_overtook_is_a_conflict_at_once, 0)
{
    ENDED struct mode mode = mode_open(f, "forward-overtaken", OS_GUARD_NATIVE, NULL);
    CLOSED os_client *other = open_other(f);
    unsigned held = mode_add(&mode, (struct fault_rule){.action = FAULT_HOLD});
    CLEARED struct outcome undecided = create_undecided(&mode);
    fault_proxy_release(f->store_proxy, held, FAULT_DISCARD);
    fault_proxy_remove(f->store_proxy, held);
    CLEARED struct outcome theirs = create(other, mode.key, "theirs", NULL);
    CHECK_VERDICT(theirs, OS_COMMITTED);
    mode.outcome = resolve(mode.client, undecided.result.ticket, NULL);
    CHECK_VERDICT(mode.outcome, OS_CONFLICT);
    assert_string_equal(mode.outcome.result.rule, "N4");
    assert_string_equal(mode.outcome.result.found_etag, theirs.result.etag);
}

SUITE_TEST(what_deletes_or_repeats_is_refused, 0)
{
    ENDED struct mode mode = mode_open(f, "forward-refused", OS_GUARD_NATIVE, NULL);
    const os_call call = promise();
    CLEARED struct outcome first = create(mode.client, mode.key, "text", &call);
    CHECK_VERDICT(first, OS_COMMITTED);
    mode.outcome = delete_version(mode.client, mode.key, first.result.etag, &call);
    CHECK_VERDICT(mode.outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(mode.outcome, OS_ERR_ARGUMENT);
    CHECK_SAYS(&mode.outcome.error, "forward_only");
    assert_int_equal(mode.outcome.result.requests, 0);
    CLEARED struct outcome same = replace(mode.client, mode.key, first.result.etag, "text", &call);
    CHECK_VERDICT(same, OS_NOT_EXECUTED);
    assert_string_equal(same.result.rule, "N4");
    CHECK_SAYS(&same.error, "the bytes that are there");
    CHECK_OBJECT(mode.client, mode.key, "text");
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "forward-only keys", .needs = BACKEND_REAL, .only = "minio,versitygw"};
    return suite_main(&suite, argc, argv);
}
