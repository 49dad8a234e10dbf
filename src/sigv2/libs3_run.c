/* SPDX-License-Identifier: Apache-2.0 */
#include "sigv2/libs3_run.h"

#include "base/error.h"
#include "base/fd.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SLICE_MS = 50,           /* how soon a cancellation is noticed */
    BLIND_MS = 5,            /* how often libs3 is called while it shows no socket to wait for */
    IDLE_BYTES_MAX = 4 << 20 /* of an answer, without a byte of its body: headers, what frames chunks, trailers, an
                                error document */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of libs3's process-wide state */
static unsigned started;

/* libs3 parses with libxml2, whose first use by several threads at once is a race ("Thread safety" in its
 * documentation). libs3 brings it into the process, so its initialiser is found there; without libxml2 there is nothing
 * to initialise. */
static void prepare_libxml2(void)
{
    void (*init_parser)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "xmlInitParser");
    memcpy(&init_parser, &symbol, sizeof(init_parser)); /* ISO C has no cast from an object to a function */
    if (symbol)
        init_parser();
}

/* S3_initialize is not thread-safe, and keeps the user agent for the whole process. */
os_code libs3_start(os_error *err)
{
    pthread_mutex_lock(&mutex);
    if (started == 0)
        prepare_libxml2();
    S3Status status = started == 0 ? S3_initialize("oscommit", S3_INIT_ALL, NULL) : S3StatusOK;
    if (status == S3StatusOK)
        started++;
    pthread_mutex_unlock(&mutex);
    if (status == S3StatusOK)
        return OS_OK;
    return error_set(err, status == S3StatusOutOfMemory ? OS_ERR_NO_MEMORY : OS_ERR_UNSUPPORTED,
                     "libs3 cannot be started: %s.", S3_get_status_name(status));
}

void libs3_stop(void)
{
    pthread_mutex_lock(&mutex);
    if (started > 0 && --started == 0)
        S3_deinitialize();
    pthread_mutex_unlock(&mutex);
}

/* ------------------------------------------------------------------------------------------------ callbacks */

static S3Status on_properties(const S3ResponseProperties *properties, void *context)
{
    (void)properties; /* the tap knows more */
    (void)context;
    return S3StatusOK;
}

static void on_complete(S3Status status, const S3ErrorDetails *details, void *context)
{
    static const char prefix[] = "Error";
    struct libs3_run *run = context;
    run->done = true;
    run->status = status;
    if (details == NULL || details->message == NULL)
        return; /* no document: the status was made from HTTP's */
    const char *name = S3_get_status_name(status);
    if (strncmp(name, prefix, sizeof(prefix) - 1) == 0 && status != S3StatusErrorUnknown)
        TEXT_COPY_STR_CUT(name + sizeof(prefix) - 1, run->code);
    TEXT_COPY_STR_CUT(details->message, run->message);
}

const S3ResponseHandler libs3_run_response = {on_properties, on_complete};

/* ------------------------------------------------------------------------------------------------ sockets */

static void add_fd(struct libs3_run *run, int fd, short events)
{
    if (events != 0 && run->fd_count < LIBS3_RUN_FDS)
        run->fds[run->fd_count++] = (struct pollfd){.fd = fd, .events = events};
}

/* libs3 shows its sockets as select wants them: those from FD_SETSIZE on it does not show at all. */
static bool find_sockets(struct libs3_run *run)
{
    fd_set readable;
    fd_set writable;
    fd_set exceptional;
    int last = -1;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_ZERO(&exceptional);
    run->fd_count = 0;
    if (S3_get_request_context_fdsets(run->context, &readable, &writable, &exceptional, &last) != S3StatusOK)
        return false;
    for (int fd = 0; fd <= last; fd++) {
        short in = FD_ISSET(fd, &readable) || FD_ISSET(fd, &exceptional) ? POLLIN | POLLRDHUP : 0;
        short out = FD_ISSET(fd, &writable) && !run->peek.held ? POLLOUT : 0;
        add_fd(run, fd, (short)(in | out));
    }
    return true;
}

static void drop_ear(struct libs3_run *run)
{
    if (run->ear_fd >= 0)
        (void)close(run->ear_fd);
    run->ear_fd = -1;
}

/* The server may have closed after our last look, and libs3 takes that for the end of the answer. */
static void listen_once_more(struct libs3_run *run)
{
    struct pollfd ear = {.fd = run->ear_fd, .events = POLLRDHUP};
    if (run->ear_fd >= 0 && poll(&ear, 1, 0) == 1)
        run->closed = true;
    drop_ear(run);
}

