/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verdict.h"
#include "race/clock.h"
#include "race/race.h"
#include "race/work.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 300 * 1000, /* to settle one unknown outcome */
    PAUSE_MS = 250            /* between two questions, or after a failure */
};

void race_send_text(struct race_worker *worker, const char *line, size_t len)
{
    size_t sent = 0;

    while (sent < len) {
        ssize_t more = write(STDOUT_FILENO, line + sent, len - sent);
        if (more >= 0) {
            sent += (size_t)more;
        } else if (errno != EINTR) {
            worker->stop = true;
            return;
        }
    }
}

void race_send(struct race_worker *worker, const struct race_message *message)
{
    char line[RACE_LINE_MAX];
    size_t len = race_line_format(message, line);

    worker->stop = worker->stop || len == 0; /* a call without its end would count as one that never returned */
    race_send_text(worker, line, len);
}

void race_send_kind(struct race_worker *worker, enum race_message_kind kind)
{
    struct race_message message = {.kind = kind};

    race_send(worker, &message);
}

/* The first one only: eight processes that are refused for the same reason say it eight times as it is. */
static void report_once(struct race_worker *worker, enum race_message_kind kind, bool *reported, const os_error *error)
{
    struct race_message message = {.kind = kind};

    if (!*reported && error->code != OS_ERR_CANCELLED && error->message[0] != '\0') {
        *reported = true;
        (void)snprintf(message.text, sizeof(message.text), "Writer %u: %.480s", (unsigned)worker->task.lane,
                       error->message);
        race_send(worker, &message);
    }
}

void race_report_trouble(struct race_worker *worker, const os_error *error)
{
    report_once(worker, RACE_MESSAGE_TROUBLE, &worker->trouble_reported, error);
}

void race_pause_ms(struct race_worker *worker, uint64_t ms)
{
    struct pollfd fd = {.fd = worker->session.interrupt.seen, .events = POLLIN};

    (void)poll(&fd, 1, (int)ms);
    worker->stop = worker->stop || interrupt_seen(&worker->session.interrupt);
}

void race_pause_shortly(struct race_worker *worker)
{
    race_pause_ms(worker, PAUSE_MS);
}

/* The header's list of errors that "may be called again as it is". */
bool race_may_try_again(os_code code)
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

void race_take_failure(struct race_worker *worker, const os_error *error)
{
    if (!race_may_try_again(error->code)) {
        race_report_trouble(worker, error);
        worker->stop = true;
    }
    worker->stop = worker->stop || interrupt_seen(&worker->session.interrupt);
}

uint64_t race_next_call(struct race_worker *worker)
{
    worker->task.serial++;
    return worker->task.serial * RACE_WRITERS_MAX + worker->task.lane;
}

/* ------------------------------------------------------------------------------------------------ settling */

static bool ask_of_object(struct race_worker *worker, const char *ticket, struct race_message *message)
{
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    bool final;

    message->verdict = os_resolve(worker->session.client, ticket, &worker->session.call, &result, &error);
    message->requests += result.requests;
    (void)snprintf(message->rule, sizeof(message->rule), "%s", result.rule);
    (void)snprintf(message->text, sizeof(message->text), "%.500s", error.message);
    final = message->verdict != OS_UNKNOWN || result.final != 0; /* no later question is answered otherwise */
    os_result_clear(&result);
    return final;
}

os_verdict race_settle(struct race_worker *worker, uint64_t call, const char *ticket)
{
    uint64_t patience_ends = race_now_us() + (uint64_t)PATIENCE_MS * 1000;
    struct race_message message = {.kind = RACE_MESSAGE_SETTLED, .call = call, .verdict = OS_UNKNOWN};
    bool final = false;

    for (unsigned asked = 1; !final && race_now_us() < patience_ends && !worker->stop; asked++) {
        final = worker->ask != NULL ? worker->ask(worker, ticket, asked, &message)
                                    : ask_of_object(worker, ticket, &message);
        message.end_us = race_now_us();
        if (!final)
            race_pause_shortly(worker);
    }
    if (final)
        race_send(worker, &message);
    return message.verdict;
}

