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

/* Tells one option unless an earlier one was refused. Every option of ours exists since libcurl 7.87. */
#define TELL(easy, code, option, value) \
    ((code) = (code) == CURLE_OK ? curl_easy_setopt((easy), (option), (value)) : (code))

#define SET(transfer, ok, option, value) \
    ((ok) = (ok) && curl_easy_setopt((transfer)->easy, (option), (value)) == CURLE_OK)

void transfer_free(struct http_transfer *transfer)
{
    transfer_put_handle(transfer, false);
    free(transfer->joined_body);
    http_response_free(&transfer->answer.response);
    free(transfer);
}

os_code transfer_new(struct http_engine *engine, const struct http_start *start, struct http_transfer **ret,
                     os_error *err)
{
    struct http_transfer *transfer = calloc(1, sizeof(*transfer));
    if (transfer == NULL)
        return error_no_memory(err);
    transfer->engine = engine;
    transfer->start = *start;
    transfer->begun_us = clock_monotonic_us();
    transfer->wire.fd = -1;
    http_response_init(&transfer->answer.response, start->body_max < SIZE_MAX / 2 ? start->body_max : SIZE_MAX / 2);
    transfer->answer.response.body.secret = start->secret;
    os_code code = body_prepare(transfer, err);
    if (code != OS_OK) {
        transfer_free(transfer);
        return code;
    }
    *ret = transfer;
    return OS_OK;
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

static bool lines_begin(const struct http_headers *headers, struct buf *block, struct lines *ret)
{
    size_t count = headers->count + UNWANTED_COUNT;
    size_t size = count * sizeof(*ret->list) + headers->bytes + headers->count * sizeof(": ");
    buf_init(block, size);
    block->secret = true; /* tokens are among them */
    *ret = (struct lines){.list = buf_reserve(block, size) ? (void *)block->data : NULL};
    ret->text = ret->list != NULL ? (char *)(ret->list + count) : NULL;
    return ret->list != NULL;
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
    bool ok = lines_begin(headers, &transfer->headers, &lines);
    for (size_t i = 0; i < headers->count && ok; i++)
        add_line(&lines, &headers->list[i]);
    for (size_t i = 0; i < UNWANTED_COUNT && ok; i++)
        if (http_headers_get(headers, unwanted[i]) == NULL)
            lines_add(&lines, (char *)unwanted_lines[i]);
    SET(transfer, ok, CURLOPT_HTTPHEADER, lines.count > 0 ? lines.list : NULL);
    return ok;
}

/* A body goes either as POST fields, which libcurl joins with the headers, or through the read callback; the method is
 * named apart. Only a method that carries a body says "Content-Length: 0" without one. A handle keeps the last request's
 * options: all are told each time, from what undoes the others on. */
static bool set_method_and_body(struct http_transfer *transfer)
{
    const struct http_request *request = transfer->start.request;
    uint64_t length = body_length(&request->body);
    bool ok = length <= INT64_MAX;
    bool carries = strcmp(request->method, "PUT") == 0 || strcmp(request->method, "POST") == 0;
    bool is_head = strcmp(request->method, "HEAD") == 0;
    SET(transfer, ok, CURLOPT_UPLOAD, 0L);
    SET(transfer, ok, CURLOPT_NOBODY, 0L);
    SET(transfer, ok, CURLOPT_CUSTOMREQUEST, is_head ? NULL : request->method);
    if (is_head) {
        SET(transfer, ok, CURLOPT_NOBODY, 1L);
    } else if (length == 0 && !carries) {
        SET(transfer, ok, CURLOPT_HTTPGET, 1L);
    } else if (body_is_joined(transfer)) {
        SET(transfer, ok, CURLOPT_POST, 1L);
        SET(transfer, ok, CURLOPT_POSTFIELDS, body_joined_data(transfer));
        SET(transfer, ok, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length);
    } else {
        SET(transfer, ok, CURLOPT_UPLOAD, 1L);
        SET(transfer, ok, CURLOPT_INFILESIZE_LARGE, (curl_off_t)length);
        SET(transfer, ok, CURLOPT_READDATA, transfer);
        SET(transfer, ok, CURLOPT_SEEKDATA, transfer);
    }
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
        transfer->wire.moved_ms = clock_monotonic_us() / 1000;
    }
    if ((uint64_t)out != transfer->wire.bytes_out) {
        transfer->wire.bytes_out = (uint64_t)out;
        transfer->wire.moved_ms = clock_monotonic_us() / 1000;
        (void)socket_drains(transfer);
        if (transfer->start.progress != NULL) {
            uint64_t total = body_length(&transfer->start.request->body);
            transfer->start.progress(transfer->start.progress_context, transfer->wire.bytes_out, total);
        }
    }
    return transfer->cancelled ? 1 : 0;
}

