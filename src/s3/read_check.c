/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/read_check.h"

#include "base/crc.h"
#include "base/error.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static os_code read_check_refuse(os_error *err, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static os_code read_check_refuse(os_error *err, const char *key, const char *format, ...)
{
    char why[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    return error_set(err, OS_ERR_PROTOCOL, "The answer to GET of %.300s is not what was asked for: %s.", key, why);
}

/* ------------------------------------------------------------------------------------------------ the range */

struct range {
    uint64_t first;
    uint64_t last;
    bool has_total;
    uint64_t total; /* bytes of the object */
};

/* "bytes 0-9/100", "bytes 0-9/" and a star (RFC 9110, section 14.4). */
static bool parse_range(const char *value, struct range *ret)
{
    struct text rest = text_from(value);
    if (!text_take_str(&rest, "bytes ") || !text_take_u64(&rest, &ret->first) || !text_take_char(&rest, '-') ||
        !text_take_u64(&rest, &ret->last) || !text_take_char(&rest, '/') || ret->last < ret->first)
        return false;
    ret->has_total = !text_is(rest, "*");
    return !ret->has_total || (text_parse_u64(rest, &ret->total) && ret->last < ret->total);
}

/* The last byte that an honest answer has; false where nobody can tell. */
static bool wanted_last(const struct range *range, uint64_t offset, uint64_t count, uint64_t *ret)
{
    bool counted = count > 0 && count - 1 <= UINT64_MAX - offset;
    uint64_t asked = counted ? offset + count - 1 : UINT64_MAX;
    if (range->has_total)
        *ret = asked < range->total - 1 ? asked : range->total - 1;
    else
        *ret = asked;
    return range->has_total || counted;
}

static os_code take_range(struct s3_read_check *check, const char *key, const struct http_response *response,
                          uint64_t offset, uint64_t count, os_error *err)
{
    const char *said = http_headers_get(&response->headers, "content-range");
    struct range range = {0};
    uint64_t last;
    if (offset == 0 && count == 0)
        return read_check_refuse(err, key, "it is a part (HTTP 206), but the whole object was requested");
    if (said == NULL || !parse_range(said, &range))
        return read_check_refuse(err, key, "it is a part (HTTP 206) whose Content-Range \"%.60s\" cannot be read",
                                 said ? said : "");
    if (range.first != offset || !wanted_last(&range, offset, count, &last) || range.last != last)
        return read_check_refuse(
            err, key, "it has the range \"%.60s\", and %" PRIu64 " bytes from byte %" PRIu64 " were wanted%s", said,
            count, offset, count == 0 ? " (0: all)" : "");
    uint64_t length = range.last - range.first + 1;
    if (check->has_length && check->length != length)
        return read_check_refuse(err, key,
                                 "its Content-Length is %" PRIu64 ", and its range \"%.60s\" has %" PRIu64 " bytes",
                                 check->length, said, length);
    check->has_length = true;
    check->length = length;
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ the length */

static bool is_chunked(const struct http_response *response)
{
    const char *coding = http_headers_get(&response->headers, "transfer-encoding");
    return coding != NULL && text_is_nocase(text_from(coding), "chunked");
}

static os_code take_length(struct s3_read_check *check, const char *key, const struct http_response *response,
                           os_error *err)
{
    const char *length = http_headers_get(&response->headers, "content-length");
    if (is_chunked(response) || length == NULL)
        return OS_OK;
    check->has_length = text_parse_u64(text_from(length), &check->length) && check->length <= INT64_MAX;
    if (!check->has_length)
        return read_check_refuse(err, key, "its Content-Length \"%.40s\" is not a number", length);
    return OS_OK;
}

/* A server may ignore Range (RFC 9110, section 14.2): the whole will do where it is what was wanted. */
static os_code take_whole(const struct s3_read_check *check, const char *key, const struct http_response *response,
                          uint64_t offset, uint64_t count, os_error *err)
{
    bool ranged = offset > 0 || count > 0;
    bool is_within = offset == 0 && check->has_length && check->length <= count;
    if (ranged && !is_within)
        return read_check_refuse(err, key, "it is the whole object (HTTP 200) instead of a part");
    if (!check->has_length && !is_chunked(response))
        return read_check_refuse(err, key, "it does not say how long it is, so nobody can tell whether it is complete");
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ the sum */

static const char *digest_of(enum s3_checksum checksum)
{
    return checksum == S3_CHECKSUM_SHA1 ? "SHA1" : checksum == S3_CHECKSUM_SHA256 ? "SHA256" : NULL;
}

/* The first that can be computed; not the sum of the sums of parts ("...-3"). */
static os_code take_sum(struct s3_read_check *check, const struct http_response *response, os_error *err)
{
    for (int i = S3_CHECKSUM_NONE + 1; i < S3_CHECKSUM_END && check->checksum == S3_CHECKSUM_NONE; i++) {
        const char *text = http_headers_get(&response->headers, s3_checksum_header((enum s3_checksum)i));
        if (text == NULL || strchr(text, '-') != NULL || !TEXT_COPY_STR(text, check->sum))
            continue;
        const char *digest = digest_of((enum s3_checksum)i);
        if (digest && !digest_stream_begin(&check->digest, digest))
            return error_no_memory(err);
        check->checksum = (enum s3_checksum)i;
    }
    return OS_OK;
}

static void add_to_sum(struct s3_read_check *check, const void *data, size_t length)
{
    switch (check->checksum) {
    case S3_CHECKSUM_CRC32: check->crc = crc32_add((uint32_t)check->crc, data, length); break;
    case S3_CHECKSUM_CRC32C: check->crc = crc32c_add((uint32_t)check->crc, data, length); break;
    case S3_CHECKSUM_CRC64NVME: check->crc = crc64nvme_add(check->crc, data, length); break;
    case S3_CHECKSUM_SHA1:
    case S3_CHECKSUM_SHA256: digest_stream_add(&check->digest, data, length); break;
    default: break;
    }
}

/* False when a digest failed, so that there is nothing to compare. */
static bool write_sum(struct s3_read_check *check, char *ret)
{
    unsigned char bytes[SHA256_SIZE];
    size_t length = 0;
    switch (check->checksum) {
    case S3_CHECKSUM_CRC32:
    case S3_CHECKSUM_CRC32C: crc32c_text((uint32_t)check->crc, ret); return true;
    case S3_CHECKSUM_CRC64NVME: crc64nvme_text(check->crc, ret); return true;
    default: break;
    }
    if (!digest_stream_end(&check->digest, bytes, &length))
        return false;
    text_base64(bytes, length, ret);
    return true;
}

/* ------------------------------------------------------------------------------------------------ all */

os_code s3_read_begin(struct s3_read_check *check, const char *key, const struct http_response *response,
                      uint64_t offset, uint64_t count, os_error *err)
{
    memset(check, 0, sizeof(*check));
    check->begun = true;
    os_code code = take_length(check, key, response, err);
    if (code != OS_OK)
        return code;
    if (response->status == 206)
        return take_range(check, key, response, offset, count, err);
    if (response->status != 200)
        return read_check_refuse(err, key, "it is HTTP %d, which is no answer to a GET", response->status);
    code = take_whole(check, key, response, offset, count, err);
    return code == OS_OK ? take_sum(check, response, err) : code;
}

void s3_read_skip_sum(struct s3_read_check *check)
{
    s3_read_free(check);
    check->checksum = S3_CHECKSUM_NONE;
}

void s3_read_add(struct s3_read_check *check, const void *data, size_t length)
{
    check->received += length;
    add_to_sum(check, data, length);
}

os_code s3_read_end(struct s3_read_check *check, const char *key, os_error *err)
{
    char sum[S3_CHECKSUM_TEXT_SIZE] = "";
    if (check->has_length && check->received != check->length)
        return read_check_refuse(err, key, "%" PRIu64 " bytes came, and %" PRIu64 " were promised", check->received,
                                 check->length);
    if (check->checksum == S3_CHECKSUM_NONE)
        return OS_OK;
    if (!write_sum(check, sum))
        return error_no_memory(err);
    if (strcmp(sum, check->sum) != 0)
        return read_check_refuse(err, key, "the %s of the received bytes is %s, but that of the object is %s",
                                 s3_checksum_name(check->checksum), sum, check->sum);
    return OS_OK;
}

void s3_read_free(struct s3_read_check *check)
{
    digest_stream_free(&check->digest);
}
