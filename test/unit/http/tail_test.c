/* SPDX-License-Identifier: Apache-2.0 */
/* R6, F3, F4: what arrives at once, and how the tail of what does not is held back. */
#include "fixture.h"
#include "support/clock_jump.h"

#include <curl/curl.h>
#include <errno.h>
#include <linux/sockios.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

enum { TAIL_BYTES = 512, PATIENCE_MS = 60000 };

static void fixture_set_up(struct fixture *fixture)
{
    fixture_start(fixture, 8, NULL);
}

static void over_tls(struct fixture *fixture)
{
    fixture_start(fixture, 8, &(struct http_server_options){.tls = true});
}

/* As on a real path. */
static void with_small_segments(struct fixture *fixture)
{
    fixture_start(fixture, 8, &(struct http_server_options){.segment_bytes = 1400});
}

static void init(struct fixture *fixture, struct probe *probe, enum http_tail tail, const void *data, size_t length)
{
    probe_init(probe, "PUT", http_server_host(fixture->server), "/attempt", data, length);
    if (http_server_ca_file(fixture->server) != NULL)
        assert_true(http_request_set_origin(&probe->request, "https", http_server_host(fixture->server)));
    probe->start.once = true;
    probe->start.tail = tail;
    clock_read(&probe->start.tail_clock);
    probe->start.tail_before_ms = PATIENCE_MS;
    probe->start.user_timeout_ms = 70000;
    probe->start.late_segment_ms = 1000;
}

static bool arrives_at_once(struct fixture *fixture, const struct probe *probe, uint64_t segment_bytes)
{
    struct http_delivery delivery;
    http_engine_delivery(fixture->engine, &probe->request, segment_bytes, &delivery);
    return delivery.at_once;
}

/* What a segment of this path carries. */
static uint32_t warm_up(struct fixture *fixture)
{
    struct probe probe;
    init(fixture, &probe, HTTP_TAIL_FREE, NULL, 0);
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    uint32_t segment_bytes = probe.segment_bytes;
    probe_free(&probe);
    return segment_bytes;
}

static char *zeroes(size_t length)
{
    char *body = calloc(1, length);
    assert_non_null(body);
    return body;
}

/* ------------------------------------------------------------------------------------------------ at once */

static void check_one_send(struct fixture *fixture, const char *method, size_t length)
{
    uint32_t segment_bytes = warm_up(fixture);
    char *body = zeroes(length + 1);
    struct probe probe;
    init(fixture, &probe, HTTP_TAIL_AT_ONCE, length > 0 ? body : NULL, length);
    probe.request.method = method;
    assert_true(arrives_at_once(fixture, &probe, segment_bytes));
    socket_watch_begin();
    http_probe_run(fixture->engine, &probe);
    socket_watch_end();
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(socket_watch()->sends, 1);
    assert_int_equal(socket_watch()->sent[0], socket_watch()->asked[0]);
    assert_int_equal(http_server_record(fixture->server, 1)->body_length, length);
    probe_free(&probe);
    free(body);
}

TEST_WITH_AS(fixture, with_small_segments, what_fits_into_a_segment_leaves_in_one_send)
{
    check_one_send(fixture, "PUT", 800);
}

TEST_WITH_AS(fixture, with_small_segments, so_does_what_has_no_body)
{
    check_one_send(fixture, "DELETE", 0);
}

TEST_WITH_AS(fixture, with_small_segments, a_path_says_what_its_segments_carry)
{
    uint32_t segment_bytes = warm_up(fixture);
    assert_in_range(segment_bytes, 1300, 1400);
}

TEST_WITH_AS(fixture, over_tls, over_tls_no_segment_is_told)
{
    assert_int_equal(warm_up(fixture), 0);
}

