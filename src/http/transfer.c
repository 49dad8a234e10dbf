/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request as libcurl sees it: a pooled easy handle, told everything anew for each request. Knows which options make
 * libcurl keep to what engine.h promises, and nothing of when a request runs.
 */
#include "base/error.h"
#include "http/internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Sets one option unless an earlier one failed. Every option of ours exists since libcurl 7.87. */
#define SET(transfer, ok, option, value) \
    ((ok) = (ok) && took((transfer), curl_easy_setopt((transfer)->easy, (option), (value))))

static bool took(struct http_transfer *transfer, CURLcode code)
{
    transfer->refused = code;
    return code == CURLE_OK;
}

struct http_transfer *transfer_new(struct http_engine *engine)
{
    struct http_transfer *transfer = calloc(1, sizeof(*transfer));
    if (transfer == NULL)
        return NULL;
    transfer->engine = engine;
    transfer->wire.fd = -1;
    transfer->easy = curl_easy_init();
    if (transfer->easy == NULL || curl_easy_setopt(transfer->easy, CURLOPT_SHARE, engine->share) != CURLE_OK) {
        transfer_free(transfer);
        return NULL;
    }
    return transfer;
}

void transfer_clear(struct http_transfer *transfer)
{
    curl_easy_reset(transfer->easy); /* keeps the share */
    free(transfer->headers);
    buf_free(&transfer->url);
    free(transfer->joined_body);
    http_response_free(&transfer->answer.response);
    *transfer = (struct http_transfer){.engine = transfer->engine, .easy = transfer->easy, .wire = {.fd = -1}};
}

void transfer_free(struct http_transfer *transfer)
{
    if (transfer == NULL)
        return;
    if (transfer->easy != NULL) {
        transfer_clear(transfer);
        curl_easy_cleanup(transfer->easy);
    }
    free(transfer);
}

/* What libcurl would add by itself: nothing that was not signed, and no waiting for a 100. */
static const char *const unwanted[] = {"accept", "content-type", "expect"};
static const char *const unwanted_lines[] = {"Accept:", "Content-Type:", "Expect:"};
enum { UNWANTED_COUNT = 3 };

/* The lines and their list are one block. libcurl only reads them. */
struct lines {
    struct curl_slist *list;
    size_t count;
    char *text; /* where the next line goes */
};

static bool lines_begin(const struct http_headers *headers, struct lines *ret)
{
    size_t count = headers->count + UNWANTED_COUNT;
    size_t text = headers->bytes + headers->count * sizeof(": ");
    struct curl_slist *list = malloc(count * sizeof(*list) + text);
    *ret = (struct lines){.list = list, .text = list != NULL ? (char *)(list + count) : NULL};
    return list != NULL;
}

static void lines_add(struct lines *lines, char *line)
{
    lines->list[lines->count].data = line;
    lines->list[lines->count].next = NULL;
    if (lines->count > 0)
        lines->list[lines->count - 1].next = &lines->list[lines->count];
    lines->count++;
}

static void add_line(struct lines *lines, const struct http_header *header)
{
    /* A semicolon is libcurl's notation for an empty value; with a colon it would leave the header out. */
    const char *between = header->value[0] == '\0' ? ";" : ": ";
    char *line = lines->text;
    lines->text = stpcpy(stpcpy(stpcpy(line, header->name), between), header->value) + 1;
    lines_add(lines, line);
}

static bool add_headers(struct http_transfer *transfer)
{
    const struct http_headers *headers = &transfer->start.request->headers;
    struct lines lines;
    bool ok = lines_begin(headers, &lines);
    transfer->headers = lines.list;
    for (size_t i = 0; i < headers->count && ok; i++)
        add_line(&lines, &headers->list[i]);
    for (size_t i = 0; i < UNWANTED_COUNT && ok; i++)
        if (http_headers_get(headers, unwanted[i]) == NULL)
            lines_add(&lines, (char *)unwanted_lines[i]);
    SET(transfer, ok, CURLOPT_HTTPHEADER, lines.count > 0 ? transfer->headers : NULL);
    return ok;
}

