/* SPDX-License-Identifier: Apache-2.0 */
#include "base/http_message.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* RFC 9110, section 5.6.2: what a name is made of. */
static bool is_token(struct text text)
{
    static const char delimiters[128] = {
        ['"'] = 1, ['('] = 1, [')'] = 1, [','] = 1, ['/'] = 1,  [':'] = 1, [';'] = 1, ['<'] = 1, ['='] = 1,
        ['>'] = 1, ['?'] = 1, ['@'] = 1, ['['] = 1, ['\\'] = 1, [']'] = 1, ['{'] = 1, ['}'] = 1,
    };
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c <= ' ' || c >= 0x7f || delimiters[c] != 0)
            return false;
    }
    return text.len > 0;
}

/* RFC 9110, section 5.5: a tab is the one control character that a value may have inside. */
static bool is_field_value(struct text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if ((c < ' ' && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

static struct text trim_blanks(struct text text)
{
    while (text.len > 0 && (text.p[0] == ' ' || text.p[0] == '\t'))
        text = text_of(text.p + 1, text.len - 1);
    while (text.len > 0 && (text.p[text.len - 1] == ' ' || text.p[text.len - 1] == '\t'))
        text.len--;
    return text;
}

static char *copy_text(struct text text)
{
    char *copy = malloc(text.len + 1);
    if (copy != NULL) {
        memcpy(copy, text.p, text.len);
        copy[text.len] = '\0';
    }
    return copy;
}

/* Both in one block, which begins with the name. False when out of memory. */
static bool copy_header(struct text name, struct text value, struct http_header *ret)
{
    char *block = malloc(name.len + 1 + value.len + 1);
    if (block == NULL)
        return false;
    for (size_t i = 0; i < name.len; i++)
        block[i] = (char)(name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] - 'A' + 'a' : name.p[i]);
    block[name.len] = '\0';
    *ret = (struct http_header){.name = block, .value = block + name.len + 1};
    if (value.len > 0)
        memcpy(ret->value, value.p, value.len);
    ret->value[value.len] = '\0';
    return true;
}

enum { FIRST_HEADERS = 8 };

static bool room_for_one(struct http_headers *headers)
{
    if (headers->count < headers->cap)
        return true;
    size_t cap = headers->cap > 0 ? headers->cap * 2 : FIRST_HEADERS;
    struct http_header *list = realloc(headers->list, cap * sizeof(*list));
    if (list == NULL)
        return false;
    headers->list = list;
    headers->cap = cap;
    return true;
}

bool http_headers_add_text(struct http_headers *headers, struct text name, struct text value)
{
    value = trim_blanks(value);
    if (!is_token(name) || !is_field_value(value) || headers->count >= HTTP_HEADERS_MAX ||
        name.len > HTTP_HEADERS_BYTES_MAX || value.len > HTTP_HEADERS_BYTES_MAX ||
        headers->bytes + name.len + value.len > HTTP_HEADERS_BYTES_MAX || !room_for_one(headers))
        return false;
    if (!copy_header(name, value, &headers->list[headers->count]))
        return false;
    headers->count++;
    headers->bytes += name.len + value.len;
    return true;
}

bool http_headers_add(struct http_headers *headers, const char *name, const char *value)
{
    return http_headers_add_text(headers, text_from(name), text_from(value));
}

/* Tokens go as headers. */
static void free_header(struct http_header *header)
{
    explicit_bzero(header->name, (size_t)(header->value - header->name) + strlen(header->value));
    free(header->name);
}

static struct http_header *find(const struct http_headers *headers, const char *name)
{
    for (size_t i = 0; i < headers->count; i++)
        if (text_is_nocase(text_from(name), headers->list[i].name))
            return &headers->list[i];
    return NULL;
}

bool http_headers_set(struct http_headers *headers, const char *name, const char *value)
{
    struct http_header *header = find(headers, name);
    if (header == NULL)
        return http_headers_add(headers, name, value);
    struct text text = trim_blanks(text_from(value));
    size_t others = headers->bytes - strlen(header->value);
    if (!is_field_value(text) || text.len > HTTP_HEADERS_BYTES_MAX - others)
        return false;
    struct http_header old = *header;
    if (!copy_header(text_from(old.name), text, header))
        return false;
    free_header(&old);
    headers->bytes = others + text.len;
    return true;
}

const char *http_headers_get(const struct http_headers *headers, const char *name)
{
    const struct http_header *header = find(headers, name);
    return header != NULL ? header->value : NULL;
}

void http_headers_remove(struct http_headers *headers, const char *name)
{
    size_t kept = 0;
    struct text wanted = text_from(name);
    for (size_t i = 0; i < headers->count; i++) {
        struct http_header header = headers->list[i];
        if (text_is_nocase(wanted, header.name)) {
            headers->bytes -= strlen(header.name) + strlen(header.value);
            free_header(&header);
        } else {
            headers->list[kept++] = header;
        }
    }
    headers->count = kept;
}

void http_headers_free(struct http_headers *headers)
{
    for (size_t i = 0; i < headers->count; i++)
        free_header(&headers->list[i]);
    free(headers->list);
    *headers = (struct http_headers){0};
}

void http_request_init(struct http_request *request)
{
    *request = (struct http_request){.method = "GET", .body = {.kind = HTTP_BODY_NONE, .fd = -1}};
    buf_init(&request->path, HTTP_TARGET_MAX);
    buf_init(&request->query, HTTP_TARGET_MAX);
    request->query.secret = true; /* a session token is in that of a signature with an expiry */
}

void http_request_free(struct http_request *request)
{
    free(request->scheme);
    free(request->host);
    buf_free(&request->path);
    buf_free(&request->query);
    http_headers_free(&request->headers);
    http_request_init(request);
}

bool http_request_set_origin(struct http_request *request, const char *scheme, const char *host)
{
    char *scheme_copy = copy_text(text_from(scheme));
    char *host_copy = copy_text(text_from(host));
    if (scheme_copy == NULL || host_copy == NULL) {
        free(scheme_copy);
        free(host_copy);
        return false;
    }
    free(request->scheme);
    free(request->host);
    request->scheme = scheme_copy;
    request->host = host_copy;
    return true;
}

bool http_request_add_query(struct http_request *request, const char *name, const char *value)
{
    struct buf *query = &request->query;
    return (query->len == 0 || buf_add_char(query, '&')) && text_percent_encode(query, text_from(name), false) &&
           buf_add_char(query, '=') && text_percent_encode(query, text_from(value), false);
}

bool http_request_url(const struct http_request *request, struct buf *ret)
{
    assert(request->scheme != NULL && request->host != NULL);
    if (!buf_ok(&request->path) || !buf_ok(&request->query))
        return false;
    buf_reserve(ret, strlen(request->scheme) + strlen(request->host) + request->path.len + request->query.len + 4);
    buf_add_strs(ret, request->scheme, "://", request->host, NULL);
    buf_add(ret, buf_str(&request->path), request->path.len);
    if (request->query.len > 0) {
        buf_add_char(ret, '?');
        buf_add(ret, request->query.data, request->query.len);
    }
    return buf_ok(ret);
}

void http_response_init(struct http_response *response, size_t body_max)
{
    *response = (struct http_response){0};
    buf_init(&response->body, body_max);
}

void http_response_free(struct http_response *response)
{
    http_headers_free(&response->headers);
    buf_free(&response->body);
    response->status = 0;
}

bool http_response_copy(const struct http_response *from, struct http_response *ret)
{
    ret->status = from->status;
    for (size_t i = 0; i < from->headers.count; i++)
        if (!http_headers_add(&ret->headers, from->headers.list[i].name, from->headers.list[i].value))
            return false;
    return from->body.len == 0 || buf_add(&ret->body, buf_str(&from->body), from->body.len);
}
