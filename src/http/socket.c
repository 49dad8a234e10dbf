/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sockets below libcurl's connections: how they are made, which request is on which, and how they are closed. This
 * is where a `once` request is kept from leaving twice (R6): libcurl calls socket_open and socket_before_request also
 * when it is about to send a request again after a reused connection died, and both refuse. Knows nothing of HTTP.
 */
#include "http/internal.h"

#include "base/fd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static struct http_socket *find_fd(struct http_engine *engine, int fd)
{
    for (size_t i = 0; i < engine->socket_count; i++)
        if (engine->sockets[i].fd == fd)
            return &engine->sockets[i];
    return NULL;
}

static void drop_entry(struct http_engine *engine, struct http_socket *entry)
{
    *entry = engine->sockets[--engine->socket_count];
}

static bool add_fd(struct http_engine *engine, int fd, struct http_transfer *opener)
{
    struct http_socket *stale = find_fd(engine, fd);
    if (stale != NULL)
        drop_entry(engine, stale);
    if (engine->socket_count == engine->socket_cap) {
        size_t cap = engine->socket_cap > 0 ? engine->socket_cap * 2 : 16;
        struct http_socket *sockets = realloc(engine->sockets, cap * sizeof(*sockets));
        if (sockets == NULL)
            return false;
        engine->sockets = sockets;
        engine->socket_cap = cap;
    }
    engine->sockets[engine->socket_count++] = (struct http_socket){.fd = fd, .opener = opener};
    return true;
}

static bool refuse_second_send(struct http_transfer *transfer)
{
    if (!transfer->start.once || !transfer->wire.sent)
        return false;
    failure_set(transfer, OS_ERR_NETWORK, "%s closed a kept connection before it answered; not sent again",
                transfer->start.request->host);
    return true;
}

curl_socket_t socket_open(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct http_transfer *transfer = context;
    (void)purpose;
    if (refuse_second_send(transfer))
        return CURL_SOCKET_BAD;
    int fd = fd_socket(address->family, address->socktype, address->protocol);
    if (fd < 0) {
        /* Not a lasting fault: libcurl goes on to the next address (a machine without IPv6). */
        return CURL_SOCKET_BAD;
    }
    if (!add_fd(transfer->engine, fd, transfer)) {
        (void)close(fd);
        return CURL_SOCKET_BAD;
    }
    events_expect(transfer->engine, fd);
    return fd;
}

/* Bytes that the kernel holds: not sent, or not acknowledged. A kernel that does not say may hold any number. */
static int queued_bytes(int fd)
{
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) == 0 ? bytes : INT_MAX;
}

/* R6: a request that is given up must not be delivered by the kernel later. A connection is also closed by libcurl
 * itself, when it cannot make sense of an answer: then what is still queued of a `once` request is dropped as well. */
static bool wants_reset(const struct http_socket *entry)
{
    const struct http_transfer *user = entry->user;
    return user != NULL && (user->wire.aborting || (user->start.once && queued_bytes(entry->fd) > 0));
}

/* Ends the connection also where a forked child has a copy of the descriptor, for which close() does nothing. */
static void hang_up(int fd, bool reset)
{
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    if (reset) {
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
        (void)connect(fd, &nobody, sizeof(nobody)); /* tcp_disconnect: what a close with that linger time does */
    } else {
        (void)shutdown(fd, SHUT_RDWR);
    }
}

int socket_close(void *context, curl_socket_t fd)
{
    struct http_engine *engine = context;
    struct http_socket *entry = find_fd(engine, fd);
    if (entry != NULL) {
        hang_up(fd, wants_reset(entry));
        if (entry->user != NULL)
            entry->user->wire.fd = -1;
        drop_entry(engine, entry);
    }
    events_forget(engine, fd); /* a forked child with a copy would keep it watched */
    return close(fd);
}

static bool name_address(const struct sockaddr_storage *address, char ret_ip[INET6_ADDRSTRLEN], int *ret_port)
{
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)address;
        *ret_port = ntohs(in->sin_port);
        return inet_ntop(AF_INET, &in->sin_addr, ret_ip, INET6_ADDRSTRLEN) != NULL;
    }
    if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const void *)address;
        *ret_port = ntohs(in6->sin6_port);
        return inet_ntop(AF_INET6, &in6->sin6_addr, ret_ip, INET6_ADDRSTRLEN) != NULL;
    }
    return false;
}

static bool name_socket(struct http_socket *entry)
{
    if (entry->named)
        return true;
    struct sockaddr_storage address;
    socklen_t length = sizeof(address);
    if (getpeername(entry->fd, (struct sockaddr *)&address, &length) != 0 ||
        !name_address(&address, entry->peer_ip, &entry->peer_port))
        return false; /* not connected yet, or not any more */
    length = sizeof(address);
    if (getsockname(entry->fd, (struct sockaddr *)&address, &length) != 0 ||
        !name_address(&address, entry->local_ip, &entry->local_port))
        return false;
    entry->named = true;
    return true;
}