static void send_ticket(struct race_worker *worker, uint64_t call, const char *ticket)
{
    struct race_message message = {.kind = RACE_MESSAGE_TICKET, .call = call, .ticket = ticket};

    race_send(worker, &message);
}

os_verdict race_end_call(struct race_worker *worker, struct race_message *end, const char *ticket,
                         const os_error *error)
{
    os_verdict verdict = end->verdict;
    bool is_open = verdict == OS_UNKNOWN && ticket != NULL;

    end->kind = RACE_MESSAGE_END;
    end->end_us = race_now_us();
    (void)snprintf(end->text, sizeof(end->text), "%.500s", error->message);
    if (is_open)
        send_ticket(worker, end->call, ticket); /* first: another process may have to settle it */
    race_send(worker, end);
    if (verdict == OS_NOT_EXECUTED)
        race_take_failure(worker, error);
    if (is_open)
        verdict = race_settle(worker, end->call, ticket);
    worker->stop = worker->stop || interrupt_seen(&worker->session.interrupt);
    return verdict;
}

/* ------------------------------------------------------------------------------------------------ writing */

static os_verdict call_store(struct race_worker *worker, const struct race_write *write, const char *key,
                             os_result *result, os_error *error)
{
    os_client *client = worker->session.client;
    const os_call *call = &worker->session.call;
    os_body body = OS_BODY_MEMORY(write->body, write->len);
    const char *etag = write->seen == NULL ? NULL : write->seen->etag;
    char *source = NULL;
    os_verdict verdict = OS_NOT_EXECUTED;

    switch (write->operation) {
    case HISTORY_PUT_IF_ABSENT: return os_put_if_absent(client, key, &body, NULL, call, result, error);
    case HISTORY_PUT_IF_MATCH: return os_put_if_match(client, key, etag, &body, NULL, call, result, error);
    case HISTORY_DELETE_IF_MATCH: return os_delete_if_match(client, key, etag, call, result, error);
    case HISTORY_COPY_IF_ABSENT:
    case HISTORY_COPY_IF_MATCH:
    case HISTORY_READ: break;
    }
    source = race_full_key(worker->prefix, write->source);
    if (source == NULL) {
        error->code = OS_ERR_NO_MEMORY;
        return OS_NOT_EXECUTED;
    }
    verdict = write->operation == HISTORY_COPY_IF_MATCH
                  ? os_copy_if_match(client, source, key, etag, NULL, call, result, error)
                  : os_copy_if_not_exists(client, source, key, NULL, call, result, error);
    free(source);
    return verdict;
}

static void send_start(struct race_worker *worker, const struct race_write *write)
{
    struct race_message message = {.kind = RACE_MESSAGE_CALL, .call = write->call, .operation = write->operation};

    (void)snprintf(message.key, sizeof(message.key), "%s", write->name);
    (void)snprintf(message.expected, sizeof(message.expected), "%s", write->seen == NULL ? "" : write->seen->value);
    (void)snprintf(message.value, sizeof(message.value), "%s", write->value);
    message.start_us = race_now_us();
    race_send(worker, &message);
}

static os_verdict end_write(struct race_worker *worker, uint64_t call, os_verdict verdict, const os_result *result,
                            const os_error *error)
{
    struct race_message end = {.call = call,
                               .verdict = verdict,
                               .generation = result->generation,
                               .attempts = result->attempts,
                               .requests = result->requests,
                               .guards = result->guards,
                               .waited_ms = result->waited_ms,
                               .took_over = result->took_over != 0};

    (void)snprintf(end.rule, sizeof(end.rule), "%s", result->rule);
    (void)snprintf(end.guard, sizeof(end.guard), "%s", guarded_name(result->guard));
    return race_end_call(worker, &end, result->ticket, error);
}

