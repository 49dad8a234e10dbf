/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's body, checked and made ready to be sent. */
#ifndef OSCOMMIT_CLIENT_BODY_H
#define OSCOMMIT_CLIENT_BODY_H

#include "base/http_message.h"
#include "oscommit.h"

struct body {
    struct http_body http;
    void *loaded; /* a file read into memory */
    int fd;       /* a file sent from disk; -1 if none */
};

/* `most` bytes at the most (OS_ERR_TOO_LARGE). A file up to `load_most` is read into memory at once, so that what is
 * sent and what its MD5 speaks of are the same bytes; a larger one is sent from disk. OS_ERR_IO, OS_ERR_BODY (it
 * changed while it was read), OS_ERR_ARGUMENT. */
os_code body_open(const os_body *from, uint64_t load_most, uint64_t most, struct body *ret, os_error *err);
void body_close(struct body *body);

#endif
