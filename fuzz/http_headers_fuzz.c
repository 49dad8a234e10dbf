/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What headers and their codings hold: dates, ETags, percent escapes, names and values, the head of an answer, and the history
 * of an object. What is read and written again is the same; what is taken as a header cannot end it.
 */
#include "fuzz.h"

#include "base/text.h"
#include "s3/answer_head.h"
#include "s3/history.h"
#include "s3/response.h"

#include <stdlib.h>
#include <string.h>

enum { DATE_SIZE = 30, ETAG_SIZE = 128, ENCODED_MAX = 1 << 16 };

/* A leap second is the second after it, which may be in another year, or in none that can be written. */
static void check_dates(struct text text)
{
    int64_t epoch_s;
    int64_t again_s;
    char written[DATE_SIZE];
    bool leap = text_contains_nocase(text, ":60");

    if (!leap && text_parse_http_date(text, &epoch_s)) {
        text_format_http_date(epoch_s, written);
        FUZZ_CHECK_ARRAY(written);
        FUZZ_CHECK(text_parse_http_date(text_from(written), &again_s) && again_s == epoch_s);
        FUZZ_CHECK(text_is(text, written));
    }
    if (!leap && text_parse_iso8601(text, &epoch_s)) {
        text_format_amz_date(epoch_s, written);
        FUZZ_CHECK_ARRAY(written);
        FUZZ_CHECK(strlen(written) == 16);
        FUZZ_CHECK(memcmp(written, text.p, 4) == 0); /* the year */
    }
}

static void check_etag(const char *str)
{
    char etag[ETAG_SIZE];
    char again[ETAG_SIZE];

    if (!text_normalise_etag(str, etag, sizeof(etag)))
        return;
    FUZZ_CHECK_ARRAY(etag);
    size_t len = strlen(etag);
    FUZZ_CHECK(len > 2 && etag[0] == '"' && etag[len - 1] == '"');
    FUZZ_CHECK(memchr(etag + 1, '"', len - 2) == NULL);
    FUZZ_CHECK(strpbrk(etag, " \t\r\n") == NULL);
    FUZZ_CHECK(text_normalise_etag(etag, again, sizeof(again)) && strcmp(etag, again) == 0);
}

static void check_percent(struct text text)
{
    struct buf encoded;
    struct buf decoded;

    buf_init(&encoded, ENCODED_MAX);
    buf_init(&decoded, ENCODED_MAX);
    if (text_percent_encode(&encoded, text, false)) {
        FUZZ_CHECK(encoded.len == 0 || strspn(encoded.data, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                                            "0123456789-._~%") == encoded.len);
        FUZZ_CHECK(text_percent_decode(&decoded, text_of(buf_str(&encoded), encoded.len)));
        FUZZ_CHECK(decoded.len == text.len && memcmp(buf_str(&decoded), text.p, text.len) == 0);
    }
    buf_free(&decoded);
    if (text_percent_decode(&decoded, text))
        FUZZ_CHECK(decoded.len <= text.len);
    buf_free(&encoded);
    buf_free(&decoded);
}

static void check_utf8(struct text text)
{
    if (!text_is_utf8(text))
        return;
    for (size_t max = 0; max < text.len && max < 8; max++) {
        size_t kept = text_utf8_cut(text, max);
        FUZZ_CHECK(kept <= max && max - kept < 4);
        FUZZ_CHECK(text_is_utf8(text_of(text.p, kept)));
    }
}

/* What is shown is text without control characters, stays the same when it is shown again, and nothing is left out. */
static void check_escape(struct text text)
{
    while (text.len > 0) {
        char shown[16];
        char again[16];
        size_t taken = os_escape_text(text.p, text.len, shown, sizeof(shown));
        FUZZ_CHECK(taken > 0 && taken <= text.len);
        FUZZ_CHECK_ARRAY(shown);
        FUZZ_CHECK(text_is_utf8(text_from(shown)));
        for (const char *c = shown; *c != '\0'; c++)
            FUZZ_CHECK((unsigned char)*c >= 0x20 && *c != 0x7f);
        FUZZ_CHECK(os_escape_text(shown, strlen(shown), again, sizeof(again)) == strlen(shown));
        FUZZ_CHECK(strcmp(shown, again) == 0);
        text = text_of(text.p + taken, text.len - taken);
    }
}

