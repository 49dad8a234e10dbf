/* SPDX-License-Identifier: Apache-2.0 */
/* What an UNKNOWN says of asking again, and os_settle, which does it. */
#include "base/clock.h"
#include "client/ticket.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"
#include "unit/api/upload_store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONCE "0123456789abcdef0123456789abcdef"

/* S3 time: starts at 10:00:00 and goes at the rate of ours. */
enum { START_S = 1795255200, MARGIN_S = 1 };

/* A store whose one object is as `head` says. */
struct asked {
    struct scratch scratch;
    struct http_server *server;
    os_client *client;
    struct clock_reading begun;
    char *ticket;
    _Atomic(const char *) head;      /* status line and headers */
    _Atomic(const char *) otherwise; /* the answer to what is no HEAD */
    _Atomic(os_cancel *) cancel;     /* triggered by the second HEAD */
    atomic_uint heads;
    atomic_ullong last_ms;    /* when the last HEAD came, after the start */
    atomic_ullong longest_ms; /* between two */
    os_result result;
    os_error error;
};

static void note_head(struct asked *asked, uint64_t at_ms)
{
    uint64_t since_ms = at_ms - atomic_exchange(&asked->last_ms, at_ms);
    if (since_ms > atomic_load(&asked->longest_ms))
        atomic_store(&asked->longest_ms, since_ms);
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct asked *asked = context;
    struct clock_reading now;
    clock_read(&now);
    uint64_t at_ms = clock_elapsed_max(&asked->begun, &now);
    bool is_head = strcmp(record->method, "HEAD") == 0;
    if (is_head)
        note_head(asked, at_ms);
    if (is_head && atomic_fetch_add(&asked->heads, 1) == 1 && asked->cancel)
        os_cancel_trigger(asked->cancel);
    buf_reset(scratch);
    buf_add_f(
        scratch,
        "HTTP/1.1 %s\r\nDate: Sat, 21 Nov 2026 10:00:%02u GMT\r\nx-amz-request-id: 1\r\nContent-Length: 0\r\n\r\n",
        is_head ? atomic_load(&asked->head) : atomic_load(&asked->otherwise), (unsigned)(at_ms / 1000));
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static void asked_set_up(struct asked *asked)
{
    os_options options = OS_OPTIONS_INIT;
    scratch_set_up(&asked->scratch);
    atomic_store(&asked->otherwise, "403 Forbidden");
    asked->result = (os_result)OS_RESULT_INIT;
    clock_read(&asked->begun);
    const struct http_server_options server = {.respond = respond, .respond_context = asked};
    asked->server = http_server_start(&server);
    options.margin_s = MARGIN_S;
    asked->client = scratch_s3_client(&asked->scratch, http_server_host(asked->server), &options);
}

static void asked_tear_down(struct asked *asked)
{
    free(asked->ticket);
    os_result_clear(&asked->result);
    os_client_close(asked->client);
    http_server_stop(asked->server);
    os_cancel_free(asked->cancel);
    scratch_tear_down(&asked->scratch);
}

enum { DEAD = -3, NO_FENCE = 1000 };

/* The store has it so; and the ticket is of a create of "key" that may be applied until `fence_s` after the start. */
static void ask_about(struct asked *asked, const char *head, int fence_s, bool versioned)
{
    char ledger[160];
    snprintf(ledger, sizeof(ledger), "%s/.oscommit/ledger.db", asked->scratch.root);
    const struct ticket_place place = {
        .part = {"s3", http_server_host(asked->server), "bucket", "", "sqlite", ledger, "", "", ""}};
    struct guard_ticket ticket = {
        .operation = GUARD_PUT,
        .expected_etag = "*",
        .versioned = versioned,
        .record = {.generation = 7, .timeout_ms = 65000, .ttl_s = START_S + 3600, .nonce = NONCE},
        .d0_s = START_S - 5,
        .margin_s = MARGIN_S};
    ticket.record.has_fence = fence_s != NO_FENCE;
    ticket.record.fence_s = fence_s != NO_FENCE ? (uint64_t)(START_S + fence_s) : 0;
    atomic_store(&asked->head, head);
    asked->ticket = ticket_write(&place, "key", NULL, &ticket);
    assert_non_null(asked->ticket);
}

static void make_cancel(struct asked *asked)
{
    os_cancel *cancel;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    asked->cancel = cancel;
}

static os_verdict ask(struct asked *asked, bool settle, uint64_t deadline_ms)
{
    os_call call = OS_CALL_INIT;
    call.deadline_ms = deadline_ms;
    call.cancel = asked->cancel;
    os_result_clear(&asked->result);
    return settle ? os_settle(asked->client, asked->ticket, NULL, &call, &asked->result, &asked->error)
                  : os_resolve(asked->client, asked->ticket, &call, &asked->result, &asked->error);
}

/* Ended by the store's second answer. */
static os_verdict ask_twice(struct asked *asked)
{
    make_cancel(asked);
    return ask(asked, false, 60000);
}

/* Told at the second HEAD, and reckoned from it: however late that came. */
static void check_ask_again(const struct asked *asked, uint64_t least_ms, uint64_t most_ms)
{
    struct clock_reading now;
    clock_read(&now);
    assert_true(asked->result.ask_again_ms + clock_elapsed_max(&asked->begun, &now) >= least_ms);
    assert_true(asked->result.ask_again_ms + atomic_load(&asked->last_ms) <= most_ms);
}

#define ABSENT    "404 Not Found"
#define OTHERS    "200 OK\r\nETag: \"22222222222222222222222222222222\"\r\nLast-Modified: Sat, 21 Nov 2026 09:59:59 GMT"
#define OURS      OTHERS "\r\nx-amz-meta-oscommit-nonce: " NONCE
#define VERSIONED OTHERS "\r\nx-amz-version-id: v2"

/* ------------------------------------------------------------------------------------------------ what is said */

TEST_WITH(asked, before_the_fence_it_is_said_when_to_ask_again)
{
    ask_about(asked, ABSENT, 60, false);
    assert_int_equal(ask_twice(asked), OS_UNKNOWN);
    assert_string_equal(asked->result.rule, "V3");
    assert_false(asked->result.final);
    check_ask_again(asked, 60000, 63000); /* fence, margin, and the second in which it is past */
    assert_non_null(asked->result.ticket);
}

/* The lease is the best guess: D0 was five seconds before the start. */
TEST_WITH(asked, without_a_fence_the_lease_says_when_to_ask_again)
{
    ask_about(asked, ABSENT, NO_FENCE, false);
    assert_int_equal(ask_twice(asked), OS_UNKNOWN);
    assert_false(asked->result.final);
    check_ask_again(asked, 60000, 63000);
}

/* Nothing answers: a second is the least. */
TEST_WITH(asked, where_nothing_tells_the_time_a_second_is_said)
{
    ask_about(asked, "503 Slow Down", NO_FENCE, false);
    assert_int_equal(ask(asked, false, 300), OS_UNKNOWN);
    assert_false(asked->result.final);
    assert_true(asked->result.ask_again_ms >= 1000);
}

TEST_WITH(asked, an_unknown_for_want_of_evidence_is_final)
{
    ask_about(asked, OTHERS, DEAD, false);
    assert_int_equal(ask(asked, true, 20000), OS_UNKNOWN);
    assert_string_equal(asked->result.rule, "R13.F");
    assert_true(asked->result.final);
    assert_int_equal(asked->result.ask_again_ms, 0);
    CHECK_SAYS(&asked->error, "Asking again does not help");
}

/* R16: the list could tell, and a right is missing. */
TEST_WITH(asked, an_unknown_for_want_of_a_right_is_not_final)
{
    ask_about(asked, VERSIONED, DEAD, true);
    assert_int_equal(ask(asked, true, 20000), OS_UNKNOWN);
    assert_false(asked->result.final);
    assert_int_equal(asked->result.ask_again_ms, 0);
    CHECK_SAYS(&asked->error, "s3:ListBucketVersions");
    atomic_store(&asked->otherwise, "501 Not Implemented");
    assert_int_equal(ask(asked, true, 20000), OS_UNKNOWN);
    assert_true(asked->result.final);
}

TEST_WITH(asked, a_verdict_is_final)
{
    ask_about(asked, OURS, DEAD, false);
    assert_int_equal(ask(asked, false, 60000), OS_COMMITTED);
    assert_true(asked->result.final);
    assert_int_equal(asked->result.ask_again_ms, 0);
    os_body body = OS_BODY_MEMORY("x", 1);
    os_result_clear(&asked->result);
    assert_int_equal(
        os_put_if_match(asked->client, "key", "W/\"weak\"", &body, NULL, NULL, &asked->result, &asked->error),
        OS_NOT_EXECUTED);
    assert_true(asked->result.final);
}

TEST_WITH(asked, a_ticket_that_is_refused_is_neither_final_nor_worth_waiting_for)
{
    atomic_store(&asked->head, OURS);
    asked->ticket = strdup("{}");
    assert_int_equal(ask(asked, true, 20000), OS_UNKNOWN);
    assert_int_equal(asked->error.code, OS_ERR_ARGUMENT);
    assert_false(asked->result.final);
    assert_int_equal(asked->result.ask_again_ms, 0);
    assert_int_equal(atomic_load(&asked->heads), 0);
}

/* A caller of an earlier release has a shorter struct. */
TEST_WITH(asked, a_result_of_an_earlier_release_is_filled_as_far_as_it_goes)
{
    ask_about(asked, OTHERS, DEAD, false);
    asked->result.size = offsetof(os_result, final);
    asked->result.final = 77;
    asked->result.ask_again_ms = 78;
    assert_int_equal(os_settle(asked->client, asked->ticket, NULL, NULL, &asked->result, &asked->error), OS_UNKNOWN);
    assert_int_equal(asked->result.final, 77);
    assert_int_equal(asked->result.ask_again_ms, 78);
    assert_non_null(asked->result.ticket);
}

/* ------------------------------------------------------------------------------------------------ os_settle */

TEST_WITH(asked, settling_waits_for_the_fence_without_asking_all_the_time)
{
    struct clock_reading now;
    ask_about(asked, ABSENT, 7, false);
    assert_int_equal(ask(asked, true, 60000), OS_NOT_EXECUTED);
    assert_string_equal(asked->result.rule, "R13.D");
    clock_read(&now);
    assert_in_range(clock_elapsed_max(&asked->begun, &now), 8000, 59000);
    assert_true(atomic_load(&asked->longest_ms) >= 2800); /* os_resolve: two seconds at most (R13.19) */
    assert_int_equal(asked->result.guards, 1);
}

TEST_WITH(asked, settling_ends_at_its_deadline_and_at_its_cancellation)
{
    struct clock_reading now;
    ask_about(asked, ABSENT, 50, false);
    assert_int_equal(ask(asked, true, 300), OS_UNKNOWN);
    assert_int_equal(asked->error.code, OS_ERR_UNDECIDED);
    CHECK_SAYS(&asked->error, "deadline passed");
    atomic_store(&asked->heads, 0);
    make_cancel(asked);
    assert_int_equal(ask(asked, true, 60000), OS_UNKNOWN);
    CHECK_SAYS(&asked->error, "cancelled");
    clock_read(&now);
    assert_true(clock_elapsed_max(&asked->begun, &now) < 50000);
}

/* ------------------------------------------------------------------------------------------------ again and again */

static void allow_aborts(void *context, os_log_level level, const char *line)
{
    (void)level;
    if (strstr(line, "could not be aborted"))
        upload_store_allow_aborts(context);
}

/* The upload cannot be aborted at first: os_resolve gives up, os_settle asks again. */
TEST_WITH(scratch, settling_goes_on_where_resolving_gives_up)
{
    const struct upload_script script = {.abort = REPLY_DENIED};
    struct upload_store store;
    os_cancel *cancel;
    os_options options = OS_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    os_result result = OS_RESULT_INIT;
    os_result settled = OS_RESULT_INIT;
    os_error error;
    os_body body = OS_BODY_MEMORY("two", 3);
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    upload_store_start(&store, &script, cancel);
    options.fences = OS_ON;
    options.stage_above = 1;
    os_client *client = scratch_s3_client(scratch, http_server_host(store.server), &options);
    call.cancel = cancel;
    assert_int_equal(os_put_if_absent(client, "key", &body, NULL, &call, &result, &error), OS_UNKNOWN);
    assert_int_equal(os_resolve(client, result.ticket, NULL, &settled, &error), OS_UNKNOWN);
    CHECK_SAYS(&error, "could not be aborted");
    assert_false(settled.final);
    assert_true(settled.ask_again_ms > 0);
    os_result_clear(&settled);
    os_client_close(client);
    options.log = allow_aborts;
    options.log_context = &store;
    client = scratch_s3_client(scratch, http_server_host(store.server), &options);
    assert_int_equal(os_settle(client, result.ticket, NULL, NULL, &settled, &error), OS_NOT_EXECUTED);
    assert_true(settled.final);
    assert_int_equal(settled.guards, 2);
    assert_true(settled.duration_ms >= 2000); /* of both, and between them */
    assert_null(settled.ticket);
    os_result_clear(&settled);
    os_result_clear(&result);
    os_client_close(client);
    upload_store_stop(&store);
    os_cancel_free(cancel);
}
