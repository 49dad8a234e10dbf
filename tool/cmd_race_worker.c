/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of the racing processes; started by `race`, never by a person. Waits for a byte on stdin before each phase, tells
 * what happened on stdout in the lines of race_line.h. Ends when its parent does.
 */
#include "commands.h"
#include "race.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIES_MAX = 20,           /* of one write that is not executed */
    PATIENCE_MS = 300 * 1000, /* to settle one unknown outcome */
    PAUSE_MS = 250            /* between two questions, or after a failure */
};

struct worker {
    struct session session;
    const char *prefix;
    char id[RACE_ID_SIZE];
    unsigned index;
    uint64_t keys;
    uint64_t updates;
    bool told_trouble;
    bool stop; /* no further call: interrupted, the parent gone, or a cause that must be mended */
};

static uint64_t now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void tell(struct worker *worker, const struct race_message *message)
{
    char line[RACE_LINE_MAX];
    size_t len = race_line_format(message, line);

    /* A line is at most PIPE_BUF long, so a pipe takes it as a whole. */
    while (write(STDOUT_FILENO, line, len) < 0) {
        if (errno != EINTR) {
            worker->stop = true;
            return;
        }
    }
}

static void tell_simple(struct worker *worker, enum race_message_kind kind)
{
    struct race_message message = {.kind = kind};

    tell(worker, &message);
}

/* The first one only: eight processes that are refused for the same reason say it eight times as it is. */
static void tell_trouble(struct worker *worker, const os_error *error)
{
    struct race_message message = {.kind = RACE_MESSAGE_TROUBLE};

    if (!worker->told_trouble && error->code != OS_ERR_CANCELLED && error->message[0] != '\0') {
        worker->told_trouble = true;
        (void)snprintf(message.text, sizeof(message.text), "Writer %u: %.480s", worker->index, error->message);
        tell(worker, &message);
    }
}

static bool wait_for_start(struct worker *worker)
{
    char byte;

    if (worker->stop || !interrupt_wait(&worker->session.interrupt, STDIN_FILENO, POLLIN)) {
        return false;
    }
    return read(STDIN_FILENO, &byte, 1) == 1;
}

static void pause_shortly(struct worker *worker)
{
    struct pollfd fd = {.fd = worker->session.interrupt.seen, .events = POLLIN};

    (void)poll(&fd, 1, PAUSE_MS);
    worker->stop = worker->stop || interrupt_seen(&worker->session.interrupt);
}

/* The header's list of errors that "may be called again as it is". */
static bool may_try_again(os_code code)
{
    switch (code) {
    case OS_ERR_DEADLINE:
    case OS_ERR_BUSY:
    case OS_ERR_THROTTLED:
    case OS_ERR_EXPIRED:
    case OS_ERR_NETWORK:
    case OS_ERR_TLS:
    case OS_ERR_SERVICE:
    case OS_ERR_PROTOCOL: return true;
    default: return false;
    }
}

static void settle(struct worker *worker, const char *ticket, struct race_message *message)
{
    uint64_t patience_ends = now_us() + (uint64_t)PATIENCE_MS * 1000;

    while (ticket != NULL && message->settled == OS_UNKNOWN && now_us() < patience_ends) {
        os_result result = OS_RESULT_INIT;
        os_error error = {0};
        message->settled = os_resolve(worker->session.client, ticket, &worker->session.call, &result, &error);
        message->requests += result.requests;
        os_result_clear(&result);
        if (message->settled != OS_UNKNOWN || error.code != OS_ERR_UNDECIDED || worker->stop) {
            return;
        }
        pause_shortly(worker);
    }
}

/* What came of one guarded call, settled if need be. Clears `result`. */
static void account(struct worker *worker, os_verdict verdict, uint64_t started_us, os_result *result,
                    const os_error *error, struct race_message *message)
{
    message->duration_us = now_us() - started_us;
    message->first = verdict;
    message->settled = verdict;
    message->requests = result->requests;
    message->took_over = result->took_over != 0;
    if (verdict == OS_UNKNOWN) {
        settle(worker, result->ticket, message);
    }
    if (verdict == OS_NOT_EXECUTED || verdict == OS_UNKNOWN) {
        tell_trouble(worker, error);
    }
    worker->stop = worker->stop || interrupt_seen(&worker->session.interrupt) ||
                   (verdict == OS_NOT_EXECUTED && !may_try_again(error->code));
    os_result_clear(result);
}

static void create_key(struct worker *worker, uint64_t index, const char *key)
{
    char content[RACE_CONTENT_MAX];
    size_t len = race_key_body(worker->id, index, worker->index, content);
    os_body body = OS_BODY_MEMORY(content, len);

    for (unsigned tries = 1; !worker->stop; tries++) {
        struct race_message message = {.kind = RACE_MESSAGE_CREATE, .index = index};
        os_result result = OS_RESULT_INIT;
        os_error error = {0};
        uint64_t started_us = now_us();
        os_verdict verdict =
            os_put_if_absent(worker->session.client, key, &body, NULL, &worker->session.call, &result, &error);
        account(worker, verdict, started_us, &result, &error, &message);
        message.last = message.settled != OS_NOT_EXECUTED || worker->stop || tries == TRIES_MAX;
        tell(worker, &message);
        if (message.last) {
            return;
        }
        pause_shortly(worker);
    }
}