static void check_each_header(const struct http_headers *headers)
{
    for (size_t i = 0; i < headers->count; i++) {
        const struct http_header *header = &headers->list[i];
        FUZZ_CHECK(strpbrk(header->name, "\r\nABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL);
        FUZZ_CHECK(strpbrk(header->value, "\r\n") == NULL);
        FUZZ_CHECK(http_headers_get(headers, header->name) != NULL);
    }
}

static void check_headers(const uint8_t *data, size_t size)
{
    struct http_response response;
    struct s3_object object;
    os_error err = {.code = OS_OK};
    int64_t date_s;

    fuzz_response(data, size, &response);
    check_each_header(&response.headers);
    os_code code = s3_parse_object(&response, &object, &err);
    if (code == OS_OK) {
        FUZZ_CHECK_ARRAY(object.etag);
        FUZZ_CHECK_ARRAY(object.version_id);
        FUZZ_CHECK_ARRAY(object.nonce);
    } else {
        fuzz_check_error(code, &err);
    }
    (void)http_response_date(&response, &date_s);
    http_response_free(&response);
}

static enum answer_head_outcome read_head(struct text text, struct http_response *ret, size_t *ret_offset)
{
    http_response_init(ret, 0);
    return answer_head_read(text, ret, ret_offset);
}

/* The body begins behind the head, and without its last byte it is none yet. */
static void check_head(struct text text)
{
    struct http_response response;
    size_t offset = 0;
    enum answer_head_outcome outcome = read_head(text, &response, &offset);
    if (outcome == ANSWER_HEAD_WHOLE) {
        FUZZ_CHECK(offset > 0 && offset <= text.len && text.p[offset - 1] == '\n');
        FUZZ_CHECK(response.status >= 200 && response.status <= 599);
        check_each_header(&response.headers);
    } else {
        FUZZ_CHECK(response.status == 0 && response.headers.count == 0);
    }
    http_response_free(&response);
    if (outcome != ANSWER_HEAD_WHOLE)
        return;
    FUZZ_CHECK(read_head(text_of(text.p, offset - 1), &response, &offset) == ANSWER_HEAD_CUT);
    http_response_free(&response);
}

static void count_pair(void *context, const char *nonce, const char *etag_hash)
{
    FUZZ_CHECK(strlen(nonce) == 32 && strlen(etag_hash) == S3_HISTORY_HASH_SIZE - 1);
    ++*(unsigned *)context;
}

/* The own pair stands before as many of those that were there as there is room for. */
static void check_history(const char *value)
{
    static const char place[] = "0123456789abcdef";
    char written[S3_HISTORY_SIZE];
    unsigned before = 0;
    unsigned after = 0;
    s3_history_read(value, place, count_pair, &before);
    FUZZ_CHECK(before <= S3_HISTORY_PAIRS);
    s3_history_write(place, "0123456789abcdef0123456789abcdef", place, value, written);
    FUZZ_CHECK_ARRAY(written);
    s3_history_read(written, place, count_pair, &after);
    FUZZ_CHECK(after == (before < S3_HISTORY_PAIRS ? before + 1 : before));
    s3_history_shorten(written);
    after = 0;
    s3_history_read(written, place, count_pair, &after);
    FUZZ_CHECK(after == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t number;
    char *bytes = fuzz_copy(data, size);
    char *str = fuzz_string(data, size);
    struct text text = text_of(bytes, size);

    check_dates(text);
    check_dates(text_trim(text));
    check_etag(str);
    check_percent(text);
    check_utf8(text);
    if (text_parse_u64(text, &number))
        FUZZ_CHECK(number == strtoull(str, NULL, 10));
    check_escape(text);
    check_headers(data, size);
    check_head(text);
    check_history(str);
    free(str);
    free(bytes);
    return 0;
}