/* A body goes either as POST fields, which libcurl joins with the headers, or through the read callback; the method is
 * named apart. Only a method that carries a body says "Content-Length: 0" without one. */
static bool set_method_and_body(struct http_transfer *transfer)
{
    const struct http_request *request = transfer->start.request;
    uint64_t length = body_length(&request->body);
    bool ok = length <= INT64_MAX;
    bool carries = strcmp(request->method, "PUT") == 0 || strcmp(request->method, "POST") == 0;
    if (strcmp(request->method, "HEAD") == 0) {
        SET(transfer, ok, CURLOPT_NOBODY, 1L);
        return ok;
    }
    if (length == 0 && !carries) {
        SET(transfer, ok, CURLOPT_HTTPGET, 1L);
    } else if (body_is_joined(transfer)) {
        SET(transfer, ok, CURLOPT_POST, 1L);
        SET(transfer, ok, CURLOPT_POSTFIELDS, body_joined_data(transfer));
        SET(transfer, ok, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length);
    } else {
        SET(transfer, ok, CURLOPT_UPLOAD, 1L);
        SET(transfer, ok, CURLOPT_INFILESIZE_LARGE, (curl_off_t)length);
        SET(transfer, ok, CURLOPT_READFUNCTION, body_read);
        SET(transfer, ok, CURLOPT_READDATA, transfer);
        SET(transfer, ok, CURLOPT_SEEKFUNCTION, body_seek);
        SET(transfer, ok, CURLOPT_SEEKDATA, transfer);
    }
    SET(transfer, ok, CURLOPT_CUSTOMREQUEST, request->method);
    return ok;
}