static void create_all(struct worker *worker)
{
    for (uint64_t i = 0; i < worker->keys && !worker->stop; i++) {
        char name[32];
        char *key;
        race_key_name(i, name, sizeof(name));
        key = race_full_key(worker->prefix, name);
        if (key == NULL) {
            worker->stop = true;
            return;
        }
        create_key(worker, i, key);
        free(key);
    }
}

/* Reads the counter: its value, and the ETag of the version that has it. */
static bool read_counter(struct worker *worker, const char *key, uint64_t *ret_value, os_object *ret_object)
{
    void *data = NULL;
    size_t len = 0;
    os_sink sink = OS_SINK_INIT;
    os_error error = {0};
    bool good;

    sink.ret_data = &data;
    sink.ret_length = &len;
    sink.max_length = RACE_CONTENT_MAX;
    if (os_get(worker->session.client, key, &sink, &worker->session.call, ret_object, &error) != OS_OK) {
        tell_trouble(worker, &error);
        worker->stop = worker->stop || !may_try_again(error.code);
        return false;
    }
    good = race_counter_value(worker->id, data, len, ret_value);
    os_free(data);
    if (!good) {
        (void)snprintf(error.message, sizeof(error.message),
                       "The counter has content that no writer of this race made.");
        tell_trouble(worker, &error);
        worker->stop = true;
    }
    return good;
}

/* Gives the settled verdict of one try. */
static os_verdict try_increment(struct worker *worker, const char *key, uint64_t done, uint64_t value, const char *etag)
{
    char content[RACE_CONTENT_MAX];
    size_t len = race_counter_body(worker->id, value + 1, worker->index, done + 1, content);
    os_body body = OS_BODY_MEMORY(content, len);
    struct race_message message = {.kind = RACE_MESSAGE_UPDATE, .index = done};
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    uint64_t started_us = now_us();
    os_verdict verdict =
        os_put_if_match(worker->session.client, key, etag, &body, NULL, &worker->session.call, &result, &error);

    account(worker, verdict, started_us, &result, &error, &message);
    tell(worker, &message);
    return message.settled;
}

/* A conflict means that another process has gone on, so it is tried again without limit; failures have one. */
static void increment_all(struct worker *worker, const char *key)
{
    uint64_t done = 0;
    unsigned failures = 0;

    while (done < worker->updates && !worker->stop && failures < TRIES_MAX) {
        os_object found = OS_OBJECT_INIT;
        uint64_t value = 0;
        os_verdict verdict = OS_NOT_EXECUTED;
        if (read_counter(worker, key, &value, &found)) {
            verdict = try_increment(worker, key, done, value, found.etag);
        }
        switch (verdict) {
        case OS_COMMITTED:
            done++;
            failures = 0;
            break;
        case OS_CONFLICT: failures = 0; break;
        case OS_NOT_EXECUTED:
            failures++;
            pause_shortly(worker);
            break;
        case OS_UNKNOWN: return; /* nobody can say any more how many this process has committed */
        }
    }
}

static enum status race(struct worker *worker)
{
    char *counter = race_full_key(worker->prefix, RACE_COUNTER_NAME);

    if (counter == NULL) {
        return STATUS_NOT_EXECUTED;
    }
    tell_simple(worker, RACE_MESSAGE_READY);
    if (wait_for_start(worker)) {
        create_all(worker);
        tell_simple(worker, RACE_MESSAGE_DONE);
        if (worker->updates > 0 && wait_for_start(worker)) {
            increment_all(worker, counter);
            tell_simple(worker, RACE_MESSAGE_DONE);
        }
    }
    free(counter);
    return worker->stop ? STATUS_NOT_EXECUTED : STATUS_DONE;
}

static bool take_number(const char *text, unsigned long max, unsigned long *ret)
{
    char *end;
    unsigned long value;

    errno = 0;
    value = strtoul(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value > max) {
        return false;
    }
    *ret = value;
    return true;
}

/* PREFIX ID INDEX KEYS UPDATES, as race_workers.c gives them. */
static bool take_task(const struct options *options, struct worker *worker, struct usage *usage)
{
    unsigned long number[3];

    for (size_t i = 0; i < 3; i++) {
        if (!take_number(options->operand[2 + i], 1000000, &number[i])) {
            return usage_refuse(usage, "This command is started by `oscommit race` only.");
        }
    }
    worker->prefix = options->operand[0];
    (void)snprintf(worker->id, sizeof(worker->id), "%.16s", options->operand[1]);
    worker->index = (unsigned)number[0];
    worker->keys = number[1];
    worker->updates = number[2];
    return true;
}

static enum status run(const struct options *options)
{
    struct worker worker = {0};
    struct usage usage = {0};
    struct location at = {0};
    enum status status;

    if (!take_task(options, &worker, &usage) || !location_store(options, &at, &usage)) {
        return output_usage(options, &usage);
    }
    status = session_open_peered(&worker.session, options, at.store, STDIN_FILENO);
    if (status == STATUS_DONE) {
        status = race(&worker);
    }
    status = session_close(&worker.session, status);
    location_clear(&at);
    return status;
}

const struct command command_race_worker = {
    .name = RACE_WORKER_COMMAND,
    .operands = "PREFIX ID INDEX KEYS UPDATES",
    .summary = "one process of a race",
    .description = "Started by `oscommit race`.\n",
    .examples = "oscommit race --help\n",
    .min_operands = 5,
    .max_operands = 5,
    .hidden = true,
    .run = run,
};
