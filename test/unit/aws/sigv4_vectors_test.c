/* SPDX-License-Identifier: Apache-2.0 */
/* The published test suite of Signature Version 4, stage by stage (test/data/sigv4/README.md). */
#include "aws/sigv4.h"
#include "support/test.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "support/data_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOW_S = 1440938160 /* 2015-08-30T12:36:00Z */, EXPIRES_S = 3600 };

static const char region[] = "us-east-1";
static const char service[] = "service";

struct vector {
    struct http_request request;
    struct sigv4_keys keys;
    char token[512];
    char method[8];
    char body[64];
};

/* "Param=a b&Other": encoded as a builder of requests would have it; what is encoded already stays so. */
static void take_query(struct text rest, struct http_request *request)
{
    while (rest.len > 0) {
        struct text value = rest;
        struct text name;
        if (!text_take_until(&rest, '&', &value))
            rest.len = 0;
        if (!text_take_until(&value, '=', &name)) {
            name = value;
            value = text_of("", 0);
        }
        struct buf plain_name;
        struct buf plain_value;
        buf_init(&plain_name, 1024);
        buf_init(&plain_value, 1024);
        assert_true(text_percent_decode(&plain_name, name) && text_percent_decode(&plain_value, value));
        if (!text_starts(name, "X-Amz-"))
            assert_true(http_request_add_query(request, buf_str(&plain_name), buf_str(&plain_value)));
        else if (text_is(name, "X-Amz-Security-Token"))
            assert_true(http_headers_set(&request->headers, "x-amz-security-token", buf_str(&plain_value)));
        buf_free(&plain_name);
        buf_free(&plain_value);
    }
}

static void take_request_line(struct text line, struct vector *ret)
{
    struct text method;
    struct text path;
    const char end[] = " HTTP/1.1";
    assert_true(text_take_until(&line, ' ', &method) && text_copy(method, ret->method, sizeof(ret->method)));
    assert_true(line.len > strlen(end) && memcmp(line.p + line.len - strlen(end), end, strlen(end)) == 0);
    line.len -= strlen(end);
    if (!text_take_until(&line, '?', &path)) {
        path = line;
        line = text_of("", 0);
    }
    ret->request.method = ret->method;
    assert_true(text_percent_encode(&ret->request.path, path, true));
    take_query(line, &ret->request);
}

/* The headers that signing adds by itself are left to it. */
static void take_header(struct text line, struct vector *ret)
{
    struct text name;
    assert_true(text_take_until(&line, ':', &name));
    if (text_is_nocase(name, "host")) {
        char host[64];
        assert_true(text_copy(line, host, sizeof(host)));
        assert_true(http_request_set_origin(&ret->request, "https", host));
    } else if (!text_is_nocase(name, "x-amz-date") && !text_is_nocase(name, "authorization")) {
        assert_true(http_headers_add_text(&ret->request.headers, name, line));
    }
}

static void vector_read(const char *text, struct vector *ret)
{
    memset(ret, 0, sizeof(*ret));
    http_request_init(&ret->request);
    struct text rest = text_from(text);
    struct text line;
    assert_true(text_take_until(&rest, '\n', &line));
    take_request_line(line, ret);
    while (rest.len > 0) {
        line = rest;
        if (!text_take_until(&rest, '\n', &line))
            rest.len = 0;
        if (line.len == 0)
            break;
        take_header(line, ret);
    }
    assert_true(text_copy(rest, ret->body, sizeof(ret->body)));
    ret->request.body = (struct http_body){.kind = HTTP_BODY_MEMORY, .data = ret->body, .fd = -1, .length = rest.len};
    ret->keys = (struct sigv4_keys){"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ret->token};
    const char *token = http_headers_get(&ret->request.headers, "x-amz-security-token");
    if (token != NULL) {
        assert_true(TEXT_COPY_STR(token, ret->token));
        http_headers_remove(&ret->request.headers, "x-amz-security-token");
    }
}

static char *header_file(const char *name, const char *stage)
{
    char path[256];
    snprintf(path, sizeof(path), "sigv4/header/%s/%s.txt", name, stage);
    char *text = data_file(path);
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == '\n')
        text[--len] = '\0';
    return text;
}

