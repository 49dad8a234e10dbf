/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a request has room for its signature: what has none is told from what there is no memory for. */
#include "aws/sigv4.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

enum { FIXED_BYTES = 512 /* names, date, scope and signature of either form */, ADDED_HEADERS = 5 };

/* How many bytes it has percent-encoded. */
static size_t encoded_bytes(const char *text)
{
    size_t bytes = 0;
    for (const unsigned char *c = (const unsigned char *)(text != NULL ? text : ""); *c != '\0'; c++) {
        bool plain = (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') ||
                     strchr("-._~", *c) != NULL;
        bytes += plain ? 1 : 3;
    }
    return bytes;
}

/* Of the list of signed headers, "host;x-amz-date": percent-encoded in a query, and also with what signing adds. */
static size_t names_bytes(const struct http_headers *headers, bool in_query)
{
    size_t bytes = 0;
    for (size_t i = 0; i < headers->count; i++)
        bytes += (in_query ? encoded_bytes(headers->list[i].name) : strlen(headers->list[i].name)) + strlen("%3B");
    return bytes;
}

static os_code check_query(const struct sigv4_keys *keys, const struct http_request *request, os_error *err)
{
    size_t bytes = request->query.len + encoded_bytes(keys->access_key_id) + encoded_bytes(keys->session_token) +
                   names_bytes(&request->headers, true) + FIXED_BYTES;
    if (bytes <= HTTP_TARGET_MAX)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "The request cannot be signed in its URL: with the session token and the names of the headers its "
                     "query has %zu bytes; at most %d can be sent. Use fewer metadata entries or a shorter token.",
                     bytes, HTTP_TARGET_MAX);
}

os_code sigv4_check_size(const struct sigv4_keys *keys, const struct http_request *request, bool in_query,
                         os_error *err)
{
    const struct http_headers *headers = &request->headers;
    if (in_query)
        return check_query(keys, request, err);
    size_t bytes = headers->bytes + strlen(keys->access_key_id) +
                   (keys->session_token != NULL ? strlen(keys->session_token) : 0) + names_bytes(headers, false) +
                   FIXED_BYTES;
    if (bytes <= HTTP_HEADERS_BYTES_MAX && headers->count + ADDED_HEADERS <= HTTP_HEADERS_MAX)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "The request has %zu headers of %zu bytes with its signature; at most %d of %d bytes can be sent. "
                     "Use fewer or shorter headers, metadata entries and tags.",
                     headers->count + ADDED_HEADERS, bytes, HTTP_HEADERS_MAX, HTTP_HEADERS_BYTES_MAX);
}
