/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a put: a file by name, or a stream, which is sent while it is read and never held as a whole. Streams are
 * stdin, and what has a name but no length of its own: FIFOs, devices, files of /proc. */
#ifndef OSCOMMIT_TOOL_INPUT_H
#define OSCOMMIT_TOOL_INPUT_H

#include "cli/session.h"

struct input {
    const struct session *session;
    const char *name;     /* for a person */
    int fd;               /* of a stream */
    bool owned;           /* opened here */
    uint64_t deadline_ms; /* on the monotonic clock */
    int failure;          /* errno of a read that failed */
    bool stopped;         /* by a signal */
    bool late;
};

/* `ret` holds until input_close, and begins the deadline. */
void input_body(struct input *input, const struct session *session, const char *file, os_body *ret);

/* After the call: why a stream broke off, in place of what the library knows of it. */
void input_explain(const struct input *input, os_error *error);
void input_close(struct input *input);

#endif
