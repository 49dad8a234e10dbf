/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What leaves in one write, told from the request alone: the allowance of a guarded write rests on it, and is chosen
 * before anything is sent. Knows nothing of libcurl, so that whatever stands in for the engine reckons alike.
 */
#include "http/internal.h"

#include <string.h>

uint64_t body_length(const struct http_body *body)
{
    return body->kind == HTTP_BODY_NONE ? 0 : body->length;
}

bool body_is_joined(const struct http_body *body)
{
    return body_length(body) <= HTTP_ONE_WRITE_BODY_MAX && body->held_until_monotonic_ms == 0;
}

/* What the headers take, with room for those that libcurl adds (Host, Content-Length, and the request line of a proxy).
 */
static size_t head_bytes(const struct http_request *request, const char *user_agent)
{
    size_t bytes = 256 + strlen(request->method) + 2 * strlen(request->host) + request->path.len + request->query.len +
                   strlen(user_agent);
    return bytes + request->headers.bytes + 4 * request->headers.count;
}

bool http_one_write(const struct http_request *request, const char *user_agent)
{
    if (!body_is_joined(&request->body)) {
        return false;
    }
    uint64_t bytes = head_bytes(request, user_agent) + body_length(&request->body);
    return strcmp(request->scheme, "https") != 0 || bytes <= TLS_RECORD_MAX;
}
