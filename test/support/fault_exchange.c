/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fault_exchange.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --------------------------------------------------------------------------------------------- the upstream */

static bool is_for_the_ledger(const struct fault_message *request)
{
    char *target = fault_header(&request->head, "x-amz-target");
    free(target);
    return target != NULL;
}

static bool upstream_open(struct fault_connection *connection, const struct fault_message *request)
{
    struct fault_proxy *proxy = connection->proxy;
    const struct fault_upstream *upstream = is_for_the_ledger(request) ? &proxy->ledger : &proxy->upstream;
    int fd = socket(upstream->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (connect(fd, (const struct sockaddr *)&upstream->address, upstream->len) != 0) {
        close(fd);
        return false;
    }
    pthread_mutex_lock(&proxy->mutex);
    connection->upstream_fd = fd;
    bool stopping = proxy->stopping;
    pthread_mutex_unlock(&proxy->mutex);
    return !stopping;
}

static void upstream_close(struct fault_connection *connection)
{
    pthread_mutex_lock(&connection->proxy->mutex);
    int fd = connection->upstream_fd;
    connection->upstream_fd = -1;
    pthread_mutex_unlock(&connection->proxy->mutex);
    if (fd >= 0)
        close(fd);
}

static bool read_upstream_answer(struct fault_connection *connection, const char *method, struct fault_message *ret)
{
    struct fault_stream stream;
    fault_stream_init(&stream, connection->upstream_fd);
    bool ok = fault_read_answer(&stream, method, ret);
    fault_stream_free(&stream);
    return ok;
}

/* Sends the request and reads its answer, over a connection of its own. */
static bool forward(struct fault_connection *connection, const struct fault_message *request, struct fault_message *ret)
{
    bool ok = upstream_open(connection, request) &&
              fault_send(connection->upstream_fd, request->head.data, request->head.len) &&
              (request->body.len == 0 || fault_send(connection->upstream_fd, request->body.data, request->body.len));
    /* A server that refuses a request early has answered, although the body did not go through. */
    ok = connection->upstream_fd >= 0 && read_upstream_answer(connection, request->method, ret) &&
         (ok || ret->status >= 400);
    upstream_close(connection);
    return ok;
}

/* ---------------------------------------------------------------------------------------------- the client */

/* Up to `count` bytes more of the body, for which the client may want to be asked. */
static bool read_body(struct fault_connection *connection, struct fault_message *request, size_t count)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (request->expects_continue && !fault_send(connection->client.fd, go_on, sizeof(go_on) - 1))
        return false;
    request->expects_continue = false;
    return fault_read_request_body(&connection->client, request, count);
}

/* False when the connection cannot be used again. An answer to HEAD ends with its headers, whatever they say of a
   length: to close after it would race with the next request, for nothing in it told the client so. */
static bool send_answer(struct fault_connection *connection, const struct fault_message *request,
                        const struct fault_message *answer)
{
    struct buf whole;
    buf_init(&whole, FAULT_HEAD_MAX + FAULT_BODY_MAX);
    buf_add(&whole, answer->head.data, answer->head.len);
    if (answer->body.len > 0)
        buf_add(&whole, answer->body.data, answer->body.len);
    bool ok = buf_ok(&whole) && fault_send(connection->client.fd, whole.data, whole.len);
    buf_free(&whole);
    bool delimited = answer->chunked || answer->has_length || answer->status == 204 || answer->status == 304 ||
                     strcmp(request->method, "HEAD") == 0;
    return ok && delimited;
}

static bool made_up_answer(const struct fault_rule *rule, struct fault_message *ret)
{
    const char *headers = rule->headers != NULL ? rule->headers : "";
    const char *body = rule->body != NULL ? rule->body : "";
    ret->status = rule->status;
    ret->has_length = true;
    buf_add_f(&ret->head, "HTTP/1.1 %d Made-Up\r\n%s", rule->status, headers);
    if (strcasestr(headers, "date:") == NULL) {
        char date[64];
        struct tm utc;
        time_t now = time(NULL);
        gmtime_r(&now, &utc);
        strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &utc);
        buf_add_f(&ret->head, "Date: %s\r\n", date);
    }
    if (strcasestr(headers, "content-length:") == NULL)
        buf_add_f(&ret->head, "Content-Length: %zu\r\n", strlen(body));
    buf_add_str(&ret->head, "\r\n");
    buf_add_str(&ret->body, body);
    return buf_ok(&ret->head) && buf_ok(&ret->body);
}

