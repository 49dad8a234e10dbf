/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scripted HTTP/1.1 server on raw loopback sockets, for tests: each request takes the next step of a script, which
 * says how much of it to read, what bytes to answer, and how to leave the connection. It keeps a record of every
 * request and knows nothing of what is asked. Threads of its own; every function may be called from the test's thread
 * at any time.
 */
#ifndef OSCOMMIT_TEST_HTTP_SERVER_H
#define OSCOMMIT_TEST_HTTP_SERVER_H

#include "base/http_message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_server;

enum http_server_read {
    HTTP_SERVER_READ_ALL = 0, /* headers and body */
    HTTP_SERVER_READ_HEADERS, /* and what came with them */
    HTTP_SERVER_READ_NOTHING  /* the step begins when a first byte has come */
};

enum http_server_leave {
    HTTP_SERVER_KEEP = 0, /* wait for the next request */
    HTTP_SERVER_CLOSE,    /* FIN */
    HTTP_SERVER_RESET,    /* RST */
    HTTP_SERVER_DRAIN     /* read to the end; the record tells how the client closed */
};

struct http_server_step {
    enum http_server_read read;
    bool hold; /* between reading and answering: wait for http_server_release (one release lets one request go) */
    const char *answer;   /* raw bytes, copied; NULL: none. An answer of "" is none either */
    size_t answer_length; /* 0: strlen */
    size_t drip_bytes;    /* send in pieces of so many bytes ... */
    unsigned drip_ms;     /* ... so far apart; 0 and 0: at once */
    enum http_server_leave leave;
};

/* "HTTP/1.1 200 OK", Content-Length: 0, connection kept: what a request gets when the script is at its end. */
extern const struct http_server_step http_server_ok;

struct http_server_record {
    size_t connection; /* 0 for the first that was accepted */
    char *method;
    char *target;
    struct http_headers headers;
    char *body; /* what came of it, with a NUL behind */
    size_t body_length;
    uint64_t promised; /* Content-Length */
    size_t bytes;      /* all that was read: request line, headers, body, and what DRAIN read */
    bool whole;        /* headers and the whole body came */
    int end_errno;     /* after DRAIN, or when reading broke off: 0 for FIN, ECONNRESET for RST */
};

/* Chooses a step when the script is at its end, in place of http_server_ok. Runs on the connection's thread. What
 * `answer` points to must stay until the next call for the same connection; `scratch` may hold it. */
typedef void (*http_server_respond_fn)(void *context, const struct http_server_record *record, struct buf *scratch,
                                       struct http_server_step *ret);

struct http_server_options {
    bool tls;
    const char *certificate_name; /* DNS name or IPv4 address in the certificate; NULL: 127.0.0.1 */
    size_t handshakes;            /* connections after so many are closed before their handshake; 0: none is */
    int segment_bytes;            /* the largest TCP segment, as on a real path; 0: loopback's 64 KiB */
    http_server_respond_fn respond;
    void *respond_context;
};

/* Listens on 127.0.0.1 and a free port. NULL options mean plain HTTP. Ends the program when it cannot. */
struct http_server *http_server_start(const struct http_server_options *options);
void http_server_stop(struct http_server *server); /* closes everything, waits for its threads, frees the records */

int http_server_port(const struct http_server *server);
const char *http_server_host(const struct http_server *server);    /* "127.0.0.1:port" */
const char *http_server_ca_file(const struct http_server *server); /* PEM of its own certificate; NULL without TLS */

void http_server_push(struct http_server *server, const struct http_server_step *step);
void http_server_release(struct http_server *server, size_t count);

/* Records in the order in which reading them ended (for DRAIN: in which the client closed). They stay until the server
 * is stopped. */
size_t http_server_count(struct http_server *server);
const struct http_server_record *http_server_record(struct http_server *server, size_t index);

/* A request once more, as bytes, for a server that reads those. */
void http_server_write_request(const struct http_server_record *record, struct buf *ret);

/* Waiting for events; false after a minute. */
bool http_server_wait_count(struct http_server *server, size_t count);
bool http_server_wait_held(struct http_server *server, size_t count); /* so many requests are in a hold now */
bool http_server_wait_closed(struct http_server *server,
                             size_t count); /* so many connections have ended, from either side */

size_t http_server_connections(struct http_server *server); /* accepted so far */
size_t http_server_held(struct http_server *server);        /* requests that are in a hold now */

#endif
