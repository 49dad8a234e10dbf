/* SPDX-License-Identifier: Apache-2.0 */
#include "support/http_server.h"

#include "support/http_server_io.h"
#include "support/http_server_request.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 8192, RECORDS_MAX = 65536, STEPS_MAX = 4096, BODY_MAX = 64 << 20, WAIT_S = 60 };

struct connection {
    struct http_server *server;
    size_t index;
    struct http_server_io io;
    pthread_t thread;
    bool ended;
};

struct http_server {
    struct http_server_options options;
    struct http_server_tls *tls;
    int listener;
    int port;
    char host[32];
    pthread_t acceptor;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool stopping;
    struct connection *connections[CONNECTIONS_MAX];
    size_t connection_count;
    size_t ended_count;
    struct http_server_record *records[RECORDS_MAX];
    size_t record_count;
    struct http_server_step steps[STEPS_MAX];
    size_t step_count;
    size_t next_step;
    size_t held;
    size_t releases;
};

const struct http_server_step http_server_ok = {.answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"};

static void die(const char *what)
{
    perror(what);
    abort();
}

static void lock(struct http_server *server)
{
    (void)pthread_mutex_lock(&server->mutex);
}

static void unlock(struct http_server *server)
{
    (void)pthread_mutex_unlock(&server->mutex);
}

static struct http_server_step next_step(struct http_server *server, const struct http_server_record *record,
                                         struct buf *scratch, bool *ret_scripted)
{
    struct http_server_step step = http_server_ok;
    lock(server);
    *ret_scripted = server->next_step < server->step_count;
    if (*ret_scripted)
        step = server->steps[server->next_step++];
    unlock(server);
    if (!*ret_scripted && record != NULL && server->options.respond != NULL)
        server->options.respond(server->options.respond_context, record, scratch, &step);
    return step;
}

static void keep_record(struct http_server *server, struct http_server_record *record)
{
    lock(server);
    if (server->record_count == RECORDS_MAX)
        die("too many requests for the test server");
    server->records[server->record_count++] = record;
    (void)pthread_cond_broadcast(&server->changed);
    unlock(server);
}

static void hold(struct http_server *server)
{
    lock(server);
    server->held++;
    (void)pthread_cond_broadcast(&server->changed);
    while (server->releases == 0 && !server->stopping)
        (void)pthread_cond_wait(&server->changed, &server->mutex);
    if (server->releases > 0)
        server->releases--;
    server->held--;
    unlock(server);
}

/* Waits for the drip's interval, or for the server to be stopped. */
static void drip_wait(struct http_server *server, unsigned ms)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    until.tv_sec += (time_t)(ms / 1000) + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    lock(server);
    while (!server->stopping && pthread_cond_timedwait(&server->changed, &server->mutex, &until) == 0) {
    }
    unlock(server);
}

static bool answer(struct connection *connection, const struct http_server_step *step)
{
    size_t length = step->answer == NULL ? 0 : step->answer_length > 0 ? step->answer_length : strlen(step->answer);
    size_t sent = 0;
    while (sent < length) {
        size_t piece = step->drip_bytes > 0 && step->drip_bytes < length - sent ? step->drip_bytes : length - sent;
        if (!http_server_io_write(&connection->io, step->answer + sent, piece))
            return false;
        sent += piece;
        if (step->drip_ms > 0 && sent < length)
            drip_wait(connection->server, step->drip_ms);
    }
    return true;
}

static bool begin(struct connection *connection)
{
    struct http_server *server = connection->server;
    size_t handshakes = server->options.handshakes;
    bool refused = handshakes > 0 && connection->index >= handshakes;
    return !refused && http_server_io_begin(&connection->io, server->tls);
}

/* One request by one step; false when the connection is over. */
static bool serve_one(struct connection *connection, struct buf *scratch)
{
    struct http_server *server = connection->server;
    if (!http_server_io_wait(&connection->io))
        return false;
    bool scripted = false;
    struct http_server_record *record = http_server_allocate(sizeof(*record));
    record->connection = connection->index;
    struct http_server_step step = next_step(server, NULL, scratch, &scripted);
    bool open = step.read == HTTP_SERVER_READ_NOTHING ||
                http_server_read_request(&connection->io, record, step.read == HTTP_SERVER_READ_ALL);
    if (!scripted && open)
        step = next_step(server, record, scratch, &scripted);
    if (step.leave != HTTP_SERVER_DRAIN || !open)
        keep_record(server, record);
    if (open && step.hold)
        hold(server);
    open = open && answer(connection, &step);
    if (step.leave == HTTP_SERVER_DRAIN && record->end_errno == 0) {
        http_server_read_rest(&connection->io, record);
        keep_record(server, record);
    }
    if (step.leave == HTTP_SERVER_RESET)
        http_server_io_reset(&connection->io);
    return open && step.leave == HTTP_SERVER_KEEP;
}

static void *connection_main(void *context)
{
    struct connection *connection = context;
    struct http_server *server = connection->server;
    struct buf scratch;
    buf_init(&scratch, BODY_MAX);
    bool open = begin(connection);
    while (open)
        open = serve_one(connection, &scratch);
    buf_free(&scratch);
    lock(server);
    http_server_io_close(&connection->io);
    connection->ended = true;
    server->ended_count++;
    (void)pthread_cond_broadcast(&server->changed);
    unlock(server);
    return NULL;
}