/* libcurl takes a URL apart and puts it together again, most of which is printf. A target it sends as it is. Only a
 * proxy for plain HTTP wants the whole URL in its place. */
static bool set_url(struct http_transfer *transfer)
{
    const struct http_start *start = &transfer->start;
    const char *origin = transfer->host->origin;
    bool ok = http_request_url(start->request, &transfer->url);
    bool has_no_proxy = start->loopback || strcmp(start->request->scheme, "https") == 0;
    const char *url = buf_str(&transfer->url);
    SET(transfer, ok, CURLOPT_URL, has_no_proxy ? origin : url);
    SET(transfer, ok, CURLOPT_REQUEST_TARGET, has_no_proxy ? url + strlen(origin) : NULL);
    return ok;
}

/* What differs from one request to the next, beside method, body and headers. */
static bool set_request(struct http_transfer *transfer)
{
    bool ok = true;
    SET(transfer, ok, CURLOPT_PRIVATE, (void *)transfer);
    SET(transfer, ok, CURLOPT_ERRORBUFFER, transfer->curl_message);
    SET(transfer, ok, CURLOPT_OPENSOCKETDATA, transfer);
    SET(transfer, ok, CURLOPT_PREREQDATA, transfer);
    SET(transfer, ok, CURLOPT_HEADERDATA, transfer);
    SET(transfer, ok, CURLOPT_WRITEDATA, transfer);
    SET(transfer, ok, CURLOPT_XFERINFODATA, transfer);
    SET(transfer, ok, CURLOPT_NOPROXY, transfer->start.loopback ? "*" : NULL);
    return ok;
}

/* ------------------------------------------------------------------------------------------------ handles */