/* The head counts, and what TCP may take for options. */
TEST_WITH(fixture, the_whole_request_has_to_fit)
{
    char *body = zeroes(3000);
    struct probe probe;
    init(fixture, &probe, HTTP_TAIL_AT_ONCE, body, 1);
    assert_true(arrives_at_once(fixture, &probe, 1448));
    assert_false(arrives_at_once(fixture, &probe, 0));
    assert_false(arrives_at_once(fixture, &probe, 40));
    probe.request.body.length = 1448 - 40;
    assert_false(arrives_at_once(fixture, &probe, 1448));
    while (!arrives_at_once(fixture, &probe, 1448))
        probe.request.body.length--;
    assert_in_range(probe.request.body.length, 800, 1200);
    char header[257];
    memset(header, 'x', 256);
    header[256] = '\0';
    assert_true(http_headers_add(&probe.request.headers, "x-amz-meta-filler", header));
    assert_false(arrives_at_once(fixture, &probe, 1448));
    probe.request.body.length = 0; /* the store has nothing to wait for behind the headers */
    assert_true(arrives_at_once(fixture, &probe, 0));
    probe_free(&probe);
    free(body);
}

/* The record counts on a segment that another connection had. */
TEST_WITH_AS(fixture, with_small_segments, what_does_not_fit_this_connection_is_not_sent)
{
    char *body = zeroes(3000);
    struct probe probe;
    init(fixture, &probe, HTTP_TAIL_AT_ONCE, body, 3000);
    socket_watch_begin();
    http_probe_run(fixture->engine, &probe);
    socket_watch_end();
    assert_int_equal(probe.code, OS_ERR_NETWORK);
    assert_false(probe.sent);
    assert_int_equal(socket_watch()->sends, 0);
    assert_in_range(probe.segment_bytes, 1300, 1400);
    assert_non_null(strstr(probe.message, "smaller segments"));
    probe_free(&probe);
    free(body);
}

/* ------------------------------------------------------------------------------------------------ held back */

static void check_held_back(struct fixture *fixture, size_t length, size_t overhead)
{
    char *body = zeroes(length);
    struct probe probe;
    init(fixture, &probe, HTTP_TAIL_HELD_BACK, body, length);
    socket_watch_begin();
    http_probe_run(fixture->engine, &probe);
    socket_watch_end();
    assert_int_equal(probe.code, OS_OK);
    assert_false(probe.tail_kept);
    size_t tail = length < TAIL_BYTES ? length : TAIL_BYTES;
    assert_in_range(socket_watch_last_send(), tail, tail + overhead);
    const struct http_server_record *record = http_server_record(fixture->server, 0);
    assert_int_equal(record->body_length, length);
    probe_free(&probe);
    free(body);
}

TEST_WITH(fixture, the_tail_leaves_by_itself)
{
    check_held_back(fixture, 100000, 0);
}

TEST_WITH(fixture, a_small_body_may_be_all_tail)
{
    check_held_back(fixture, 5, 0);
}

/* What libcurl may still keep, the kernel cannot acknowledge: of the first so many questions libcurl says that it has
 * given nothing of the body away. What it says of the request is no help: 8.7 and newer count the body in it. */
static unsigned looks_before_it_left;
static bool tail_left_early; /* while libcurl said so */
enum { KEPT_BODY = 2000, KEPT_TAIL = 512 };

CURLcode __real_curl_easy_getinfo(CURL *easy, CURLINFO info, void *ret);
CURLcode __wrap_curl_easy_getinfo(CURL *easy, CURLINFO info, void *ret);

CURLcode __wrap_curl_easy_getinfo(CURL *easy, CURLINFO info, void *ret)
{
    if (info == CURLINFO_REQUEST_SIZE && looks_before_it_left > 0) {
        *(long *)ret = 1000000;
        return CURLE_OK;
    }
    if (info == CURLINFO_SIZE_UPLOAD_T && looks_before_it_left > 0) {
        curl_off_t left = 0;
        tail_left_early |= __real_curl_easy_getinfo(easy, info, &left) != CURLE_OK || left > KEPT_BODY - KEPT_TAIL;
        looks_before_it_left--;
        *(curl_off_t *)ret = 0;
        return CURLE_OK;
    }
    return __real_curl_easy_getinfo(easy, info, ret);
}

