/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name service that fails for a while, under one client that lives on: store and ledger are reached by names (ending
 * in ".test", which support/name_service.c makes 127.0.0.1), and what could not be looked up once must not stand in the
 * way of anything later.
 */
#include "support/name_service.h"
#include "support/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUSY_CALLS = 12 };
#define NEVER UINT_MAX

struct named {
    char store[128];
    char ledger[128];
    os_options options;
    os_client *client;
    const char *key;
};

/* By names that no other test has looked up: libcurl keeps what it was told, for a minute and for each client. */
static void name_of(const char *endpoint, const char *name, char *ret, size_t size)
{
    const char *port = strrchr(endpoint, ':');
    assert_non_null(port);
    snprintf(ret, size, "http://%s.test%s", name, port);
}

static void open_named(struct named *named, struct fixture *f, const char *name)
{
    memset(named, 0, sizeof(*named));
    name_of(f->store_endpoint, "store", named->store, sizeof(named->store));
    name_of(f->ledger_endpoint, "ledger", named->ledger, sizeof(named->ledger));
    named->key = fixture_key(f, name);
    named->options = fixture_options(f);
    named->options.s3_endpoint = named->store;
    named->options.dynamodb_endpoint = named->ledger;
    named->client = fixture_client(&named->options);
}

static void close_named(struct named *named)
{
    name_service_fail(0);
    os_client_close(named->client);
}

static void expect_commit(struct named *named, struct fixture *f, const char *name)
{
    const char *key = fixture_key(f, name);
    CLEARED struct outcome outcome = create(named->client, key, "body", NULL);
    CHECK_VERDICT(outcome, OS_COMMITTED);
    CHECK_OBJECT(named->client, key, "body");
}

/* The whole patience with what cannot be reached, ten seconds, and then the sentence. */
static void expect_not_executed(struct named *named, const char *host)
{
    uint64_t start = now_ms();
    unsigned before = name_service_failures();
    CLEARED struct outcome outcome = create(named->client, named->key, "body", NULL);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_NETWORK);
    CHECK_SAYS(&outcome.error, host);
    CHECK_SAYS(&outcome.error, "could not be looked up");
    assert_int_equal(outcome.result.attempts, 0);
    assert_true(name_service_failures() > before);
    assert_true(now_ms() - start < 60000); /* the call's own time: two minutes */
}

SUITE_TEST(a_client_whose_store_has_no_name_for_a_while_commits_later, 0)
{
    struct named named;
    open_named(&named, f, "store-away");
    name_service_fail(NEVER);
    expect_not_executed(&named, "store.test");
    name_service_fail(0);
    for (int i = 0; i < 3; i++)
        expect_commit(&named, f, "store-back");
    struct outcome outcome = create(named.client, named.key, "body", NULL); /* what was not executed never was */
    CHECK_VERDICT(outcome, OS_COMMITTED);
    outcome_clear(&outcome);
    close_named(&named);
}

SUITE_TEST(one_failed_look_up_is_not_noticed, 0)
{
    struct named named;
    open_named(&named, f, "once");
    unsigned before = name_service_failures();
    name_service_fail(1);
    expect_commit(&named, f, "once");
    assert_int_equal(name_service_failures(), before + 1);
    close_named(&named);
}

SUITE_TEST(a_ledger_that_has_no_name_for_a_while_is_no_end_either, 0)
{
    struct named named;
    open_named(&named, f, "ledger-away");
    os_client_close(named.client);
    named.options.s3_endpoint = f->store_endpoint;
    named.client = fixture_client(&named.options);
    name_service_fail(NEVER);
    expect_not_executed(&named, "ledger.test");
    CHECK_ABSENT(named.client, named.key);
    name_service_fail(0);
    expect_commit(&named, f, "ledger-back");
    close_named(&named);
}

/* Each plain call fails by a request of its own, as many as the pool keeps. */
SUITE_TEST(plain_calls_that_failed_so_leave_nothing_behind, 0)
{
    struct named named;
    open_named(&named, f, "plain");
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 200;
    for (int i = 0; i < BUSY_CALLS; i++) {
        os_object object = OS_OBJECT_INIT;
        os_error error;
        name_service_fail(NEVER);
        os_code code = os_head(named.client, "key", &call, &object, &error);
        assert_true(code == OS_ERR_NETWORK || code == OS_ERR_DEADLINE);
        CHECK_SAYS(&error, "store.test");
    }
    name_service_fail(0);
    expect_commit(&named, f, "plain");
    close_named(&named);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "name look-ups that fail", .needs = BACKEND_REAL, .only = "minio"};
    return suite_main(&suite, argc, argv);
}