static void *acceptor_main(void *context)
{
    struct http_server *server = context;
    sigset_t pipe_signal; /* a client that goes away must not end the test; inherited by the connections' threads */
    (void)sigemptyset(&pipe_signal);
    (void)sigaddset(&pipe_signal, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &pipe_signal, NULL);
    for (;;) {
        int fd = accept(server->listener, NULL, NULL);
        if (fd < 0)
            return NULL; /* shut down */
        struct connection *connection = http_server_allocate(sizeof(*connection));
        connection->server = server;
        connection->io.fd = fd;
        lock(server);
        if (server->stopping || server->connection_count == CONNECTIONS_MAX) {
            unlock(server);
            (void)close(fd);
            free(connection);
            continue;
        }
        connection->index = server->connection_count;
        server->connections[server->connection_count++] = connection;
        if (pthread_create(&connection->thread, NULL, connection_main, connection) != 0)
            die("pthread_create");
        unlock(server);
    }
}

static void listen_on_loopback(struct http_server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int segment = server->options.segment_bytes;
    if (segment > 0 && setsockopt(server->listener, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof(segment)) != 0)
        die("the test server cannot set its segment size");
    if (server->listener < 0 || bind(server->listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(server->listener, 256) != 0 || getsockname(server->listener, (struct sockaddr *)&address, &length) != 0)
        die("the test server cannot listen");
    server->port = ntohs(address.sin_port);
    (void)snprintf(server->host, sizeof(server->host), "127.0.0.1:%d", server->port);
}

struct http_server *http_server_start(const struct http_server_options *options)
{
    struct http_server *server = http_server_allocate(sizeof(*server));
    if (options != NULL)
        server->options = *options;
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&server->mutex, NULL);
    (void)pthread_cond_init(&server->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    if (server->options.tls) {
        const char *name = server->options.certificate_name;
        server->tls = http_server_tls_new(name != NULL ? name : "127.0.0.1");
    }
    listen_on_loopback(server);
    if (pthread_create(&server->acceptor, NULL, acceptor_main, server) != 0)
        die("pthread_create");
    return server;
}

void http_server_stop(struct http_server *server)
{
    if (server == NULL)
        return;
    lock(server);
    server->stopping = true;
    (void)pthread_cond_broadcast(&server->changed);
    for (size_t i = 0; i < server->connection_count; i++)
        if (!server->connections[i]->ended)
            (void)shutdown(server->connections[i]->io.fd, SHUT_RDWR);
    unlock(server);
    (void)shutdown(server->listener, SHUT_RDWR);
    (void)pthread_join(server->acceptor, NULL);
    for (size_t i = 0; i < server->connection_count; i++) {
        (void)pthread_join(server->connections[i]->thread, NULL);
        free(server->connections[i]);
    }
    (void)close(server->listener);
    for (size_t i = 0; i < server->record_count; i++)
        http_server_record_free(server->records[i]);
    for (size_t i = 0; i < server->step_count; i++)
        free((void *)(uintptr_t)server->steps[i].answer);
    http_server_tls_free(server->tls);
    (void)pthread_cond_destroy(&server->changed);
    (void)pthread_mutex_destroy(&server->mutex);
    free(server);
}

int http_server_port(const struct http_server *server)
{
    return server->port;
}

const char *http_server_host(const struct http_server *server)
{
    return server->host;
}

const char *http_server_ca_file(const struct http_server *server)
{
    return server->tls != NULL ? http_server_tls_ca_file(server->tls) : NULL;
}

void http_server_push(struct http_server *server, const struct http_server_step *step)
{
    struct http_server_step copy = *step;
    copy.answer_length = step->answer == NULL      ? 0
                         : step->answer_length > 0 ? step->answer_length
                                                   : strlen(step->answer);
    char *bytes = http_server_allocate(copy.answer_length + 1);
    if (copy.answer_length > 0)
        memcpy(bytes, step->answer, copy.answer_length);
    copy.answer = bytes;
    lock(server);
    if (server->step_count == STEPS_MAX)
        die("too many steps for the test server");
    server->steps[server->step_count++] = copy;
    unlock(server);
}

void http_server_release(struct http_server *server, size_t count)
{
    lock(server);
    server->releases += count;
    (void)pthread_cond_broadcast(&server->changed);
    unlock(server);
}

size_t http_server_count(struct http_server *server)
{
    lock(server);
    size_t count = server->record_count;
    unlock(server);
    return count;
}

const struct http_server_record *http_server_record(struct http_server *server, size_t index)
{
    lock(server);
    const struct http_server_record *record = index < server->record_count ? server->records[index] : NULL;
    unlock(server);
    return record;
}

size_t http_server_connections(struct http_server *server)
{
    lock(server);
    size_t count = server->connection_count;
    unlock(server);
    return count;
}

size_t http_server_held(struct http_server *server)
{
    lock(server);
    size_t count = server->held;
    unlock(server);
    return count;
}

static bool wait_for(struct http_server *server, const size_t *counter, size_t count)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += WAIT_S;
    int status = 0;
    lock(server);
    while (*counter < count && status == 0)
        status = pthread_cond_timedwait(&server->changed, &server->mutex, &until);
    bool reached = *counter >= count;
    unlock(server);
    return reached;
}

void http_server_write_request(const struct http_server_record *record, struct buf *ret)
{
    buf_add_f(ret, "%s %s HTTP/1.1\r\n", record->method, record->target);
    for (size_t i = 0; i < record->headers.count; i++)
        buf_add_strs(ret, record->headers.list[i].name, ": ", record->headers.list[i].value, "\r\n", NULL);
    buf_add_str(ret, "\r\n");
    if (record->body_length > 0)
        buf_add(ret, record->body, record->body_length);
    if (!buf_ok(ret))
        die("a request");
}

bool http_server_wait_count(struct http_server *server, size_t count)
{
    return wait_for(server, &server->record_count, count);
}

bool http_server_wait_held(struct http_server *server, size_t count)
{
    return wait_for(server, &server->held, count);
}

bool http_server_wait_closed(struct http_server *server, size_t count)
{
    return wait_for(server, &server->ended_count, count);
}
