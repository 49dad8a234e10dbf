/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace that a run is a part of: TRACEPARENT of the environment, as W3C Trace Context (level 1) has it. The run is a
 * span of its own; log lines and results name it, and programs that the run starts get it as their parent.
 */
#ifndef OSCOMMIT_TOOL_TRACE_H
#define OSCOMMIT_TOOL_TRACE_H

#include <stdbool.h>
#include <stddef.h>

enum { TRACE_ID_SIZE = 33, SPAN_ID_SIZE = 17, TRACE_PARENT_SIZE = 56 };

struct trace {
    char trace_id[TRACE_ID_SIZE];
    char span_id[SPAN_ID_SIZE];
    unsigned flags;
};

/* A value of TRACEPARENT. False: the specification says to ignore it. */
bool trace_parse(const char *text, struct trace *ret);

/* Takes the trace of the environment, and puts this run's span in its place there. One that is malformed is ignored with its
 * TRACESTATE, and a new trace begins. To be called before there are threads. */
void trace_begin(void);

/* NULL: TRACEPARENT was not set. */
const struct trace *trace_of_run(void);

/* Sixteen random digits, never all 0. False: there are none. */
bool trace_new_span(char ret[SPAN_ID_SIZE]);

bool trace_is_id(const char *text, size_t length); /* so many lower-case digits, and not only zeros */

#endif
