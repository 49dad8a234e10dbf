/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the router is told, and what it tells, by GET on its own port:
 *   /-/reset?delay_us=N                            from now on; forgets counts and faults
 *   /-/counts                                      {"trips": N, "fault_met": N, "requests": {"HEAD": N, ...}}
 *   /-/fault?kind=K&request=R&times=N&hold_ms=N    K: 503, hold, hold-answer
 */
#include "router.h"

#include <stdio.h>
#include <string.h>

enum { KINDS_MAX = 32 };

uint64_t router_delay_us;
struct fault router_fault;
struct trips router_trips;

static struct {
    char name[24];
    unsigned long count;
} kinds[KINDS_MAX];

static struct slice s3_kind(struct slice method, struct slice head, struct slice target)
{
    if (slice_is(method, "PUT") && message_header(head, "x-amz-copy-source").len > 0)
        return slice_of(slice_has(target, "uploadId=") ? "UploadPartCopy" : "COPY");
    if (slice_is(method, "POST"))
        return slice_of(slice_has(target, "uploadId=") ? "Complete" : "CreateUpload");
    return method;
}

struct slice router_kind(struct slice head)
{
    struct slice words[3];
    struct slice target = message_header(head, "x-amz-target");
    const char *dot = target.len > 0 ? memchr(target.p, '.', target.len) : NULL;
    message_words(head, words);
    return dot != NULL ? (struct slice){dot + 1, (size_t)(target.p + target.len - dot - 1)}
                       : s3_kind(words[0], head, words[1]);
}

void router_count(struct slice kind)
{
    for (int i = 0; i < KINDS_MAX; i++) {
        if (kinds[i].count == 0)
            snprintf(kinds[i].name, sizeof(kinds[i].name), "%.*s", (int)kind.len, kind.p);
        if (slice_is(kind, kinds[i].name)) {
            kinds[i].count++;
            return;
        }
    }
}

static void tell_counts(struct bytes *ret)
{
    bytes_add_f(ret, "{\"trips\": %u, \"fault_met\": %u, \"requests\": {", router_trips.done, router_fault.met);
    for (int i = 0; i < KINDS_MAX && kinds[i].count > 0; i++)
        bytes_add_f(ret, "%s\"%s\": %lu", i > 0 ? ", " : "", kinds[i].name, kinds[i].count);
    bytes_add_f(ret, "}}\n");
}

static void set_fault(struct slice target)
{
    struct slice kind = query_value(target, "kind");
    struct slice request = query_value(target, "request");
    router_fault = (struct fault){
        .kind = slice_is(kind, "503")    ? FAULT_ANSWER_503
                : slice_is(kind, "hold") ? FAULT_HOLD
                                         : FAULT_HOLD_ANSWER,
        .hold_us = 1000 * slice_number(query_value(target, "hold_ms")),
        .times = (unsigned)slice_number(query_value(target, "times")),
    };
    snprintf(router_fault.request, sizeof(router_fault.request), "%.*s", (int)request.len, request.p);
}

bool router_is_control(struct slice target)
{
    return slice_starts(target, "/-/");
}

void router_control(struct slice target, struct bytes *out)
{
    struct bytes body = {0};
    if (slice_starts(target, "/-/reset")) {
        memset(kinds, 0, sizeof(kinds));
        router_trips = (struct trips){.resets = router_trips.resets + 1};
        router_fault = (struct fault){0};
        router_delay_us = slice_number(query_value(target, "delay_us"));
    } else if (slice_starts(target, "/-/fault")) {
        set_fault(target);
    }
    tell_counts(&body);
    bytes_add_f(out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", body.len);
    bytes_add(out, body.p, body.len);
    bytes_free(&body);
}
