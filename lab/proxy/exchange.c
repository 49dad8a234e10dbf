/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of which an exchange is made: with the client, and with the server. */
#include "proxy/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ the server */

/* The kept connection, if it goes to the same place and nobody has hung up; else a new one. */
bool exchange_open_server(struct proxy_connection *connection, const struct proxy_place *place)
{
    char name[sizeof(connection->server_name)];

    (void)snprintf(name, sizeof(name), "%.250s:%s", place->host, place->port);
    if (strcmp(name, connection->server_name) == 0 && stream_is_idle(&connection->server))
        return true;
    exchange_close_server(connection);
    if (!stream_connect(&connection->server, place->host, place->port, place->tls ? connection->proxy->tls : NULL))
        return false;
    proxy_note_server(connection, connection->server.fd);
    (void)snprintf(connection->server_name, sizeof(connection->server_name), "%s", name);
    return true;
}

void exchange_close_server(struct proxy_connection *connection)
{
    proxy_note_server(connection, -1);
    stream_close(&connection->server);
    connection->server_name[0] = '\0';
}

bool exchange_send_part(struct proxy_exchange *exchange, size_t from, size_t to)
{
    return stream_send(&exchange->connection->server, exchange->request.data + from, to - from);
}

bool exchange_read_answer(struct proxy_exchange *exchange)
{
    struct proxy_connection *connection = exchange->connection;
    bool good = message_read_answer(&connection->server, exchange->request.method, &exchange->answer);

    if (!good || exchange->answer.framing.closes)
        exchange_close_server(connection);
    return good;
}

bool exchange_forward(struct proxy_exchange *exchange, const struct proxy_place *place)
{
    if (!exchange_open_server(exchange->connection, place))
        return false;
    /* A server that refuses a request early has answered, although not all of it went through. */
    (void)exchange_send_part(exchange, 0, exchange->request.len);
    return exchange_read_answer(exchange);
}

/* ------------------------------------------------------------------------------------------------ the client */

bool exchange_read_head(struct proxy_exchange *exchange)
{
    return message_read_request_head(&exchange->connection->client, &exchange->request);
}

bool exchange_read_body(struct proxy_exchange *exchange, size_t most)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct proxy_stream *client = &exchange->connection->client;
    struct proxy_message *request = &exchange->request;

    if (request->framing.expects_continue && !stream_send(client, go_on, sizeof(go_on) - 1))
        return false;
    request->framing.expects_continue = false;
    return message_read_request_body(client, request, most);
}

bool exchange_give_answer(struct proxy_exchange *exchange)
{
    const struct proxy_message *answer = &exchange->answer;

    exchange->answer_given = stream_send(&exchange->connection->client, answer->data, answer->len);
    return exchange->answer_given && !answer->framing.closes && !exchange->request.framing.closes &&
           message_is_delimited(answer, exchange->request.method);
}

bool exchange_give_made_up(struct proxy_exchange *exchange, int status, const char *headers, const char *body)
{
    char length[64] = "";
    char *text = NULL;

    if (strcasestr(headers, "content-length:") == NULL)
        (void)snprintf(length, sizeof(length), "Content-Length: %zu\r\n", strlen(body));
    int len = asprintf(&text, "HTTP/1.1 %d Made-Up\r\n%s%s\r\n%s", status, headers, length,
                       strcmp(exchange->request.method, "HEAD") == 0 ? "" : body);
    bool sent = len > 0 && stream_send(&exchange->connection->client, text, (size_t)len);
    if (len >= 0)
        free(text);
    return sent && !exchange->request.framing.closes;
}

bool exchange_reset_client(struct proxy_exchange *exchange)
{
    proxy_unlink(exchange->connection);
    stream_reset(&exchange->connection->client);
    return false;
}

bool proxy_exchange(struct proxy_connection *connection)
{
    struct proxy_exchange *exchange = calloc(1, sizeof(*exchange));

    if (exchange == NULL)
        return false;
    exchange->connection = connection;
    bool goes_on = connection->proxy->serve(exchange);
    message_free(&exchange->request);
    message_free(&exchange->answer);
    free(exchange);
    return goes_on;
}
