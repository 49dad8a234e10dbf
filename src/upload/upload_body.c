/* SPDX-License-Identifier: Apache-2.0 */
#include "upload/upload_body.h"

#include "base/crc.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_file(const struct upload_reader *reader)
{
    return reader->body->http.kind == HTTP_BODY_FILE;
}

static bool is_lent(const struct upload_reader *reader)
{
    return reader->body->http.kind == HTTP_BODY_MEMORY && !reader->body->goes_on;
}

static os_code io_error(const struct upload_reader *reader, os_error *err)
{
    return error_set(err, OS_ERR_IO, "The file %.300s could not be read: %s.", reader->body->file, strerror(errno));
}

static os_code upload_body_changed(const struct upload_reader *reader, os_error *err)
{
    return error_set(err, OS_ERR_BODY,
                     "The file %.300s was changed while it was read; nothing was written. Try again when nobody writes "
                     "to it.",
                     reader->body->file);
}

os_code upload_reader_init(struct upload_reader *ret, struct body *body, enum s3_checksum checksum, bool bare,
                           os_error *err)
{
    memset(ret, 0, sizeof(*ret));
    ret->body = body;
    ret->checksum = checksum;
    ret->bare = bare;
    if (is_file(ret) && fstat(body->fd, &ret->before) != 0)
        return io_error(ret, err);
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ bytes */

static os_code upload_body_make_room(struct upload_bytes *bytes, uint64_t size, os_error *err)
{
    if (bytes->capacity >= size)
        return OS_OK;
    upload_bytes_free(bytes);
    if (size > SIZE_MAX)
        return error_no_memory(err);
    bytes->buffer = malloc((size_t)size);
    if (bytes->buffer == NULL)
        return error_no_memory(err);
    bytes->capacity = size;
    return OS_OK;
}

static os_code upload_body_read_file(const struct upload_reader *reader, char *data, uint64_t length, os_error *err)
{
    uint64_t done = 0;
    while (done < length) {
        ssize_t got = pread(reader->body->fd, data + done, (size_t)(length - done), (off_t)(reader->offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return io_error(reader, err);
        if (got == 0)
            return upload_body_changed(reader, err);
        done += (uint64_t)got;
    }
    return OS_OK;
}

/* What body_open has read of it first, then the stream itself. */
static os_code upload_body_read_stream(const struct upload_reader *reader, char *data, uint64_t size,
                                       uint64_t *ret_length, os_error *err)
{
    struct body *body = reader->body;
    uint64_t before = body->http.length > reader->offset ? body->http.length - reader->offset : 0;
    uint64_t rest = 0;
    if (before > size)
        before = size;
    if (before > 0)
        memcpy(data, (const char *)body->loaded + reader->offset, (size_t)before);
    if (body->loaded && reader->offset + before == body->http.length) {
        free(body->loaded); /* it has the size of some part: a call holds no more than was promised */
        body->loaded = NULL;
        body->http.data = NULL;
    }
    os_code code = before < size ? body_read_on(body, data + before, size - before, &rest, err) : OS_OK;
    *ret_length = before + rest;
    return code;
}

static os_code upload_body_take(struct upload_reader *reader, uint64_t most, struct upload_bytes *ret, os_error *err)
{
    const struct body *body = reader->body;
    uint64_t left = body->goes_on ? most : body->http.length - reader->offset;
    uint64_t length = left < most ? left : most;
    if (is_lent(reader)) {
        ret->data = (const char *)body->http.data + reader->offset;
        ret->length = length;
        return OS_OK;
    }
    os_code code = upload_body_make_room(ret, length, err);
    if (code == OS_OK && is_file(reader))
        code = upload_body_read_file(reader, ret->buffer, length, err);
    else if (code == OS_OK)
        code = upload_body_read_stream(reader, ret->buffer, length, &length, err);
    ret->data = ret->buffer;
    ret->length = length;
    return code;
}

void upload_bytes_free(struct upload_bytes *bytes)
{
    free(bytes->buffer);
    bytes->buffer = NULL;
    bytes->capacity = 0;
}

/* ------------------------------------------------------------------------------------------------ sums */

static void write_crc(enum s3_checksum checksum, uint64_t crc, char *ret)
{
    if (checksum == S3_CHECKSUM_CRC32C)
        crc32c_text((uint32_t)crc, ret);
    else
        crc64nvme_text(crc, ret);
}

static bool upload_body_add_md5(struct upload_bytes *bytes)
{
    unsigned char digest[MD5_SIZE];
    if (!md5_digest(bytes->data, (size_t)bytes->length, digest))
        return false;
    text_base64(digest, sizeof(digest), bytes->md5_text);
    bytes->sums.content_md5 = bytes->md5_text;
    return true;
}

static void add_crc(struct upload_reader *reader, struct upload_bytes *bytes)
{
    size_t length = (size_t)bytes->length;
    uint64_t crc;
    if (reader->checksum == S3_CHECKSUM_CRC32C) {
        crc = crc32c_add(0, bytes->data, length);
        reader->crc = crc32c_combine((uint32_t)reader->crc, (uint32_t)crc, length);
    } else {
        crc = crc64nvme_add(0, bytes->data, length);
        reader->crc = crc64nvme_combine(reader->crc, crc, length);
    }
    write_crc(reader->checksum, crc, bytes->sum_text);
}

static bool add_sha256(struct upload_bytes *bytes)
{
    unsigned char digest[SHA256_SIZE];
    if (!sha256_digest(bytes->data, (size_t)bytes->length, digest))
        return false;
    text_base64(digest, sizeof(digest), bytes->sum_text);
    return true;
}

static bool add_sum(struct upload_reader *reader, struct upload_bytes *bytes)
{
    if (reader->checksum == S3_CHECKSUM_NONE)
        return reader->bare || upload_body_add_md5(bytes);
    if (reader->checksum != S3_CHECKSUM_SHA256)
        add_crc(reader, bytes);
    else if (!add_sha256(bytes))
        return false;
    bytes->sums.checksum = reader->checksum;
    bytes->sums.checksum_text = bytes->sum_text;
    return true;
}

os_code upload_reader_next(struct upload_reader *reader, uint64_t most, struct upload_bytes *ret, os_error *err)
{
    assert(reader->body->goes_on || reader->offset <= reader->body->http.length);
    os_code code = upload_body_take(reader, most, ret, err);
    if (code != OS_OK)
        return code;
    memset(&ret->sums, 0, sizeof(ret->sums));
    reader->offset += ret->length;
    return add_sum(reader, ret) ? OS_OK : error_no_memory(err);
}

os_code upload_reader_end(const struct upload_reader *reader, os_error *err)
{
    struct stat after;
    if (!is_file(reader))
        return OS_OK;
    if (fstat(reader->body->fd, &after) != 0)
        return io_error(reader, err);
    bool same = (uint64_t)after.st_size == reader->body->http.length &&
                after.st_mtim.tv_sec == reader->before.st_mtim.tv_sec &&
                after.st_mtim.tv_nsec == reader->before.st_mtim.tv_nsec;
    return same ? OS_OK : upload_body_changed(reader, err);
}

void upload_reader_sum(const struct upload_reader *reader, char *ret)
{
    assert(reader->checksum == S3_CHECKSUM_CRC32C || reader->checksum == S3_CHECKSUM_CRC64NVME);
    write_crc(reader->checksum, reader->crc, ret);
}
