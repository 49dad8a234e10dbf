/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_stub: S3 and DynamoDB on one port, told apart by X-Amz-Target. One thread on epoll, all in memory: never what a
 * client waits for. Says its port on standard output, and runs until its standard input ends.
 *
 *   bench_stub [CERTIFICATE KEY]   over TLS with these files of PEM
 */
#include "stub.h"
#include "tls.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUCKETS = 1 << 20, EVENTS = 256 };

struct stub_connection {
    int fd;
    SSL *ssl; /* NULL: in the clear */
    bool wants_out;
    struct bytes in;
    struct bytes out;
};

static struct stub_entry *table[BUCKETS];
static SSL_CTX *tls; /* NULL: in the clear */

/* ---------------------------------------------------------------------------------------------------------- table */

static size_t stub_bucket(struct slice name)
{
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (size_t i = 0; i < name.len; i++)
        hash = (hash ^ (unsigned char)name.p[i]) * 1099511628211U;
    return (size_t)(hash ^ hash >> 32) % BUCKETS;
}

struct stub_entry *stub_chain(struct slice name)
{
    return table[stub_bucket(name)];
}

struct stub_entry *stub_find(struct slice name)
{
    struct stub_entry *entry = stub_chain(name);
    while (entry != NULL && !slice_equal(name, (struct slice){entry->name, entry->name_len}))
        entry = entry->next;
    return entry;
}

struct stub_entry *stub_add(struct slice name)
{
    size_t bucket = stub_bucket(name);
    struct stub_entry *entry = calloc(1, sizeof(*entry));
    if (entry == NULL || (entry->name = malloc(name.len)) == NULL)
        abort();
    memcpy(entry->name, name.p, name.len);
    entry->name_len = name.len;
    entry->next = table[bucket];
    table[bucket] = entry;
    return entry;
}

/* -------------------------------------------------------------------------------------------------------- answers */

/* The same text for a second. */
static const char *stub_date(void)
{
    static time_t of = 0;
    static char text[64];
    time_t now = time(NULL);
    struct tm parts;
    if (now != of && gmtime_r(&now, &parts) != NULL) {
        strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts);
        of = now;
    }
    return text;
}

void stub_answer(struct bytes *out, const char *status, const char *headers, struct slice body)
{
    bytes_add_f(out, "HTTP/1.1 %s\r\nDate: %s\r\nServer: stub\r\nx-amz-request-id: 1\r\n", status, stub_date());
    bytes_add_slice(out, slice_of(headers));
    if (body.p != NULL)
        bytes_add_f(out, "Content-Length: %zu\r\n", body.len);
    bytes_add(out, "\r\n", 2);
    bytes_add_slice(out, body);
}

static void stub_serve(const struct message *message, struct bytes *out)
{
    struct slice words[3];
    message_words(message->head, words);
    struct stub_request request = {words[0], words[1], message->head, message->body};
    struct slice target = message_header(message->head, "x-amz-target");
    const char *dot = target.len > 0 ? memchr(target.p, '.', target.len) : NULL;
    if (dot != NULL)
        stub_dynamo(&request, (struct slice){dot + 1, (size_t)(target.p + target.len - dot - 1)}, out);
    else
        stub_s3(&request, out);
}

/* ---------------------------------------------------------------------------------------------------- connections */

static void stub_accept(int epoll, int listener)
{
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct stub_connection *connection = calloc(1, sizeof(*connection));
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        if (connection == NULL)
            abort();
        connection->fd = fd;
        if (tls != NULL && (connection->ssl = tls_accepted(tls, fd)) == NULL)
            abort();
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    }
}

static void stub_connection_free(struct stub_connection *connection)
{
    SSL_free(connection->ssl);
    close(connection->fd);
    bytes_free(&connection->in);
    bytes_free(&connection->out);
    free(connection);
}

static bool stub_read(struct stub_connection *connection)
{
    return connection->ssl != NULL ? tls_read(connection->ssl, &connection->in)
                                   : socket_read(connection->fd, &connection->in);
}

static bool stub_write(struct stub_connection *connection)
{
    return connection->ssl != NULL ? tls_write(connection->ssl, &connection->out)
                                   : socket_write(connection->fd, &connection->out);
}

static void stub_go_on(int epoll, struct stub_connection *connection)
{
    struct message message;
    bool open = stub_read(connection);
    while (message_take(&connection->in, true, &message)) {
        stub_serve(&message, &connection->out);
        bytes_drop(&connection->in, message.len);
    }
    open = open && stub_write(connection);
    if (!open) {
        stub_connection_free(connection);
        return;
    }
    bool wants_out = connection->out.len > 0;
    if (wants_out != connection->wants_out) {
        struct epoll_event event = {.events = EPOLLIN | (wants_out ? (uint32_t)EPOLLOUT : 0), .data.ptr = connection};
        epoll_ctl(epoll, EPOLL_CTL_MOD, connection->fd, &event);
        connection->wants_out = wants_out;
    }
}

static char input;

/* Until standard input, which is that of the program that started it, ends. */
static void stub_run(int epoll, int listener)
{
    struct epoll_event events[EVENTS];
    for (;;) {
        int count = epoll_wait(epoll, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == &input)
                return;
            if (events[i].data.ptr == NULL)
                stub_accept(epoll, listener);
            else
                stub_go_on(epoll, events[i].data.ptr);
        }
    }
}

static bool stub_watch(int epoll, int fd, void *what)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
    return fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

int main(int argc, char **argv)
{
    (void)signal(SIGPIPE, SIG_IGN); /* OpenSSL writes to clients that are gone */
    if (argc == 3 && (tls = tls_context(argv[1], argv[2])) == NULL)
        return 1;
    unsigned short port = 0;
    int listener = socket_listen(&port);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!stub_watch(epoll, listener, NULL) || !stub_watch(epoll, STDIN_FILENO, &input)) {
        perror("bench_stub");
        return 1;
    }
    printf("%u\n", port);
    fflush(stdout);
    stub_run(epoll, listener);
    return 0;
}