/* The socket with these addresses. Through a proxy libcurl gives the destination's port in place of the peer's, so
 * the port only decides between sockets that are otherwise alike. NULL if there is none, or no telling. */
static struct http_socket *find_by_name(struct http_engine *engine, const char *peer_ip, const char *local_ip,
                                        int peer_port, int local_port)
{
    struct http_socket *alike = NULL;
    size_t alike_count = 0;
    for (size_t i = 0; i < engine->socket_count; i++) {
        struct http_socket *entry = &engine->sockets[i];
        if (!name_socket(entry) || entry->local_port != local_port || strcmp(entry->local_ip, local_ip) != 0 ||
            strcmp(entry->peer_ip, peer_ip) != 0)
            continue;
        if (entry->peer_port == peer_port)
            return entry;
        alike = entry;
        alike_count++;
    }
    return alike_count == 1 ? alike : NULL;
}

/* What a segment of it carries. */
static uint32_t segment_bytes_of(int fd)
{
    int bytes = 0;
    socklen_t length = sizeof(bytes);
    return getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &bytes, &length) == 0 && bytes > 0 ? (uint32_t)bytes : 0;
}

static void set_user_timeout(struct http_socket *entry, uint32_t timeout_ms)
{
    if (entry->user_timeout_ms == timeout_ms)
        return;
    unsigned int value = timeout_ms;
    if (setsockopt(entry->fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &value, sizeof(value)) == 0)
        entry->user_timeout_ms = timeout_ms;
}

/* A process that is killed in the midst resets the connection: what the kernel holds is not delivered after it. */
static void set_linger(struct http_socket *entry, bool reset)
{
    struct linger linger = {.l_onoff = reset, .l_linger = 0};
    if (entry->resets != reset && setsockopt(entry->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)) == 0)
        entry->resets = reset;
}

static void forget_socket(struct http_transfer *transfer)
{
    struct http_socket *entry = transfer->wire.fd >= 0 ? find_fd(transfer->engine, transfer->wire.fd) : NULL;
    if (entry != NULL && entry->user == transfer) {
        set_linger(entry, false);
        entry->user = NULL;
        entry->idle_since_ms = clock_monotonic_us() / 1000;
        transfer->engine->idle_due_ms = earlier(transfer->engine->idle_due_ms, entry->idle_since_ms + IDLE_MAX_MS);
    }
    transfer->wire.fd = -1;
}

void socket_end_idle(struct http_engine *engine)
{
    if (engine->idle_due_ms > engine->now_ms)
        return;
    engine->idle_due_ms = UINT64_MAX;
    for (size_t i = 0; i < engine->socket_count; i++) {
        struct http_socket *entry = &engine->sockets[i];
        if (entry->idle_since_ms == 0)
            continue;
        uint64_t due_ms = entry->idle_since_ms + IDLE_MAX_MS;
        if (due_ms > engine->now_ms) {
            engine->idle_due_ms = earlier(engine->idle_due_ms, due_ms);
        } else {
            hang_up(entry->fd, false); /* whoever would use it next finds it closed (R6.7) */
            entry->idle_since_ms = 0;
        }
    }
}

/* It may change with the path. Whoever only tells the next one is content with what it was. */
static void learn_segment(struct http_transfer *transfer, struct http_socket *entry)
{
    if (strcmp(transfer->start.request->scheme, "https") == 0)
        return;
    if (entry->segment_bytes == 0 || transfer->start.tail != HTTP_TAIL_FREE)
        entry->segment_bytes = segment_bytes_of(entry->fd);
    transfer->wire.segment_bytes = entry->segment_bytes;
}

/* What the record of a guarded write counts on (http_start.tail): on this connection it holds, or nothing is sent. */
static bool can_keep_promise(struct http_transfer *transfer, struct http_socket *entry)
{
    const struct http_request *request = transfer->start.request;
    struct http_delivery delivery;
    learn_segment(transfer, entry);
    set_linger(entry, transfer->start.tail == HTTP_TAIL_HELD_BACK);
    bool controlled = entry->resets && queued_bytes(entry->fd) != INT_MAX;
    if (transfer->start.tail == HTTP_TAIL_HELD_BACK && !controlled) {
        failure_set(transfer, OS_ERR_NETWORK,
                    "the connection's send buffer could not be controlled, so nothing was sent");
        return false;
    }
    http_delivery_of(request, transfer->engine->user_agent, transfer->wire.segment_bytes, &delivery);
    bool one_segment = transfer->wire.segment_bytes > 0 && body_length(&request->body) > 0;
    bool at_once = delivery.at_once && (!one_segment || queued_bytes(entry->fd) == 0);
    if (transfer->start.tail == HTTP_TAIL_AT_ONCE && !at_once) {
        failure_set(transfer, OS_ERR_NETWORK,
                    "this connection to %s sends smaller segments than the ones before, so nothing was sent",
                    request->host);
        return false;
    }
    return true;
}

