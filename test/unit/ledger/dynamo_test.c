/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the DynamoDB ledger says of a PutItem that was not answered (R4): a record that may have arrived is never called
 * refused, and one that certainly did not is never called ambiguous.
 */
#include "aws/endpoint.h"
#include "base/clock.h"
#include "credentials/credentials.h"
#include "ledger/ledger.h"
#include "support/http_server.h"
#include "support/raw_service.h"
#include "unit/loop/on_loop.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

struct fixture {
    struct http_server *server;
    struct on_loop on;
    struct table *ledger;
    struct endpoint endpoint;
    struct credentials *credentials;
};

static void open_ledger(struct fixture *f, const char *scheme, const char *host, const char *ca_file)
{
    static const struct credentials_source none = {.no_environment = true};
    struct credentials_source source = none;
    struct table_config config = {.endpoint = &f->endpoint, .name = "records", .stall_ms = PATIENCE_MS};
    char url[64];
    on_loop_set_up_trusting(&f->on, ca_file);
    snprintf(url, sizeof(url), "%s://%s", scheme, host);
    source.access_key_id = raw_access_key();
    source.secret_access_key = raw_secret_key();
    config.loop = f->on.loop;
    assert_int_equal(endpoint_parse("dynamodb", url, raw_region(), &f->endpoint, NULL), OS_OK);
    assert_int_equal(credentials_new(&source, &f->credentials, NULL), OS_OK);
    config.credentials = f->credentials;
    assert_int_equal(dynamo_table_new(&config, &f->ledger, NULL), OS_OK);
}

static void start(struct fixture *f, const struct http_server_options *options, bool trusting)
{
    f->server = http_server_start(options);
    open_ledger(f, options->tls ? "https" : "http", http_server_host(f->server),
                trusting ? http_server_ca_file(f->server) : NULL);
}

/* Each test starts it with what it needs. */
static void fixture_set_up(struct fixture *f)
{
    (void)f;
}

