/* SPDX-License-Identifier: Apache-2.0 */
/* TRACEPARENT (W3C Trace Context, "traceparent Header Field Values"). */
#include "cli/trace.h"

#include <stdlib.h>
#include <string.h>

bool trace_is_id(const char *text, size_t length)
{
    return strspn(text, "0123456789abcdef") >= length && strspn(text, "0") < length;
}

static bool is_hex_pair(const char *text)
{
    return strspn(text, "0123456789abcdef") >= 2;
}

/* VERSION-TRACE-PARENT-FLAGS. A later version may have more behind the flags, after another hyphen. */
bool trace_parse(const char *text, struct trace *ret)
{
    enum { TRACE = 3, PARENT = 36, FLAGS = 53, END = 55 };
    bool is_00 = strncmp(text, "00", 2) == 0;

    if (strnlen(text, END) < END || !is_hex_pair(text) || strncmp(text, "ff", 2) == 0)
        return false;
    if (text[TRACE - 1] != '-' || !trace_is_id(text + TRACE, TRACE_ID_SIZE - 1))
        return false;
    if (text[PARENT - 1] != '-' || !trace_is_id(text + PARENT, SPAN_ID_SIZE - 1))
        return false;
    if (text[FLAGS - 1] != '-' || !is_hex_pair(text + FLAGS))
        return false;
    if (text[END] != '\0' && (is_00 || text[END] != '-'))
        return false;
    memcpy(ret->trace_id, text + TRACE, TRACE_ID_SIZE - 1);
    ret->trace_id[TRACE_ID_SIZE - 1] = '\0';
    memcpy(ret->span_id, text + PARENT, SPAN_ID_SIZE - 1);
    ret->span_id[SPAN_ID_SIZE - 1] = '\0';
    ret->flags =
        (unsigned)strtoul(text + FLAGS, NULL, 16) & 1U; /* "sampled"; the others are unknown, and are set to 0 */
    return true;
}
