/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of src/http share. Nobody else includes it. */
#ifndef OSCOMMIT_HTTP_INTERNAL_H
#define OSCOMMIT_HTTP_INTERNAL_H

#include "http/engine.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdatomic.h>

enum {
    TLS_RECORD_MAX = 16384,   /* RFC 8446, section 5.1 */
    INTERIM_ANSWERS_MAX = 32, /* 1xx before the final answer */
    UPLOAD_BUFFER_BYTES =
        192 << 10, /* over TLS libcurl sends at most this at once: headers, target and a joined body fit */
    SEND_BUFFER_BYTES =
        160 << 10 /* SO_SNDBUF, which the kernel doubles: a new connection must take a joined request at once */
};

/* One connection, from socket() to close(). libcurl keeps the pool; this table tells which socket serves which request,
 * which libcurl 7.88 does not (CURLINFO_ACTIVESOCKET is set only once a request has ended). */
struct http_socket {
    int fd;
    bool named; /* the addresses below are known */
    char local_ip[INET6_ADDRSTRLEN];
    char peer_ip[INET6_ADDRSTRLEN];
    int local_port;
    int peer_port;
    uint32_t user_timeout_ms;     /* as set on the socket */
    struct http_transfer *opener; /* NULL once it has carried a request: from then on libcurl closes it through us */
    struct http_transfer *user;   /* the last that was sent on it, until that has ended */
};

struct http_transfer {
    struct http_engine *engine;
    struct http_transfer *prev;
    struct http_transfer *next;
    uint64_t id;
    struct http_start start;

    CURL *easy;
    bool in_multi;
    struct curl_slist *headers;
    struct buf url;
    char *joined_body; /* a small file, read whole so that it leaves with the headers */
    uint64_t body_offset;
    bool held; /* libcurl waits with the body until it is told to go on */

    struct http_response response;
    bool headers_whole; /* the final answer's headers came */
    unsigned interim_answers;

    int fd;         /* the connection it was sent on; -1: none, or closed again */
    bool sent;      /* libcurl was allowed to write */
    bool aborting;  /* the connection is to be closed with a reset */
    bool cancelled; /* from inside a libcurl callback, which ends it as soon as it can */
    uint64_t begun_us;
    uint64_t moved_ms; /* when a byte last moved in either direction */
    uint64_t bytes_in; /* of bodies, as libcurl last told */
    uint64_t bytes_out;
    int queued_bytes; /* in the kernel, when it was last looked at */

    os_code fault; /* why a callback of ours stopped libcurl; OS_OK: it did not */
    char fault_message[sizeof(((struct http_result *)0)->message)];
    char curl_message[CURL_ERROR_SIZE];
};

struct http_engine {
    CURLM *multi;
    CURLSH *share; /* TLS sessions */
    char *ca_file;
    char *user_agent;
    uint64_t connect_timeout_ms;
    uint32_t max_connections;

    struct http_transfer *running; /* the eldest first; those not yet in_multi are at the end */
    struct http_transfer *youngest;
    struct http_transfer *spare; /* linked by next */
    uint32_t spare_count;
    uint64_t last_id;
    uint64_t ended_count;
    uint64_t now_ms; /* of this turn */
    bool polling;
    bool in_libcurl; /* inside curl_multi_perform: transfers must not be removed */
    bool closing;
    atomic_bool woken;

    struct http_socket *sockets;
    size_t socket_count;
    size_t socket_cap;
};

/* transfer.c: one request from libcurl's point of view */
struct http_transfer *transfer_new(struct http_engine *engine);
os_code transfer_prepare(struct http_transfer *transfer, const struct http_start *start, os_error *err);
void transfer_clear(struct http_transfer *transfer); /* ready for transfer_prepare again */
void transfer_free(struct http_transfer *transfer);

/* answer.c */
size_t answer_header(char *data, size_t size, size_t count, void *context);
size_t answer_body(char *data, size_t size, size_t count, void *context);

/* body.c */
os_code body_prepare(struct http_transfer *transfer, os_error *err);
const char *body_joined_data(const struct http_transfer *transfer);
size_t body_read(char *ret, size_t size, size_t count, void *context);
int body_seek(void *context, curl_off_t offset, int origin);

/* one_write.c */
uint64_t body_length(const struct http_body *body);
bool body_is_joined(const struct http_body *body); /* sent together with the headers */

/* socket.c */
curl_socket_t socket_open(void *context, curlsocktype purpose, struct curl_sockaddr *address);
int socket_close(void *context, curl_socket_t fd);
int socket_before_request(void *context, char *peer_ip, char *local_ip, int peer_port, int local_port);
void socket_leave(struct http_transfer *transfer);  /* the transfer has ended */
bool socket_drains(struct http_transfer *transfer); /* the kernel has less to send than at the last look */

/* failure.c */
void failure_set(struct http_transfer *transfer, os_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fills code and message. */
void failure_describe(const struct http_transfer *transfer, CURLcode code, struct http_result *ret);

uint64_t monotonic_us(void);

#endif
