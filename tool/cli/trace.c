/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static struct trace run;
static bool is_on;

static bool random_id(char *ret, size_t size)
{
    unsigned char bytes[(TRACE_ID_SIZE - 1) / 2];
    size_t length = (size - 1) / 2;

    do {
        if (getrandom(bytes, length, 0) != (ssize_t)length)
            return false;
        for (size_t i = 0; i < length; i++)
            (void)snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
    } while (!trace_is_id(ret, size - 1));
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
