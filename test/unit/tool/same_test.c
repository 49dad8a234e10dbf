/* SPDX-License-Identifier: Apache-2.0 */
#include "common/same.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MIB = 1024 * 1024, SIZE = 12 * MIB };

static int file_of(size_t size, char letter)
{
    char name[] = "/tmp/oscommit-same-XXXXXX";
    int fd = mkstemp(name);
    char *data = malloc(size + 1);

    assert_true(fd >= 0);
    assert_int_equal(unlink(name), 0);
    assert_non_null(data);
    memset(data, letter, size);
    assert_int_equal(write(fd, data, size), (ssize_t)size);
    free(data);
    return fd;
}

/* The sums are made by another program, with Python's hashlib. */
static const struct {
    const char *name;
    size_t size;
    const char *etag;
    uint64_t part_size;
    enum same same;
} rows[] = {
    {.name = "the MD5", .size = 3, .etag = "\"47bce5c74f589f4867dbd57e9ca9f808\"", .same = SAME_BYTES},
    {.name = "without quotes", .size = 3, .etag = "47bce5c74f589f4867dbd57e9ca9f808", .same = SAME_BYTES},
    {.name = "another", .size = 4, .etag = "\"47bce5c74f589f4867dbd57e9ca9f808\"", .same = OTHER_BYTES},
    {.name = "nothing", .size = 0, .etag = "\"d41d8cd98f00b204e9800998ecf8427e\"", .same = SAME_BYTES},
    {.name = "no quote at the end", .size = 3, .etag = "\"47bce5c74f589f4867dbd57e9ca9f808", .same = SAME_UNKNOWN},
    {.name = "more behind it", .size = 3, .etag = "47bce5c74f589f4867dbd57e9ca9f808x", .same = SAME_UNKNOWN},
    {.name = "too long", .size = 3, .etag = "47bce5c74f589f4867dbd57e9ca9f8080", .same = SAME_UNKNOWN},
    {.name = "another kind", .size = 3, .etag = "\"abc\"", .same = SAME_UNKNOWN},
    {.name = "none", .size = 3, .etag = "", .same = SAME_UNKNOWN},
    {.name = "no number of parts", .size = 3, .etag = "47bce5c74f589f4867dbd57e9ca9f808-0", .same = SAME_UNKNOWN},
    {.name = "one part", .size = 3, .etag = "\"e2c3da976e66ec9e7dc128fbc782fc91-1\"", .same = SAME_BYTES},
    {.name = "one part of others", .size = 4, .etag = "\"e2c3da976e66ec9e7dc128fbc782fc91-1\"", .same = OTHER_BYTES},
    {.name = "no part", .size = 0, .etag = "\"e2c3da976e66ec9e7dc128fbc782fc91-1\"", .same = SAME_UNKNOWN},
    {.name = "parts of 5 MiB", .size = SIZE, .etag = "\"e19e8b0516f175cb3caa4af5d45a2193-3\"", .same = SAME_BYTES},
    {.name = "parts of 8 MiB", .size = SIZE, .etag = "\"60aff0f85c4e933147fa3bd864ee6b38-2\"", .same = SAME_BYTES},
    {.name = "parts of the size that is set",
     .size = SIZE,
     .etag = "\"a1e7845ebb458cc0b97a0734e3c52091-2\"",
     .part_size = 7 * MIB,
     .same = SAME_BYTES},
    {.name = "parts of an unknown size",
     .size = SIZE,
     .etag = "\"a1e7845ebb458cc0b97a0734e3c52091-2\"",
     .same = SAME_UNKNOWN},
};

TEST_ROWS(rows, a_file_is_compared_with_an_etag)
{
    int fd = file_of(row->size, 'a');

    assert_int_equal(same_as_etag(fd, row->size, row->etag, row->part_size), row->same);
    assert_int_equal(close(fd), 0);
}

TEST(a_file_that_is_shorter_than_it_was_is_not_known)
{
    int fd = file_of(3, 'a');

    assert_int_equal(same_as_etag(fd, 4, "\"47bce5c74f589f4867dbd57e9ca9f808\"", 0), SAME_UNKNOWN);
    assert_int_equal(close(fd), 0);
}
