/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a request travels, told from the request alone: the allowance of a guarded write rests on it, and is chosen
 * before anything is sent. Knows nothing of libcurl, so that whatever stands in for the engine reckons alike.
 */
#include "http/internal.h"

#include <string.h>

enum {
    SEGMENT_OPTIONS_BYTES = 40, /* the most that TCP takes of a segment for options (RFC 9293, section 3.1) */
    TLS_RECORD_OVERHEAD = 256   /* of 16 KiB: header, padding and tag (RFC 8446, section 5.2: at most 256) */
};

uint64_t body_length(const struct http_body *body)
{
    return body->kind == HTTP_BODY_NONE ? 0 : body->length;
}

/* What the headers take, with room for those that libcurl adds (Host, Content-Length, and the request line of a proxy).
 */
static uint64_t head_bytes(const struct http_request *request, const char *user_agent)
{
    size_t bytes = 256 + strlen(request->method) + 2 * strlen(request->host) + request->path.len + request->query.len +
                   strlen(user_agent);
    return bytes + request->headers.bytes + 4 * request->headers.count;
}

void http_delivery_of(const struct http_request *request, const char *user_agent, uint64_t segment_bytes,
                      struct http_delivery *ret)
{
    bool tls = strcmp(request->scheme, "https") == 0;
    uint64_t body = body_length(&request->body);
    uint64_t bytes = head_bytes(request, user_agent) + body;
    uint64_t segment = segment_bytes > SEGMENT_OPTIONS_BYTES ? segment_bytes - SEGMENT_OPTIONS_BYTES : 0;
    bool whole = request->body.held_until_monotonic_ms == 0;
    ret->wire_bytes = tls ? bytes + (bytes / TLS_RECORD_MAX + 1) * TLS_RECORD_OVERHEAD : bytes;
    ret->at_once = body == 0 || (whole && bytes <= (tls ? TLS_RECORD_MAX : segment));
}