static void expect(const char *name, const char *stage, const char *got)
{
    char *wanted = header_file(name, stage);
    if (strcmp(wanted, got) != 0)
        fail_msg("%s, %s: wanted\n%s\n\ngot\n%s", name, stage, wanted, got);
    free(wanted);
}

/* Signing leaves the request as it is sent, without the Authorization header only: so the stages can be asked again. */
static void check_header_form(const char *name)
{
    char *text = header_file(name, "request");
    struct vector vector;
    char payload[65];
    vector_read(text, &vector);
    if (strcmp(name, "get-vanilla-with-session-token") == 0) /* its token is in no file: it is the suite's context */
        assert_true(TEXT_COPY_STR("6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267", vector.token));
    struct sigv4_signer *signer = sigv4_signer_new(region, service);
    assert_non_null(signer);
    assert_true(sha256_hex(vector.body, strlen(vector.body), payload));
    assert_true(sigv4_sign_header(signer, &vector.keys, NOW_S, payload, &vector.request));
    char *authorization = strdup(http_headers_get(&vector.request.headers, "authorization"));
    http_headers_remove(&vector.request.headers, "authorization");

    struct buf canonical;
    struct buf names;
    struct buf to_sign;
    buf_init(&canonical, 65536);
    buf_init(&names, 65536);
    buf_init(&to_sign, 1024);
    assert_true(sigv4_canonical_request(&vector.request, payload, &canonical, &names));
    expect(name, "canonical-request", buf_str(&canonical));
    assert_true(sigv4_string_to_sign(region, service, NOW_S, buf_str(&canonical), &to_sign));
    expect(name, "string-to-sign", buf_str(&to_sign));
    expect(name, "authorization", authorization);

    buf_free(&canonical);
    buf_free(&names);
    buf_free(&to_sign);
    free(authorization);
    sigv4_signer_free(signer);
    http_request_free(&vector.request);
    free(text);
}

TEST(each_published_request_is_signed_in_its_header_as_published)
{
    char **names = data_names("sigv4/header");
    size_t count = 0;
    for (; names[count] != NULL; count++)
        check_header_form(names[count]);
    data_names_free(names);
    assert_int_equal(count, 27);
}

static char *signature_in(const char *text, const char *before)
{
    const char *at = strstr(text, before);
    assert_non_null(at);
    return strndup(at + strlen(before), 64);
}

/* The file has the signature, too. */
static void check_signature(const char *folder, const char *name, bool in_query)
{
    char path[256];
    snprintf(path, sizeof(path), "sigv4/%s/%s", folder, name);
    char *text = data_file(path);
    struct vector vector;
    vector_read(text, &vector);
    struct http_request *request = &vector.request;
    struct sigv4_signer *signer = sigv4_signer_new(region, service);
    assert_non_null(signer);
    assert_true(in_query ? sigv4_sign_query(signer, &vector.keys, NOW_S, EXPIRES_S, request)
                         : sigv4_sign_header(signer, &vector.keys, NOW_S, SIGV4_EMPTY_SHA256, request));
    const char *before = in_query ? "X-Amz-Signature=" : "Signature=";
    char *wanted = signature_in(text, before);
    char *got = signature_in(in_query ? buf_str(&request->query) : http_headers_get(&request->headers, "authorization"),
                             before);
    if (strcmp(got, wanted) != 0)
        fail_msg("%s: wanted %s, got %s", name, wanted, got);
    free(wanted);
    free(got);
    sigv4_signer_free(signer);
    http_request_free(request);
    free(text);
}

TEST(paths_that_are_not_normalised_are_signed_as_sent)
{
    char **names = data_names("sigv4/unnormalized");
    for (size_t i = 0; names[i] != NULL; i++)
        check_signature("unnormalized", names[i], false);
    data_names_free(names);
}

TEST(each_published_request_is_signed_in_its_query_as_published)
{
    char **names = data_names("sigv4/query");
    size_t count = 0;
    for (; names[count] != NULL; count++)
        check_signature("query", names[count], true);
    data_names_free(names);
    assert_int_equal(count, 17);
}
