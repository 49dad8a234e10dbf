/* SPDX-License-Identifier: Apache-2.0 */
/* One request: read, asked about, harmed or forwarded. */
#include "proxy/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ the server */

struct place {
    char host[256];
    char port[8];
    bool tls;
};

/* "host", "host:port" or "[v6]:port". */
static bool split_authority(const char *authority, struct place *ret)
{
    const char *host = authority;
    const char *end = authority[0] == '[' ? strchr(authority, ']') : strrchr(authority, ':');
    const char *port = NULL;
    size_t len;

    if (authority[0] == '[') {
        if (end == NULL)
            return false;
        host++;
        port = end[1] == ':' ? end + 2 : NULL;
    } else if (end == NULL) {
        end = authority + strlen(authority);
    } else {
        port = end + 1;
    }
    len = (size_t)(end - host);
    if (len == 0 || len >= sizeof(ret->host) || (port != NULL && strlen(port) >= sizeof(ret->port)))
        return false;
    memcpy(ret->host, host, len);
    ret->host[len] = '\0';
    (void)snprintf(ret->port, sizeof(ret->port), "%s", port != NULL ? port : (ret->tls ? "443" : "80"));
    return true;
}

static bool find_place(const struct proxy_port *port, const struct proxy_message *request, struct place *ret)
{
    const struct proxy_target *target = &port->target;

    ret->tls = request->service_call[0] != '\0' ? target->ledger_tls : target->tls;
    if (target->host[0] == '\0')
        return split_authority(request->authority, ret);
    ret->tls = target->tls;
    (void)snprintf(ret->host, sizeof(ret->host), "%s", target->host);
    (void)snprintf(ret->port, sizeof(ret->port), "%s", target->port);
    return true;
}

/* The kept connection, if it goes to the same place and nobody has hung up; else a new one. */
static bool have_server(struct proxy_connection *connection, const struct place *place)
{
    char name[sizeof(connection->server_name)];

    (void)snprintf(name, sizeof(name), "%.250s:%s", place->host, place->port);
    if (strcmp(name, connection->server_name) == 0 && stream_is_idle(&connection->server))
        return true;
    stream_close(&connection->server);
    connection->server_name[0] = '\0';
    if (!stream_connect(&connection->server, place->host, place->port, place->tls ? connection->proxy->tls : NULL))
        return false;
    (void)snprintf(connection->server_name, sizeof(connection->server_name), "%s", name);
    return true;
}

/* Sends the request, once, and reads its answer. */
static bool forward_request(struct proxy_connection *connection, const struct proxy_message *request,
                            struct proxy_message *ret)
{
    struct place place;
    bool good;

    if (!find_place(connection->port, request, &place) || !have_server(connection, &place))
        return false;
    /* A server that refuses a request early has answered, although not all of it went through. */
    (void)stream_send(&connection->server, request->data, request->len);
    good = message_read_answer(&connection->server, request->method, ret);
    if (!good || ret->framing.closes) {
        stream_close(&connection->server);
        connection->server_name[0] = '\0';
    }
    return good;
}

/* ------------------------------------------------------------------------------------------------ later */

struct delivery {
    struct proxy_connection connection; /* of its own, without a client */
    struct proxy_message request;
    uint32_t hold_ms;
};

static void *deliver_late(void *context)
{
    struct delivery *delivery = context;
    struct proxy *proxy = delivery->connection.proxy;
    struct proxy_message answer;

    message_init(&answer);
    proxy_hold(proxy, delivery->hold_ms);
    (void)forward_request(&delivery->connection, &delivery->request, &answer);
    stream_close(&delivery->connection.server);
    message_free(&answer);
    message_free(&delivery->request);
    free(delivery);
    OPENSSL_thread_stop();
    proxy_held(proxy, -1);
    proxy_thread_ends(proxy);
    return NULL;
}

/* The same bytes once more, after the time. Without memory it is not sent: what is late may also be lost. */
static void deliver_later(struct proxy_connection *connection, const struct proxy_message *request, uint32_t hold_ms)
{
    struct delivery *delivery = calloc(1, sizeof(*delivery));
    struct proxy_message *copy;

    if (delivery == NULL)
        return;
    copy = &delivery->request;
    *copy = *request;
    copy->data = malloc(request->len);
    delivery->connection.proxy = connection->proxy;
    delivery->connection.port = connection->port;
    stream_init(&delivery->connection.client, -1);
    stream_init(&delivery->connection.server, -1);
    delivery->hold_ms = hold_ms;
    if (copy->data != NULL) {
        memcpy(copy->data, request->data, request->len);
        proxy_held(connection->proxy, 1);
        if (proxy_start_thread(connection->proxy, deliver_late, delivery))
            return;
        proxy_held(connection->proxy, -1);
    }
    free(copy->data);
    free(delivery);
}

/* ------------------------------------------------------------------------------------------------ the client */

struct exchange {
    struct proxy_connection *connection;
    struct proxy_message request;
    struct proxy_message answer;
    struct proxy_request shown;
};

