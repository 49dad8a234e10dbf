/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the libs3 driver share: a scripted server, and requests to it. */
#ifndef OSCOMMIT_TEST_UNIT_SIGV2_LIBS3_TEST_H
#define OSCOMMIT_TEST_UNIT_SIGV2_LIBS3_TEST_H

#include "unit/s3/s3_test.h"

#include "sigv2/libs3_driver.h"
#include "support/http_server.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#define CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"
#define ERROR(code) \
    "<?xml version=\"1.0\"?><Error><Code>" code "</Code><Message>No.</Message><RequestId>R</RequestId></Error>"

static struct endpoint endpoint = {.scheme = "http", .region = "us-east-1", .loopback = true};
static const struct s3_target target = {.endpoint = &endpoint, .bucket = "bucket"};
static const struct libs3_config config = {.target = &target, .access_key_id = "id", .secret_access_key = "secret"};
static struct http_server *server;
static os_error err;

static inline int start_server(void **state)
{
    (void)state;
    server = http_server_start(NULL);
    snprintf(endpoint.host, sizeof(endpoint.host), "%s", http_server_host(server));
    return libs3_start(&err) == OS_OK ? 0 : -1;
}

static inline int stop_server(void **state)
{
    (void)state;
    http_server_stop(server);
    libs3_stop();
    return 0;
}

/* ------------------------------------------------------------------------------------------------ help */

static inline struct libs3_call within(uint64_t ms)
{
    struct clock_reading now;
    clock_read(&now);
    return (struct libs3_call){.deadline_monotonic_ms = now.monotonic_ms + ms};
}

static inline void push(const char *answer, enum http_server_leave leave)
{
    http_server_push(server, &(struct http_server_step){.answer = answer, .leave = leave});
}

/* Headers first, then 100, then the answer once the body has begun to come; the rest of the body is read. */
static inline void push_put(const char *answer)
{
    http_server_push(server, &(struct http_server_step){.read = HTTP_SERVER_READ_HEADERS, .answer = CONTINUE});
    http_server_push(server, &(struct http_server_step){
                                 .read = HTTP_SERVER_READ_NOTHING, .answer = answer, .leave = HTTP_SERVER_DRAIN});
}

/* "HTTP/1.1 <status>", headers, Content-Length, body. The caller frees it. */
static inline char *answer(const char *status, const char *headers, const char *body)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    buf_add_f(&text, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n%s", status, headers, strlen(body), body);
    return buf_take(&text);
}

static inline os_code put_text(const char *key, const char *text, struct libs3_result *ret)
{
    struct libs3_call call = within(60000);
    struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = text, .length = strlen(text)};
    struct s3_content content = {.nonce = "00ff", .replaced = "ee11"};
    return libs3_put(&config, &call, key, &body, &content, ret, &err);
}

static inline os_code head_of(const char *key, struct libs3_result *ret)
{
    struct libs3_call call = within(60000);
    return libs3_head(&config, &call, key, ret, &err);
}

static inline void check_code(os_code code, os_code expected)
{
    if (code != expected)
        fail_msg("%s instead of code %d: %s", "another code", (int)expected, err.message);
}

#endif