TEST_WITH(fixture, the_tail_waits_for_what_libcurl_keeps)
{
    looks_before_it_left = 3;
    tail_left_early = false;
    check_held_back(fixture, KEPT_BODY, 0);
    assert_false(tail_left_early);
    assert_int_equal(looks_before_it_left, 0);
}

/* A kernel that does not tell what is queued, as one that only looks like Linux. */
static bool queue_is_secret;

int __real_ioctl(int fd, unsigned long request, void *ret);
int __wrap_ioctl(int fd, unsigned long request, void *ret);

int __wrap_ioctl(int fd, unsigned long request, void *ret)
{
    if (queue_is_secret && request == SIOCOUTQ) {
        errno = ENOTTY;
        return -1;
    }
    return __real_ioctl(fd, request, ret);
}

TEST_WITH(fixture, what_nobody_tells_is_not_acknowledged)
{
    char *body = zeroes(2000);
    struct probe probe;
    init(fixture, &probe, HTTP_TAIL_HELD_BACK, body, 2000);
    queue_is_secret = true;
    http_probe_run(fixture->engine, &probe);
    queue_is_secret = false;
    assert_int_equal(probe.code, OS_ERR_NETWORK);
    assert_false(probe.sent);
    assert_non_null(strstr(probe.message, "could not be controlled"));
    probe_free(&probe);
    free(body);
}

/* libcurl sends a head that is larger than its own pieces in several. */
static void check_large_head(struct fixture *fixture, size_t length, size_t count)
{
    enum { HEADERS = 40, EACH = 1000 };
    char value[EACH + 1];
    memset(value, 'x', EACH);
    value[EACH] = '\0';
    char *body = zeroes(length);
    struct probe probe;
    init(fixture, &probe, HTTP_TAIL_HELD_BACK, body, length);
    for (unsigned i = 0; i < HEADERS; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "x-amz-meta-%u", i);
        assert_true(http_headers_add(&probe.request.headers, name, value));
    }
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_false(probe.tail_kept);
    assert_int_equal(http_server_record(fixture->server, count)->body_length, length);
    probe_free(&probe);
    free(body);
}

TEST_WITH(fixture, a_large_head_is_waited_for)
{
    check_large_head(fixture, 5, 0);
    check_large_head(fixture, 100000, 1);
}
TEST_AGAIN_AS(fixture, over_tls, a_large_head_is_waited_for)

TEST_WITH_AS(fixture, over_tls, over_tls_the_tail_is_a_record_of_its_own)
{
    check_held_back(fixture, 100000, 64);
}

enum { UNREAD_LENGTH = 600 << 10 };

/* The server reads nothing. The kernel takes all but the tail, and that stays here. */
static void send_unread(struct fixture *fixture, struct probe *ret, const char *body, uint64_t deadline_ms,
                        uint64_t tail_before_ms)
{
    const struct http_server_step deaf = {.read = HTTP_SERVER_READ_NOTHING, .hold = true, .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &deaf);
    init(fixture, ret, HTTP_TAIL_HELD_BACK, body, UNREAD_LENGTH);
    ret->start.deadline_monotonic_ms = probe_now_ms() + deadline_ms;
    ret->start.tail_before_ms = tail_before_ms;
    socket_watch_begin();
    probe_start(fixture->engine, ret);
    while (socket_watch_sent_bytes() < UNREAD_LENGTH - TAIL_BYTES && !ret->done)
        http_engine_poll(fixture->engine, 10);
}