static bool same_socket(int a, int b)
{
    struct stat of_a;
    struct stat of_b;
    return fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* libcurl closes a connection in the midst of whose answer it gives up, after fifteen seconds with little of a body;
 * and libs3 takes that for the end where nothing of the body had come. */
static void note_kept(struct libs3_run *run)
{
    run->kept = run->ear_fd >= 0 && same_socket(run->tuned_fd, run->ear_fd);
}

/* R6: what the kernel has not delivered when the deadline comes, it drops. */
static void tune(struct libs3_run *run, int fd, uint64_t left_ms)
{
    unsigned timeout_ms = left_ms < 1 ? 1 : left_ms > INT32_MAX ? INT32_MAX : (unsigned)left_ms;
    if (fd == run->tuned_fd)
        return;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
    run->tuned_fd = fd;
    drop_ear(run);
    run->ear_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* libcurl hears of a name look-up by a pipe. */
static bool is_pipe(int fd)
{
    int domain = AF_UNSPEC;
    socklen_t size = sizeof(domain);
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0)
        return errno == ENOTSOCK;
    return domain == AF_UNIX;
}

/* The state is asked, because a connection that stood and was reset has no peer either. */
static bool waits_for_connection(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_state == TCP_SYN_SENT;
}

static void note_connections(struct libs3_run *run, uint64_t left_ms)
{
    run->waiting = run->fd_count > 0; /* where nothing is to be seen, the worse is assumed */
    for (nfds_t i = 0; i < run->fd_count; i++) {
        int fd = run->fds[i].fd;
        struct sockaddr_storage peer;
        socklen_t size = sizeof(peer);
        if (is_pipe(fd) || waits_for_connection(fd))
            continue;
        run->waiting = false;
        if (getpeername(fd, (struct sockaddr *)&peer, &size) != 0)
            continue;
        run->stood = true;
        tune(run, fd, left_ms);
    }
}

bool libs3_run_sent(const struct libs3_run *run)
{
    return run->stood || (run->started && !run->waiting);
}

/* Sends a reset, and what still waits to be sent is thrown away (R6); also where a forked child has a copy of the
 * descriptor, for which closing does nothing. */
static void reset(struct libs3_run *run)
{
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    for (nfds_t i = 0; i < run->fd_count; i++) {
        if (is_pipe(run->fds[i].fd))
            continue;
        (void)setsockopt(run->fds[i].fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
        (void)connect(run->fds[i].fd, &nobody, sizeof(nobody));
    }
}

/* ------------------------------------------------------------------------------------------------ the loop */

static bool must_end(struct libs3_run *run, uint64_t *ret_left_ms)
{
    *ret_left_ms = clock_left_ms(run->call->deadline_monotonic_ms);
    if (run->call->cancelled && *run->call->cancelled)
        run->ended = OS_ERR_CANCELLED;
    else if (*ret_left_ms == 0)
        run->ended = OS_ERR_DEADLINE;
    return run->ended != OS_OK;
}

/* How long to wait at most, and whether libs3 wants to be called when that is over. */
static int wait_time(const struct libs3_run *run, uint64_t left_ms, bool *ret_call_after)
{
    int64_t limit_ms = left_ms < SLICE_MS ? (int64_t)left_ms : SLICE_MS;
    int64_t timer_ms = S3_get_request_context_timeout(run->context);
    if (run->fd_count == 0 && (timer_ms < 0 || timer_ms > BLIND_MS))
        timer_ms = BLIND_MS;
    *ret_call_after = !run->peek.held && timer_ms >= 0 && timer_ms <= limit_ms;
    return (int)(*ret_call_after ? timer_ms : limit_ms);
}

/* The gravest of what the tap says of the sockets. */
static enum libs3_peek_step libs3_run_look(struct libs3_run *run)
{
    enum libs3_peek_step gravest = LIBS3_PEEK_NOTHING;
    for (nfds_t i = 0; i < run->fd_count; i++) {
        enum libs3_peek_step step = libs3_peek_head(&run->peek, run->fds[i].fd);
        gravest = step > gravest ? step : gravest;
    }
    return gravest;
}

/* Chunks may be framed in any number of bytes, and be followed by trailers without end: libs3 reads them all. */
static bool is_flooded(struct libs3_run *run)
{
    for (nfds_t i = 0; i < run->fd_count; i++)
        if (fd_taken_bytes(run->fds[i].fd) > run->taken + IDLE_BYTES_MAX)
            return true;
    return false;
}

void libs3_run_gave(struct libs3_run *run)
{
    if (run->tuned_fd >= 0)
        run->taken = fd_taken_bytes(run->tuned_fd);
}

static void note_end(struct libs3_run *run)
{
    for (nfds_t i = 0; i < run->fd_count; i++)
        run->closed |= (run->fds[i].revents & POLLRDHUP) != 0;
}

static bool call_libs3(struct libs3_run *run, bool may_read)
{
    int remaining = 0;
    for (nfds_t i = 0; i < run->fd_count && !may_read; i++)
        libs3_peek_close(&run->peek, run->fds[i].fd);
    run->started = true;
    run->waiting = false; /* a connection can stand, carry the request and end within the call */
    S3Status status = S3_runonce_request_context(run->context, &remaining);
    if (status != S3StatusOK)
        run->ended = status == S3StatusOutOfMemory ? OS_ERR_NO_MEMORY : OS_ERR_NETWORK;
    return status == S3StatusOK && remaining > 0 && !run->done;
}

/* Waits for something to happen and lets libs3 go on. False: the run is over. */
static bool step(struct libs3_run *run)
{
    uint64_t left_ms;
    bool call_after;
    if (!find_sockets(run)) {
        run->ended = OS_ERR_NETWORK;
        return false;
    }
    bool ends = must_end(run, &left_ms);
    note_connections(run, left_ms);
    if (ends)
        return false;
    for (nfds_t i = 0; i < run->fd_count; i++)
        libs3_peek_open(&run->peek, run->fds[i].fd);
    int ready = poll(run->fds, run->fd_count, wait_time(run, left_ms, &call_after));
    if (is_flooded(run)) {
        run->ended = OS_ERR_PROTOCOL;
        return false;
    }
    if (ready <= 0 && !call_after)
        return true;
    note_end(run);
    enum libs3_peek_step tapped = libs3_run_look(run);
    if (tapped == LIBS3_PEEK_HOLD || tapped == LIBS3_PEEK_ABORT)
        return tapped == LIBS3_PEEK_HOLD;
    return call_libs3(run, tapped == LIBS3_PEEK_PASS);
}

bool libs3_run_init(struct libs3_run *run, const struct libs3_call *call)
{
    memset(run, 0, sizeof(*run));
    run->call = call;
    run->ended = OS_OK;
    run->body_code = OS_OK;
    run->tuned_fd = -1;
    run->ear_fd = -1;
    return libs3_peek_init(&run->peek);
}

/* Keeps what the caller has set. */
bool libs3_run_again(struct libs3_run *run)
{
    struct libs3_run before = *run;
    libs3_run_free(run);
    bool ok = libs3_run_init(run, before.call);
    run->peek.no_body = before.peek.no_body;
    run->peek.want_body = before.peek.want_body;
    run->peek.wait_for_body = before.peek.wait_for_body;
    run->peek.sends_nothing = before.peek.sends_nothing;
    run->reads = before.reads;
    run->body = before.body;
    run->sink = before.sink;
    run->sink_context = before.sink_context;
    run->key = before.key;
    run->offset = before.offset;
    run->count = before.count;
    run->page = before.page;
    return ok;
}

void libs3_run_free(struct libs3_run *run)
{
    libs3_peek_free(&run->peek);
    s3_read_free(&run->read);
}

void libs3_run_until_done(struct libs3_run *run, libs3_begin_fn begin, const void *arguments)
{
    fd_occupy_standard();
    if (S3_create_request_context(&run->context) != S3StatusOK) {
        run->ended = OS_ERR_NO_MEMORY;
        return;
    }
    pthread_mutex_lock(&mutex); /* while it builds a request, libs3 uses gmtime's one buffer */
    begin(run, arguments);
    pthread_mutex_unlock(&mutex);
    while (!run->done && step(run))
        continue;
    note_kept(run);
    bool answered = run->peek.answered && run->ended == OS_OK;
    if (!run->done && !answered)
        reset(run);
    S3_destroy_request_context(run->context); /* completes what is not done, as interrupted */
    run->context = NULL;
    listen_once_more(run); /* and lets go of the connection, which only then is closed */
}