static bool set_connection(struct http_transfer *transfer)
{
    const struct http_engine *engine = transfer->engine;
    bool ok = true;
    SET(transfer, ok, CURLOPT_NOSIGNAL, 1L);
    SET(transfer, ok, CURLOPT_QUICK_EXIT, 1L); /* giving up does not wait for a name server */
    SET(transfer, ok, CURLOPT_CONNECTTIMEOUT_MS, (long)engine->connect_timeout_ms);
    SET(transfer, ok, CURLOPT_TCP_NODELAY, 1L);
    SET(transfer, ok, CURLOPT_TCP_KEEPALIVE, 1L); /* a long server-side copy is silent for minutes, and a NAT forgets */
    SET(transfer, ok, CURLOPT_TCP_KEEPIDLE, 30L);
    SET(transfer, ok, CURLOPT_TCP_KEEPINTVL, 10L);
    SET(transfer, ok, CURLOPT_OPENSOCKETFUNCTION, socket_open);
    SET(transfer, ok, CURLOPT_OPENSOCKETDATA, transfer);
    SET(transfer, ok, CURLOPT_CLOSESOCKETFUNCTION, socket_close);
    SET(transfer, ok, CURLOPT_CLOSESOCKETDATA,
        transfer->engine); /* outlives the transfer: the connection stays in the pool */
    SET(transfer, ok, CURLOPT_PREREQFUNCTION, socket_before_request);
    SET(transfer, ok, CURLOPT_PREREQDATA, transfer);
    SET(transfer, ok, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (engine->ca_file != NULL) { /* instead of the system's, also of its folder */
        SET(transfer, ok, CURLOPT_CAINFO, engine->ca_file);
        SET(transfer, ok, CURLOPT_CAPATH, NULL);
        SET(transfer, ok, CURLOPT_PROXY_CAINFO, engine->ca_file);
        SET(transfer, ok, CURLOPT_PROXY_CAPATH, NULL);
    }
    SET(transfer, ok, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (transfer->start.loopback)
        SET(transfer, ok, CURLOPT_NOPROXY, "*");
    return ok;
}

/* Of chunks libcurl tells what is in them, and passes over what it likes between them. */
static bool has_enough(struct http_transfer *transfer, bool fresh)
{
    if (!transfer->answer.headers_whole ||
        http_headers_get(&transfer->answer.response.headers, "transfer-encoding") == NULL ||
        !socket_floods(transfer, fresh))
        return false;
    failure_set(transfer, OS_ERR_PROTOCOL,
                "the answer of %s has more than %d bytes of framing between two bytes of its body",
                transfer->start.request->host, FRAMING_BYTES_MAX);
    transfer->wire.aborting = true;
    return true;
}

static int on_progress(void *context, curl_off_t total_in, curl_off_t in, curl_off_t total_out, curl_off_t out)
{
    struct http_transfer *transfer = context;
    (void)total_in;
    (void)total_out;
    if (has_enough(transfer, (uint64_t)in != transfer->wire.bytes_in))
        return 1;
    if ((uint64_t)in != transfer->wire.bytes_in) {
        transfer->wire.bytes_in = (uint64_t)in;
        transfer->wire.moved_ms = transfer->engine->now_ms;
    }
    if ((uint64_t)out != transfer->wire.bytes_out) {
        transfer->wire.bytes_out = (uint64_t)out;
        transfer->wire.moved_ms = transfer->engine->now_ms;
        (void)socket_drains(transfer);
        if (transfer->start.progress != NULL) {
            uint64_t total = body_length(&transfer->start.request->body);
            transfer->start.progress(transfer->start.progress_context, transfer->wire.bytes_out, total);
        }
    }
    return transfer->cancelled ? 1 : 0;
}

static bool set_http(struct http_transfer *transfer)
{
    bool ok = true;
    SET(transfer, ok, CURLOPT_PRIVATE, (void *)transfer);
    SET(transfer, ok, CURLOPT_ERRORBUFFER, transfer->curl_message);
    SET(transfer, ok, CURLOPT_URL, buf_str(&transfer->url));
    SET(transfer, ok, CURLOPT_PATH_AS_IS, 1L); /* "a/../b" and "//" are keys, not folders */
    SET(transfer, ok, CURLOPT_PROTOCOLS_STR, "http,https");
    SET(transfer, ok, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    SET(transfer, ok, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(transfer, ok, CURLOPT_FOLLOWLOCATION, 0L);
    SET(transfer, ok, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    SET(transfer, ok, CURLOPT_USERAGENT, transfer->engine->user_agent);
    SET(transfer, ok, CURLOPT_HEADERFUNCTION, answer_header);
    SET(transfer, ok, CURLOPT_HEADERDATA, transfer);
    SET(transfer, ok, CURLOPT_WRITEFUNCTION, answer_body);
    SET(transfer, ok, CURLOPT_WRITEDATA, transfer);
    SET(transfer, ok, CURLOPT_BUFFERSIZE, 65536L);
    SET(transfer, ok, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BUFFER_BYTES);
    SET(transfer, ok, CURLOPT_NOPROGRESS, 0L);
    SET(transfer, ok, CURLOPT_XFERINFOFUNCTION, on_progress);
    SET(transfer, ok, CURLOPT_XFERINFODATA, transfer);
    return ok;
}

os_code transfer_prepare(struct http_transfer *transfer, const struct http_start *start, os_error *err)
{
    transfer->start = *start;
    transfer->begun_us = clock_monotonic_us();
    http_response_init(&transfer->answer.response, start->body_max < SIZE_MAX / 2 ? start->body_max : SIZE_MAX / 2);
    buf_init(&transfer->url, 2 * HTTP_TARGET_MAX + 1024);
    os_code code = body_prepare(transfer, err);
    if (code != OS_OK)
        return code;
    if (http_request_url(start->request, &transfer->url) && set_http(transfer) && set_connection(transfer) &&
        set_method_and_body(transfer) && add_headers(transfer))
        return OS_OK;
    if (transfer->refused == CURLE_OK || transfer->refused == CURLE_OUT_OF_MEMORY)
        return error_no_memory(err);
    return error_set(err, OS_ERR_UNSUPPORTED,
                     "libcurl %s does not accept a setting that every request needs (%s); use libcurl 7.87 or newer.",
                     curl_version_info(CURLVERSION_NOW)->version, curl_easy_strerror(transfer->refused));
}