/* The connection is reset, and the server never has the whole. */
static void check_never_whole(struct fixture *fixture, uint64_t deadline_ms, uint64_t tail_before_ms)
{
    char *body = zeroes(UNREAD_LENGTH);
    struct probe probe;
    send_unread(fixture, &probe, body, deadline_ms, tail_before_ms);
    clock_jump(HOUR_MS);
    probe_wait(fixture->engine, &probe);
    socket_watch_end();
    assert_int_equal(probe.code, OS_ERR_DEADLINE);
    assert_in_range(probe.acknowledged_bytes, 1, UNREAD_LENGTH / 2); /* E6: the rate of this link */
    assert_in_range(socket_watch_sent_bytes(), UNREAD_LENGTH - TAIL_BYTES, UNREAD_LENGTH - 1); /* with headers */
    http_server_release(fixture->server, 1);
    assert_true(http_server_wait_count(fixture->server, 1));
    assert_int_equal(http_server_record(fixture->server, 0)->end_errno, ECONNRESET);
    probe_free(&probe);
    free(body);
}

TEST_WITH(fixture, what_is_not_acknowledged_in_time_is_never_whole)
{
    check_never_whole(fixture, 2 * (uint64_t)HOUR_MS, HOUR_MS);
}

TEST_WITH(fixture, neither_is_what_its_deadline_ends)
{
    check_never_whole(fixture, HOUR_MS, 2 * (uint64_t)HOUR_MS);
}

/* While libcurl is at work, other transfers among it, the time of the next look at the tail may pass. */
static uint64_t libcurl_takes_ms;
static int longest_wait_ms;

CURLMcode __real_curl_multi_timeout(CURLM *multi, long *ret_ms);
CURLMcode __wrap_curl_multi_timeout(CURLM *multi, long *ret_ms);

/* Asked in each turn of libcurl's. */
CURLMcode __wrap_curl_multi_timeout(CURLM *multi, long *ret_ms)
{
    CURLMcode code = __real_curl_multi_timeout(multi, ret_ms);
    clock_jump(libcurl_takes_ms);
    return code;
}

int __real_epoll_wait(int fd, struct epoll_event *events, int most, int timeout_ms);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int timeout_ms);

int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int timeout_ms)
{
    longest_wait_ms = timeout_ms > longest_wait_ms ? timeout_ms : longest_wait_ms;
    return __real_epoll_wait(fd, events, most, libcurl_takes_ms > 0 ? 0 : timeout_ms);
}

TEST_WITH(fixture, a_look_that_is_late_already_is_not_waited_for)
{
    enum { ASKED_MS = 1000 };
    char *body = zeroes(UNREAD_LENGTH);
    struct probe probe;
    send_unread(fixture, &probe, body, HOUR_MS, 2 * (uint64_t)HOUR_MS);
    longest_wait_ms = 0;
    libcurl_takes_ms = 20;
    http_engine_poll(fixture->engine, ASKED_MS);
    libcurl_takes_ms = 0;
    assert_in_range(longest_wait_ms, 0, ASKED_MS);
    http_engine_cancel(fixture->engine, probe.id);
    probe_wait(fixture->engine, &probe);
    http_server_release(fixture->server, 1);
    probe_free(&probe);
    free(body);
}

/* All before the tail has arrived, and the time is over. */
TEST_WITH(fixture, a_tail_whose_time_is_over_is_kept)
{
    const struct http_server_step patient = {.leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &patient);
    char *body = zeroes(2000);
    struct probe probe;
    init(fixture, &probe, HTTP_TAIL_HELD_BACK, body, 2000);
    probe.start.tail_before_ms = 0;
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_ERR_DEADLINE);
    assert_true(probe.tail_kept);
    assert_true(probe.sent);
    assert_non_null(strstr(probe.message, "too slow"));
    assert_true(http_server_wait_count(fixture->server, 1));
    const struct http_server_record *record = http_server_record(fixture->server, 0);
    assert_false(record->whole);
    assert_int_equal(record->end_errno, ECONNRESET);
    probe_free(&probe);
    free(body);
}

