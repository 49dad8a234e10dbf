/* SPDX-License-Identifier: Apache-2.0 */
#include "common/filter.h"

#include "cli/duration.h"
#include "cli/verdict.h"
#include "common/filter_start.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    DEFAULT_DEADLINE_MS = 120000, /* of os_call */
    FIRST_CAPACITY = 64 << 10,
    PATIENCE_MS = 2000 /* from SIGTERM to SIGKILL */
};

void filter_init(struct filter *ret, const struct session *session, char *const *program, const char *url)
{
    uint64_t most_ms = session->call.deadline_ms == 0 ? DEFAULT_DEADLINE_MS : session->call.deadline_ms;
    uint64_t start_ms = duration_now_ms();
    uint64_t most = options_number(session->options, OPTION_MAX_LENGTH);

    memset(ret, 0, sizeof(*ret));
    ret->session = session;
    ret->program = program;
    ret->url = url;
    ret->most = most == 0 ? UINT64_C(64) << 20 : most;
    ret->deadline_ms = most_ms > UINT64_MAX - start_ms ? UINT64_MAX : start_ms + most_ms;
}

void filter_clear(struct filter *filter)
{
    free(filter->output);
    filter->output = NULL;
}

/* Keeps the first reason. */
static bool filter_fail(struct filter *filter, enum filter_end end, int code)
{
    if (filter->end == FILTER_DONE) {
        filter->end = end;
        filter->code = code;
    }
    return false;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* ------------------------------------------------------------------------------------------------ bytes */

/* One that reads only a part of what it is given, or nothing, has its reasons. */
static bool filter_feed(struct filter *filter)
{
    ssize_t written = write(filter->to_child, filter->rest, filter->rest_length);

    if (written < 0 && errno != EINTR && errno != EAGAIN && errno != EPIPE)
        return filter_fail(filter, FILTER_BROKEN, errno);
    if (written < 0 && errno == EPIPE)
        filter->rest_length = 0;
    if (written > 0) {
        filter->rest += written;
        filter->rest_length -= (size_t)written;
    }
    if (filter->rest_length == 0)
        close_end(&filter->to_child);
    return true;
}

static bool make_room(struct filter *filter)
{
    size_t capacity = filter->capacity == 0 ? FIRST_CAPACITY : filter->capacity * 2;
    char *output;

    if (filter->length < filter->capacity)
        return true;
    output = realloc(filter->output, capacity);
    if (output == NULL)
        return filter_fail(filter, FILTER_BROKEN, ENOMEM);
    filter->output = output;
    filter->capacity = capacity;
    return true;
}

static bool filter_read(struct filter *filter)
{
    ssize_t got;

    if (!make_room(filter))
        return false;
    got = read(filter->from_child, filter->output + filter->length, filter->capacity - filter->length);
    if (got < 0 && errno != EINTR && errno != EAGAIN)
        return filter_fail(filter, FILTER_BROKEN, errno);
    if (got == 0)
        close_end(&filter->from_child);
    if (got > 0)
        filter->length += (size_t)got;
    return filter->length <= filter->most || filter_fail(filter, FILTER_TOO_LARGE, 0);
}

static int filter_left_ms(const struct filter *filter)
{
    uint64_t at_ms = duration_now_ms();

    if (filter->deadline_ms <= at_ms)
        return 0;
    return filter->deadline_ms - at_ms > INT_MAX ? INT_MAX : (int)(filter->deadline_ms - at_ms);
}

/* True: one of the two others is ready, or it is worth a try. */
static bool filter_poll(struct filter *filter, struct pollfd fds[3])
{
    int ready;

    fds[0] = (struct pollfd){.fd = filter->session->interrupt.seen, .events = POLLIN};
    ready = poll(fds, 3, filter_left_ms(filter));
    if (ready < 0 && errno != EINTR)
        return filter_fail(filter, FILTER_BROKEN, errno);
    if (ready > 0 && fds[0].revents != 0)
        return filter_fail(filter, FILTER_STOPPED, 0);
    return ready != 0 || filter_left_ms(filter) > 0 || filter_fail(filter, FILTER_LATE, 0);
}

static bool filter_exchange(struct filter *filter)
{
    struct pollfd fds[3];

    while (filter->from_child >= 0) {
        fds[1] = (struct pollfd){.fd = filter->to_child, .events = POLLOUT};
        fds[2] = (struct pollfd){.fd = filter->from_child, .events = POLLIN};
        if (!filter_poll(filter, fds))
            return false;
        if (filter->to_child >= 0 && fds[1].revents != 0 && !filter_feed(filter))
            return false;
        if (fds[2].revents != 0 && !filter_read(filter))
            return false;
    }
    close_end(&filter->to_child);
    fds[1] = (struct pollfd){.fd = -1};
    fds[2] = (struct pollfd){.fd = filter->child_fd, .events = POLLIN};
    do {
        if (!filter_poll(filter, fds))
            return false;
    } while (fds[2].revents == 0);
    return true;
}

/* ------------------------------------------------------------------------------------------------ its end */

static void filter_kill(struct filter *filter)
{
    struct pollfd fd = {.fd = filter->child_fd, .events = POLLIN};

    close_end(&filter->to_child);
    close_end(&filter->from_child);
    (void)kill(filter->child, SIGTERM);
    if (poll(&fd, 1, PATIENCE_MS) <= 0)
        (void)kill(filter->child, SIGKILL);
}

static void filter_reap(struct filter *filter)
{
    int status = 0;
    pid_t ended;

    do
        ended = waitpid(filter->child, &status, 0);
    while (ended < 0 && errno == EINTR);
    close_end(&filter->child_fd);
    if (ended < 0)
        (void)filter_fail(filter, FILTER_BROKEN, errno);
    else if (WIFSIGNALED(status))
        (void)filter_fail(filter, FILTER_SIGNAL, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        (void)filter_fail(filter, FILTER_STATUS, WEXITSTATUS(status));
}

bool filter_run(struct filter *filter, const os_current *current)
{
    int failure;

    filter->length = 0;
    filter->end = FILTER_DONE;
    filter->rest = current->data;
    filter->rest_length = current->length;
    failure = filter_start(filter, current);
    if (failure != 0)
        return filter_fail(filter, FILTER_BROKEN, failure);
    if (!filter_exchange(filter))
        filter_kill(filter);
    filter_reap(filter);
    return filter->end == FILTER_DONE;
}

static void explain(os_error *error, os_code code, const char *program, const char *clause)
{
    error->code = code;
    (void)snprintf(error->message, sizeof(error->message), "%.300s %.300s; nothing was written.", program, clause);
}

void filter_explain(const struct filter *filter, os_error *error)
{
    const char *program = filter->program[0];
    char clause[256];

    if (error->code != OS_ERR_STOPPED)
        return;
    switch (filter->end) {
    case FILTER_DONE: return;
    case FILTER_STATUS:
        (void)snprintf(clause, sizeof(clause), "ended with exit status %d", filter->code);
        explain(error, OS_ERR_STOPPED, program, clause);
        return;
    case FILTER_SIGNAL:
        (void)snprintf(clause, sizeof(clause), "was ended by signal %d (%s)", filter->code, strsignal(filter->code));
        explain(error, OS_ERR_STOPPED, program, clause);
        return;
    case FILTER_BROKEN:
        (void)snprintf(clause, sizeof(clause), "could not be run: %s", strerror(filter->code));
        explain(error, code_of_errno(filter->code), program, clause);
        return;
    case FILTER_TOO_LARGE:
        (void)snprintf(clause, sizeof(clause), "wrote more than the %llu bytes that --max-length allows",
                       (unsigned long long)filter->most);
        explain(error, OS_ERR_TOO_LARGE, program, clause);
        return;
    case FILTER_STOPPED:
        explain(error, OS_ERR_CANCELLED, program, "was running when a signal stopped the command");
        return;
    case FILTER_LATE: break;
    }
    explain(error, OS_ERR_DEADLINE, program, "was running when the deadline passed (--deadline-ms)");
}
