/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a racing process tells its parent, one line each, at most RACE_LINE_MAX bytes with the line end:
 *   R                                              ready
 *   C KEY FIRST SETTLED REQUESTS US TOOKOVER LAST  one call that tried to create key number KEY
 *   U DONE FIRST SETTLED REQUESTS US TOOKOVER LAST one call that tried an increment, after DONE committed ones
 *   D                                              this phase is done
 *   T TEXT                                         a sentence for the person
 * FIRST is the verdict of the call, SETTLED the one after os_resolve where FIRST is unknown; as numbers of os_verdict.
 * TOOKOVER and LAST (no further call for this key) are 0 or 1. Pure.
 */
#ifndef OSCOMMIT_TOOL_RACE_LINE_H
#define OSCOMMIT_TOOL_RACE_LINE_H

#include "oscommit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RACE_LINE_MAX = 512 };

enum race_message_kind {
    RACE_MESSAGE_READY = 'R',
    RACE_MESSAGE_CREATE = 'C',
    RACE_MESSAGE_UPDATE = 'U',
    RACE_MESSAGE_DONE = 'D',
    RACE_MESSAGE_TROUBLE = 'T'
};

struct race_message {
    enum race_message_kind kind;
    uint64_t index;
    os_verdict first;
    os_verdict settled;
    uint64_t requests;
    uint64_t duration_us;
    bool took_over;
    bool last;
    char text[RACE_LINE_MAX];
};

/* Writes the line with its end; a text that is too long is cut, and control characters in it become blanks. Gives its
 * length. */
size_t race_line_format(const struct race_message *message, char ret[RACE_LINE_MAX]);

/* `line` has no line end. False: it is not a message. */
bool race_line_parse(const char *line, struct race_message *ret);

/* Gathers bytes of a pipe into lines. */
struct race_reader {
    char data[RACE_LINE_MAX];
    size_t len;
};

/* Takes bytes from *data up to a line end. True and a NUL-terminated `ret` when a line is complete; `*ret_too_long`
 * when one never ends, and then nothing more can be trusted. */
bool race_reader_take(struct race_reader *reader, const char **data, size_t *len, char ret[RACE_LINE_MAX],
                      bool *ret_too_long);

#endif