os_verdict race_write(struct race_worker *worker, const struct race_write *write)
{
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    char *key = race_full_key(worker->prefix, write->name);
    os_verdict verdict;

    if (key == NULL) {
        worker->stop = true;
        return OS_NOT_EXECUTED;
    }
    send_start(worker, write);
    verdict = call_store(worker, write, key, &result, &error);
    verdict = end_write(worker, write->call, verdict, &result, &error);
    os_result_clear(&result);
    free(key);
    return verdict;
}

/* ------------------------------------------------------------------------------------------------ reading */

static void send_read(struct race_worker *worker, const char *name, const struct race_seen *seen, uint64_t start_us)
{
    struct race_message message = {.kind = RACE_MESSAGE_READ, .start_us = start_us, .end_us = race_now_us()};

    (void)snprintf(message.key, sizeof(message.key), "%s", name);
    (void)snprintf(message.value, sizeof(message.value), "%s", seen->value);
    race_send(worker, &message);
}

/* Where ETags are the MD5 of the bytes, an answer with the ETag of one version and the bytes of another is no version
 * at all: versitygw 1.8.0 gives one in about 1,000 while the object is overwritten. */
static bool is_whole(struct race_worker *worker, const struct race_seen *seen, os_error *error)
{
    if (!worker->task.etags_are_md5 || strcmp(seen->etag, seen->value) == 0)
        return true;
    error->code = OS_ERR_SERVICE;
    (void)snprintf(error->message, sizeof(error->message),
                   "The store answered a GET with the ETag %.100s, but with bytes whose ETag is %.100s: it mixed two "
                   "versions. The race read it again.",
                   seen->etag, seen->value);
    report_once(worker, RACE_MESSAGE_REMARK, &worker->remark_reported, error);
    return false;
}

/* The value is that of the bytes, so that it is right also where ETags are something else. */
static bool take_content(const void *data, size_t len, struct race_seen *ret, os_error *error)
{
    ret->present = true;
    ret->len = len < sizeof(ret->body) ? len : sizeof(ret->body);
    memcpy(ret->body, data, ret->len);
    if (race_value(data, len, ret->value))
        return true;
    (void)snprintf(error->message, sizeof(error->message), "This machine's OpenSSL has no MD5.");
    error->code = OS_ERR_UNSUPPORTED;
    return false;
}

bool race_read(struct race_worker *worker, const char *name, struct race_seen *ret)
{
    char *key = race_full_key(worker->prefix, name);
    void *data = NULL;
    size_t len = 0;
    os_sink sink = OS_SINK_INIT;
    os_object object = OS_OBJECT_INIT;
    os_error error = {.code = OS_ERR_NO_MEMORY, .message = "There is not enough memory."};
    uint64_t start_us = race_now_us();
    os_code code = OS_ERR_NO_MEMORY;
    bool good;

    memset(ret, 0, sizeof(*ret));
    sink.ret_data = &data;
    sink.ret_length = &len;
    sink.max_length = RACE_OBJECT_MAX;
    if (key != NULL)
        code = os_get(worker->session.client, key, &sink, &worker->session.call, &object, &error);
    free(key);
    good = code == OS_ERR_NOT_FOUND || (code == OS_OK && take_content(data, len, ret, &error));
    os_free(data);
    if (good) {
        (void)snprintf(ret->etag, sizeof(ret->etag), "%s", object.etag);
        good = is_whole(worker, ret, &error);
    }
    if (good) {
        send_read(worker, name, ret, start_us);
    } else {
        worker->stop = worker->stop || !race_may_try_again(error.code);
        if (worker->stop)
            race_report_trouble(worker, &error);
    }
    worker->stop = worker->stop || interrupt_seen(&worker->session.interrupt);
    return good;
}
