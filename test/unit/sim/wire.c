/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"
#include "support/test.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "dynamo/table.h"
#include "s3/response.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WIRE_MAX = 16 << 20 };

static struct endpoint s3_endpoint = {.scheme = "http", .host = "127.0.0.1:9000", .region = WIRE_REGION};
static struct endpoint dynamo_endpoint = {.scheme = "http", .host = "127.0.0.1:8000", .region = WIRE_REGION};

const struct sigv4_keys wire_keys = {WIRE_ACCESS, WIRE_SECRET, NULL};
const struct s3_target wire_s3_target = {.endpoint = &s3_endpoint, .bucket = WIRE_BUCKET, .virtual_host = false};
const struct dynamo_target wire_dynamo_target = {
    .endpoint = &dynamo_endpoint, .table = WIRE_TABLE, .schema = &record_schema};

void wire_bytes(const struct http_request *request, struct buf *ret)
{
    buf_init(ret, WIRE_MAX);
    buf_add_f(ret, "%s %s%s%s HTTP/1.1\r\nHost: %s\r\n", request->method, buf_str(&request->path),
              request->query.len > 0 ? "?" : "", buf_str(&request->query), request->host);
    for (size_t i = 0; i < request->headers.count; i++) {
        const struct http_header *header = &request->headers.list[i];
        buf_add_f(ret, "%s: %s\r\n", header->name, header->value);
    }
    if (request->body.kind == HTTP_BODY_MEMORY)
        buf_add_f(ret, "Content-Length: %" PRIu64 "\r\n", request->body.length);
    buf_add_str(ret, "\r\n");
    if (request->body.kind == HTTP_BODY_MEMORY)
        buf_add(ret, request->body.data, (size_t)request->body.length);
    assert_true(buf_ok(ret));
}

static struct text take_line(struct text *rest)
{
    struct text line;
    assert_true(text_take_until(rest, '\n', &line));
    assert_true(line.len > 0 && line.p[line.len - 1] == '\r');
    line.len--;
    return line;
}

void wire_answer(const struct buf *bytes, bool is_head, struct http_response *ret)
{
    struct text rest = text_of(buf_str(bytes), bytes->len);
    struct text line = take_line(&rest);
    uint64_t status = 0;
    http_response_init(ret, WIRE_MAX);
    assert_true(text_take_str(&line, "HTTP/1.1 ") && text_take_u64(&line, &status) && text_take_char(&line, ' '));
    ret->status = (int)status;
    for (line = take_line(&rest); line.len > 0; line = take_line(&rest)) {
        struct text name;
        assert_true(text_take_until(&line, ':', &name));
        assert_true(http_headers_add_text(&ret->headers, name, line));
    }
    const char *length = http_headers_get(&ret->headers, "content-length");
    uint64_t promised = 0;
    if (status == 204) {
        assert_null(length);
    } else {
        assert_non_null(length);
        assert_true(text_parse_u64(text_from(length), &promised));
    }
    assert_int_equal(rest.len, is_head ? 0 : promised);
    assert_true(buf_add(&ret->body, rest.p, rest.len));
}

void wire_sign(const char *service, const struct sigv4_keys *keys, int64_t sign_s, bool in_query,
               struct http_request *request)
{
    char payload[65];
    struct sigv4_signer *signer = sigv4_signer_new(WIRE_REGION, service);
    assert_non_null(signer);
    bool has_body = request->body.kind == HTTP_BODY_MEMORY && request->body.length > 0;
    assert_true(sha256_hex(has_body ? request->body.data : "", has_body ? (size_t)request->body.length : 0, payload));
    assert_true(in_query ? sigv4_sign_query(signer, keys, sign_s, WIRE_DYING, request)
                         : sigv4_sign_header(signer, keys, sign_s, payload, request));
    sigv4_signer_free(signer);
}

struct fake_s3_options wire_s3_options(void)
{
    return (struct fake_s3_options){
        .bucket = WIRE_BUCKET, .region = WIRE_REGION, .access_key = WIRE_ACCESS, .secret_key = WIRE_SECRET};
}

struct fake_dynamo_options wire_dynamo_options(void)
{
    return (struct fake_dynamo_options){
        .table = WIRE_TABLE, .region = WIRE_REGION, .access_key = WIRE_ACCESS, .secret_key = WIRE_SECRET};
}

