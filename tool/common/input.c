/* SPDX-License-Identifier: Apache-2.0 */
#include "common/input.h"

#include "cli/duration.h"
#include "cli/verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_DEADLINE_MS = 120000 /* of os_call */ };

static int64_t read_stream(void *context, void *data, size_t size)
{
    struct input *input = context;

    while (true) {
        enum interrupt_waited waited =
            interrupt_wait_until(&input->session->interrupt, input->fd, POLLIN, input->deadline_ms);
        ssize_t got;
        input->stopped = waited == INTERRUPT_SIGNAL;
        input->late = waited == INTERRUPT_LATE;
        if (waited != INTERRUPT_READY)
            return -1;
        got = read(input->fd, data, size);
        if (got >= 0)
            return got;
        if (errno != EINTR && errno != EAGAIN) {
            input->failure = errno;
            return -1;
        }
    }
}

/* A regular file that says it is empty need not be: those of /proc have no length. Without O_NONBLOCK a FIFO would be
 * waited for here, beyond signals and the deadline; read_stream waits for its writer. -1: the library reads it by name,
 * or says what is wrong with it. */
static int open_stream(const char *file)
{
    struct stat found;

    if (stat(file, &found) != 0 || S_ISDIR(found.st_mode) || (S_ISREG(found.st_mode) && found.st_size > 0))
        return -1;
    return open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

void input_body(struct input *input, const struct session *session, const char *file, os_body *ret)
{
    os_body body = OS_BODY_FILE(file);
    uint64_t most_ms = session->call.deadline_ms == 0 ? DEFAULT_DEADLINE_MS : session->call.deadline_ms;
    uint64_t start_ms = duration_now_ms();
    bool is_stdin = strcmp(file, "-") == 0;

    memset(input, 0, sizeof(*input));
    input->session = session;
    input->name = is_stdin ? "stdin" : file;
    input->fd = is_stdin ? STDIN_FILENO : open_stream(file);
    input->owned = !is_stdin && input->fd >= 0;
    input->deadline_ms = most_ms > UINT64_MAX - start_ms ? UINT64_MAX : start_ms + most_ms;
    if (input->fd >= 0) {
        body.read = read_stream;
        body.read_context = input;
    }
    *ret = body;
}

void input_explain(const struct input *input, os_error *error)
{
    if (error->code != OS_ERR_BODY)
        return;
    if (input->stopped) {
        error->code = OS_ERR_CANCELLED;
        (void)snprintf(error->message, sizeof(error->message),
                       "A signal stopped the command while %.300s was read; nothing was written.", input->name);
    } else if (input->late) {
        error->code = OS_ERR_DEADLINE;
        (void)snprintf(error->message, sizeof(error->message),
                       "The deadline passed while %.300s was read; nothing was written. Give a longer one with "
                       "--deadline-ms.",
                       input->name);
    } else if (input->failure != 0) {
        error->code = code_of_errno(input->failure);
        (void)snprintf(error->message, sizeof(error->message), "%.300s could not be read: %s.", input->name,
                       strerror(input->failure));
    }
}

void input_close(struct input *input)
{
    if (input->owned) {
        (void)close(input->fd);
        input->owned = false;
    }
}
