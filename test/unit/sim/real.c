/* SPDX-License-Identifier: Apache-2.0 */
#include "real.h"
#include "support/test.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "support/http_probe.h"
#include "support/raw_service.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void real_open(struct real_service *ret, const char *variable, const char *service)
{
    const char *url = test_server(variable);
    *ret = (struct real_service){.service = service, .keys = {raw_access_key(), raw_secret_key(), NULL}};
    if (endpoint_parse(service, url, raw_region(), &ret->endpoint, NULL) != OS_OK) {
        fprintf(stderr, "%s is no endpoint\n", variable);
        exit(1);
    }
    snprintf(ret->unique, sizeof(ret->unique), "fakes-%llx", (unsigned long long)real_now_ms());
    ret->engine = probe_engine(4, NULL);
}

void real_close(struct real_service *real)
{
    http_engine_free(real->engine);
}

uint64_t real_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void real_sign(const struct real_service *real, const struct sigv4_keys *keys, int64_t offset_s, bool in_query,
               struct http_request *request)
{
    char payload[65];
    int64_t at = (int64_t)(real_now_ms() / 1000) + offset_s;
    struct sigv4_signer *signer = sigv4_signer_new(real->endpoint.region, real->service);
    assert_non_null(signer);
    bool has_body = request->body.kind == HTTP_BODY_MEMORY && request->body.length > 0;
    assert_true(sha256_hex(has_body ? request->body.data : "", has_body ? (size_t)request->body.length : 0, payload));
    assert_true(in_query ? sigv4_sign_query(signer, keys, at, WIRE_DYING, request)
                         : sigv4_sign_header(signer, keys, at, payload, request));
    sigv4_signer_free(signer);
}

struct http_response real_answer(const struct real_service *real, struct http_request *request)
{
    struct probe probe;
    probe_init(&probe, request->method, real->endpoint.host, "/", NULL, 0);
    http_request_free(&probe.request);
    probe.request = *request;
    http_probe_run(real->engine, &probe);
    *request = probe.request;
    http_request_init(&probe.request);
    if (probe.code != OS_OK)
        fail_msg("%s did not answer: %s", real->endpoint.host, probe.message);
    struct http_response response = {.status = probe.status, .headers = probe.headers, .body = probe.body};
    probe.headers = (struct http_headers){0};
    buf_init(&probe.body, 1);
    probe_free(&probe);
    return response;
}

struct http_response real_exchange(const struct real_service *real, struct http_request *request, struct buf *body)
{
    real_sign(real, &real->keys, 0, false, request);
    struct http_response response = real_answer(real, request);
    http_request_free(request);
    buf_free(body);
    return response;
}