static void corrupt_crc(struct fault_message *answer)
{
    char *was = fault_header(&answer->head, "x-amz-crc32");
    char wrong[32];
    snprintf(wrong, sizeof(wrong), "%llu", was != NULL ? (strtoull(was, NULL, 10) ^ 1ULL) : 1ULL);
    free(was);
    fault_set_header(&answer->head, "x-amz-crc32", wrong);
}

/* -------------------------------------------------------------------------------------------------- faults */

struct exchange {
    struct fault_connection *connection;
    const struct fault_rule *rule;
    struct fault_seen *seen;
    struct fault_message *request;
    struct fault_message *answer;
};

static bool ask_upstream(struct exchange *exchange)
{
    bool ok = forward(exchange->connection, exchange->request, exchange->answer);
    fault_book_status(&exchange->connection->proxy->book, exchange->seen, 0, exchange->answer->status);
    return ok;
}

static enum fault_outcome pass_on(struct exchange *exchange)
{
    fault_book_status(&exchange->connection->proxy->book, exchange->seen, exchange->answer->status, 0);
    return send_answer(exchange->connection, exchange->request, exchange->answer) ? FAULT_GO_ON : FAULT_CLOSE_CLIENT;
}

static enum fault_outcome forward_and_pass_on(struct exchange *exchange)
{
    return ask_upstream(exchange) ? pass_on(exchange) : FAULT_RESET_CLIENT;
}

static enum fault_outcome answer_made_up(struct exchange *exchange)
{
    if (exchange->rule->action == FAULT_ANSWER_AFTER && !ask_upstream(exchange))
        return FAULT_RESET_CLIENT;
    fault_message_free(exchange->answer);
    if (!made_up_answer(exchange->rule, exchange->answer))
        return FAULT_RESET_CLIENT;
    if (strcmp(exchange->request->method, "HEAD") == 0)
        buf_reset(&exchange->answer->body);
    return pass_on(exchange);
}

static enum fault_outcome hold(struct exchange *exchange)
{
    struct fault_book *book = &exchange->connection->proxy->book;
    if (exchange->rule->action == FAULT_HOLD_ANSWER) {
        if (!ask_upstream(exchange))
            return FAULT_RESET_CLIENT;
        fault_book_hit(book, exchange->seen->rule);
    }
    if (fault_book_wait_release(book, exchange->seen->rule) == FAULT_DISCARD)
        return FAULT_RESET_CLIENT;
    return exchange->rule->action == FAULT_HOLD ? forward_and_pass_on(exchange) : pass_on(exchange);
}

static enum fault_outcome stall(struct exchange *exchange)
{
    struct fault_connection *connection = exchange->connection;
    struct fault_message *request = exchange->request;
    size_t part = exchange->rule->bytes;
    if (!read_body(connection, request, exchange->rule->action == FAULT_STALL_CLIENT ? part : SIZE_MAX))
        return FAULT_RESET_CLIENT;
    part = part < request->body.len ? part : request->body.len;
    bool ok = upstream_open(connection, request) &&
              fault_send(connection->upstream_fd, request->head.data, request->head.len) &&
              (part == 0 || fault_send(connection->upstream_fd, request->body.data, part));
    enum fault_release how = fault_book_wait_release(&connection->proxy->book, exchange->seen->rule);
    if (how == FAULT_FORWARD && request->body.len < request->length)
        ok = read_body(connection, request, SIZE_MAX) && ok;
    ok = ok && how == FAULT_FORWARD;
    if (ok) {
        fault_send(connection->upstream_fd, request->body.data + part, request->body.len - part);
        ok = read_upstream_answer(connection, request->method, exchange->answer);
        fault_book_status(&connection->proxy->book, exchange->seen, 0, exchange->answer->status);
    }
    upstream_close(connection);
    return ok ? pass_on(exchange) : FAULT_RESET_CLIENT;
}

