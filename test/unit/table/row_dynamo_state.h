/* SPDX-License-Identifier: Apache-2.0 */
/* Rows at a DynamoDB that is scripted, with keys that a callback gives: "KEY1", then "KEY2" ... */
#ifndef OSCOMMIT_TEST_UNIT_TABLE_ROW_DYNAMO_STATE_H
#define OSCOMMIT_TEST_UNIT_TABLE_ROW_DYNAMO_STATE_H

#include "aws/endpoint.h"
#include "credentials/credentials.h"
#include "support/http_server.h"
#include "unit/rows/trees.h"
#include "unit/table/row_asking.h"

#include <stdio.h>

struct dynamo_rows {
    struct trees trees;
    struct http_server *server;
    struct on_loop on;
    struct endpoint endpoint;
    struct credentials *credentials;
    struct row_service *service;
    unsigned keys_given;
    void (*give_keys)(unsigned number); /* before they are given; NULL: nothing */
    char key_id[16];
};

static inline int dynamo_rows_give_keys(void *context, os_credentials *ret)
{
    struct dynamo_rows *rows = context;
    snprintf(rows->key_id, sizeof(rows->key_id), "KEY%u", ++rows->keys_given);
    if (rows->give_keys != NULL)
        rows->give_keys(rows->keys_given);
    ret->access_key_id = rows->key_id;
    ret->secret_access_key = "secret";
    return 0;
}

static inline void dynamo_rows_open(struct dynamo_rows *rows, const char *host)
{
    char url[64];
    const struct credentials_source source = {
        .no_environment = true, .callback = dynamo_rows_give_keys, .callback_context = rows};
    on_loop_set_up(&rows->on);
    snprintf(url, sizeof(url), "http://%s", host);
    assert_int_equal(endpoint_parse("dynamodb", url, "eu-west-1", &rows->endpoint, NULL), OS_OK);
    assert_int_equal(credentials_new(&source, &rows->credentials, NULL), OS_OK);
    const struct table_config config = {.loop = rows->on.loop,
                                        .endpoint = &rows->endpoint,
                                        .credentials = rows->credentials,
                                        .stall_ms = ROW_PATIENCE_MS};
    assert_int_equal(row_dynamo_new(&config, &rows->service, NULL), OS_OK);
}

static inline void dynamo_rows_set_up(struct dynamo_rows *rows)
{
    rows->server = http_server_start(NULL);
    dynamo_rows_open(rows, http_server_host(rows->server));
}

static inline void dynamo_rows_tear_down(struct dynamo_rows *rows)
{
    on_loop_settle(&rows->on);
    rows->service->vtable->free(rows->service);
    credentials_free(rows->credentials);
    if (rows->server != NULL)
        http_server_stop(rows->server);
    trees_tear_down(&rows->trees);
}

/* JSON with ' in place of ". `headers`: whole lines, or "". */
static inline void push_with(struct dynamo_rows *rows, const char *status, const char *headers, const char *body)
{
    struct buf text;
    char *json = strdup(body);
    assert_non_null(json);
    for (char *at = json; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    buf_init(&text, 16 << 20);
    buf_add_f(&text, "HTTP/1.1 %s\r\nx-amzn-requestid: REQ1\r\n%sContent-Length: %zu\r\n\r\n", status, headers,
              strlen(json));
    buf_add_str(&text, json);
    http_server_push(rows->server, &(struct http_server_step){.answer = buf_str(&text)});
    buf_free(&text);
    free(json);
}

static inline void push(struct dynamo_rows *rows, const char *body)
{
    push_with(rows, "200 OK", "", body);
}

#define REFUSAL(code, message) "{'__type':'com.amazonaws.dynamodb.v20120810#" code "','message':'" message "'}"
static inline void push_refusal(struct dynamo_rows *rows, const char *body)
{
    push_with(rows, "400 Bad Request", "", body);
}

/* No answer at all. */
static inline void push_nothing(struct dynamo_rows *rows)
{
    http_server_push(rows->server, &(struct http_server_step){.leave = HTTP_SERVER_CLOSE});
}

static inline struct row_answer ask(struct dynamo_rows *rows, const struct row_request *request)
{
    return row_ask(&rows->on, rows->service, request);
}

static inline const char *header_of(struct dynamo_rows *rows, size_t request, const char *name)
{
    const char *value = http_headers_get(&http_server_record(rows->server, request)->headers, name);
    assert_non_null(value);
    return value;
}

#define CHECK_REQUEST(rows, number, operation) \
    assert_string_equal(header_of((rows), (number), "x-amz-target"), "DynamoDB_20120810." operation)

static inline bool has_asked_for(struct dynamo_rows *rows, size_t request, const char *words)
{
    return strstr(http_server_record(rows->server, request)->body, words) != NULL;
}

#endif
