/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_MAX = 1 << 20 };

_Noreturn void fuzz_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: this must hold: %s\n", file, line, condition);
    abort();
}

unsigned fuzz_next(struct fuzz_bytes *bytes)
{
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->p++;
}

uint64_t fuzz_next_u32(struct fuzz_bytes *bytes)
{
    uint64_t value = fuzz_next(bytes);
    value = value << 8 | fuzz_next(bytes);
    value = value << 8 | fuzz_next(bytes);
    return value << 8 | fuzz_next(bytes);
}

uint64_t fuzz_next_number(struct fuzz_bytes *bytes)
{
    unsigned pick = fuzz_next(bytes);
    if (pick < 200)
        return pick;
    if (pick < 240)
        return fuzz_next_u32(bytes);
    if (pick < 248)
        return UINT64_MAX;
    return UINT64_MAX - fuzz_next(bytes);
}

char *fuzz_copy(const uint8_t *data, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

char *fuzz_string(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy == NULL)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

void fuzz_response(const uint8_t *data, size_t size, struct http_response *ret)
{
    struct text rest = text_of((const char *)data, size);
    struct text line;
    uint64_t status;

    http_response_init(ret, BODY_MAX);
    if (text_take_until(&rest, '\n', &line) && text_parse_u64(line, &status) && status < 1000)
        ret->status = (int)status;
    while (text_take_until(&rest, '\n', &line) && line.len > 0) {
        struct text name;
        if (text_take_until(&line, ':', &name))
            (void)http_headers_add_text(&ret->headers, name, line);
    }
    (void)buf_add(&ret->body, rest.p, rest.len);
}

void fuzz_check_string(const char *str, size_t size)
{
    FUZZ_CHECK(strnlen(str, size) < size);
}

void fuzz_check_error(os_code code, const os_error *err)
{
    FUZZ_CHECK(err->code == code);
    FUZZ_CHECK(code == OS_OK || strcmp(os_code_name(code), "OS_ERR_?") != 0);
    FUZZ_CHECK_ARRAY(err->message);
    FUZZ_CHECK_ARRAY(err->service_code);
    FUZZ_CHECK_ARRAY(err->request_id);
    FUZZ_CHECK(strpbrk(err->message, "\r\n") == NULL);
    FUZZ_CHECK(code == OS_OK || err->message[0] != '\0');
}

bool fuzz_body_has(const struct http_response *response, const char *name)
{
    size_t len = response->body.len;
    return len > 0 && (memmem(response->body.data, len, name, strlen(name)) != NULL ||
                       memchr(response->body.data, '\0', len) != NULL);
}

bool fuzz_goes_on(struct fuzz_listener *listener)
{
    FUZZ_CHECK(listener->stop_after == 0 || listener->entries < listener->stop_after);
    return ++listener->entries != listener->stop_after;
}

void fuzz_check_list(fuzz_list_reader *read, const struct http_response *response)
{
    os_code code;
    unsigned all = read(response, 0, &code);
    FUZZ_CHECK(code != OS_ERR_STOPPED);
    unsigned some = read(response, 1, &code);
    FUZZ_CHECK(some == (all > 0 ? 1 : 0) && (all == 0 || code == OS_ERR_STOPPED));
}

void fuzz_check_page(bool truncated, const char *const from[2], char *const next[2])
{
    FUZZ_CHECK(truncated == (next[0] != NULL) && truncated == (next[1] != NULL));
    FUZZ_CHECK(!truncated || next[0][0] != '\0');
    FUZZ_CHECK(!truncated || strcmp(next[0], from[0]) != 0 || strcmp(next[1], from[1]) != 0);
    free(next[0]);
    free(next[1]);
}

void fuzz_check_failure(os_code code, const os_error *err, const void *result, size_t size)
{
    const unsigned char *bytes = result;
    fuzz_check_error(code, err);
    FUZZ_CHECK(code == OS_ERR_SERVICE || code == OS_ERR_PROTOCOL);
    for (size_t i = 0; i < size; i++)
        FUZZ_CHECK(bytes[i] == 0x55);
}
