/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of src/http share. Nobody else includes it. */
#ifndef OSCOMMIT_HTTP_INTERNAL_H
#define OSCOMMIT_HTTP_INTERNAL_H

#include "base/heap.h"
#include "http/engine.h"
#include "http/trust.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/epoll.h>

enum {
    TLS_RECORD_MAX = 16384,   /* RFC 8446, section 5.1 */
    JOINED_BODY_MAX = 65535,  /* libcurl 7.88 joins what is *shorter* than 64 KiB (MAX_INITIAL_POST_SIZE, lib/http.h) */
    TAIL_BYTES = 512,         /* with TLS's overhead still in one segment of the smallest path (RFC 8200: 1,280) */
    INTERIM_ANSWERS_MAX = 32, /* 1xx before the final answer */
    FRAMING_BYTES_MAX = 4 << 20, /* taken from a connection without a byte of a body: libcurl takes 6 MiB in one go */
    UPLOAD_BUFFER_BYTES = 192 << 10, /* what libcurl reads of a body and sends at a time */
    /* R6.6. The shortest waits of servers that are known are 5 s: Node.js (server.keepAliveTimeout), Apache
     * (KeepAliveTimeout), and S3, as users have seen it (vectordotdev/vector, pull request 9703). */
    IDLE_MAX_MS = 4000
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
    bool resets;                  /* whoever closes it resets it */
    uint32_t segment_bytes;       /* as last seen; 0: not looked at, or not known */
    uint64_t idle_since_ms;       /* 0: in use, or shut down */
    struct http_transfer *opener; /* NULL once it has carried a request: from then on libcurl closes it through us */
    struct http_transfer *user;   /* the last that was sent on it, until that has ended */
};

enum tail_state {
    TAIL_NOT_REACHED = 0, /* or not held back */
    TAIL_WAITS,           /* for the acknowledgement of all before it */
    TAIL_LEFT,            /* handed over, and not acknowledged yet */
    TAIL_ACKNOWLEDGED
};

/* The end of a body that is held back (HTTP_TAIL_HELD_BACK). */
struct transfer_tail {
    enum tail_state state;
    uint64_t look_ms;            /* when the kernel is asked again what was acknowledged */
    uint64_t pause_ms;           /* between two looks: grows */
    bool kept;                   /* it will never leave */
    uint64_t acknowledged_bytes; /* kept: of the body, when that was decided */
};

/* The answer, as far as it has come. */
struct transfer_answer {
    struct http_response response;
    bool headers_whole; /* the final answer's headers came */
    unsigned interim_answers;
    unsigned trailers;
    size_t trailer_bytes;
};

/* The connection it was sent on, and what moves there. */
struct transfer_wire {
    int fd;          /* -1: none, or closed again */
    bool sent;       /* libcurl was allowed to write */
    bool sent_again; /* and once more, on another connection */
    bool stale;      /* libcurl took a connection for it that was closed: nothing was sent there */
    uint64_t sent_at_us;
    uint32_t segment_bytes; /* of the connection; 0: none, or TLS */
    bool aborting;          /* the connection is to be closed with a reset */
    uint64_t moved_ms;      /* when a byte last moved in either direction */
    uint64_t bytes_in;      /* of bodies, as libcurl last told */
    uint64_t bytes_out;
    uint64_t framing_from; /* bytes taken from the connection when the last of the body came, or the headers */
    int queued_bytes;      /* in the kernel, when it was last looked at */
};

/* Why a callback of ours stopped libcurl. */
struct transfer_fault {
    os_code code; /* OS_OK: none did */
    char message[sizeof(((struct http_result *)0)->message)];
};

struct http_transfer {
    struct http_engine *engine;
    struct http_transfer *prev; /* of all that were started */
    struct http_transfer *next;
    struct http_transfer *next_of_slot; /* engine->by_id */
    uint64_t id;
    struct http_start start;

