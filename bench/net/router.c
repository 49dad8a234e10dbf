/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_router STORE_PORT LEDGER_PORT: forwards to the ledger what has an X-Amz-Target, to the store all else, each a
 * given time after it came. One thread on epoll. Says its port on standard output, and runs until its standard input
 * ends. router_control.c says what else it does.
 */
#include "router.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256, STORE = 0, LEDGER = 1, SERVERS = 2 };

enum stage { IDLE, DELAYED, FORWARDED, ANSWER_KEPT, HELD };

struct link;

struct end {
    int fd; /* -1: closed */
    struct link *link;
    struct bytes in;
};

/* A client's connection, those to the servers, and the request that is under way. */
struct link {
    struct end client;
    struct end server[SERVERS];
    struct bytes out; /* to the client */
    enum stage stage;
    int to;
    uint64_t due_us; /* of DELAYED and ANSWER_KEPT */
    uint64_t kept_us;
    size_t request_len;
    bool is_head;
    bool closed;     /* the client is gone; freed after the round of events */
    bool sent_again; /* over a new connection, as the server had closed the old one */
    unsigned depth;  /* in the chain of round trips */
    unsigned resets; /* before it was sent */
    struct link *next;
};

static unsigned short server_port[SERVERS];
static struct link *links;
static int epoll;
static int timer;

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* ----------------------------------------------------------------------------------------------------------- ends */

static bool end_watch(struct end *end)
{
    int one = 1;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = end};
    setsockopt(end->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return epoll_ctl(epoll, EPOLL_CTL_ADD, end->fd, &event) == 0;
}

static void end_close(struct end *end)
{
    if (end->fd >= 0)
        close(end->fd);
    end->fd = -1;
    end->in.len = 0;
}

static bool end_connect(struct end *end, unsigned short port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    end->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return end->fd >= 0 && connect(end->fd, (struct sockaddr *)&at, sizeof(at)) == 0 && end_watch(end);
}