static struct http_response exchange(struct fake_s3 *s3, struct http_request *request, uint64_t at_ms, bool contended)
{
    struct buf bytes;
    struct buf answer;
    struct http_response response;
    wire_bytes(request, &bytes);
    buf_init(&answer, WIRE_MAX);
    assert_true(fake_s3_handle(s3, bytes.data, bytes.len, at_ms, at_ms, contended, &answer));
    wire_answer(&answer, strcmp(request->method, "HEAD") == 0, &response);
    buf_free(&bytes);
    buf_free(&answer);
    http_request_free(request);
    return response;
}

struct http_response wire_s3(struct fake_s3 *s3, struct http_request *request, uint64_t at_ms)
{
    return exchange(s3, request, at_ms, false);
}

struct http_response wire_s3_contended(struct fake_s3 *s3, struct http_request *request, uint64_t at_ms)
{
    return exchange(s3, request, at_ms, true);
}

struct http_response wire_dynamo(struct fake_dynamo *dynamo, struct http_request *request, struct buf *body,
                                 uint64_t at_ms)
{
    struct buf bytes;
    struct buf answer;
    struct http_response response;
    wire_bytes(request, &bytes);
    buf_init(&answer, WIRE_MAX);
    assert_true(fake_dynamo_handle(dynamo, bytes.data, bytes.len, at_ms, &answer));
    wire_answer(&answer, false, &response);
    buf_free(&bytes);
    buf_free(&answer);
    buf_free(body);
    http_request_free(request);
    return response;
}

void wire_dynamo_is(struct fake_dynamo *dynamo, uint64_t after_s, const char *operation, const char *json, int status)
{
    char target[64];
    struct http_request request;
    struct buf body;
    struct buf empty;
    buf_init(&empty, 1);
    snprintf(target, sizeof(target), "DynamoDB_20120810.%s", operation);
    assert_int_equal(dynamo_build_describe_table(&wire_dynamo_target, &request, &body, NULL), OS_OK);
    buf_free(&body);
    assert_true(http_headers_set(&request.headers, "x-amz-target", target));
    request.body.data = json;
    request.body.length = strlen(json);
    wire_sign("dynamodb", &wire_keys, WIRE_S + (int64_t)after_s, false, &request);
    struct http_response response = wire_dynamo(dynamo, &request, &empty, WIRE_MS + after_s * 1000);
    assert_int_equal(response.status, status);
    http_response_free(&response);
}

static void add_content_md5(struct http_request *request)
{
    unsigned char digest[MD5_SIZE];
    struct buf encoded;
    buf_init(&encoded, 64);
    assert_true(md5_digest(request->body.data, (size_t)request->body.length, digest));
    assert_true(text_base64_encode(&encoded, digest, sizeof(digest)));
    assert_true(http_headers_add(&request->headers, "content-md5", buf_str(&encoded)));
    buf_free(&encoded);
}

struct http_response wire_put(struct fake_s3 *s3, const char *key, const char *body, const char *nonce,
                              const struct s3_condition *condition)
{
    struct http_request request;
    const struct http_body memory = {.kind = HTTP_BODY_MEMORY, .data = body, .fd = -1, .length = strlen(body)};
    const struct s3_content content = {.nonce = nonce};
    assert_int_equal(s3_build_put(&wire_s3_target, key, &memory, &content, condition, &request, NULL), OS_OK);
    add_content_md5(&request);
    wire_sign("s3", &wire_keys, WIRE_S, true, &request);
    return wire_s3(s3, &request, WIRE_MS);
}

struct http_response wire_head(struct fake_s3 *s3, const char *key)
{
    struct http_request request;
    assert_int_equal(s3_build_head(&wire_s3_target, key, &request, NULL), OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, false, &request);
    return wire_s3(s3, &request, WIRE_MS);
}

const char *wire_s3_code(const struct http_response *response)
{
    static struct s3_error error;
    s3_parse_error(response, &error);
    assert_false(error.unreadable);
    return error.code;
}

struct fake_s3 *wire_s3_with(void (*change)(struct fake_s3_options *options))
{
    struct fake_s3_options options = wire_s3_options();
    if (change != NULL)
        change(&options);
    struct fake_s3 *s3 = fake_s3_new(&options);
    assert_non_null(s3);
    return s3;
}

void wire_put_is(struct fake_s3 *s3, const char *key, const struct s3_condition *condition, int status,
                 const char *code)
{
    struct http_response response = wire_put(s3, key, "bytes", "0123456789abcdef0123456789abcdef", condition);
    assert_int_equal(response.status, status);
    assert_string_equal(status == 200 ? "" : wire_s3_code(&response), code);
    http_response_free(&response);
}
