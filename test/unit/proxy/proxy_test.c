/* SPDX-License-Identifier: Apache-2.0 */
/* The race's proxy between a client of raw sockets and a scripted server. */
#include "proxy/proxy.h"
#include "support/http_server.h"
#include "support/test.h"

#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static struct http_server *server;
static struct proxy *proxy;
static unsigned port;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the three below: the proxy's threads come along */
static struct proxy_fault next_fault;                     /* what the next request meets */
static unsigned last_lane;
static char last_call[64];
static atomic_uint arrived_count;
static atomic_uint answered_count;
static atomic_uint delivered_count;
static atomic_uint met_count;

static void meet(struct proxy_fault fault)
{
    pthread_mutex_lock(&mutex);
    next_fault = fault;
    pthread_mutex_unlock(&mutex);
}

static void check_last(unsigned lane, const char *call)
{
    pthread_mutex_lock(&mutex);
    assert_int_equal(last_lane, lane);
    assert_string_equal(last_call, call);
    pthread_mutex_unlock(&mutex);
}

static void on_arrived(void *context, const struct proxy_request *request, struct proxy_fault *ret)
{
    (void)context;
    pthread_mutex_lock(&mutex);
    *ret = next_fault;
    next_fault = (struct proxy_fault){.harm = PROXY_NONE};
    last_lane = request->lane;
    (void)snprintf(last_call, sizeof(last_call), "%.20s%.20s", request->service_call, request->method);
    pthread_mutex_unlock(&mutex);
    arrived_count++;
}

static void on_answered(void *context, const struct proxy_request *request)
{
    (void)context;
    (void)request;
    answered_count++;
}

static void on_delivered(void *context, const struct proxy_request *request)
{
    (void)context;
    (void)request;
    delivered_count++;
}

static void on_met(void *context, const struct proxy_request *request, const struct proxy_fault *fault,
                   uint64_t start_us, uint64_t end_us)
{
    (void)context;
    (void)request;
    assert_true(end_us >= start_us);
    assert_int_not_equal(fault->harm, PROXY_NONE);
    met_count++;
}

static void start(const struct http_server_options *options, const char *ca_file, bool as_http_proxy)
{
    struct proxy_hooks hooks = {
        .arrived = on_arrived, .answered = on_answered, .delivered = on_delivered, .met = on_met};
    struct proxy_target target = {.tls = options != NULL && options->tls};

    server = http_server_start(options);
    if (!as_http_proxy) {
        (void)snprintf(target.host, sizeof(target.host), "127.0.0.1");
        (void)snprintf(target.port, sizeof(target.port), "%d", http_server_port(server));
    }
    target.ledger_tls = target.tls;
    proxy = proxy_new(&hooks, ca_file != NULL ? ca_file : http_server_ca_file(server));
    assert_non_null(proxy);
    port = proxy_listen(proxy, 7, &target);
    assert_int_not_equal(port, 0);
    assert_true(proxy_run(proxy));
    atomic_store(&arrived_count, 0);
    atomic_store(&answered_count, 0);
    atomic_store(&delivered_count, 0);
    atomic_store(&met_count, 0);
    meet((struct proxy_fault){.harm = PROXY_NONE});
}

/* Its threads have ended, and with them every hook. */
static void stop_proxy(void)
{
    proxy_free(proxy);
    proxy = NULL;
}

static void stop(void)
{
    stop_proxy();
    http_server_stop(server);
}

static int begin(void **state)
{
    (void)state;
    start(NULL, NULL, false);
    return 0;
}

static int end(void **state)
{
    (void)state;
    stop();
    return 0;
}

static int dial(void)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval patience = {.tv_sec = 60};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static void say(int fd, const char *bytes)
{
    assert_int_equal(send(fd, bytes, strlen(bytes), MSG_NOSIGNAL), (ssize_t)strlen(bytes));
}

/* Reads up to the end of a head and the text behind it; false: the connection ended first. */
static bool hears(int fd, const char *wanted)
{
    char got[4096];
    size_t len = 0;

    while (len < sizeof(got) - 1) {
        ssize_t more = recv(fd, got + len, sizeof(got) - 1 - len, 0);
        if (more <= 0)
            return false;
        len += (size_t)more;
        got[len] = '\0';
        if (strstr(got, "\r\n\r\n") != NULL && strstr(got, wanted) != NULL)
            return true;
    }
    return false;
}

static const char put[] = "PUT /b/key-00001 HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAuthorization: signed\r\n"
                          "Content-Length: 5\r\n\r\nhello";

TEST_BETWEEN(begin, end, a_request_reaches_the_server_as_it_was_signed)
{
    int fd = dial();
    const struct http_server_record *record;

    say(fd, put);
    assert_true(hears(fd, "200 OK"));
    say(fd, put); /* on the same connection */
    assert_true(hears(fd, "200 OK"));
    assert_int_equal(close(fd), 0);
    record = http_server_record(server, 1);
    assert_string_equal(record->target, "/b/key-00001");
    assert_string_equal(record->body, "hello");
    assert_int_equal(record->bytes, sizeof(put) - 1);
    assert_int_equal(http_server_connections(server), 1); /* kept, as the client's is */
    stop_proxy();
    assert_int_equal(arrived_count, 2);
    assert_int_equal(delivered_count, 2);
    check_last(7, "PUT");
}

TEST_BETWEEN(begin, end, a_dropped_answer_was_applied_and_the_client_is_reset)
{
    int fd = dial();

    meet((struct proxy_fault){.harm = PROXY_DROP_ANSWER});
    say(fd, put);
    assert_false(hears(fd, "200 OK"));
    assert_int_equal(close(fd), 0);
    assert_int_equal(http_server_count(server), 1);
    stop_proxy();
    assert_int_equal(answered_count, 1);
    assert_int_equal(delivered_count, 0);
    assert_int_equal(met_count, 1);
}

