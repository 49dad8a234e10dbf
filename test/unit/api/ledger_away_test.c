/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ledger that is not there: another server at its address, a port that refuses, one that never answers. A call that
 * has sent nothing to the store says so after ten seconds, and names the setting; so does one that resolves a ticket.
 * The store is a made-up one that is well. All cases wait at the same time.
 */
#include "support/address.h"
#include "support/event.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include "oscommit_lease.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATE "Date: Sat, 21 Nov 2026 18:00:00 GMT\r\n"

enum ledger_kind {
    LEDGER_IS_WELL,      /* takes every record, and has none */
    LEDGER_IS_S3,        /* answers with XML */
    LEDGER_IS_WEB,       /* answers 404 with a page */
    LEDGER_REFUSES,      /* nobody listens */
    LEDGER_IS_SILENT,    /* takes requests, and never answers */
    LEDGER_TAKES_NOBODY, /* listens, and accepts no connection */
    LEDGER_DENIES,       /* DynamoDB, without a right to it */
    LEDGER_IS_ENDLESS,   /* trailers behind its answer */
    LEDGER_HELD,         /* another's record first, then silence */
    LEDGER_HANGS_UP,     /* once, and then it is silent */
    LEDGER_TAKES_RECORDS /* and is silent when it is asked for them */
};

/* `context`: what an attempt triggers when it is here, if anything; its answer is never sent. */
static void answer_store(void *context, const struct http_server_record *record, struct buf *scratch,
                         struct http_server_step *ret)
{
    os_cancel *cancel = atomic_load((_Atomic(os_cancel *) *)context);
    (void)scratch;
    if (cancel && strcmp(record->method, "PUT") == 0)
        os_cancel_trigger(cancel);
    bool bucket = strcmp(record->target, "/bucket") == 0 || strcmp(record->target, "/bucket/") == 0;
    if (strcmp(record->method, "PUT") == 0)
        *ret = (struct http_server_step){.leave = HTTP_SERVER_CLOSE}; /* perhaps applied */
    else if (bucket)
        *ret = (struct http_server_step){.answer = "HTTP/1.1 200 OK\r\n" DATE "x-amz-request-id: A\r\n"
                                                   "Content-Length: 0\r\n\r\n"};
    else
        *ret = (struct http_server_step){.answer = "HTTP/1.1 404 Not Found\r\n" DATE "x-amz-request-id: A\r\n"
                                                   "Content-Length: 0\r\n\r\n"};
}

#define HELD                                                                                                      \
    "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException\",\"Item\":{\"path\":{\"S\":" \
    "\"k\"},"                                                                                                     \
    "\"etag\":{\"S\":\"*\"},\"generation\":{\"N\":\"7\"},\"timeout\":{\"N\":\"3600000\"},\"ttl\":{\"N\":"         \
    "\"1800000000\"}}}"

static void add_trailers(struct buf *ret)
{
    buf_add_str(ret, "HTTP/1.1 200 OK\r\nx-amzn-RequestId: A\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n");
    for (int i = 0; i < 10000; i++)
        buf_add_str(ret, "x-t: 1\r\n");
}

static void answer_ledger(void *context, const struct http_server_record *record, struct buf *scratch,
                          struct http_server_step *ret)
{
    static const char xml[] = "<?xml version=\"1.0\"?><Error><Code>InvalidRequest</Code></Error>";
    static const char denied[] = "{\"__type\":\"com.amazon.coral.service#AccessDeniedException\",\"Message\":\"no\"}";
    enum ledger_kind kind = (enum ledger_kind)atomic_load((atomic_int *)context);
    const char *target = http_headers_get(&record->headers, "x-amz-target");
    bool puts = target && strstr(target, "PutItem");
    buf_reset(scratch);
    if (kind == LEDGER_IS_WELL || (kind == LEDGER_TAKES_RECORDS && puts))
        buf_add_str(scratch, "HTTP/1.1 200 OK\r\nx-amzn-RequestId: A\r\nContent-Length: 2\r\n\r\n{}");
    else if (kind == LEDGER_IS_S3)
        buf_add_f(scratch,
                  "HTTP/1.1 400 Bad Request\r\nContent-Type: application/xml\r\nx-amz-request-id: A\r\n"
                  "Content-Length: %zu\r\n\r\n%s",
                  strlen(xml), xml);
    else if (kind == LEDGER_IS_WEB)
        buf_add_str(scratch, "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n"
                             "<html></html>");
    else if (kind == LEDGER_DENIES)
        buf_add_f(scratch, "HTTP/1.1 400 Bad Request\r\nx-amzn-RequestId: A\r\nContent-Length: %zu\r\n\r\n%s",
                  strlen(denied), denied);
    else if (kind == LEDGER_HELD && puts)
        buf_add_f(scratch, "HTTP/1.1 400 Bad Request\r\nx-amzn-RequestId: A\r\nContent-Length: %zu\r\n\r\n%s",
                  strlen(HELD), HELD);
    else if (kind == LEDGER_IS_ENDLESS)
        add_trailers(scratch);
    *ret = (struct http_server_step){.answer = buf_str(scratch)};
    if (scratch->len == 0)
        *ret = (struct http_server_step){.leave = HTTP_SERVER_DRAIN};
    if (kind == LEDGER_HANGS_UP) {
        *ret = (struct http_server_step){.leave = HTTP_SERVER_CLOSE};
        atomic_store((atomic_int *)context, LEDGER_IS_SILENT);
    }
}

