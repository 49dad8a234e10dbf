/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of an HTTP/1.1 head, taken apart in place. Strict: what RFC 9112 tells a server to refuse is refused, so that
 * two readers of a message cannot find two ends of it. Reads no socket and allocates nothing.
 */
#ifndef OSCOMMIT_LAB_PROXY_HEAD_H
#define OSCOMMIT_LAB_PROXY_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct head_text {
    const char *p;
    size_t len;
};

struct head_field {
    struct head_text name;
    struct head_text value; /* without the blanks around it */
};

/* Where a message ends, and what becomes of its connection. */
struct head_framing {
    uint64_t length;
    bool has_length;
    bool chunked;
    bool closes; /* the connection is not for another message */
    bool expects_continue;
};

/* The next line of `rest`, without its CR LF. False: there is none, or it ends in LF alone. */
bool head_take_line(struct head_text *rest, struct head_text *ret);

/* Lines come without their end. */
bool head_read_request_line(struct head_text line, struct head_text *ret_method, struct head_text *ret_target);
bool head_read_status_line(struct head_text line, int *ret_status, struct head_framing *framing);
bool head_read_field(struct head_text line, struct head_field *ret);

/* What the field says of framing. False: it contradicts an earlier one, or is a coding that is not known. */
bool head_note_framing(const struct head_field *field, struct head_framing *framing);
/* All fields are noted, and they name one end and not two. */
bool head_is_framed(const struct head_framing *framing);

/* The same but for the case of letters. */
bool head_is(struct head_text text, const char *name);

#endif
