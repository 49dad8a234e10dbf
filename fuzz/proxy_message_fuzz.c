/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP messages as the race's proxy reads them. The first byte says what: a request, or the answer to GET, HEAD or PUT;
 * and in how large pieces the rest arrives. What is taken is the bytes that came, and ends where it says; in other
 * pieces, and when it is read again from what was kept, it is the same.
 */
#include "fuzz.h"

#include "proxy/message.h"

#include <stdlib.h>
#include <string.h>

/* The connection: stands in for proxy/stream.c. */
static const char *bytes;
static size_t total;
static size_t taken;
static size_t piece;

size_t stream_take(struct proxy_stream *stream, char *ret, size_t most)
{
    (void)stream;
    size_t len = total - taken;
    len = len < most ? len : most;
    len = len < piece ? len : piece;
    memcpy(ret, bytes + taken, len);
    taken += len;
    return len;
}

static bool take(const char *from, size_t size, size_t at_once, const char *method, struct proxy_message *ret)
{
    static struct proxy_stream stream;
    bytes = from;
    total = size;
    taken = 0;
    piece = at_once;
    message_init(ret);
    if (method)
        return message_read_answer(&stream, method, ret);
    return message_read_request_head(&stream, ret) && message_read_request_body(&stream, ret, SIZE_MAX);
}

static void check_bounds(const struct proxy_message *message)
{
    FUZZ_CHECK(message->len <= MESSAGE_MAX && message->len <= message->room);
    FUZZ_CHECK(message->head_len > 0 && message->head_len <= message->len);
    FUZZ_CHECK(message->data[message->head_len - 1] == '\n');
    FUZZ_CHECK(!(message->framing.chunked && message->framing.has_length));
    FUZZ_CHECK_ARRAY(message->method);
    FUZZ_CHECK_ARRAY(message->target);
    FUZZ_CHECK_ARRAY(message->authority);
    FUZZ_CHECK_ARRAY(message->service_call);
    FUZZ_CHECK_ARRAY(message->date);
}

/* Another reader, as the fake services are one, finds the same end: unless a line ends in LF alone, which it refuses. */
static void check_framing(const struct proxy_message *request)
{
    struct head_framing framing = {0};
    struct head_text rest = {request->data, request->head_len};
    struct head_text line;
    struct head_text method;
    struct head_text target;
    struct head_field field;
    if (!head_take_line(&rest, &line))
        return;
    FUZZ_CHECK(head_read_request_line(line, &method, &target));
    FUZZ_CHECK(method.len == strlen(request->method) && target.len == strlen(request->target));
    while (rest.len > 2 && head_take_line(&rest, &line))
        FUZZ_CHECK(head_read_field(line, &field) && head_note_framing(&field, &framing));
    if (rest.len == 2 && rest.p[0] == '\r')
        FUZZ_CHECK(framing.length == request->framing.length && framing.chunked == request->framing.chunked);
}

/* All that was taken is kept, but for the "http://HOST" of the absolute form. */
static void check_request(const struct proxy_message *request, const char *from)
{
    const size_t gone = request->authority[0] ? strlen("http://") + strlen(request->authority) : 0;
    FUZZ_CHECK(request->method[0] != '\0' && strchr(request->method, ' ') == NULL);
    FUZZ_CHECK(request->target[0] == '/' && strchr(request->target, ' ') == NULL);
    FUZZ_CHECK(strpbrk(request->authority, " /") == NULL);
    FUZZ_CHECK(request->len + gone == taken);
    FUZZ_CHECK(memcmp(request->data + request->len - request->len / 2, from + taken - request->len / 2,
                      request->len / 2) == 0);
    FUZZ_CHECK(gone > 0 || memcmp(request->data, from, request->len) == 0);
    check_framing(request);
    if (!request->framing.chunked)
        FUZZ_CHECK(request->len - request->head_len == (request->framing.has_length ? request->framing.length : 0));
}

static void check_answer(const struct proxy_message *answer, const char *method, const char *from)
{
    const size_t body = answer->len - answer->head_len;
    const bool empty = strcmp(method, "HEAD") == 0 || answer->status == 204 || answer->status == 304;
    FUZZ_CHECK(answer->status >= 200 && answer->status <= 999);
    FUZZ_CHECK(memcmp(answer->data, from + taken - answer->len, answer->len) == 0); /* behind those that were 1xx */
    FUZZ_CHECK(!empty || body == 0);
    if (!message_is_delimited(answer, method))
        FUZZ_CHECK(answer->framing.closes && taken == total);
    else if (!empty && answer->framing.has_length)
        FUZZ_CHECK(body == answer->framing.length);
}

static bool same(const struct proxy_message *one, const struct proxy_message *other)
{
    return one->len == other->len && memcmp(one->data, other->data, one->len) == 0 &&
           one->head_len == other->head_len && one->status == other->status &&
           one->framing.length == other->framing.length && one->framing.has_length == other->framing.has_length &&
           one->framing.chunked == other->framing.chunked && one->framing.closes == other->framing.closes &&
           one->framing.expects_continue == other->framing.expects_continue && one->copies == other->copies &&
           strcmp(one->method, other->method) == 0 && strcmp(one->target, other->target) == 0 &&
           strcmp(one->service_call, other->service_call) == 0 && strcmp(one->date, other->date) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const methods[] = {NULL, "GET", "HEAD", "PUT"};
    static const size_t pieces[] = {1, 7, 4096, SIZE_MAX};
    if (size == 0)
        return 0;
    const char *method = methods[data[0] % 4];
    const size_t at_once = pieces[data[0] / 4 % 4];
    char *from = fuzz_copy(data + 1, size - 1);

    struct proxy_message whole;
    struct proxy_message other;
    const bool good = take(from, size - 1, SIZE_MAX, method, &whole);
    if (good) {
        check_bounds(&whole);
        if (method)
            check_answer(&whole, method, from);
        else
            check_request(&whole, from);
    }
    FUZZ_CHECK(take(from, size - 1, at_once, method, &other) == good && (!good || same(&whole, &other)));
    message_free(&other);
    if (good) {
        FUZZ_CHECK(take(whole.data, whole.len, at_once, method, &other) && same(&whole, &other));
        FUZZ_CHECK(other.authority[0] == '\0');
        message_free(&other);
    }
    message_free(&whole);
    free(from);
    return 0;
}