enum { LONG_MS = 120000 };

/* ------------------------------------------------------------------------------------------------ a case */

enum away_call { CREATES, RESOLVES, SETTLES, SETTLES_ON /* its deadline is SETTLE_MS */ };

struct wanted {
    const char *name;
    enum ledger_kind kind;
    enum away_call call;
    os_code code;
    uint64_t least_ms;
    uint64_t most_ms;
    size_t most_requests; /* to the ledger */
    const char *says;
};

struct away {
    struct wanted wanted;
    struct http_server *store;
    struct http_server *ledger; /* NULL: at `address` */
    struct address address;
    atomic_int plays;            /* enum ledger_kind */
    _Atomic(os_cancel *) cancel; /* of the call that makes the ticket */
    int port;
    os_client *client;
    char *ticket;
    pthread_t thread;
    os_verdict verdict;
    os_result result;
    os_error error;
    uint64_t took_ms;
    size_t requests; /* before */
};

static os_client *open_client(const struct away *away)
{
    char ledger[64];
    os_options options = OS_OPTIONS_INIT;
    snprintf(ledger, sizeof(ledger), "127.0.0.1:%d", away->port);
    options.fences = OS_OFF;
    return scratch_services_client(http_server_host(away->store), ledger, &options);
}

static os_verdict create(os_client *client, uint64_t deadline_ms, os_cancel *cancel, os_result *ret, os_error *err)
{
    os_call call = OS_CALL_INIT;
    os_body body = OS_BODY_MEMORY("x", 1);
    call.deadline_ms = deadline_ms;
    call.cancel = cancel;
    return os_put_if_absent(client, "k", &body, NULL, &call, ret, err);
}

static void open_ledger(struct away *away)
{
    atomic_store(&away->plays, LEDGER_IS_WELL);
    away->ledger =
        http_server_start(&(struct http_server_options){.respond = answer_ledger, .respond_context = &away->plays});
    away->port = http_server_port(away->ledger);
}

/* Of a write that was cancelled when its attempt had been sent. */
static void make_ticket(struct away *away)
{
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    os_cancel *cancel = NULL;
    os_client *client = open_client(away);
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    atomic_store(&away->cancel, cancel);
    assert_int_equal(create(client, LONG_MS, cancel, &result, &error), OS_UNKNOWN);
    away->ticket = strdup(result.ticket);
    os_result_clear(&result);
    os_client_close(client);
}

static void set_up(struct away *away)
{
    bool nowhere = away->wanted.kind == LEDGER_REFUSES || away->wanted.kind == LEDGER_TAKES_NOBODY;
    away->store =
        http_server_start(&(struct http_server_options){.respond = answer_store, .respond_context = &away->cancel});
    if (away->wanted.call != CREATES || !nowhere)
        open_ledger(away);
    if (away->wanted.call != CREATES)
        make_ticket(away);
    if (nowhere) {
        http_server_stop(away->ledger);
        away->ledger = NULL;
        away->port = address_take(&away->address, away->port, away->wanted.kind == LEDGER_TAKES_NOBODY);
    } else {
        away->requests = http_server_count(away->ledger);
    }
    atomic_store(&away->plays, (int)away->wanted.kind);
    away->client = open_client(away);
}

enum { SETTLE_MS = 30000 };