/* What all requests have in common, told once: for each anew it would be a third of libcurl's work. */
static CURLcode set_connection(CURL *easy, const struct http_engine *engine)
{
    CURLcode code = CURLE_OK;
    TELL(easy, code, CURLOPT_SHARE, engine->share);
    TELL(easy, code, CURLOPT_NOSIGNAL, 1L);
    TELL(easy, code, CURLOPT_QUICK_EXIT, 1L); /* giving up does not wait for a name server */
    TELL(easy, code, CURLOPT_CONNECTTIMEOUT_MS, (long)engine->connect_timeout_ms);
    TELL(easy, code, CURLOPT_TCP_NODELAY, 1L);
    TELL(easy, code, CURLOPT_TCP_KEEPALIVE, 1L); /* a long server-side copy is silent for minutes, and a NAT forgets */
    TELL(easy, code, CURLOPT_TCP_KEEPIDLE, 30L);
    TELL(easy, code, CURLOPT_TCP_KEEPINTVL, 10L);
    TELL(easy, code, CURLOPT_OPENSOCKETFUNCTION, socket_open);
    TELL(easy, code, CURLOPT_CLOSESOCKETFUNCTION, socket_close);
    TELL(easy, code, CURLOPT_CLOSESOCKETDATA, engine); /* a connection outlives its transfers */
    TELL(easy, code, CURLOPT_PREREQFUNCTION, socket_before_request);
    TELL(easy, code, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (engine->trust.source == TRUST_CHOSEN) { /* instead of what libcurl has, whichever of the two that is */
        TELL(easy, code, CURLOPT_CAINFO, engine->trust.file);
        TELL(easy, code, CURLOPT_CAPATH, engine->trust.folder);
        TELL(easy, code, CURLOPT_PROXY_CAINFO, engine->trust.file);
        TELL(easy, code, CURLOPT_PROXY_CAPATH, engine->trust.folder);
    }
    TELL(easy, code, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    return code;
}

static CURLcode set_http(CURL *easy, const struct http_engine *engine)
{
    CURLcode code = CURLE_OK;
    TELL(easy, code, CURLOPT_PATH_AS_IS, 1L); /* "a/../b" and "//" are keys, not folders */
    TELL(easy, code, CURLOPT_PROTOCOLS_STR, "http,https");
    TELL(easy, code, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    TELL(easy, code, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    TELL(easy, code, CURLOPT_FOLLOWLOCATION, 0L);
    TELL(easy, code, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    TELL(easy, code, CURLOPT_USERAGENT, engine->user_agent);
    TELL(easy, code, CURLOPT_HEADERFUNCTION, answer_header);
    TELL(easy, code, CURLOPT_WRITEFUNCTION, answer_body);
    TELL(easy, code, CURLOPT_READFUNCTION, body_read);
    TELL(easy, code, CURLOPT_SEEKFUNCTION, body_seek);
    TELL(easy, code, CURLOPT_BUFFERSIZE, 65536L);
    TELL(easy, code, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BUFFER_BYTES);
    TELL(easy, code, CURLOPT_NOPROGRESS, 0L);
    TELL(easy, code, CURLOPT_XFERINFOFUNCTION, on_progress);
    return code;
}

/* NULL: libcurl has no memory, or refuses what *ret_refused says. */
static CURL *make_handle(const struct http_engine *engine, CURLcode *ret_refused)
{
    CURL *easy = curl_easy_init();
    CURLcode code = easy != NULL ? set_connection(easy, engine) : CURLE_OUT_OF_MEMORY;
    code = code == CURLE_OK ? set_http(easy, engine) : code;
    if (code == CURLE_OK)
        return easy;
    *ret_refused = code;
    if (easy != NULL)
        curl_easy_cleanup(easy);
    return NULL;
}

os_code transfer_make_first_handle(struct http_engine *engine, os_error *err)
{
    CURLcode refused = CURLE_OK;
    CURL *easy = make_handle(engine, &refused);
    if (easy != NULL) {
        engine->spare[engine->spare_count++] = easy;
        return OS_OK;
    }
    if (refused == CURLE_OUT_OF_MEMORY)
        return error_no_memory(err);
    return error_set(err, OS_ERR_UNSUPPORTED,
                     "libcurl %s does not accept a setting that every request needs (%s); use libcurl 7.87 or newer.",
                     curl_version_info(CURLVERSION_NOW)->version, curl_easy_strerror(refused));
}

static CURL *take_handle(struct http_engine *engine)
{
    CURLcode refused = CURLE_OK;
    return engine->spare_count > 0 ? engine->spare[--engine->spare_count] : make_handle(engine, &refused);
}

bool transfer_take_handle(struct http_transfer *transfer)
{
    struct http_engine *engine = transfer->engine;
    buf_init(&transfer->url, 2 * HTTP_TARGET_MAX + 1024);
    transfer->url.secret = true;
    transfer->easy = take_handle(engine);
    if (transfer->easy != NULL && set_url(transfer) && set_request(transfer) && set_method_and_body(transfer) &&
        add_headers(transfer) && curl_multi_add_handle(engine->multi, transfer->easy) == CURLM_OK)
        return true;
    transfer_put_handle(transfer, false);
    return false;
}

bool transfer_begin_again(struct http_transfer *transfer)
{
    bool ok = true;
    transfer->anew = true;
    transfer->wire.moved_ms = transfer->engine->now_ms;
    transfer->body_offset = 0;
    transfer->curl_message[0] = '\0';
    SET(transfer, ok, CURLOPT_FRESH_CONNECT, 1L);
    return ok && curl_multi_add_handle(transfer->engine->multi, transfer->easy) == CURLM_OK;
}

/* It points to nothing of the transfer's any more. */
static bool is_cleared(CURL *easy)
{
    CURLcode code = CURLE_OK;
    TELL(easy, code, CURLOPT_PRIVATE, NULL);
    TELL(easy, code, CURLOPT_ERRORBUFFER, NULL);
    TELL(easy, code, CURLOPT_HTTPHEADER, NULL);
    TELL(easy, code, CURLOPT_POSTFIELDS, NULL);
    return code == CURLE_OK;
}

/* Only a handle whose request came to its end at once is used again. libcurl counts for each handle how often it sent a
 * request again, and gives up the sixth one (CONN_MAX_RETRIES in lib/transfer.c); 7.88 keeps the receive buffer of one
 * that never had a connection. */
void transfer_put_handle(struct http_transfer *transfer, bool ended_well)
{
    struct http_engine *engine = transfer->engine;
    CURL *easy = transfer->easy;
    bool fit = ended_well && !transfer->wire.sent_again && !transfer->anew;
    transfer->easy = NULL;
    if (easy != NULL && fit && engine->spare_count < engine->max_connections && is_cleared(easy))
        engine->spare[engine->spare_count++] = easy;
    else if (easy != NULL)
        curl_easy_cleanup(easy);
    buf_free(&transfer->headers);
    buf_free(&transfer->url);
}
