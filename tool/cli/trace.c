/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static struct trace run;
static bool is_on;

/* So many lower-case digits, and not only zeros. */
static bool is_id(const char *text, size_t length)
{
    return strnlen(text, length) == length && strspn(text, "0123456789abcdef") >= length && strspn(text, "0") < length;
}

static bool is_hex_pair(const char *text)
{
    return strnlen(text, 2) == 2 && strspn(text, "0123456789abcdef") >= 2;
}

/* VERSION-TRACE-PARENT-FLAGS. A later version may have more behind the flags, after another hyphen. */
bool trace_parse(const char *text, struct trace *ret)
{
    enum { TRACE = 3, PARENT = 36, FLAGS = 53, END = 55 };
    bool is_00 = strncmp(text, "00", 2) == 0;

    if (strnlen(text, END) < END || !is_hex_pair(text) || strncmp(text, "ff", 2) == 0)
        return false;
    if (text[TRACE - 1] != '-' || !is_id(text + TRACE, TRACE_ID_SIZE - 1))
        return false;
    if (text[PARENT - 1] != '-' || !is_id(text + PARENT, SPAN_ID_SIZE - 1))
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

static bool random_id(char *ret, size_t size)
{
    unsigned char bytes[(TRACE_ID_SIZE - 1) / 2];
    size_t length = (size - 1) / 2;

    do {
        if (getrandom(bytes, length, 0) != (ssize_t)length)
            return false;
        for (size_t i = 0; i < length; i++)
            (void)snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
    } while (!is_id(ret, size - 1));
    return true;
}

bool trace_new_span(char ret[SPAN_ID_SIZE])
{
    return random_id(ret, SPAN_ID_SIZE);
}

void trace_begin(void)
{
    const char *parent = getenv("TRACEPARENT");
    char own[TRACE_PARENT_SIZE];
    struct trace trace = {.flags = 0};

    if (parent == NULL || parent[0] == '\0')
        return;
    if (!trace_parse(parent, &trace)) {
        (void)unsetenv("TRACESTATE");
        if (!random_id(trace.trace_id, TRACE_ID_SIZE))
            return;
    }
    if (!trace_new_span(trace.span_id))
        return;
    (void)snprintf(own, sizeof(own), "00-%s-%s-%02x", trace.trace_id, trace.span_id, trace.flags);
    (void)setenv("TRACEPARENT", own, 1);
    run = trace;
    is_on = true;
}

const struct trace *trace_of_run(void)
{
    return is_on ? &run : NULL;
}