static os_verdict settle(struct away *away)
{
    os_call call = OS_CALL_INIT;
    os_resolve_options options = OS_RESOLVE_OPTIONS_INIT;
    options.give_up = away->wanted.call == SETTLES;
    call.deadline_ms = options.give_up ? LONG_MS : SETTLE_MS;
    return os_settle(away->client, away->ticket, &options, &call, &away->result, &away->error);
}

static void *play(void *argument)
{
    struct away *away = argument;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = LONG_MS;
    uint64_t start = now_ms();
    if (away->wanted.call == CREATES)
        away->verdict = create(away->client, LONG_MS, NULL, &away->result, &away->error);
    else if (away->wanted.call == RESOLVES)
        away->verdict = os_resolve(away->client, away->ticket, &call, &away->result, &away->error);
    else
        away->verdict = settle(away);
    away->took_ms = now_ms() - start;
    return NULL;
}

static void check(const struct away *away)
{
    char endpoint[128];
    print_message("%s: %s\n", away->wanted.name, away->error.message);
    snprintf(endpoint, sizeof(endpoint), "dynamodb_endpoint, which is http://127.0.0.1:%d (--dynamodb-endpoint, ",
             away->port);
    bool unknown = away->wanted.call != CREATES;
    assert_int_equal(away->verdict, unknown ? OS_UNKNOWN : OS_NOT_EXECUTED);
    assert_int_equal(away->result.final, !unknown);
    assert_int_equal(away->result.ticket != NULL, unknown);
    CHECK_CODE(away->error.code, away->wanted.code, &away->error);
    if (away->wanted.kind != LEDGER_DENIES)
        CHECK_SAYS(&away->error, endpoint);
    CHECK_SAYS(&away->error, away->wanted.says);
    assert_in_range(away->took_ms, away->wanted.least_ms, away->wanted.most_ms);
    if (away->ledger)
        assert_in_range(http_server_count(away->ledger) - away->requests, 1, away->wanted.most_requests);
}

static void tear_down(struct away *away)
{
    os_client_close(away->client);
    http_server_stop(away->store);
    os_cancel_free(away->cancel);
    if (away->ledger)
        http_server_stop(away->ledger);
    else
        address_free(&away->address);
    os_result_clear(&away->result);
    free(away->ticket);
}

/* Whoever waited for ten seconds where he should not would have asked more often than at most. The latest is well
 * before the deadline. */
enum { AT_ONCE_MS = 60000, TEN_S = 9500, LATEST_MS = 60000 };