    struct http_host *host;
    struct http_transfer *before; /* of those that wait for a connection to it */
    struct http_transfer *behind;

    struct heap_node unsent; /* engine->unsent: its deadline, for as long as it may have something to send */
    struct heap_node look;   /* engine->looks: when its body is looked at */
    struct heap_node due;    /* engine->dues: when it may have to end */

    bool begun;     /* it waits for no connection any more */
    bool anew;      /* begun a second time, on a connection that nobody has used */
    CURL *easy;     /* NULL: not begun */
    bool cancelled; /* from inside a libcurl callback, which ends it as soon as it can */
    uint64_t begun_us;
    char curl_message[CURL_ERROR_SIZE];

    struct buf headers; /* a curl_slist, and the lines of it */
    struct buf url;
    char *joined_body; /* a small file, read whole so that it leaves with the headers */
    uint64_t body_offset;
    bool held; /* libcurl waits with the body until it is told to go on */
    struct transfer_tail tail;
    struct transfer_answer answer;
    struct transfer_wire wire;
    struct transfer_fault fault;
};

/* What a connection leads to, and who waits for one. */
struct http_host {
    struct http_host *next;
    char *origin; /* "https://host:port" */
    uint32_t running;
    uint32_t bulk_running;
    struct http_waiting {
        struct http_transfer *first;
        struct http_transfer *last;
        uint32_t count;
    } quick, bulk;
};

enum { EVENTS_AT_A_TIME = 64, ID_SLOTS = 1024 };

/* What the kernel has to say of the connections (events.c). */
struct http_events {
    int epoll_fd;
    int wake_fd;
    bool blind;         /* a connection could not be watched: all are looked at in each turn */
    atomic_bool sleeps; /* or may, so that a wakeup has to be heard by the kernel */
    atomic_bool woken;
    struct epoll_event ready[EVENTS_AT_A_TIME];
    int ready_count;
};

struct http_engine {
    CURLM *multi;
    CURLSH *share; /* TLS sessions */
    struct trust trust;
    char *user_agent;
    uint64_t connect_timeout_ms;
    uint32_t max_connections; /* to each host */
    uint32_t bulk_max;        /* of these */

    struct http_transfer *started; /* the eldest first */
    struct http_transfer *youngest;
    struct http_transfer *by_id[ID_SLOTS]; /* ids follow each other, so each slot has its share */
    struct http_host *hosts;
    struct heap unsent;
    struct heap looks;
    struct heap dues;
    CURL **spare; /* room for max_connections of them */
    uint32_t spare_count;
    uint64_t last_id;
    uint64_t ended_count;
    uint64_t now_ms; /* of this turn */
    bool polling;
    bool in_libcurl; /* libcurl is at work, and may call back: transfers must not be removed */
    bool disordered; /* libcurl's books are: nothing more begins with this multi */
    bool closing;
    struct http_events events;

    struct http_socket *sockets;
    size_t socket_count;
    size_t socket_cap;
    uint64_t idle_due_ms; /* when one may have been idle for too long */
};

/* engine.c: throws libcurl's books away, with the connections that are kept; no transfer may be in it. False: no memory. */
bool engine_renew_multi(struct http_engine *engine);
/* The end of a request, which tells its caller. Not while libcurl is at work. */
void engine_end(struct http_transfer *transfer, CURLcode code);
void engine_abort(struct http_transfer *transfer, os_code code, const char *message);

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* due.c, on the monotonic clock; UINT64_MAX: only when something happens */
uint64_t due_end_ms(const struct http_transfer *transfer);  /* when it may have to end */
uint64_t tail_due_ms(const struct http_transfer *transfer); /* when the tail is looked at */
void due_plan(struct http_transfer *transfer); /* to be called whenever one of them may have become sooner */

/* queue.c */
bool queue_join(struct http_transfer *transfer); /* its host's; false: out of memory */
void queue_leave(struct http_transfer *transfer);
struct http_transfer *queue_next(
    struct http_engine *engine);                        /* that may begin now; NULL: none. It has left the queue */
