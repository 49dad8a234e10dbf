/* SPDX-License-Identifier: Apache-2.0 */
#include "input.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads to the end, at most one byte over the limit, which tells that there is more. */
static enum status read_stdin(struct session *session, const char *url, char *data, size_t *ret_len)
{
    size_t len = 0;

    while (len <= INPUT_STDIN_MAX) {
        ssize_t got;
        if (!interrupt_wait(&session->interrupt, STDIN_FILENO, POLLIN)) {
            return session_fail(session, url, OS_ERR_CANCELLED, "Stopped while stdin was read; nothing was sent.");
        }
        got = read(STDIN_FILENO, data + len, INPUT_STDIN_MAX + 1 - len);
        if (got < 0 && errno != EINTR && errno != EAGAIN) {
            return session_fail(session, url, OS_ERR_IO, "stdin could not be read: %s.", strerror(errno));
        }
        if (got == 0) {
            *ret_len = len;
            return STATUS_DONE;
        }
        len += got > 0 ? (size_t)got : 0;
    }
    return session_fail(session, url, OS_ERR_TOO_LARGE,
                        "stdin has more than 8 MiB, the most that a put takes from there; nothing was sent.");
}

enum status input_body(struct session *session, const char *url, const char *file, os_body *ret, void **ret_owned)
{
    os_body from_file = OS_BODY_FILE(file);
    char *data;
    size_t len = 0;
    enum status status;

    if (strcmp(file, "-") != 0) {
        *ret = from_file;
        *ret_owned = NULL;
        return STATUS_DONE;
    }
    data = malloc(INPUT_STDIN_MAX + 1);
    if (data == NULL) {
        return session_fail(session, url, OS_ERR_NO_MEMORY, "There is no memory for what stdin has.");
    }
    status = read_stdin(session, url, data, &len);
    if (status != STATUS_DONE) {
        free(data);
        return status;
    }
    os_body from_memory = OS_BODY_MEMORY(data, len);
    *ret = from_memory;
    *ret_owned = data;
    return STATUS_DONE;
}
