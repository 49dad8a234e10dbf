/* SPDX-License-Identifier: Apache-2.0 */
#include "input.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_DEADLINE_MS = 120000 /* of os_call */ };

static uint64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int64_t read_stdin(void *context, void *data, size_t size)
{
    struct input *input = context;

    while (true) {
        enum interrupt_waited waited =
            interrupt_wait_until(&input->session->interrupt, STDIN_FILENO, POLLIN, input->deadline_ms);
        ssize_t got;
        input->stopped = waited == INTERRUPT_SIGNAL;
        input->late = waited == INTERRUPT_LATE;
        if (waited != INTERRUPT_READY) {
            return -1;
        }
        got = read(STDIN_FILENO, data, size);
        if (got >= 0) {
            return got;
        }
        if (errno != EINTR && errno != EAGAIN) {
            input->failure = errno;
            return -1;
        }
    }
}

void input_body(struct input *input, const struct session *session, const char *file, os_body *ret)
{
    os_body body = OS_BODY_FILE(file);
    uint64_t most_ms = session->call.deadline_ms == 0 ? DEFAULT_DEADLINE_MS : session->call.deadline_ms;
    uint64_t start_ms = now_ms();

    memset(input, 0, sizeof(*input));
    input->session = session;
    input->deadline_ms = most_ms > UINT64_MAX - start_ms ? UINT64_MAX : start_ms + most_ms;
    if (strcmp(file, "-") == 0) {
        body.read = read_stdin;
        body.read_context = input;
    }
    *ret = body;
}

void input_explain(const struct input *input, os_error *error)
{
    if (error->code != OS_ERR_BODY) {
        return;
    }
    if (input->stopped) {
        error->code = OS_ERR_CANCELLED;
        (void)snprintf(error->message, sizeof(error->message), "Stopped while stdin was read; nothing was written.");
    } else if (input->late) {
        error->code = OS_ERR_DEADLINE;
        (void)snprintf(error->message, sizeof(error->message),
                       "The deadline passed while stdin was read; nothing was written. Give a longer one with "
                       "--deadline-ms.");
    } else if (input->failure != 0) {
        error->code = OS_ERR_IO;
        (void)snprintf(error->message, sizeof(error->message), "stdin could not be read: %s.",
                       strerror(input->failure));
    }
}
