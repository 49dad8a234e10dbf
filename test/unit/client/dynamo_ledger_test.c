/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the DynamoDB ledger says of a PutItem that was not answered (R4): a record that may have arrived is never called
 * refused, and one that certainly did not is never called ambiguous.
 */
#include "aws/credentials.h"
#include "aws/endpoint.h"
#include "base/clock.h"
#include "client/ledger.h"
#include "support/http_server.h"
#include "support/raw_service.h"
#include "unit/client/on_loop.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

struct fixture {
    struct http_server *server;
    struct on_loop *on;
    struct ledger *ledger;
    struct endpoint endpoint;
};

static void open_ledger(struct fixture *f, const char *scheme, const char *host, const char *ca_file)
{
    static const struct credentials_source none = {.no_environment = true};
    struct credentials_source source = none;
    struct ledger_config config = {.endpoint = &f->endpoint, .table = "records", .stall_ms = PATIENCE_MS};
    char url[64];
    void *on;
    assert_int_equal(on_loop_setup_trusting(&on, ca_file), 0);
    f->on = on;
    snprintf(url, sizeof(url), "%s://%s", scheme, host);
    source.access_key_id = raw_access_key();
    source.secret_access_key = raw_secret_key();
    config.loop = f->on->loop;
    assert_int_equal(endpoint_parse("dynamodb", url, raw_region(), &f->endpoint, NULL), OS_OK);
    assert_int_equal(credentials_new(&source, &config.credentials, NULL), OS_OK);
    assert_int_equal(dynamo_ledger_new(&config, &f->ledger, NULL), OS_OK);
}

static void start(struct fixture *f, const struct http_server_options *options, bool trusting)
{
    f->server = http_server_start(options);
    open_ledger(f, options->tls ? "https" : "http", http_server_host(f->server),
                trusting ? http_server_ca_file(f->server) : NULL);
}

static int set_up(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    void *on = f->on;
    on_loop_settle(f->on);
    f->ledger->vtable->free(f->ledger);
    on_loop_teardown(&on);
    http_server_stop(f->server);
    free(f);
    return 0;
}

struct call {
    struct fixture *f;
    struct ledger_request request;
    struct ledger_answer answer;
    struct event done;
};

static void note_answer(void *context, const struct ledger_answer *answer)
{
    struct call *call = context;
    call->answer = *answer;
    event_set(&call->done);
}

static void start_call(void *context)
{
    struct call *call = context;
    struct ledger *ledger = call->f->ledger;
    if (ledger->vtable->start(ledger, &call->request, note_answer, call) == NULL)
        note_answer(call, &(struct ledger_answer){.outcome = LEDGER_THROTTLED});
}

static struct ledger_answer ask(struct fixture *f, enum ledger_verb verb)
{
    static const struct record record = {.generation = 7, .timeout_ms = 20000, .ttl_s = 1800000000, .nonce = "ab"};
    static const struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    struct call call = {.f = f, .done = EVENT_INIT};
    struct clock_reading now;
    clock_read(&now);
    call.request = (struct ledger_request){.verb = verb,
                                           .path = "dir/k",
                                           .etag = RECORD_ETAG_CREATE,
                                           .record = &record,
                                           .condition = &absent,
                                           .deadline_monotonic_ms = now.monotonic_ms + PATIENCE_MS};
    on_loop_call(f->on, start_call, &call);
    event_wait(&call.done);
    return call.answer;
}

/* A request that is answered, so that the next one goes out on a kept connection: libcurl sends that one again when the
 * connection ends before the first byte of an answer. */
static void keep_a_connection(struct fixture *f)
{
    http_server_push(f->server, &(struct http_server_step){.answer = "HTTP/1.1 200 OK\r\nx-amzn-requestid: A\r\n"
                                                                     "Content-Length: 2\r\n\r\n{}"});
    struct ledger_answer answer = ask(f, LEDGER_GET);
    assert_string_equal(answer.error.message, "");
    assert_int_equal(answer.outcome, LEDGER_OK);
    assert_int_equal(http_server_connections(f->server), 1);
}

static void a_record_that_left_before_a_failed_handshake_may_have_arrived(void **state)
{
    struct fixture *f = *state;
    start(f, &(struct http_server_options){.tls = true, .handshakes = 1}, true);
    keep_a_connection(f);
    http_server_push(f->server, &(struct http_server_step){.leave = HTTP_SERVER_CLOSE});
    struct ledger_answer answer = ask(f, LEDGER_PUT);
    assert_int_equal(answer.error.code, OS_ERR_TLS); /* it was sent again, and that copy got no connection */
    assert_int_equal(answer.outcome, LEDGER_AMBIGUOUS);
    assert_int_equal(http_server_connections(f->server), 2);
    assert_int_equal(http_server_count(f->server), 2);
    assert_true(http_server_record(f->server, 1)->whole);
}

static void a_record_without_a_handshake_never_left(void **state)
{
    struct fixture *f = *state;
    start(f, &(struct http_server_options){.tls = true}, false);
    struct ledger_answer answer = ask(f, LEDGER_PUT);
    assert_int_equal(answer.error.code, OS_ERR_TLS);
    assert_int_equal(answer.outcome, LEDGER_REFUSED);
    assert_int_equal(http_server_count(f->server), 0);
}

static void a_record_that_was_not_answered_may_have_arrived(void **state)
{
    struct fixture *f = *state;
    start(f, &(struct http_server_options){.tls = false}, false);
    http_server_push(f->server, &(struct http_server_step){.leave = HTTP_SERVER_CLOSE});
    struct ledger_answer answer = ask(f, LEDGER_PUT);
    assert_int_equal(answer.error.code, OS_ERR_NETWORK);
    assert_int_equal(answer.outcome, LEDGER_AMBIGUOUS);
}

static void a_record_to_a_server_that_is_not_there_may_be_put_again(void **state)
{
    struct fixture *f = *state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    char host[32];
    int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* a port that nobody can listen at meanwhile */
    assert_int_equal(bind(taken, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(getsockname(taken, (struct sockaddr *)&address, &length), 0);
    snprintf(host, sizeof(host), "127.0.0.1:%d", ntohs(address.sin_port));
    open_ledger(f, "http", host, NULL);
    struct ledger_answer answer = ask(f, LEDGER_PUT);
    assert_int_equal(answer.error.code, OS_ERR_NETWORK);
    assert_int_equal(answer.outcome, LEDGER_THROTTLED);
    close(taken);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_record_that_left_before_a_failed_handshake_may_have_arrived),
        TEST(a_record_without_a_handshake_never_left),
        TEST(a_record_that_was_not_answered_may_have_arrived),
        TEST(a_record_to_a_server_that_is_not_there_may_be_put_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
