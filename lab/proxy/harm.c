/* SPDX-License-Identifier: Apache-2.0 */
/* The race's proxy: where a request goes, and the harm that the hooks want done to it. */
#include "proxy/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ the server */

/* "host", "host:port" or "[v6]:port". */
static bool split_authority(const char *authority, struct proxy_place *ret)
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

static bool find_place(const struct proxy_port *port, const struct proxy_message *request, struct proxy_place *ret)
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

static bool forward_request(struct proxy_exchange *exchange)
{
    struct proxy_place place;

    return find_place(exchange->connection->port, &exchange->request, &place) && exchange_forward(exchange, &place);
}

/* ------------------------------------------------------------------------------------------------ later */

struct delivery {
    struct proxy_connection connection; /* of its own, without a client */
    struct proxy_exchange exchange;
    uint32_t hold_ms;
};

static void *deliver_late(void *context)
{
    struct delivery *delivery = context;
    struct proxy *proxy = delivery->connection.proxy;

    proxy_hold(proxy, delivery->hold_ms);
    (void)forward_request(&delivery->exchange);
    exchange_close_server(&delivery->connection);
    message_free(&delivery->exchange.answer);
    message_free(&delivery->exchange.request);
    free(delivery);
    OPENSSL_thread_stop();
    proxy_held(proxy, -1);
    proxy_thread_ends(proxy);
    return NULL;
}

/* The same bytes once more, after the time. Without memory it is not sent: what is late may also be lost. */
static void deliver_later(const struct proxy_exchange *exchange, uint32_t hold_ms)
{
    const struct proxy_message *request = &exchange->request;
    struct proxy *proxy = exchange->connection->proxy;
    struct delivery *delivery = calloc(1, sizeof(*delivery));
    struct proxy_message *copy;

    if (delivery == NULL)
        return;
    delivery->exchange.connection = &delivery->connection;
    copy = &delivery->exchange.request;
    *copy = *request;
    copy->data = malloc(request->len);
    delivery->connection.proxy = proxy;
    delivery->connection.port = exchange->connection->port;
    stream_init(&delivery->connection.client, -1);
    stream_init(&delivery->connection.server, -1);
    delivery->hold_ms = hold_ms;
    if (copy->data != NULL) {
        memcpy(copy->data, request->data, request->len);
        proxy_held(proxy, 1);
        if (proxy_start_thread(proxy, deliver_late, delivery))
            return;
        proxy_held(proxy, -1);
    }
    free(copy->data);
    free(delivery);
}

/* ------------------------------------------------------------------------------------------------ harm */

struct harmed {
    struct proxy_exchange *exchange;
    struct proxy_request shown;
};

static bool give_answer(struct harmed *harmed)
{
    const struct proxy_hooks *hooks = &harmed->exchange->connection->proxy->hooks;
    bool goes_on = exchange_give_answer(harmed->exchange);

    if (hooks->delivered != NULL && harmed->exchange->answer_given)
        hooks->delivered(hooks->context, &harmed->shown);
    return goes_on;
}

static bool give_made_up(struct harmed *harmed, const struct proxy_fault *fault, const char *date)
{
    char headers[256];

    (void)snprintf(headers, sizeof(headers), "%s%s%sContent-Type: %s\r\nx-amz-request-id: made-up-by-the-race\r\n",
                   date[0] == '\0' ? "" : "Date: ", date, date[0] == '\0' ? "" : "\r\n", fault->type);
    return exchange_give_made_up(harmed->exchange, fault->status, headers, fault->body);
}

/* Forwards, and tells that the answer is there. False: there is none; then the client's connection is reset, which is
 * what it would have seen. */
static bool fetch_answer(struct harmed *harmed)
{
    const struct proxy_hooks *hooks = &harmed->exchange->connection->proxy->hooks;

    if (!forward_request(harmed->exchange))
        return exchange_reset_client(harmed->exchange);
    if (hooks->answered != NULL)
        hooks->answered(hooks->context, &harmed->shown);
    return true;
}

static bool hold_and_fetch(struct harmed *harmed, uint32_t hold_ms)
{
    struct proxy *proxy = harmed->exchange->connection->proxy;
    bool good;

    proxy_held(proxy, 1);
    proxy_hold(proxy, hold_ms);
    good = fetch_answer(harmed);
    proxy_held(proxy, -1);
    return good && give_answer(harmed);
}

static bool do_harm(struct harmed *harmed, const struct proxy_fault *fault)
{
    struct proxy_exchange *exchange = harmed->exchange;
    bool goes_on;

    switch (fault->harm) {
    case PROXY_HOLD_REQUEST: return hold_and_fetch(harmed, fault->hold_ms);
    case PROXY_HOLD_ANSWER:
        if (!fetch_answer(harmed))
            return false;
        proxy_hold(exchange->connection->proxy, fault->hold_ms);
        return give_answer(harmed);
    case PROXY_DROP_ANSWER: return fetch_answer(harmed) ? exchange_reset_client(exchange) : false;
    case PROXY_DISCARD: return exchange_reset_client(exchange);
    case PROXY_LATE: deliver_later(exchange, fault->hold_ms); return exchange_reset_client(exchange);
    case PROXY_TWICE:
        goes_on = fetch_answer(harmed) && give_answer(harmed);
        deliver_later(exchange, fault->hold_ms);
        return goes_on;
    case PROXY_ANSWER_INSTEAD: return give_made_up(harmed, fault, "");
    case PROXY_ANSWER_AFTER: return fetch_answer(harmed) && give_made_up(harmed, fault, exchange->answer.date);
    case PROXY_NONE: break;
    }
    return fetch_answer(harmed) && give_answer(harmed);
}

static bool serve_harmed(struct proxy_exchange *exchange)
{
    const struct proxy_hooks *hooks = &exchange->connection->proxy->hooks;
    struct proxy_message *request = &exchange->request;
    struct proxy_fault fault = {.harm = PROXY_NONE};

    if (!exchange_read_head(exchange) || !exchange_read_body(exchange, SIZE_MAX))
        return false;
    struct harmed harmed = {.exchange = exchange,
                            .shown = {.lane = exchange->connection->port->lane,
                                      .method = request->method,
                                      .target = request->target,
                                      .service_call = request->service_call,
                                      .copies = request->copies}};
    uint64_t start_us = proxy_now_us();
    if (hooks->arrived != NULL)
        hooks->arrived(hooks->context, &harmed.shown, &fault);
    bool goes_on = do_harm(&harmed, &fault);
    if (fault.harm != PROXY_NONE && hooks->met != NULL)
        hooks->met(hooks->context, &harmed.shown, &fault, start_us, proxy_now_us());
    return goes_on;
}

struct proxy *proxy_new(const struct proxy_hooks *hooks, const char *ca_file)
{
    struct proxy *proxy = proxy_open(serve_harmed, NULL);

    if (proxy == NULL)
        return NULL;
    proxy->hooks = *hooks;
    proxy->tls = stream_tls_context(ca_file);
    if (proxy->tls != NULL)
        return proxy;
    proxy_free(proxy);
    return NULL;
}
