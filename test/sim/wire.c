/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/wire.h"

#include <string.h>
#include <unistd.h>

static bool add_file(const struct http_body *body, struct buf *ret)
{
    char piece[4096];
    uint64_t offset = 0;
    while (offset < body->length) {
        uint64_t left = body->length - offset;
        ssize_t got = pread(body->fd, piece, left < sizeof(piece) ? (size_t)left : sizeof(piece), (off_t)offset);
        if (got <= 0 || !buf_add(ret, piece, (size_t)got))
            return false;
        offset += (uint64_t)got;
    }
    return true;
}

bool wire_render(const struct http_request *request, const char *user_agent, struct buf *ret)
{
    bool carries = strcmp(request->method, "PUT") == 0 || strcmp(request->method, "POST") == 0;
    uint64_t length = request->body.kind == HTTP_BODY_NONE ? 0 : request->body.length;
    buf_add_f(ret, "%s %s", request->method, buf_str(&request->path));
    if (request->query.len > 0)
        buf_add_f(ret, "?%s", buf_str(&request->query));
    buf_add_f(ret, " HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n", request->host, user_agent);
    for (size_t i = 0; i < request->headers.count; i++)
        buf_add_f(ret, "%s: %s\r\n", request->headers.list[i].name, request->headers.list[i].value);
    if (carries || length > 0)
        buf_add_f(ret, "Content-Length: %llu\r\n", (unsigned long long)length);
    buf_add_str(ret, "\r\n");
    if (request->body.kind == HTTP_BODY_MEMORY && length > 0)
        buf_add(ret, request->body.data, (size_t)length);
    return (request->body.kind != HTTP_BODY_FILE || add_file(&request->body, ret)) && buf_ok(ret);
}

static bool parse_status(struct text *all, struct http_response *ret)
{
    struct text line;
    struct text version;
    uint64_t status = 0;
    if (!text_take_until(all, '\n', &line) || !text_take_until(&line, ' ', &version) ||
        !text_starts(version, "HTTP/") || !text_take_u64(&line, &status) || status < 100 || status > 999)
        return false;
    ret->status = (int)status;
    return true;
}

/* True: they came whole. */
static bool parse_headers(struct text *all, struct http_response *ret, bool *ret_malformed)
{
    struct text line;
    while (text_take_until(all, '\n', &line)) {
        line = text_trim(line);
        if (line.len == 0)
            return true;
        struct text name;
        if (!text_take_until(&line, ':', &name) || !http_headers_add_text(&ret->headers, name, text_trim(line))) {
            *ret_malformed = true;
            return false;
        }
    }
    return false;
}

static bool has_no_body(const struct http_start *start, int status)
{
    return strcmp(start->request->method, "HEAD") == 0 || status == 204 || status == 304;
}

static os_code take_body(struct text all, const struct http_start *start, struct http_response *ret)
{
    const char *wanted_text = http_headers_get(&ret->headers, "content-length");
    struct text cursor = text_from(wanted_text ? wanted_text : "");
    uint64_t wanted = all.len;
    if (has_no_body(start, ret->status))
        return OS_OK;
    if (wanted_text != NULL && !text_take_u64(&cursor, &wanted))
        return OS_ERR_PROTOCOL;
    size_t length = all.len < wanted ? all.len : (size_t)wanted;
    if (start->sink != NULL && ret->status >= 200 && ret->status < 300) {
        if (length > 0 && start->sink(start->sink_context, all.p, length) != 0)
            return OS_ERR_STOPPED;
    } else if (!buf_add(&ret->body, all.p, length)) {
        return OS_ERR_PROTOCOL;
    }
    return all.len < wanted ? OS_ERR_PROTOCOL : OS_OK;
}

os_code wire_parse(const char *bytes, size_t length, const struct http_start *start, struct http_response *ret,
                   bool *ret_in_part)
{
    struct text all = text_of(bytes, length);
    bool malformed = false;
    *ret_in_part = false;
    if (length == 0)
        return OS_ERR_NETWORK;
    if (!parse_status(&all, ret) || !parse_headers(&all, ret, &malformed)) {
        ret->status = 0;
        http_headers_free(&ret->headers);
        return OS_ERR_PROTOCOL;
    }
    os_code code = start->approve != NULL ? start->approve(start->approve_context, ret) : OS_OK;
    if (code == OS_OK)
        code = take_body(all, start, ret);
    *ret_in_part = code != OS_OK;
    return code;
}