static bool send_answer(struct exchange *exchange)
{
    struct proxy_connection *connection = exchange->connection;
    const struct proxy_hooks *hooks = &connection->proxy->hooks;
    bool sent = stream_send(&connection->client, exchange->answer.data, exchange->answer.len);

    if (sent && hooks->delivered != NULL)
        hooks->delivered(hooks->context, &exchange->shown);
    return sent && !exchange->answer.framing.closes && !exchange->request.framing.closes &&
           message_is_delimited(&exchange->answer, exchange->request.method);
}

static bool give_made_up(struct exchange *exchange, const struct proxy_fault *fault, const char *date)
{
    struct proxy_connection *connection = exchange->connection;
    char head[512];
    size_t body_len = strcmp(exchange->request.method, "HEAD") == 0 ? 0 : strlen(fault->body);
    int len = snprintf(head, sizeof(head),
                       "HTTP/1.1 %d Made-Up\r\n%s%s%sContent-Type: %s\r\nContent-Length: %zu\r\n"
                       "x-amz-request-id: made-up-by-the-race\r\n\r\n",
                       fault->status, date[0] == '\0' ? "" : "Date: ", date, date[0] == '\0' ? "" : "\r\n", fault->type,
                       strlen(fault->body));

    return len > 0 && (size_t)len < sizeof(head) && stream_send(&connection->client, head, (size_t)len) &&
           stream_send(&connection->client, fault->body, body_len) && !exchange->request.framing.closes;
}

static bool reset_client(struct exchange *exchange)
{
    proxy_unlink(exchange->connection);
    stream_reset(&exchange->connection->client);
    return false;
}

/* Forwards, and tells that the answer is there. False: there is none; then the client's connection is reset, which is
 * what it would have seen. */
static bool fetch_answer(struct exchange *exchange)
{
    const struct proxy_hooks *hooks = &exchange->connection->proxy->hooks;

    if (!forward_request(exchange->connection, &exchange->request, &exchange->answer))
        return reset_client(exchange);
    if (hooks->answered != NULL)
        hooks->answered(hooks->context, &exchange->shown);
    return true;
}

static bool hold_and_fetch(struct exchange *exchange, uint32_t hold_ms)
{
    struct proxy *proxy = exchange->connection->proxy;
    bool good;

    proxy_held(proxy, 1);
    proxy_hold(proxy, hold_ms);
    good = fetch_answer(exchange);
    proxy_held(proxy, -1);
    return good && send_answer(exchange);
}

static bool do_harm(struct exchange *exchange, const struct proxy_fault *fault)
{
    struct proxy_connection *connection = exchange->connection;
    bool goes_on;

    switch (fault->harm) {
    case PROXY_HOLD_REQUEST: return hold_and_fetch(exchange, fault->hold_ms);
    case PROXY_HOLD_ANSWER:
        if (!fetch_answer(exchange))
            return false;
        proxy_hold(connection->proxy, fault->hold_ms);
        return send_answer(exchange);
    case PROXY_DROP_ANSWER: return fetch_answer(exchange) ? reset_client(exchange) : false;
    case PROXY_DISCARD: return reset_client(exchange);
    case PROXY_LATE: deliver_later(connection, &exchange->request, fault->hold_ms); return reset_client(exchange);
    case PROXY_TWICE:
        goes_on = fetch_answer(exchange) && send_answer(exchange);
        deliver_later(connection, &exchange->request, fault->hold_ms);
        return goes_on;
    case PROXY_ANSWER_INSTEAD: return give_made_up(exchange, fault, "");
    case PROXY_ANSWER_AFTER: return fetch_answer(exchange) && give_made_up(exchange, fault, exchange->answer.date);
    case PROXY_NONE: break;
    }
    return fetch_answer(exchange) && send_answer(exchange);
}

static bool serve_exchange(struct exchange *exchange)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct proxy_connection *connection = exchange->connection;
    const struct proxy_hooks *hooks = &connection->proxy->hooks;
    struct proxy_message *request = &exchange->request;
    struct proxy_fault fault = {.harm = PROXY_NONE};
    uint64_t start_us;
    bool goes_on;

    if (!message_read_request_head(&connection->client, request) ||
        (request->framing.expects_continue && !stream_send(&connection->client, go_on, sizeof(go_on) - 1)) ||
        !message_read_request_body(&connection->client, request))
        return false;
    exchange->shown = (struct proxy_request){.lane = connection->port->lane,
                                             .method = request->method,
                                             .target = request->target,
                                             .service_call = request->service_call,
                                             .copies = request->copies};
    start_us = proxy_now_us();
    if (hooks->arrived != NULL)
        hooks->arrived(hooks->context, &exchange->shown, &fault);
    goes_on = do_harm(exchange, &fault);
    if (fault.harm != PROXY_NONE && hooks->met != NULL)
        hooks->met(hooks->context, &exchange->shown, &fault, start_us, proxy_now_us());
    return goes_on;
}

bool proxy_exchange(struct proxy_connection *connection)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    bool goes_on;

    if (exchange == NULL)
        return false;
    exchange->connection = connection;
    goes_on = serve_exchange(exchange);
    message_free(&exchange->request);
    message_free(&exchange->answer);
    free(exchange);
    return goes_on;
}
