/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's body, checked and made ready to be sent. */
#ifndef OSCOMMIT_CLIENT_BODY_H
#define OSCOMMIT_CLIENT_BODY_H

#include "base/http_message.h"
#include "oscommit.h"

#include <stdbool.h>

struct body {
    struct http_body http; /* of a stream that goes on: its beginning */
    bool goes_on;          /* a stream that is longer than `stream_most`: the rest is to be read */
    void *loaded;          /* a file read into memory; the beginning of a stream */
    int fd;                /* a file sent from disk; -1 if none */
    const char *file;      /* its name, borrowed from the caller */
    os_read_fn read;
    void *read_context;
};

/* A file up to `load_most` is read into memory at once, so that what is sent and what its MD5 speaks of are the same
 * bytes; a larger one is sent from disk. Of a stream up to `stream_most` bytes are read, and one more, which shows
 * whether it goes on. On the calling thread. OS_ERR_IO, OS_ERR_BODY (it changed, or broke off, while it was read),
 * OS_ERR_ARGUMENT. */
os_code body_open(const os_body *from, uint64_t load_most, uint64_t stream_most, struct body *ret, os_error *err);
void body_close(struct body *body); /* once more does nothing */
/* It is in memory, or none, so that body_open reads nothing. */
bool body_opens_at_once(const os_body *from);

/* The next bytes of a stream that goes on: `size` of them, fewer only at its end. OS_ERR_BODY. */
os_code body_read_on(const struct body *body, void *data, uint64_t size, uint64_t *ret_length, os_error *err);

#endif