static enum fault_outcome cut(struct exchange *exchange)
{
    if (!ask_upstream(exchange))
        return FAULT_RESET_CLIENT;
    struct fault_message *answer = exchange->answer;
    if (exchange->rule->bytes < answer->body.len)
        answer->body.len = exchange->rule->bytes;
    pass_on(exchange);
    return FAULT_CLOSE_CLIENT;
}

static enum fault_outcome reset(struct exchange *exchange)
{
    (void)exchange;
    return FAULT_RESET_CLIENT;
}

static enum fault_outcome drop_answer(struct exchange *exchange)
{
    ask_upstream(exchange);
    return FAULT_RESET_CLIENT;
}

static enum fault_outcome replay(struct exchange *exchange)
{
    if (!ask_upstream(exchange))
        return FAULT_RESET_CLIENT;
    fault_message_free(exchange->answer);
    return forward_and_pass_on(exchange);
}

static enum fault_outcome alter_request(struct exchange *exchange)
{
    fault_set_header(&exchange->request->head, exchange->rule->header, NULL);
    return forward_and_pass_on(exchange);
}

static enum fault_outcome alter_answer(struct exchange *exchange)
{
    if (!ask_upstream(exchange))
        return FAULT_RESET_CLIENT;
    if (exchange->rule->action == FAULT_CORRUPT_CRC)
        corrupt_crc(exchange->answer);
    else
        fault_set_header(&exchange->answer->head, exchange->rule->header, NULL);
    return pass_on(exchange);
}

static enum fault_outcome act(struct exchange *exchange)
{
    static enum fault_outcome (*const actions[])(struct exchange *) = {[FAULT_PASS] = forward_and_pass_on,
                                                                       [FAULT_DROP_ANSWER] = drop_answer,
                                                                       [FAULT_RESET] = reset,
                                                                       [FAULT_HOLD] = hold,
                                                                       [FAULT_HOLD_ANSWER] = hold,
                                                                       [FAULT_REPLAY] = replay,
                                                                       [FAULT_ANSWER] = answer_made_up,
                                                                       [FAULT_ANSWER_AFTER] = answer_made_up,
                                                                       [FAULT_CUT] = cut,
                                                                       [FAULT_CORRUPT_CRC] = alter_answer,
                                                                       [FAULT_STRIP_REQUEST] = alter_request,
                                                                       [FAULT_STRIP_ANSWER] = alter_answer,
                                                                       [FAULT_STALL_UPSTREAM] = stall,
                                                                       [FAULT_STALL_CLIENT] = stall};
    return actions[exchange->rule->action](exchange);
}

/* -------------------------------------------------------------------------------------------- a connection */

static enum fault_outcome serve_one(struct fault_connection *connection, struct exchange *exchange)
{
    struct fault_message *request = exchange->request;
    struct fault_book *book = &connection->proxy->book;
    if (!fault_read_request_head(&connection->client, request))
        return FAULT_CLOSE_CLIENT;
    /* Rules may match on such a body. */
    bool readable = !is_for_the_ledger(request) || read_body(connection, request, SIZE_MAX);
    struct fault_rule rule;
    exchange->seen = readable ? fault_book_meet(book, request, &rule) : NULL;
    if (exchange->seen == NULL)
        return FAULT_CLOSE_CLIENT;
    exchange->rule = &rule;
    bool lazily = rule.action == FAULT_STALL_CLIENT || rule.action == FAULT_RESET;
    enum fault_outcome outcome = FAULT_RESET_CLIENT;
    if (lazily || read_body(connection, request, SIZE_MAX)) {
        if (rule.action != FAULT_HOLD_ANSWER)
            fault_book_hit(book, exchange->seen->rule);
        fault_book_delay(book, rule.delay_ms);
        outcome = act(exchange);
    }
    fault_book_finished(book, exchange->seen->rule);
    return outcome;
}

enum fault_outcome fault_exchange(struct fault_connection *connection)
{
    struct fault_message request;
    struct fault_message answer;
    fault_message_init(&request);
    fault_message_init(&answer);
    struct exchange exchange = {.connection = connection, .request = &request, .answer = &answer};
    enum fault_outcome outcome = serve_one(connection, &exchange);
    fault_message_free(&request);
    fault_message_free(&answer);
    return outcome;
}