TEST_BETWEEN(begin, end, a_discarded_request_never_reaches_the_server)
{
    int fd = dial();

    meet((struct proxy_fault){.harm = PROXY_DISCARD});
    say(fd, put);
    assert_false(hears(fd, "200 OK"));
    assert_int_equal(close(fd), 0);
    assert_int_equal(http_server_count(server), 0);
}

TEST_BETWEEN(begin, end, a_late_request_arrives_after_its_sender_was_reset)
{
    int fd = dial();

    meet((struct proxy_fault){.harm = PROXY_LATE, .hold_ms = 3600 * 1000});
    say(fd, put);
    assert_false(hears(fd, "200 OK"));
    assert_int_equal(close(fd), 0);
    assert_int_equal(http_server_count(server), 0);
    proxy_drain(proxy); /* the hour is over */
    assert_int_equal(http_server_count(server), 1);
    assert_string_equal(http_server_record(server, 0)->body, "hello");
}

TEST_BETWEEN(begin, end, a_request_that_comes_twice_is_answered_once)
{
    int fd = dial();

    meet((struct proxy_fault){.harm = PROXY_TWICE, .hold_ms = 3600 * 1000});
    say(fd, put);
    assert_true(hears(fd, "200 OK"));
    assert_int_equal(http_server_count(server), 1);
    say(fd, put); /* the connection goes on meanwhile */
    assert_true(hears(fd, "200 OK"));
    proxy_drain(proxy);
    assert_int_equal(http_server_count(server), 3);
    assert_int_equal(close(fd), 0);
}

TEST_BETWEEN(begin, end, a_held_request_is_forwarded_also_when_its_sender_has_gone)
{
    int fd = dial();

    meet((struct proxy_fault){.harm = PROXY_HOLD_REQUEST, .hold_ms = 100});
    say(fd, put);
    assert_int_equal(close(fd), 0);
    assert_true(http_server_wait_count(server, 1));
}

TEST_BETWEEN(begin, end, a_made_up_answer_comes_instead_or_after)
{
    static const struct http_server_step dated = {
        .answer = "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nContent-Length: 0\r\n\r\n"};
    int fd = dial();

    meet((struct proxy_fault){
        .harm = PROXY_ANSWER_INSTEAD, .status = 503, .type = "application/xml", .body = "<Error/>"});
    say(fd, put);
    assert_true(hears(fd, "<Error/>"));
    assert_int_equal(http_server_count(server), 0);
    http_server_push(server, &dated);
    meet(
        (struct proxy_fault){.harm = PROXY_ANSWER_AFTER, .status = 500, .type = "application/xml", .body = "<Error/>"});
    say(fd, put);
    assert_true(hears(fd, "Date: Sat, 21 Nov 2026 10:00:00 GMT"));
    assert_int_equal(http_server_count(server), 1);
    assert_int_equal(close(fd), 0);
}

TEST_BETWEEN(begin, end, a_client_that_waits_for_leave_to_send_its_body_gets_it)
{
    int fd = dial();

    say(fd, "PUT /b/k HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    assert_true(hears(fd, "100 Continue"));
    say(fd, "ab");
    assert_true(hears(fd, "200 OK"));
    assert_int_equal(close(fd), 0);
}

TEST_BETWEEN(begin, end, what_is_no_request_ends_its_connection_only)
{
    int fd = dial();
    int other = dial();

    say(fd, "nonsense\r\n\r\n");
    assert_false(hears(fd, "200 OK"));
    say(other, put);
    assert_true(hears(other, "200 OK"));
    assert_int_equal(close(fd), 0);
    assert_int_equal(close(other), 0);
}

TEST(as_http_proxy_it_goes_where_the_request_says)
{
    char request[200];
    int fd;

    start(NULL, NULL, true);
    fd = dial();
    (void)snprintf(request, sizeof(request),
                   "POST http://%s/x HTTP/1.1\r\nHost: %s\r\nX-Amz-Target: D.PutItem\r\nContent-Length: 0\r\n\r\n",
                   http_server_host(server), http_server_host(server));
    say(fd, request);
    assert_true(hears(fd, "200 OK"));
    assert_string_equal(http_server_record(server, 0)->target, "/x");
    assert_int_equal(close(fd), 0);
    stop_proxy();
    check_last(7, "PutItemPOST");
    stop();
}

TEST(the_way_to_a_service_can_be_under_tls)
{
    struct http_server_options options = {.tls = true};
    int fd;

    start(&options, NULL, false);
    fd = dial();
    say(fd, put);
    assert_true(hears(fd, "200 OK"));
    say(fd, put);
    assert_true(hears(fd, "200 OK"));
    assert_int_equal(http_server_connections(server), 1);
    assert_int_equal(close(fd), 0);
    stop();
}

TEST(a_certificate_of_another_host_is_not_accepted)
{
    struct http_server_options options = {.tls = true, .certificate_name = "other.example"};
    int fd;

    start(&options, NULL, false);
    fd = dial();
    say(fd, put);
    assert_false(hears(fd, "200 OK"));
    assert_int_equal(http_server_count(server), 0);
    assert_int_equal(close(fd), 0);
    stop();
}

TEST(a_certificate_that_nobody_vouches_for_is_not_accepted)
{
    struct http_server_options options = {.tls = true};
    struct http_server *other = http_server_start(&options);
    int fd;

    start(&options, http_server_ca_file(other), false);
    fd = dial();
    say(fd, put);
    assert_false(hears(fd, "200 OK"));
    assert_int_equal(http_server_count(server), 0);
    assert_int_equal(close(fd), 0);
    stop();
    http_server_stop(other);
}
