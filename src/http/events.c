/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens on the connections: the kernel tells it through epoll, and libcurl is asked about those connections
 * alone. Another thread wakes the engine through an eventfd, which costs a system call only while the engine may sleep.
 */
#include "base/fd.h"
#include "http/internal.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { REST_MS = 10 };

static uint32_t interest_of(int what)
{
    uint32_t in = what == CURL_POLL_IN || what == CURL_POLL_INOUT ? EPOLLIN : 0;
    uint32_t out = what == CURL_POLL_OUT || what == CURL_POLL_INOUT ? EPOLLOUT : 0;
    return in | out;
}

static bool watch(const struct http_engine *engine, int fd, uint32_t interest)
{
    struct epoll_event event = {.events = interest, .data.fd = fd};
    if (epoll_ctl(engine->events.epoll_fd, EPOLL_CTL_MOD, fd, &event) == 0)
        return true;
    return epoll_ctl(engine->events.epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

void events_forget(struct http_engine *engine, int fd)
{
    struct epoll_event event = {0}; /* before Linux 2.6.9 one had to be given */
    (void)epoll_ctl(engine->events.epoll_fd, EPOLL_CTL_DEL, fd, &event);
}

static void watch_or_look(struct http_engine *engine, int fd, uint32_t interest)
{
    if (!watch(engine, fd, interest))
        engine->events.blind = true;
}

/* libcurl 7.88 closes a connection that it gave up before it was one without a word (cf_socket_close, "not active"), and
 * takes the next with the same number for the one it knows, which is watched already. So each is watched from the
 * beginning, as libcurl will want it. */
void events_expect(struct http_engine *engine, int fd)
{
    watch_or_look(engine, fd, EPOLLOUT);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *socket_context)
{
    struct http_engine *engine = context;
    (void)easy;
    (void)socket_context;
    if (what == CURL_POLL_REMOVE)
        events_forget(engine, fd);
    else
        watch_or_look(engine, fd, interest_of(what));
    return 0;
}

bool events_open(struct http_engine *engine)
{
    struct http_events *events = &engine->events;
    atomic_init(&events->woken, false);
    atomic_init(&events->sleeps, true);
    events->epoll_fd = fd_above_standard(epoll_create1(EPOLL_CLOEXEC));
    events->wake_fd = fd_above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    return events->epoll_fd >= 0 && events->wake_fd >= 0 && watch(engine, events->wake_fd, EPOLLIN);
}

bool events_hear(struct http_engine *engine, CURLM *multi)
{
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, engine) == CURLM_OK;
}

void events_close(struct http_engine *engine)
{
    if (engine->events.epoll_fd >= 0)
        (void)close(engine->events.epoll_fd);
    if (engine->events.wake_fd >= 0)
        (void)close(engine->events.wake_fd);
}

/* ------------------------------------------------------------------------------------------------ waiting */

static void take_wakeups(int fd)
{
    eventfd_t count = 0;
    (void)eventfd_read(fd, &count);
}

/* What cannot be waited for would be asked for again and again, and take a whole processor. A wakeup in that time is
 * heard at its end. */
static void rest(uint64_t wait_ms)
{
    (void)poll(NULL, 0, wait_ms < REST_MS ? (int)wait_ms : REST_MS);
}

/* Whoever woke it before may not have seen that it sleeps. An exchange where a store would do by the rules of C: the
 * emulator qemu lets aarch64's load pass the store before it, so that a wakeup was missed by both. */
static bool was_woken_before_sleep(struct http_events *events)
{
    (void)atomic_exchange(&events->sleeps, true);
    return atomic_load(&events->woken);
}

void events_wait(struct http_engine *engine, uint64_t wait_ms)
{
    struct http_events *events = &engine->events;
    int limit_ms = wait_ms < INT_MAX ? (int)wait_ms : INT_MAX;
    bool may_sleep = limit_ms > 0;
    events->ready_count = 0;
    if (may_sleep && was_woken_before_sleep(events))
        limit_ms = 0;
    if (events->blind && limit_ms > REST_MS)
        limit_ms = REST_MS;
    int count = epoll_wait(events->epoll_fd, events->ready, EVENTS_AT_A_TIME, limit_ms);
    if (count < 0 && errno != EINTR) {
        events->blind = true;
        rest((uint64_t)limit_ms);
    }
    events->ready_count = count > 0 ? count : 0;
    if (may_sleep)
        atomic_store(&events->sleeps, false);
}

/* It neither blocks nor fails: only a counter that is full would, and that is readable anyway. */
static void wake(const struct http_events *events)
{
    (void)eventfd_write(events->wake_fd, 1);
}

void http_engine_wakeup(struct http_engine *engine)
{
    if (!atomic_exchange(&engine->events.woken, true) && atomic_load(&engine->events.sleeps))
        wake(&engine->events);
}

int http_engine_fd(const struct http_engine *engine)
{
    return engine->events.epoll_fd;
}

void http_engine_await(struct http_engine *engine)
{
    if (was_woken_before_sleep(&engine->events))
        wake(&engine->events);
}

bool events_were_woken(struct http_engine *engine)
{
    return atomic_exchange(&engine->events.woken, false);
}

/* ------------------------------------------------------------------------------------------------ libcurl's turn */

/* An error is found by who reads, and has then a name of its own (CURL_CSELECT_ERR has none). */
static int selected(uint32_t ready)
{
    int in = (ready & (uint32_t)~EPOLLOUT) != 0 ? CURL_CSELECT_IN : 0;
    int out = (ready & (EPOLLOUT | EPOLLERR)) != 0 ? CURL_CSELECT_OUT : 0;
    return in | out;
}

/* libcurl's clock is its own, and it tells a time once: it is asked each time. */
static long curl_left_ms(struct http_engine *engine)
{
    long left_ms = -1;
    return curl_multi_timeout(engine->multi, &left_ms) == CURLM_OK ? left_ms : 0;
}

uint64_t events_due_ms(struct http_engine *engine)
{
    long left_ms = curl_left_ms(engine);
    if (engine->events.blind && (left_ms < 0 || left_ms > REST_MS))
        left_ms = REST_MS;
    return left_ms >= 0 ? clock_monotonic_us() / 1000 + (uint64_t)left_ms : UINT64_MAX;
}

CURLMcode events_hand_over(struct http_engine *engine)
{
    struct http_events *events = &engine->events;
    int running = 0;
    CURLMcode code = CURLM_OK;
    int count = events->ready_count;
    events->ready_count = 0;
    for (int i = 0; i < count && code == CURLM_OK; i++) {
        const struct epoll_event *event = &events->ready[i];
        if (event->data.fd == events->wake_fd)
            take_wakeups(events->wake_fd);
        else
            code = curl_multi_socket_action(engine->multi, event->data.fd, selected(event->events), &running);
    }
    if (code == CURLM_OK && curl_left_ms(engine) == 0)
        code = curl_multi_socket_action(engine->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    if (code == CURLM_OK && events->blind)
        code = curl_multi_perform(engine->multi, &running);
    return code;
}
