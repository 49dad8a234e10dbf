/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/sts.h"

#include "aws/sigv4.h"
#include "base/clock.h"
#include "base/error.h"
#include "credentials/service.h"

enum { STS_FORM_MAX = 128 << 10 };

static int64_t sts_now_s(void)
{
    struct clock_reading now;
    clock_read(&now);
    return (int64_t)(now.realtime_ms / 1000);
}

static bool sts_sign(const struct endpoint *endpoint, const struct keys *source, const struct buf *form,
                     struct http_request *request)
{
    char payload[65];
    struct sigv4_keys keys = keys_lend(source);
    struct sigv4_signer *signer = sigv4_signer_new(endpoint->region, "sts");
    bool ok = signer != NULL && sha256_hex(form->data, form->len, payload) &&
              sigv4_sign_header(signer, &keys, sts_now_s(), payload, request);
    sigv4_signer_free(signer);
    return ok;
}

static bool sts_build(const struct endpoint *endpoint, const struct sts_question *question, struct buf *form,
                      struct http_request *request)
{
    bool ok = sts_build_form(question, sts_now_s(), form) &&
              http_request_set_origin(request, endpoint->scheme, endpoint->host) && buf_add_char(&request->path, '/') &&
              http_headers_add(&request->headers, "content-type", "application/x-www-form-urlencoded");
    request->method = "POST";
    request->body = (struct http_body){.kind = HTTP_BODY_MEMORY, .data = form->data, .length = form->len};
    return ok && (question->source == NULL || sts_sign(endpoint, question->source, form, request));
}

os_code sts_ask(const struct chain *chain, const struct endpoint *endpoint, const struct sts_question *question,
                struct keys *ret, os_error *err)
{
    struct http_request request;
    struct http_response response = {0};
    struct buf form;
    http_request_init(&request);
    buf_init(&form, STS_FORM_MAX);
    form.secret = true; /* a web identity token */
    os_code code = sts_build(endpoint, question, &form, &request) ? OS_OK : error_no_memory(err);
    if (code == OS_OK)
        code = service_ask_endpoint(chain, "STS", endpoint, &request, &response, err);
    if (code == OS_OK)
        code = sts_read_answer(&response, question->role_arn, ret, err);
    http_request_free(&request);
    http_response_free(&response);
    buf_free(&form);
    return code;
}
