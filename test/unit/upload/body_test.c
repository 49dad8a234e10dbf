/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of staged bodies: in order, with sums that a store would find, from what can be lent and what must be read.
 */
#include "base/crc.h"
#include "base/digest.h"
#include "base/text.h"
#include "unit/api/client_scratch.h"
#include "upload/upload_body.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LENGTH = 10001, PART = 3000, STREAM_MOST = 4000 };

static unsigned char bytes[LENGTH];

static void make_bytes(void)
{
    for (size_t i = 0; i < LENGTH; i++)
        bytes[i] = (unsigned char)((i * 2654435761U) >> 11);
}

static const char *file_with_bytes(const struct scratch *scratch)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/body", scratch->folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, LENGTH, file), LENGTH);
    assert_int_equal(fclose(file), 0);
    return path;
}

struct source {
    size_t offset;
    size_t length;
    bool breaks;
};

static int64_t give(void *context, void *ret, size_t size)
{
    struct source *source = context;
    size_t count = source->length - source->offset;
    if (count == 0 && source->breaks)
        return -1;
    count = count < 333 ? count : 333;
    count = count < size ? count : size;
    memcpy(ret, bytes + source->offset, count);
    source->offset += count;
    return (int64_t)count;
}

static void check_md5(const struct upload_bytes *part, size_t offset)
{
    unsigned char digest[MD5_SIZE];
    char text[25];
    assert_true(md5_digest(bytes + offset, (size_t)part->length, digest));
    text_base64(digest, sizeof(digest), text);
    assert_string_equal(part->sums.content_md5, text);
    assert_int_equal(part->sums.checksum, S3_CHECKSUM_NONE);
    assert_null(part->sums.checksum_text);
}

static void check_sum(const struct upload_bytes *part, size_t offset, enum s3_checksum checksum)
{
    unsigned char digest[SHA256_SIZE];
    char text[S3_CHECKSUM_TEXT_SIZE];
    if (checksum == S3_CHECKSUM_SHA256) {
        assert_true(sha256_digest(bytes + offset, (size_t)part->length, digest));
        text_base64(digest, sizeof(digest), text);
    } else if (checksum == S3_CHECKSUM_CRC32C)
        crc32c_text(crc32c_add(0, bytes + offset, (size_t)part->length), text);
    else
        crc64nvme_text(crc64nvme_add(0, bytes + offset, (size_t)part->length), text);
    assert_null(part->sums.content_md5);
    assert_int_equal(part->sums.checksum, checksum);
    assert_string_equal(part->sums.checksum_text, text);
}

static void check_whole(const struct upload_reader *reader, size_t length, enum s3_checksum checksum)
{
    char text[S3_CHECKSUM_TEXT_SIZE];
    char whole[S3_CHECKSUM_TEXT_SIZE];
    if (checksum == S3_CHECKSUM_CRC32C)
        crc32c_text(crc32c_add(0, bytes, length), text);
    else
        crc64nvme_text(crc64nvme_add(0, bytes, length), text);
    upload_reader_sum(reader, whole);
    assert_string_equal(whole, text);
}

/* Parts of PART bytes, one after the other through the same buffer, until there are none. */
static void check_all(struct body *body, size_t length, enum s3_checksum checksum, bool bare)
{
    struct upload_reader reader;
    struct upload_bytes part = {0};
    os_error error = {0};
    size_t offset = 0;
    CHECK_CODE(upload_reader_init(&reader, body, checksum, bare, &error), OS_OK, &error);
    do {
        CHECK_CODE(upload_reader_next(&reader, PART, &part, &error), OS_OK, &error);
        assert_int_equal(part.length, length - offset < PART ? length - offset : PART);
        assert_memory_equal(part.data, bytes + offset, part.length);
        assert_true(part.capacity <= PART);
        if (checksum != S3_CHECKSUM_NONE)
            check_sum(&part, offset, checksum);
        else if (bare)
            assert_null(part.sums.content_md5);
        else
            check_md5(&part, offset);
        offset += part.length;
    } while (part.length > 0);
    assert_int_equal(offset, length);
    CHECK_CODE(upload_reader_end(&reader, &error), OS_OK, &error);
    if (checksum != S3_CHECKSUM_NONE && checksum != S3_CHECKSUM_SHA256)
        check_whole(&reader, length, checksum);
    upload_bytes_free(&part);
}

static const enum s3_checksum sums[] = {S3_CHECKSUM_NONE, S3_CHECKSUM_CRC32C, S3_CHECKSUM_CRC64NVME,
                                        S3_CHECKSUM_SHA256};