TEST(a_ledger_that_is_not_there_is_given_up_with_the_name_of_its_setting)
{
    static const char away_words[] = "its ledger has not answered for ten seconds";
    static const struct wanted wanted[] = {
        {"an S3 server", LEDGER_IS_S3, CREATES, OS_ERR_CONFIG, 0, AT_ONCE_MS, 3, "not DynamoDB"},
        {"a web server", LEDGER_IS_WEB, CREATES, OS_ERR_CONFIG, 0, AT_ONCE_MS, 3, "text/html"},
        {"a port that refuses", LEDGER_REFUSES, CREATES, OS_ERR_NETWORK, TEN_S, LATEST_MS, 0, away_words},
        {"a silent one", LEDGER_IS_SILENT, CREATES, OS_ERR_NETWORK, TEN_S, LATEST_MS, 20, away_words},
        {"one that hangs up, then is silent", LEDGER_HANGS_UP, CREATES, OS_ERR_NETWORK, TEN_S, LATEST_MS, 20,
         "closed the connection without an answer"},
        {"one that accepts nobody", LEDGER_TAKES_NOBODY, CREATES, OS_ERR_NETWORK, TEN_S, LATEST_MS, 0, away_words},
        {"silent beside another's record", LEDGER_HELD, CREATES, OS_ERR_NETWORK, TEN_S, LATEST_MS, 20, away_words},
        {"trailers without end", LEDGER_IS_ENDLESS, CREATES, OS_ERR_PROTOCOL, TEN_S, LATEST_MS, 60,
         "more than 128 trailers"},
        {"a ticket, an S3 server", LEDGER_IS_S3, RESOLVES, OS_ERR_UNDECIDED, 0, AT_ONCE_MS, 2, "not DynamoDB"},
        {"a ticket, a port that refuses", LEDGER_REFUSES, RESOLVES, OS_ERR_UNDECIDED, TEN_S, LATEST_MS, 0, away_words},
        {"a ticket, a silent one", LEDGER_IS_SILENT, RESOLVES, OS_ERR_UNDECIDED, TEN_S, LATEST_MS, 20, away_words},
        {"a ticket, trailers", LEDGER_IS_ENDLESS, RESOLVES, OS_ERR_UNDECIDED, TEN_S, LATEST_MS, 60,
         "more than 128 trailers"},
        {"settled, an S3 server", LEDGER_IS_S3, SETTLES_ON, OS_ERR_UNDECIDED, 0, AT_ONCE_MS, 2, "not DynamoDB"},
        {"settled, a port that refuses", LEDGER_REFUSES, SETTLES, OS_ERR_UNDECIDED, TEN_S, LATEST_MS, 0, away_words},
        {"settled, a silent one", LEDGER_IS_SILENT, SETTLES, OS_ERR_UNDECIDED, TEN_S, LATEST_MS, 20, away_words},
        {"settled, one that accepts nobody", LEDGER_TAKES_NOBODY, SETTLES, OS_ERR_UNDECIDED, TEN_S, LATEST_MS, 0,
         away_words},
        {"settled until its deadline, a port that refuses", LEDGER_REFUSES, SETTLES_ON, OS_ERR_UNDECIDED, TEN_S,
         SETTLE_MS + LATEST_MS, 0, away_words},
        {"settled until its deadline, a silent one", LEDGER_IS_SILENT, SETTLES_ON, OS_ERR_UNDECIDED, TEN_S,
         SETTLE_MS + LATEST_MS, 20, away_words},
        {"a ticket, no right", LEDGER_DENIES, RESOLVES, OS_ERR_UNDECIDED, 0, AT_ONCE_MS, 1, "AccessDenied"},
    };
    enum { COUNT = sizeof(wanted) / sizeof(wanted[0]) };
    struct away cases[COUNT];
    const size_t count = COUNT;
    for (size_t i = 0; i < count; i++) {
        cases[i] = (struct away){.wanted = wanted[i], .result = OS_RESULT_INIT};
        set_up(&cases[i]);
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&cases[i].thread, NULL, play, &cases[i]), 0);
    for (size_t i = 0; i < count; i++)
        pthread_join(cases[i].thread, NULL);
    for (size_t i = 0; i < count; i++)
        check(&cases[i]);
    for (size_t i = 0; i < count; i++)
        tear_down(&cases[i]);
}

/* What was sent to the store may have been applied: its caller waits for the ledger as long as he said. */
TEST(a_ledger_that_goes_away_behind_an_attempt_is_waited_for)
{
    struct away away = {.wanted.kind = LEDGER_TAKES_RECORDS};
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    set_up(&away);
    uint64_t start = now_ms();
    assert_int_equal(create(away.client, 13000, NULL, &result, &error), OS_UNKNOWN);
    assert_in_range(now_ms() - start, 12900, LATEST_MS);
    CHECK_SAYS(&error, "deadline passed");
    assert_non_null(result.ticket);
    os_result_clear(&result);
    tear_down(&away);
}

static int no_record(void *context, const os_record *record)
{
    (void)context;
    (void)record;
    return 0;
}

TEST(the_table_commands_name_the_setting_too)
{
    static const enum ledger_kind kinds[] = {LEDGER_IS_S3, LEDGER_IS_WEB, LEDGER_REFUSES};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct away away = {.wanted.kind = kinds[i]};
        os_error errors[8] = {{0}};
        set_up(&away);
        assert_int_not_equal(os_table_check(away.client, NULL, &errors[0]), OS_OK);
        assert_int_not_equal(os_table_create(away.client, NULL, &errors[1]), OS_OK);
        assert_int_not_equal(os_table_list(away.client, NULL, NULL, no_record, NULL, &errors[2]), OS_OK);
        assert_int_not_equal(os_table_release(away.client, "k", NULL, 1, NULL, &errors[3]), OS_OK);
        assert_int_not_equal(os_lease_table_check(away.client, NULL, &errors[4]), OS_OK);
        assert_int_not_equal(os_lease_table_create(away.client, NULL, &errors[5]), OS_OK);
        assert_int_not_equal(os_lock_table_check(away.client, NULL, &errors[6]), OS_OK);
        assert_int_not_equal(os_lock_table_create(away.client, NULL, &errors[7]), OS_OK);
        for (size_t j = 0; j < 8; j++) {
            CHECK_SAYS(&errors[j], "dynamodb_endpoint, which is http://127.0.0.1:");
            assert_int_equal(errors[j].code, kinds[i] == LEDGER_REFUSES ? OS_ERR_NETWORK : OS_ERR_CONFIG);
        }
        tear_down(&away);
    }
}