/* R6: of the three clocks the one that advanced most counts, as of a machine that was suspended. */
TEST_WITH(fixture, the_clock_that_advanced_most_counts)
{
    for (unsigned clock = 0; clock < 3; clock++) {
        char *body = zeroes(2000);
        struct probe probe;
        init(fixture, &probe, HTTP_TAIL_HELD_BACK, body, 2000);
        uint64_t *readings[] = {&probe.start.tail_clock.monotonic_ms, &probe.start.tail_clock.boottime_ms,
                                &probe.start.tail_clock.realtime_ms};
        *readings[clock] -= *readings[clock] < PATIENCE_MS ? *readings[clock] : PATIENCE_MS;
        probe.start.tail_before_ms = *readings[clock] == 0 ? 1 : PATIENCE_MS;
        http_probe_run(fixture->engine, &probe);
        assert_true(probe.tail_kept);
        probe_free(&probe);
        free(body);
    }
}

/* What the kernel was given it may not deliver much later; and whoever dies in the midst resets the connection. */
TEST_WITH(fixture, the_kernel_is_told_before_anything_is_sent)
{
    char *body = zeroes(2000);
    struct probe probe;
    init(fixture, &probe, HTTP_TAIL_HELD_BACK, body, 2000);
    socket_watch_begin();
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(socket_watch()->resets, 1);
    assert_int_equal(socket_watch()->sends_before_reset, 0);
    assert_int_equal(socket_watch()->resets_off, 1); /* the kept connection ends as any other */
    assert_true(socket_watch()->user_timeout_calls >= 2);
    bool of_the_tail = socket_watch()->user_timeout_ms == 1000;
    assert_true(of_the_tail || socket_watch()->user_timeout_ms == 70000); /* acknowledged, and the answer is awaited */
    socket_watch_end();
    probe_free(&probe);
    free(body);
}

/* The answer may be long in coming: only the tail's own time is short. */
TEST_WITH(fixture, an_acknowledged_tail_is_waited_for_as_long_as_ever)
{
    struct http_server_step slow = http_server_ok;
    slow.hold = true;
    http_server_push(fixture->server, &slow);
    char *body = zeroes(2000);
    struct probe probe;
    init(fixture, &probe, HTTP_TAIL_HELD_BACK, body, 2000);
    socket_watch_begin();
    probe_start(fixture->engine, &probe);
    while (socket_watch()->user_timeout_calls < 3 && probe_now_ms() < probe.start.deadline_monotonic_ms)
        http_engine_poll(fixture->engine, 20);
    assert_int_equal(socket_watch()->user_timeout_ms, 70000);
    socket_watch_end();
    http_server_release(fixture->server, 1);
    probe_wait(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    probe_free(&probe);
    free(body);
}

/* A refusal that comes before the tail has left. */
TEST_WITH(fixture, an_early_answer_counts)
{
    enum { LENGTH = 32 << 20 };
    const struct http_server_step refuse = {.read = HTTP_SERVER_READ_HEADERS,
                                            .answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
                                            .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &refuse);
    char *body = zeroes(LENGTH);
    struct probe probe;
    init(fixture, &probe, HTTP_TAIL_HELD_BACK, body, LENGTH);
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.status, 403);
    assert_false(probe.tail_kept);
    assert_true(http_server_wait_count(fixture->server, 1));
    assert_false(http_server_record(fixture->server, 0)->whole);
    probe_free(&probe);
    free(body);
}

/* It was begun in time, and libcurl would send it at once: there is a kept connection for it. */
TEST_WITH(fixture, what_libcurl_comes_to_behind_its_deadline_is_not_sent)
{
    struct probe probe;
    fixture_warm_up(fixture);
    fixture_init_once(fixture, &probe, "DELETE", NULL, 0);
    probe.start.deadline_monotonic_ms = probe_now_ms() + HOUR_MS;
    probe_start(fixture->engine, &probe);
    libcurl_takes_ms = HOUR_MS;
    http_engine_poll(fixture->engine, 0);
    libcurl_takes_ms = 0;
    assert_true(probe.done);
    assert_int_equal(probe.code, OS_ERR_DEADLINE);
    assert_false(probe.sent);
    probe_free(&probe);
}
