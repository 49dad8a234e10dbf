/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fault proxy as a program, for tests that are not written in C: `fault_proxy HOST:PORT [LEDGER-HOST:PORT]`; with
 * the second address it is a router, which sends there what has an x-amz-target. Prints {"listening":
 * URL}, then reads one JSON command a line from standard input and answers each with one line; ends with the end of its
 * input. Commands:
 *   {"op":"add", "method","path_contains","query_contains","target","has_header","lacks_header","body_contains",
 * "action":"drop_answer", "first","times","delay_ms","status","headers","body","header","bytes"}     -> {"id":N}
 *   {"op":"remove","id"} {"op":"clear"} {"op":"forget"} {"op":"release","id","how":"forward"|"discard"}   -> {}
 *   {"op":"hits","id"} -> {"hits":N}      {"op":"wait_hits"|"wait_finished","id","count","timeout_ms"} ->
 * {"reached":bool}
 *   {"op":"wait_answered", match fields,"status","count","timeout_ms"} -> {"reached":bool}
 *   {"op":"requests", match fields} ->
 * {"requests":[{"method","path","query","head","body","status","upstream_status","rule"}]} A bad command is answered by
 * {"error":TEXT}.
 */
#include "support/fault_proxy.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const action_names[] = {
    "pass",         "drop_answer", "reset",       "hold",          "hold_answer",  "replay",         "answer",
    "answer_after", "cut",         "corrupt_crc", "strip_request", "strip_answer", "stall_upstream", "stall_client"};

static const char *text(const json_t *command, const char *name)
{
    return json_string_value(json_object_get(command, name));
}

static unsigned number(const json_t *command, const char *name)
{
    return (unsigned)json_integer_value(json_object_get(command, name));
}

static struct fault_match match_of(const json_t *command)
{
    return (struct fault_match){.method = text(command, "method"),
                                .path_contains = text(command, "path_contains"),
                                .query_contains = text(command, "query_contains"),
                                .target = text(command, "target"),
                                .has_header = text(command, "has_header"),
                                .lacks_header = text(command, "lacks_header"),
                                .body_contains = text(command, "body_contains")};
}

static json_t *add(struct fault_proxy *proxy, const json_t *command)
{
    const char *name = text(command, "action");
    size_t action = 0;
    size_t count = sizeof(action_names) / sizeof(action_names[0]);
    while (action < count && (name == NULL || strcmp(action_names[action], name) != 0))
        action++;
    if (action == count)
        return json_pack("{s:s}", "error", "no such action");
    struct fault_rule rule = {.match = match_of(command),
                              .action = (enum fault_action)action,
                              .first = number(command, "first"),
                              .times = number(command, "times"),
                              .delay_ms = number(command, "delay_ms"),
                              .status = (int)number(command, "status"),
                              .headers = text(command, "headers"),
                              .body = text(command, "body"),
                              .header = text(command, "header"),
                              .bytes = number(command, "bytes")};
    return json_pack("{s:I}", "id", (json_int_t)fault_proxy_add(proxy, &rule));
}

/* Bytes that are no UTF-8 become '?', so that every request can be shown. */
static json_t *shown(const char *bytes)
{
    json_t *value = json_string(bytes);
    if (value != NULL)
        return value;
    char *copy = strdup(bytes);
    for (char *p = copy; p != NULL && *p != '\0'; p++)
        *p = (signed char)*p < 0 ? '?' : *p;
    value = json_string(copy != NULL ? copy : "");
    free(copy);
    return value;
}

static json_t *requests(struct fault_proxy *proxy, const json_t *command)
{
    struct fault_match match = match_of(command);
    json_t *list = json_array();
    struct fault_seen seen;
    for (size_t i = 0; fault_proxy_seen(proxy, &match, i, &seen); i++) {
        json_array_append_new(list, json_pack("{s:o,s:o,s:o,s:o,s:o,s:i,s:i,s:I}", "method", shown(seen.method), "path",
                                              shown(seen.path), "query", shown(seen.query), "head", shown(seen.head),
                                              "body", shown(seen.body), "status", seen.status, "upstream_status",
                                              seen.upstream_status, "rule", (json_int_t)seen.rule));
        fault_seen_free(&seen);
    }
    return json_pack("{s:o}", "requests", list);
}

static json_t *wait_for(struct fault_proxy *proxy, const json_t *command, const char *op)
{
    struct fault_match match = match_of(command);
    unsigned id = number(command, "id");
    unsigned count = number(command, "count");
    unsigned timeout_ms = number(command, "timeout_ms");
    bool reached;
    if (strcmp(op, "wait_answered") == 0)
        reached = fault_proxy_wait_answered(proxy, &match, (int)number(command, "status"), count, timeout_ms);
    else if (strcmp(op, "wait_hits") == 0)
        reached = fault_proxy_wait_hits(proxy, id, count, timeout_ms);
    else
        reached = fault_proxy_wait_finished(proxy, id, count, timeout_ms);
    return json_pack("{s:b}", "reached", (int)reached);
}

static json_t *change(struct fault_proxy *proxy, const json_t *command, const char *op)
{
    unsigned id = number(command, "id");
    if (strcmp(op, "remove") == 0) {
        fault_proxy_remove(proxy, id);
    } else if (strcmp(op, "clear") == 0) {
        fault_proxy_clear(proxy);
    } else if (strcmp(op, "forget") == 0) {
        fault_proxy_forget(proxy);
    } else if (strcmp(op, "release") == 0) {
        const char *how = text(command, "how");
        fault_proxy_release(proxy, id, how != NULL && strcmp(how, "discard") == 0 ? FAULT_DISCARD : FAULT_FORWARD);
    } else {
        return json_pack("{s:s}", "error", "no such op");
    }
    return json_object();
}

static json_t *obey(struct fault_proxy *proxy, const json_t *command)
{
    const char *op = text(command, "op");
    if (op == NULL)
        return json_pack("{s:s}", "error", "not a command: an object with an op is wanted");
    if (strcmp(op, "add") == 0)
        return add(proxy, command);
    if (strcmp(op, "requests") == 0)
        return requests(proxy, command);
    if (strcmp(op, "hits") == 0)
        return json_pack("{s:I}", "hits", (json_int_t)fault_proxy_hits(proxy, number(command, "id")));
    return strncmp(op, "wait_", 5) == 0 ? wait_for(proxy, command, op) : change(proxy, command, op);
}

static void say(json_t *line)
{
    json_dumpf(line, stdout, JSON_COMPACT);
    putchar('\n');
    fflush(stdout);
    json_decref(line);
}

int main(int argc, char **argv)
{
    const char *ledger = argc == 3 ? argv[2] : argv[1];
    struct fault_proxy *proxy = argc == 2 || argc == 3 ? fault_proxy_start_router(argv[1], ledger) : NULL;
    if (proxy == NULL) {
        fprintf(stderr, "usage: fault_proxy HOST:PORT [LEDGER-HOST:PORT] (of the servers to forward to, which must "
                        "have an IPv4 address)\n");
        return 2;
    }
    say(json_pack("{s:s}", "listening", fault_proxy_url(proxy)));
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        json_error_t why;
        json_t *command = json_loads(line, 0, &why);
        say(obey(proxy, command));
        json_decref(command);
    }
    free(line);
    fault_proxy_stop(proxy);
    return 0;
}
