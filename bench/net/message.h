/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that arrive, and the HTTP/1.1 message at their beginning. For servers that know who asks them: what a stranger
 * could send is not their concern.
 */
#ifndef BENCH_MESSAGE_H
#define BENCH_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

struct slice {
    const char *p;
    size_t len;
};

struct bytes {
    char *p;
    size_t len;
    size_t size;
};

struct message {
    struct slice head; /* with its last empty line */
    struct slice body; /* as it was sent: of a chunked one with its chunk sizes */
    size_t len;        /* of both */
};

void bytes_add(struct bytes *bytes, const void *data, size_t len);
void bytes_add_f(struct bytes *bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bytes_add_slice(struct bytes *bytes, struct slice slice);
void bytes_drop(struct bytes *bytes, size_t len); /* from the front */
void bytes_free(struct bytes *bytes);

struct slice slice_of(const char *text);
bool slice_is(struct slice slice, const char *text);
bool slice_equal(struct slice a, struct slice b);
bool slice_starts(struct slice slice, const char *text);
bool slice_has(struct slice slice, const char *text);
unsigned long slice_number(struct slice slice); /* 0 where there is none */

/* Reads what there is. False: the other side has closed, or is lost. */
bool socket_read(int fd, struct bytes *bytes);
/* Writes what can be written, and drops it from the front. False: the other side is lost. */
bool socket_write(int fd, struct bytes *bytes);
int socket_listen(unsigned short *port); /* port 0: any, which is then said */

/* True when a whole message stands at the beginning. has_body is false for the answer to a HEAD. */
bool message_take(const struct bytes *bytes, bool has_body, struct message *ret);
/* A header's value; empty if there is none. */
struct slice message_header(struct slice head, const char *name);
/* The first three words of a head's first line. */
void message_words(struct slice head, struct slice words[3]);
/* A parameter of a query, as it stands. */
struct slice query_value(struct slice target, const char *name);

#endif