/* Loopback takes what a request or an answer of a benchmark has; MSG_DONTWAIT is not set, so the rest is waited for. */
static bool end_send(struct end *end, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(end->fd, data, len, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        data += sent;
        len -= (size_t)sent;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- links */

static void link_take_request(struct link *link);

static void link_answered(struct link *link)
{
    if (link->resets == router_trips.resets && link->depth > router_trips.done)
        router_trips.done = link->depth;
    bytes_drop(&link->client.in, link->request_len);
    link->stage = IDLE;
    if (!end_send(&link->client, link->out.p, link->out.len))
        link->closed = true;
    link->out.len = 0;
    if (!link->closed)
        link_take_request(link);
}

static void link_forward(struct link *link)
{
    struct end *server = &link->server[link->to];
    link->stage = FORWARDED;
    if ((server->fd < 0 && !end_connect(server, server_port[link->to])) ||
        !end_send(server, link->client.in.p, link->request_len))
        link->closed = true;
}

static enum fault_kind fault_of(struct slice kind)
{
    if (router_fault.met >= router_fault.times || !slice_is(kind, router_fault.request))
        return FAULT_NONE;
    router_fault.met++;
    return router_fault.kind;
}

static void link_answer_503(struct link *link)
{
    static const char body[] =
        "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>";
    bytes_add_f(&link->out,
                "HTTP/1.1 503 Slow Down\r\nx-amz-request-id: router\r\nContent-Type: application/xml\r\n"
                "Content-Length: %zu\r\n\r\n%s",
                sizeof(body) - 1, body);
    link_answered(link);
}

/* A whole request, whose head says where it goes. */
static void link_begin(struct link *link, struct slice head)
{
    struct slice kind = router_kind(head);
    router_count(kind);
    link->depth = router_trips.done + 1;
    link->resets = router_trips.resets;
    link->to = message_header(head, "x-amz-target").len > 0 ? LEDGER : STORE;
    link->is_head = slice_starts(head, "HEAD ");
    link->kept_us = 0;
    link->sent_again = false;
    link->stage = DELAYED;
    link->due_us = now_us() + router_delay_us;
    enum fault_kind fault = fault_of(kind);
    if (fault == FAULT_ANSWER_503)
        link_answer_503(link);
    else if (fault == FAULT_HOLD)
        link->stage = HELD;
    else if (fault == FAULT_HOLD_ANSWER)
        link->kept_us = router_fault.hold_us;
}

static void link_take_request(struct link *link)
{
    struct message message;
    if (link->stage != IDLE || !message_take(&link->client.in, true, &message))
        return;
    struct slice words[3];
    message_words(message.head, words);
    link->request_len = message.len;
    if (!router_is_control(words[1])) {
        link_begin(link, message.head);
        return;
    }
    link->depth = 0;
    router_control(words[1], &link->out);
    link_answered(link);
}

/* The server had closed the connection while it was idle, or it has answered. */
static void link_from_server(struct link *link, struct end *server)
{
    struct message message;
    bool open = socket_read(server->fd, &server->in);
    if (link->stage == FORWARDED && server == &link->server[link->to] &&
        message_take(&server->in, !link->is_head, &message)) {
        bytes_add(&link->out, server->in.p, message.len);
        bytes_drop(&server->in, message.len);
        link->stage = ANSWER_KEPT;
        link->due_us = now_us() + link->kept_us;
        if (link->kept_us == 0)
            link_answered(link);
    }
    if (open)
        return;
    end_close(server);
    if (link->stage != FORWARDED || server != &link->server[link->to])
        return;
    link->closed = link->sent_again;
    link->sent_again = true;
    if (!link->closed)
        link_forward(link);
}

static void link_from_client(struct link *link)
{
    if (!socket_read(link->client.fd, &link->client.in))
        link->closed = true;
    else
        link_take_request(link);
}

static void link_free_closed(void)
{
    struct link **at = &links;
    while (*at != NULL) {
        struct link *link = *at;
        if (!link->closed) {
            at = &link->next;
            continue;
        }
        *at = link->next;
        struct end *ends[] = {&link->client, &link->server[STORE], &link->server[LEDGER]};
        for (int i = 0; i < 1 + SERVERS; i++) {
            end_close(ends[i]);
            bytes_free(&ends[i]->in);
        }
        bytes_free(&link->out);
        free(link);
    }
}

static void link_accept(int listener)
{
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        struct link *link = calloc(1, sizeof(*link));
        if (link == NULL)
            abort();
        link->client = (struct end){.fd = fd, .link = link};
        for (int i = 0; i < SERVERS; i++)
            link->server[i] = (struct end){.fd = -1, .link = link};
        link->next = links;
        links = link;
        end_watch(&link->client);
    }
}

/* ---------------------------------------------------------------------------------------------------------- times */

static bool is_waiting(const struct link *link)
{
    return !link->closed && (link->stage == DELAYED || link->stage == ANSWER_KEPT);
}

static void links_go_on(void)
{
    uint64_t now = now_us();
    for (struct link *link = links; link != NULL; link = link->next) {
        if (!is_waiting(link) || link->due_us > now)
            continue;
        if (link->stage == DELAYED)
            link_forward(link);
        else
            link_answered(link);
    }
}

static void set_timer(void)
{
    struct itimerspec at = {0};
    uint64_t first = UINT64_MAX;
    for (struct link *link = links; link != NULL; link = link->next)
        if (is_waiting(link) && link->due_us < first)
            first = link->due_us;
    if (first != UINT64_MAX)
        at.it_value = (struct timespec){(time_t)(first / 1000000), (long)(first % 1000000) * 1000};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

/* ----------------------------------------------------------------------------------------------------------- main */

static char input, clock_event;

static bool serve(struct epoll_event *event, int listener)
{
    uint64_t times;
    if (event->data.ptr == &input)
        return false;
    if (event->data.ptr == &clock_event) {
        (void)!read(timer, &times, sizeof(times));
    } else if (event->data.ptr == NULL) {
        link_accept(listener);
    } else {
        struct end *end = event->data.ptr;
        if (end->fd < 0 || end->link->closed)
            return true;
        if (end == &end->link->client)
            link_from_client(end->link);
        else
            link_from_server(end->link, end);
    }
    return true;
}

static void router_run(int listener)
{
    struct epoll_event events[EVENTS];
    for (;;) {
        int count = epoll_wait(epoll, events, EVENTS, -1);
        for (int i = 0; i < count; i++)
            if (!serve(&events[i], listener))
                return;
        links_go_on();
        link_free_closed();
        set_timer();
    }
}

static bool watch(int fd, void *what)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
    return fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

int main(int argc, char **argv)
{
    unsigned short port = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: bench_router STORE_PORT LEDGER_PORT\n");
        return 2;
    }
    server_port[STORE] = (unsigned short)strtoul(argv[1], NULL, 10);
    server_port[LEDGER] = (unsigned short)strtoul(argv[2], NULL, 10);
    int listener = socket_listen(&port);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (!watch(listener, NULL) || !watch(timer, &clock_event) || !watch(STDIN_FILENO, &input)) {
        perror("bench_router");
        return 1;
    }
    printf("%u\n", port);
    fflush(stdout);
    router_run(listener);
    return 0;
}