bool queue_may_begin(const struct http_engine *engine); /* there is such a one */
void queue_ended(struct http_transfer *transfer);       /* one that had begun */
void queue_free(struct http_engine *engine);

/* events.c */
bool events_open(struct http_engine *engine);               /* false: out of resources */
bool events_hear(struct http_engine *engine, CURLM *multi); /* which of its connections are to be watched */
void events_close(struct http_engine *engine);
void events_wait(struct http_engine *engine, uint64_t wait_ms); /* until something happens */
CURLMcode events_hand_over(struct http_engine *engine);         /* to libcurl what has happened; it may call back */
uint64_t events_due_ms(struct http_engine *engine);             /* when libcurl has something to do by itself */
void events_expect(struct http_engine *engine, int fd);         /* it is about to be connected */
void events_forget(struct http_engine *engine, int fd);         /* it is about to be closed */
bool events_were_woken(struct http_engine *engine);             /* once for all wakeups before */

/* transfer.c: one request from libcurl's point of view */
os_code transfer_new(struct http_engine *engine, const struct http_start *start, struct http_transfer **ret,
                     os_error *err);
bool transfer_begin_again(struct http_transfer *transfer); /* on a new connection; false: no memory */
os_code transfer_make_first_handle(struct http_engine *engine, os_error *err); /* shows what libcurl accepts */
bool transfer_take_handle(struct http_transfer *transfer); /* with all that libcurl has to know; false: no memory */
void transfer_put_handle(struct http_transfer *transfer, bool ended_well);
void transfer_free(struct http_transfer *transfer);

/* answer.c */
size_t answer_header(char *data, size_t size, size_t count, void *context);
size_t answer_body(char *data, size_t size, size_t count, void *context);

/* body.c */
os_code body_prepare(struct http_transfer *transfer, os_error *err);
const char *body_joined_data(const struct http_transfer *transfer);
size_t body_read(char *ret, size_t size, size_t count, void *context);
int body_seek(void *context, curl_off_t offset, int origin);

bool body_is_joined(const struct http_transfer *transfer); /* sent together with the headers */

/* delivery.c */
uint64_t body_length(const struct http_body *body);

/* tail.c */
bool tail_begins(const struct http_transfer *transfer, size_t *want); /* cuts `want` before it; true: it is the tail */
bool tail_may_leave(struct http_transfer *transfer); /* asked for the tail; false: not yet, or never (a fault is set) */
bool tail_look(struct http_transfer *transfer);      /* true: libcurl is to go on with the body */

/* socket.c */
curl_socket_t socket_open(void *context, curlsocktype purpose, struct curl_sockaddr *address);
int socket_close(void *context, curl_socket_t fd);
int socket_before_request(void *context, char *peer_ip, char *local_ip, int peer_port, int local_port);
void socket_forget_opened(struct http_transfer *transfer);      /* it ends: what it opened and never used is closed */
void socket_leave(struct http_transfer *transfer);              /* the transfer has ended */
void socket_end_idle(struct http_engine *engine);               /* closes what was idle for too long */
bool socket_floods(struct http_transfer *transfer, bool fresh); /* much came that was none of the body's, since fresh */
bool socket_drains(struct http_transfer *transfer);             /* the kernel has less to send than at the last look */
bool socket_acknowledged(const struct http_transfer *transfer); /* nothing is unsent or unacknowledged */
uint64_t socket_acknowledged_bytes(const struct http_transfer *transfer); /* of the body, at least */
void socket_user_timeout(struct http_transfer *transfer, uint32_t timeout_ms);

/* failure.c */
void failure_set(struct http_transfer *transfer, os_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fills code and message. */
void failure_describe(const struct http_transfer *transfer, CURLcode code, struct http_result *ret);
void failure_describe_deadline(const struct http_transfer *transfer, struct http_result *ret); /* it has passed */

#endif