TEST(memory_is_lent_in_slices)
{
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        os_body from = OS_BODY_MEMORY(bytes, LENGTH);
        struct upload_reader reader;
        struct upload_bytes part = {0};
        struct body body;
        os_error error = {0};
        CHECK_CODE(body_open(&from, 0, 0, &body, &error), OS_OK, &error);
        CHECK_CODE(upload_reader_init(&reader, &body, sums[i], false, &error), OS_OK, &error);
        CHECK_CODE(upload_reader_next(&reader, PART, &part, &error), OS_OK, &error);
        assert_ptr_equal(part.data, bytes);
        assert_null(part.buffer);
        check_all(&body, LENGTH, sums[i], false); /* and again, as a body that is staged again */
        check_all(&body, LENGTH, S3_CHECKSUM_NONE, true);
        body_close(&body);
    }
}

TEST_WITH(scratch, a_file_is_read_part_by_part)
{
    os_body from = OS_BODY_FILE(file_with_bytes(scratch));
    struct body body;
    os_error error = {0};
    CHECK_CODE(body_open(&from, 0, 0, &body, &error), OS_OK, &error);
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
        check_all(&body, LENGTH, sums[i], false);
    body_close(&body);
}

/* Its beginning, which was read to see whether it goes on, ends in the midst of a part. */
TEST(a_stream_is_read_on_from_its_beginning)
{
    static const size_t lengths[] = {STREAM_MOST + 1, 2 * PART, 3 * PART, LENGTH};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct source source = {.length = lengths[i]};
        os_body from = {.size = sizeof(from), .read = give, .read_context = &source};
        struct body body;
        os_error error = {0};
        CHECK_CODE(body_open(&from, 0, STREAM_MOST, &body, &error), OS_OK, &error);
        assert_true(body.goes_on);
        check_all(&body, lengths[i], sums[i % (sizeof(sums) / sizeof(sums[0]))], false);
        assert_null(body.loaded); /* given back as soon as it is in a part */
        body_close(&body);
    }
}

TEST(a_stream_that_breaks_off_is_an_error)
{
    struct source source = {.length = 2 * PART, .breaks = true};
    os_body from = {.size = sizeof(from), .read = give, .read_context = &source};
    struct upload_reader reader;
    struct upload_bytes part = {0};
    struct body body;
    os_error error = {0};
    CHECK_CODE(body_open(&from, 0, STREAM_MOST, &body, &error), OS_OK, &error);
    CHECK_CODE(upload_reader_init(&reader, &body, S3_CHECKSUM_NONE, false, &error), OS_OK, &error);
    CHECK_CODE(upload_reader_next(&reader, PART, &part, &error), OS_OK, &error);
    CHECK_CODE(upload_reader_next(&reader, PART, &part, &error), OS_OK, &error);
    CHECK_CODE(upload_reader_next(&reader, PART, &part, &error), OS_ERR_BODY, &error);
    upload_bytes_free(&part);
    body_close(&body);
}

static void write_after(const char *path, off_t length, bool same_length)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 12345}};
    assert_true(fd >= 0);
    if (!same_length)
        assert_int_equal(ftruncate(fd, length), 0);
    assert_int_equal(pwrite(fd, "x", 1, 0), 1);
    if (same_length)
        assert_int_equal(futimens(fd, times), 0); /* a clock too coarse to tell this write from the first */
    close(fd);
}

/* Shorter: seen when the bytes are missing. Longer, or written over: seen at the end. */
TEST_WITH(scratch, a_file_that_changes_is_an_error)
{
    static const struct {
        off_t length;
        bool same_length;
    } changes[] = {{PART + 1, false}, {LENGTH + 1, false}, {LENGTH, true}};
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        os_body from = OS_BODY_FILE(file_with_bytes(scratch));
        struct upload_reader reader;
        struct upload_bytes part = {0};
        struct body body;
        os_error error = {0};
        os_code code;
        CHECK_CODE(body_open(&from, 0, 0, &body, &error), OS_OK, &error);
        CHECK_CODE(upload_reader_init(&reader, &body, S3_CHECKSUM_NONE, false, &error), OS_OK, &error);
        CHECK_CODE(upload_reader_next(&reader, PART, &part, &error), OS_OK, &error);
        write_after(from.file, changes[i].length, changes[i].same_length);
        do {
            code = upload_reader_next(&reader, PART, &part, &error);
        } while (code == OS_OK && part.length > 0);
        assert_int_equal(code == OS_OK, changes[i].length >= LENGTH);
        if (code == OS_OK)
            code = upload_reader_end(&reader, &error);
        CHECK_CODE(code, OS_ERR_BODY, &error);
        CHECK_SAYS(&error, from.file);
        upload_bytes_free(&part);
        body_close(&body);
    }
}

int main(int argc, char **argv)
{
    make_bytes();
    return test_main(argc, argv);
}
