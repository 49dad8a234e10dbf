/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/trace.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#define TRACE  "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00f067aa0ba902b7"

static const struct {
    const char *name;
    const char *text;
    unsigned flags;
} good[] = {
    {"sampled", "00-" TRACE "-" PARENT "-01", 1},
    {"not sampled", "00-" TRACE "-" PARENT "-00", 0},
    {"unknown flags are left out", "00-" TRACE "-" PARENT "-fe", 0},
    {"a later version", "cc-" TRACE "-" PARENT "-01", 1},
    {"a later version with more", "cc-" TRACE "-" PARENT "-01-what-the-future-brings", 1},
};

TEST_ROWS(good, a_parent_is_read)
{
    struct trace trace;

    assert_true(trace_parse(row->text, &trace));
    assert_string_equal(trace.trace_id, TRACE);
    assert_string_equal(trace.span_id, PARENT);
    assert_int_equal(trace.flags, row->flags);
}

static const struct {
    const char *name;
    const char *text;
} bad[] = {
    {"nothing", ""},
    {"too short", "00-" TRACE "-" PARENT "-0"},
    {"too long", "00-" TRACE "-" PARENT "-011"},
    {"more behind version 00", "00-" TRACE "-" PARENT "-01-x"},
    {"more without a hyphen", "cc-" TRACE "-" PARENT "-01x"},
    {"version ff", "ff-" TRACE "-" PARENT "-01"},
    {"a version that is no number", "0g-" TRACE "-" PARENT "-01"},
    {"capitals", "00-4BF92F3577B34DA6A3CE929D0E0E4736-" PARENT "-01"},
    {"capitals in the parent", "00-" TRACE "-00F067AA0BA902B7-01"},
    {"a trace of zeros", "00-00000000000000000000000000000000-" PARENT "-01"},
    {"a parent of zeros", "00-" TRACE "-0000000000000000-01"},
    {"flags that are no number", "00-" TRACE "-" PARENT "-0x"},
    {"other hyphens", "00_" TRACE "_" PARENT "_01"},
    {"the second hyphen", "00-" TRACE "_" PARENT "-01"},
    {"the third hyphen", "00-" TRACE "-" PARENT "_01"},
};

TEST_ROWS(bad, what_is_malformed_is_ignored)
{
    struct trace trace;

    assert_false(trace_parse(row->text, &trace));
}

TEST(spans_differ)
{
    char first[SPAN_ID_SIZE];
    char second[SPAN_ID_SIZE];

    assert_true(trace_new_span(first) && trace_new_span(second));
    assert_int_equal(strlen(first), SPAN_ID_SIZE - 1);
    assert_string_not_equal(first, second);
}

/* In this order: the run of a process has one trace. */
TEST(a_run_is_a_span_of_the_trace_of_its_environment)
{
    struct trace own;

    assert_int_equal(unsetenv("TRACEPARENT"), 0);
    trace_begin();
    assert_null(trace_of_run());
    assert_int_equal(setenv("TRACEPARENT", "00-" TRACE "-" PARENT "-01", 1), 0);
    assert_int_equal(setenv("TRACESTATE", "a=b", 1), 0);
    trace_begin();
    assert_true(trace_parse(getenv("TRACEPARENT"), &own));
    assert_string_equal(own.trace_id, TRACE);
    assert_string_not_equal(own.span_id, PARENT);
    assert_int_equal(own.flags, 1);
    assert_string_equal(trace_of_run()->span_id, own.span_id);
    assert_string_equal(getenv("TRACESTATE"), "a=b");
}

TEST(a_malformed_parent_begins_a_new_trace)
{
    struct trace own;

    assert_int_equal(setenv("TRACEPARENT", "00-" TRACE "-" PARENT "-0", 1), 0);
    assert_int_equal(setenv("TRACESTATE", "a=b", 1), 0);
    trace_begin();
    assert_true(trace_parse(getenv("TRACEPARENT"), &own));
    assert_string_not_equal(own.trace_id, TRACE);
    assert_int_equal(own.flags, 0);
    assert_null(getenv("TRACESTATE"));
}
