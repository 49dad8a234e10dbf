/* SPDX-License-Identifier: Apache-2.0 */
#include "common/same.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MD5_SIZE = 16, HEX_SIZE = 2 * MD5_SIZE, BUFFER_SIZE = 256 * 1024 };
#define MIB ((uint64_t)1024 * 1024)

struct sum {
    EVP_MD_CTX *parts; /* of one part */
    EVP_MD_CTX *whole; /* of the sums of the parts */
    unsigned char *buffer;
};

static bool sum_open(struct sum *sum)
{
    sum->parts = EVP_MD_CTX_new();
    sum->whole = EVP_MD_CTX_new();
    sum->buffer = malloc(BUFFER_SIZE);
    return sum->parts != NULL && sum->whole != NULL && sum->buffer != NULL;
}

static void sum_close(struct sum *sum)
{
    EVP_MD_CTX_free(sum->parts);
    EVP_MD_CTX_free(sum->whole);
    free(sum->buffer);
}

/* The MD5 of bytes of the file. False: it has fewer, or cannot be read, or there is no MD5 (FIPS). */
static bool sum_of_range(const struct sum *sum, int fd, uint64_t offset, uint64_t length, unsigned char ret[MD5_SIZE])
{
    if (EVP_DigestInit_ex(sum->parts, EVP_md5(), NULL) != 1)
        return false;
    while (length > 0) {
        size_t wanted = length < BUFFER_SIZE ? (size_t)length : BUFFER_SIZE;
        ssize_t got = pread(fd, sum->buffer, wanted, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || EVP_DigestUpdate(sum->parts, sum->buffer, (size_t)got) != 1)
            return false;
        offset += (uint64_t)got;
        length -= (uint64_t)got;
    }
    return EVP_DigestFinal_ex(sum->parts, ret, NULL) == 1;
}

/* The MD5 of the MD5s of the parts, as S3 makes the ETag of an upload in parts. */
static bool sum_of_parts(const struct sum *sum, int fd, uint64_t length, uint64_t part_size,
                         unsigned char ret[MD5_SIZE])
{
    bool good = EVP_DigestInit_ex(sum->whole, EVP_md5(), NULL) == 1;

    for (uint64_t offset = 0; good && offset < length; offset += part_size) {
        uint64_t left = length - offset;
        good = sum_of_range(sum, fd, offset, left < part_size ? left : part_size, ret) &&
               EVP_DigestUpdate(sum->whole, ret, MD5_SIZE) == 1;
    }
    return good && EVP_DigestFinal_ex(sum->whole, ret, NULL) == 1;
}

static bool is_sum(const unsigned char sum[MD5_SIZE], const char *hex)
{
    char text[HEX_SIZE + 1];

    for (int i = 0; i < MD5_SIZE; i++)
        (void)snprintf(text + (ptrdiff_t)2 * i, 3, "%02x", sum[i]);
    return memcmp(text, hex, HEX_SIZE) == 0;
}

static uint64_t count_of_parts(uint64_t length, uint64_t part_size)
{
    return length / part_size + (length % part_size == 0 ? 0 : 1);
}

static enum same compare_parts(const struct sum *sum, int fd, uint64_t length, const char *hex, uint64_t parts,
                               uint64_t part_size)
{
    const uint64_t sizes[] = {part_size == 0 ? 16 * MIB : part_size, 16 * MIB, 8 * MIB, 5 * MIB, 32 * MIB, 64 * MIB};
    unsigned char found[MD5_SIZE];

    if (parts == 1) /* whatever the size */
        return !sum_of_parts(sum, fd, length, length, found) ? SAME_UNKNOWN
               : is_sum(found, hex)                          ? SAME_BYTES
                                                             : OTHER_BYTES;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        bool is_possible = count_of_parts(length, sizes[i]) == parts && (i == 0 || sizes[i] != sizes[0]);
        if (is_possible && sum_of_parts(sum, fd, length, sizes[i], found) && is_sum(found, hex))
            return SAME_BYTES;
    }
    return SAME_UNKNOWN;
}

/* "HEX" or "HEX-PARTS", in quotes or without. False: the ETag is another. */
static bool take_etag(const char *etag, char hex[HEX_SIZE + 1], uint64_t *ret_parts)
{
    size_t quote = etag[0] == '"' ? 1 : 0;
    char *end;

    etag += quote;
    if (strspn(etag, "0123456789abcdef") != HEX_SIZE)
        return false;
    memcpy(hex, etag, HEX_SIZE);
    hex[HEX_SIZE] = '\0';
    etag += HEX_SIZE;
    *ret_parts = 0;
    if (*etag == '-' && etag[1] >= '1' && etag[1] <= '9') {
        *ret_parts = strtoull(etag + 1, &end, 10);
        etag = end;
    }
    return quote == 1 ? strcmp(etag, "\"") == 0 : *etag == '\0';
}

enum same same_as_etag(int fd, uint64_t length, const char *etag, uint64_t part_size)
{
    char hex[HEX_SIZE + 1];
    unsigned char found[MD5_SIZE];
    uint64_t parts;
    struct sum sum;
    enum same same = SAME_UNKNOWN;

    if (!take_etag(etag, hex, &parts))
        return SAME_UNKNOWN;
    if (!sum_open(&sum) || (parts > 0 && length == 0))
        same = SAME_UNKNOWN;
    else if (parts > 0)
        same = compare_parts(&sum, fd, length, hex, parts, part_size);
    else if (sum_of_range(&sum, fd, 0, length, found))
        same = is_sum(found, hex) ? SAME_BYTES : OTHER_BYTES;
    sum_close(&sum);
    return same;
}