/* R6.7. By either side. libcurl looks as well, but 7.88 does not over TLS unless by OpenSSL (cf_ssl_is_alive), and 8.22 not for a
 * second after its last look (Curl_cpool_conn_seems_healthy). What is sent there gets no answer. */
static bool is_closed(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLRDHUP};
    return poll(&look, 1, 0) > 0;
}

int socket_before_request(void *context, char *peer_ip, char *local_ip, int peer_port, int local_port)
{
    struct http_transfer *transfer = context;
    struct http_engine *engine = transfer->engine;
    if (refuse_second_send(transfer) || transfer->cancelled)
        return CURL_PREREQFUNC_ABORT;
    uint64_t now_ms = clock_monotonic_us() / 1000;
    if (transfer->start.deadline_monotonic_ms != 0 && now_ms >= transfer->start.deadline_monotonic_ms) {
        failure_set(transfer, OS_ERR_DEADLINE, "the deadline passed before anything was sent");
        return CURL_PREREQFUNC_ABORT;
    }
    transfer->wire.sent_again = transfer->wire.sent;
    forget_socket(transfer); /* one that is sent again has lost its first connection */
    struct http_socket *entry = find_by_name(engine, peer_ip, local_ip, peer_port, local_port);
    if (entry == NULL && transfer->start.once) {
        failure_set(transfer, OS_ERR_NETWORK,
                    "the connection's send buffer could not be controlled, so nothing was sent");
        return CURL_PREREQFUNC_ABORT;
    }
    transfer->wire.stale = entry != NULL && entry->opener == NULL && is_closed(entry->fd);
    if (transfer->wire.stale)
        return CURL_PREREQFUNC_ABORT; /* engine_end begins it again */
    if (entry != NULL) {
        set_user_timeout(entry, transfer->start.user_timeout_ms);
        if (entry->user != NULL) /* libcurl has finished with it, and we have not been told yet */
            entry->user->wire.fd = -1;
        entry->opener = NULL;
        entry->user = transfer;
        entry->idle_since_ms = 0;
        transfer->wire.fd = entry->fd;
    }
    if (entry != NULL && !can_keep_promise(transfer, entry))
        return CURL_PREREQFUNC_ABORT;
    transfer->wire.sent = true;
    transfer->wire.sent_at_us = clock_monotonic_us();
    transfer->wire.moved_ms = now_ms;
    due_plan(transfer); /* from now on it may stand still */
    return CURL_PREREQFUNC_OK;
}

/* libcurl 7.88 to 8.1 closes those without telling: a forked child with a copy would keep them watched. */
void socket_forget_opened(struct http_transfer *transfer)
{
    struct http_engine *engine = transfer->engine;
    for (size_t i = 0; i < engine->socket_count; i++)
        if (engine->sockets[i].opener == transfer)
            events_forget(engine, engine->sockets[i].fd);
}

void socket_leave(struct http_transfer *transfer)
{
    struct http_engine *engine = transfer->engine;
    forget_socket(transfer);
    /* What it opened and never used, libcurl has closed without telling (cf_socket_close, "not active"). */
    for (size_t i = engine->socket_count; i > 0; i--)
        if (engine->sockets[i - 1].opener == transfer)
            drop_entry(engine, &engine->sockets[i - 1]);
}

bool socket_acknowledged(const struct http_transfer *transfer)
{
    return transfer->wire.fd >= 0 && queued_bytes(transfer->wire.fd) == 0;
}

uint64_t socket_acknowledged_bytes(const struct http_transfer *transfer)
{
    uint64_t queued = transfer->wire.fd >= 0 ? (uint64_t)queued_bytes(transfer->wire.fd) : 0;
    curl_off_t handed_over = 0; /* what libcurl keeps, the kernel does not know */
    if (curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_UPLOAD_T, &handed_over) != CURLE_OK)
        return 0;
    return (uint64_t)handed_over > queued ? (uint64_t)handed_over - queued : 0;
}

void socket_user_timeout(struct http_transfer *transfer, uint32_t timeout_ms)
{
    struct http_socket *entry = transfer->wire.fd >= 0 ? find_fd(transfer->engine, transfer->wire.fd) : NULL;
    if (entry != NULL)
        set_user_timeout(entry, timeout_ms);
}

bool socket_drains(struct http_transfer *transfer)
{
    int before = transfer->wire.queued_bytes;
    transfer->wire.queued_bytes = transfer->wire.fd >= 0 ? queued_bytes(transfer->wire.fd) : 0;
    return transfer->wire.queued_bytes < before;
}

bool socket_floods(struct http_transfer *transfer, bool fresh)
{
    uint64_t taken = transfer->wire.fd >= 0 ? fd_taken_bytes(transfer->wire.fd) : 0;
    if (fresh || transfer->wire.framing_from == 0)
        transfer->wire.framing_from = taken;
    return taken > transfer->wire.framing_from && taken - transfer->wire.framing_from > FRAMING_BYTES_MAX;
}
