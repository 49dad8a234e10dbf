/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A byte buffer that is given its maximum at birth. A step that fails (no memory, over the maximum) frees the
 * buffer and marks it failed; every later step fails too, so that a sequence needs one check at its end.
 */
#ifndef OSCOMMIT_BASE_BUF_H
#define OSCOMMIT_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
    char *data; /* NUL-terminated whenever it is not NULL; NULL while empty or failed */
    size_t len; /* without the NUL */
    size_t cap;
    size_t max; /* of len */
    bool failed;
    bool secret; /* set behind buf_init: whatever memory it gives back is wiped first */
};

void buf_init(struct buf *buf, size_t max);
void buf_free(struct buf *buf);  /* back to empty, usable again with the same maximum */
void buf_reset(struct buf *buf); /* empties it, keeps the memory; clears `failed` */
bool buf_add(struct buf *buf, const void *data, size_t len);
bool buf_add_str(struct buf *buf, const char *str);
bool buf_add_char(struct buf *buf, char c);
bool buf_add_number(struct buf *buf, uint64_t value); /* decimal */
/* Strings behind each other, up to a NULL: buf_add_strs(&buf, "a", "b", NULL). */
bool buf_add_strs(struct buf *buf, const char *first, ...) __attribute__((sentinel));
/* Room for `more` bytes at once, so that the steps that follow do not grow it bit by bit. */
bool buf_reserve(struct buf *buf, size_t more);
bool buf_add_f(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool buf_ok(const struct buf *buf);         /* no step has failed */
const char *buf_str(const struct buf *buf); /* never NULL: "" while empty or failed */
char *buf_take(struct buf *buf); /* hands the block (never NULL unless failed or out of memory) to the caller, who frees
                                    it; the buffer is empty */

#endif