static void fixture_tear_down(struct fixture *f)
{
    on_loop_settle(&f->on);
    f->ledger->vtable->free(f->ledger);
    credentials_free(f->credentials);
    http_server_stop(f->server);
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
    struct table *ledger = call->f->ledger;
    if (ledger_start(ledger, &call->request, note_answer, call) == NULL)
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
    on_loop_call(&f->on, start_call, &call);
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

/* ------------------------------------------------------------------------------------------------ lists */

#define PAGE_HEAD "HTTP/1.1 200 OK\r\nx-amzn-requestid: A\r\nConnection: close\r\n\r\n"
#define ROW(etag)                                                 \
    "{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"" etag         \
    "\"},\"generation\":{\"N\":\"7\"},\"timeout\":{\"N\":\"0\"}," \
    "\"ttl\":{\"N\":\"1800000000\"}}"
#define LAST(etag) "\"LastEvaluatedKey\":{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"" etag "\"}}"

struct listing {
    char etags[64]; /* one after the other, those that are no record in brackets */
    bool too_large; /* some `other` was not to be had */
};

static bool note_row(void *context, const struct ledger_row *row)
{
    struct listing *listing = context;
    size_t used = strlen(listing->etags);
    snprintf(listing->etags + used, sizeof(listing->etags) - used, row->readable ? "%s" : "[%s]", row->etag);
    listing->too_large = listing->too_large || strstr(row->other, "too large");
    return true;
}

static struct ledger_answer list(struct fixture *f, struct listing *ret, uint64_t try_ms)
{
    struct call call = {.f = f, .done = EVENT_INIT};
    *ret = (struct listing){.too_large = false};
    call.request = (struct ledger_request){.verb = LEDGER_LIST,
                                           .path = "dir/k",
                                           .each = note_row,
                                           .each_context = ret,
                                           .records_only = true,
                                           .deadline_monotonic_ms = UINT64_MAX,
                                           .try_ms = try_ms};
    on_loop_call(&f->on, start_call, &call);
    event_wait(&call.done);
    return call.answer;
}

static void push(struct fixture *f, const char *answer)
{
    http_server_push(f->server, &(struct http_server_step){.answer = answer, .leave = HTTP_SERVER_CLOSE});
}

static bool asked_from(struct fixture *f, size_t request, const char *etag)
{
    char key[64];
    snprintf(key, sizeof(key), "\"ExclusiveStartKey\":{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"%s\"}}", etag);
    return strstr(http_server_record(f->server, request)->body, key) != NULL;
}

TEST_WITH(fixture, R13_every_page_of_the_query_is_read)
{
    struct listing listing;
    start(fixture, &(struct http_server_options){.tls = false}, false);
    push(fixture, PAGE_HEAD "{\"Items\":[" ROW("a") "," ROW("b") "]," LAST("b") "}");
    push(fixture, PAGE_HEAD "{\"Items\":[]," LAST("c") "}"); /* a page may have nothing but where the next one is */
    push(fixture, PAGE_HEAD "{\"Items\":[" ROW("d") ",{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"e\"}}]}");
    struct ledger_answer answer = list(fixture, &listing, PATIENCE_MS);
    assert_int_equal(answer.outcome, LEDGER_OK);
    assert_string_equal(listing.etags, "abd[e]");
    assert_int_equal(answer.requests, 3);
    assert_true(asked_from(fixture, 1, "b"));
    assert_true(asked_from(fixture, 2, "c"));
    assert_non_null(strstr(http_server_record(fixture->server, 0)->body, "ProjectionExpression"));
}

/* Otherwise a partition that is large enough, or a table that is throttled now and then, is never read to its end. */
TEST_WITH(fixture, R13_a_page_that_failed_is_asked_for_again_not_the_whole_query)
{
    struct listing listing;
    start(fixture, &(struct http_server_options){.tls = false}, false);
    push(fixture, PAGE_HEAD "{\"Items\":[" ROW("a") "]," LAST("a") "}");
    push(fixture, "HTTP/1.1 500 Internal Server Error\r\nx-amzn-requestid: A\r\nContent-Length: 0\r\n\r\n");
    push(fixture, NULL); /* no answer */
    push(fixture, PAGE_HEAD "{\"Items\":[" ROW("b") "]," LAST("b") "}");
    for (int i = 0; i < 7; i++) /* E1 */
        push(fixture, "HTTP/1.1 400 Bad Request\r\nx-amzn-requestid: A\r\nConnection: close\r\n\r\n"
                      "{\"__type\":\"x#ThrottlingException\",\"message\":\"slow down\"}");
    push(fixture, PAGE_HEAD "{\"Items\":[" ROW("c") "]}");
    struct ledger_answer answer = list(fixture, &listing, PATIENCE_MS);
    assert_int_equal(answer.outcome, LEDGER_OK);
    assert_string_equal(listing.etags, "abc");
    assert_int_equal(answer.requests, 12);
}

TEST_WITH(fixture, a_list_whose_page_goes_on_failing_ends)
{
    struct listing listing;
    start(fixture, &(struct http_server_options){.tls = false}, false);
    push(fixture, PAGE_HEAD "{\"Items\":[" ROW("a") "]," LAST("a") "}");
    for (int i = 0; i < 8; i++)
        push(fixture, NULL);
    struct ledger_answer answer = list(fixture, &listing, PATIENCE_MS);
    assert_int_equal(answer.outcome, LEDGER_AMBIGUOUS);
    assert_int_equal(answer.error.code, OS_ERR_NETWORK);
    assert_true(http_server_count(fixture->server) <= 6);
}

TEST_WITH(fixture, R13_each_page_has_a_time_of_its_own)
{
    struct listing listing;
    start(fixture, &(struct http_server_options){.tls = false}, false);
    for (int i = 0; i < 4; i++)
        http_server_push(fixture->server,
                         &(struct http_server_step){.answer = PAGE_HEAD "{\"Items\":[" ROW("a") "]," LAST("a") "}",
                                                    .drip_bytes = 40,
                                                    .drip_ms = 50,
                                                    .leave = HTTP_SERVER_CLOSE});
    push(fixture, PAGE_HEAD "{\"Items\":[" ROW("b") "]}");
    struct ledger_answer answer = list(fixture, &listing, 600); /* a page takes 350 ms, all of them over a second */
    assert_int_equal(answer.outcome, LEDGER_OK);
    assert_string_equal(listing.etags, "aaaab");
}

TEST_WITH(fixture, a_single_request_is_not_waited_for_beyond_its_try)
{
    struct listing listing;
    start(fixture, &(struct http_server_options){.tls = false}, false);
    http_server_push(fixture->server, &(struct http_server_step){.leave = HTTP_SERVER_DRAIN});
    struct ledger_answer answer = list(fixture, &listing, 200);
    assert_int_equal(answer.error.code, OS_ERR_DEADLINE);
    assert_int_equal(answer.outcome, LEDGER_AMBIGUOUS);
}

/* One item, which others have filled with more than is read, with `member` as its last. */
static char *crowded_page(const char *members, const char *last)
{
    struct buf page;
    buf_init(&page, 16 << 20);
    buf_add_f(&page, PAGE_HEAD "{\"Items\":[{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"b\"}%s,\"x\":{\"L\":[",
              members);
    for (size_t i = 0; i < 200000; i++)
        buf_add_str(&page, i > 0 ? ",{\"S\":\"\"}" : "{\"S\":\"\"}");
    buf_add_f(&page, "]}}]%s}", last);
    assert_true(buf_ok(&page));
    return buf_take(&page);
}

TEST_WITH(fixture, R13_an_item_that_is_too_large_to_be_read_counts_as_none)
{
    struct listing listing;
    start(fixture, &(struct http_server_options){.tls = false}, false);
    char *crowded = crowded_page("", "," LAST("b"));
    push(fixture, PAGE_HEAD "{\"Items\":[" ROW("a") "]," LAST("a") "}");
    for (int i = 0; i < 3; i++) /* as a page, as one item, as one record */
        push(fixture, crowded);
    push(fixture, PAGE_HEAD "{\"Items\":[{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"b\"}}]," LAST("b") "}");
    push(fixture, PAGE_HEAD "{\"Items\":[" ROW("c") "]}");
    struct ledger_answer answer = list(fixture, &listing, PATIENCE_MS);
    free(crowded);
    assert_int_equal(answer.outcome, LEDGER_OK);
    assert_string_equal(listing.etags, "a[b]c");
    assert_true(listing.too_large);
    assert_non_null(strstr(http_server_record(fixture->server, 2)->body, "\"Limit\":1,"));
    assert_non_null(strstr(http_server_record(fixture->server, 4)->body, "\"ProjectionExpression\":\"#path, #etag\""));
    assert_non_null(strstr(http_server_record(fixture->server, 5)->body, "\"Limit\":4000,"));
    assert_true(asked_from(fixture, 5, "b"));
}

/* ------------------------------------------------------------------------------------------------ records */

TEST_WITH(fixture, a_record_that_left_before_a_failed_handshake_may_have_arrived)
{
    start(fixture, &(struct http_server_options){.tls = true, .handshakes = 1}, true);
    keep_a_connection(fixture);
    http_server_push(fixture->server, &(struct http_server_step){.leave = HTTP_SERVER_CLOSE});
    struct ledger_answer answer = ask(fixture, LEDGER_PUT);
    assert_int_equal(answer.error.code, OS_ERR_TLS); /* it was sent again, and that copy got no connection */
    assert_int_equal(answer.outcome, LEDGER_AMBIGUOUS);
    assert_int_equal(http_server_connections(fixture->server), 2);
    assert_int_equal(http_server_count(fixture->server), 2);
    assert_true(http_server_record(fixture->server, 1)->whole);
}

TEST_WITH(fixture, a_record_without_a_handshake_never_left)
{
    start(fixture, &(struct http_server_options){.tls = true}, false);
    struct ledger_answer answer = ask(fixture, LEDGER_PUT);
    assert_int_equal(answer.error.code, OS_ERR_TLS);
    assert_int_equal(answer.outcome, LEDGER_REFUSED);
    assert_int_equal(http_server_count(fixture->server), 0);
}

TEST_WITH(fixture, a_record_that_was_not_answered_may_have_arrived)
{
    start(fixture, &(struct http_server_options){.tls = false}, false);
    http_server_push(fixture->server, &(struct http_server_step){.leave = HTTP_SERVER_CLOSE});
    struct ledger_answer answer = ask(fixture, LEDGER_PUT);
    assert_int_equal(answer.error.code, OS_ERR_NETWORK);
    assert_int_equal(answer.outcome, LEDGER_AMBIGUOUS);
}

TEST_WITH(fixture, a_record_to_a_server_that_is_not_there_may_be_put_again)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    char host[32];
    int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* a port that nobody can listen at meanwhile */
    assert_int_equal(bind(taken, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(getsockname(taken, (struct sockaddr *)&address, &length), 0);
    snprintf(host, sizeof(host), "127.0.0.1:%d", ntohs(address.sin_port));
    open_ledger(fixture, "http", host, NULL);
    struct ledger_answer answer = ask(fixture, LEDGER_PUT);
    assert_int_equal(answer.error.code, OS_ERR_NETWORK);
    assert_int_equal(answer.outcome, LEDGER_THROTTLED);
    close(taken);
}
