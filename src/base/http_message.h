/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP request and its answer as plain data: what the builders of s3/ and dynamo/ make, what aws/ signs, what http/
 * sends. The strings of a request are owned by it; its body is borrowed from the caller until the request has ended.
 */
#ifndef OSCOMMIT_BASE_HTTP_MESSAGE_H
#define OSCOMMIT_BASE_HTTP_MESSAGE_H

#include "base/buf.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HTTP_HEADERS_MAX = 128,         /* count */
    HTTP_HEADERS_BYTES_MAX = 65536, /* names and values together */
    HTTP_TARGET_MAX = 16384         /* path, and query, each */
};

struct http_header {
    char *name;  /* lower case */
    char *value; /* in the same block, behind the name */
};

struct http_headers {
    struct http_header *list;
    size_t count;
    size_t cap;
    size_t bytes;
};

/* Adds a copy. False when out of memory, over a limit, or when name or value has a control character (CR, LF and NUL
 * among them: no header can be smuggled in). Names are stored in lower case, values trimmed. */
bool http_headers_add(struct http_headers *headers, const char *name, const char *value);
bool http_headers_add_text(struct http_headers *headers, struct text name, struct text value);
/* Replaces the first of that name, or adds it. */
bool http_headers_set(struct http_headers *headers, const char *name, const char *value);
/* The first value of that name (any case), or NULL. */
const char *http_headers_get(const struct http_headers *headers, const char *name);
void http_headers_remove(struct http_headers *headers, const char *name);
void http_headers_free(struct http_headers *headers); /* back to empty; wiped, as whatever is replaced or removed */

enum http_body_kind { HTTP_BODY_NONE, HTTP_BODY_MEMORY, HTTP_BODY_FILE };

struct http_body {
    enum http_body_kind kind;
    const void *data; /* MEMORY */
    int fd;           /* FILE: read with pread from 0; borrowed */
    uint64_t length;
    /* Headers and the first held_from bytes go at once, the rest of the body not before then; 0: all together. */
    uint64_t held_until_monotonic_ms;
    uint64_t held_from;
};

struct http_request {
    const char *method;          /* static: "GET" ... */
    char *scheme;                /* "http" or "https" */
    char *host;                  /* as in the Host header: name or [v6], and :port unless it is the scheme's own */
    struct buf path;             /* percent-encoded, begins with '/' */
    struct buf query;            /* percent-encoded, sorted as SigV4 wants it, without '?'; may be empty */
    struct http_headers headers; /* without host and content-length, which the engine adds from the fields above */
    struct http_body body;
};

void http_request_init(struct http_request *request);
void http_request_free(struct http_request *request);
/* Sets scheme and host (copied). False when out of memory. */
bool http_request_set_origin(struct http_request *request, const char *scheme, const char *host);
/* Appends "name=value", both percent-encoded, with '&' where needed. The caller adds in sorted order of the encoded
 * names. */
bool http_request_add_query(struct http_request *request, const char *name, const char *value);
/* "https://host/path?query" for the HTTP library. */
bool http_request_url(const struct http_request *request, struct buf *ret);

struct http_response {
    int status; /* of the final answer; 0: none came */
    struct http_headers headers;
    struct buf body;
};

void http_response_init(struct http_response *response, size_t body_max);
void http_response_free(struct http_response *response);
/* `ret` is empty before; false when out of memory: it is freed by the caller either way. */
bool http_response_copy(const struct http_response *from, struct http_response *ret);

#endif
