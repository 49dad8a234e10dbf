/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies: from memory, from files, and from what changes or is no file. */
#include "client/body.h"
#include "unit/api/client_scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOAD_MOST = 1000, MOST = 5000 };

static const char *file_of(const struct scratch *scratch, const char *name, size_t length)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", scratch->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < length; i++)
        fputc('a' + (int)(i % 26), file);
    assert_int_equal(fclose(file), 0);
    return path;
}

TEST(memory_is_lent_as_it_is)
{
    os_body from = OS_BODY_MEMORY("hello", 5);
    os_body empty = OS_BODY_MEMORY(NULL, 0);
    struct body body;
    os_error error = {0};
    CHECK_CODE(body_open(&from, LOAD_MOST, MOST, &body, &error), OS_OK, &error);
    assert_int_equal(body.http.kind, HTTP_BODY_MEMORY);
    assert_ptr_equal(body.http.data, from.data);
    assert_int_equal(body.http.length, 5);
    body_close(&body);
    CHECK_CODE(body_open(&empty, LOAD_MOST, MOST, &body, &error), OS_OK, &error);
    assert_int_equal(body.http.length, 0);
    assert_non_null(body.http.data);
    body_close(&body);
}

TEST(what_is_no_body_is_refused)
{
    struct body body;
    os_error error = {0};
    os_body nothing = OS_BODY_MEMORY(NULL, 1);
    CHECK_CODE(body_open(NULL, LOAD_MOST, MOST, &body, &error), OS_ERR_ARGUMENT, &error);
    body_close(&body);
    CHECK_CODE(body_open(&nothing, LOAD_MOST, MOST, &body, &error), OS_ERR_ARGUMENT, &error);
    body_close(&body);
}

TEST_WITH(scratch, a_small_file_is_read_at_once_and_a_larger_one_is_sent_from_disk)
{
    static const size_t lengths[] = {0, 1, LOAD_MOST, LOAD_MOST + 1, MOST};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        os_body from = OS_BODY_FILE(file_of(scratch, "body", lengths[i]));
        struct body body;
        os_error error = {0};
        CHECK_CODE(body_open(&from, LOAD_MOST, MOST, &body, &error), OS_OK, &error);
        assert_int_equal(body.http.length, lengths[i]);
        bool in_memory = lengths[i] <= LOAD_MOST;
        assert_int_equal(body.http.kind, in_memory ? HTTP_BODY_MEMORY : HTTP_BODY_FILE);
        assert_int_equal(unlink(from.file), 0); /* what was opened stays readable */
        char last = 'a' + (char)((lengths[i] - 1) % 26);
        if (in_memory && lengths[i] > 0)
            assert_int_equal(((const char *)body.http.data)[lengths[i] - 1], last);
        char byte = '\0';
        if (!in_memory) {
            assert_int_equal(pread(body.http.fd, &byte, 1, (off_t)lengths[i] - 1), 1);
            assert_int_equal(byte, last);
        }
        body_close(&body);
    }
}

struct source {
    size_t left;
    size_t at_once; /* as a pipe: fewer than were asked for */
    bool breaks;
};

static int64_t give(void *context, void *ret, size_t size)
{
    struct source *source = context;
    size_t count = size < source->at_once ? size : source->at_once;
    if (source->breaks && source->left == 0)
        return -1;
    count = count < source->left ? count : source->left;
    memset(ret, 'a', count);
    source->left -= count;
    return (int64_t)count;
}

TEST(a_stream_is_read_far_enough_to_know_whether_it_goes_on)
{
    static const size_t lengths[] = {0, 1, MOST, MOST + 1, 3 * MOST};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct source source = {.left = lengths[i], .at_once = 700};
        os_body from = {.size = sizeof(from), .read = give, .read_context = &source};
        struct body body;
        os_error error = {0};
        CHECK_CODE(body_open(&from, LOAD_MOST, MOST, &body, &error), OS_OK, &error);
        assert_int_equal(body.goes_on, lengths[i] > MOST);
        assert_int_equal(body.http.kind, HTTP_BODY_MEMORY);
        assert_int_equal(body.http.length, lengths[i] > MOST ? MOST + 1 : lengths[i]);
        assert_int_equal(source.left, lengths[i] - body.http.length);
        body_close(&body);
    }
}

TEST(a_stream_that_breaks_off_or_gives_too_much_is_refused)
{
    struct source breaks = {.left = 10, .at_once = 700, .breaks = true};
    os_body from = {.size = sizeof(from), .read = give, .read_context = &breaks};
    struct body body;
    os_error error = {0};
    CHECK_CODE(body_open(&from, LOAD_MOST, MOST, &body, &error), OS_ERR_BODY, &error);
    assert_null(body.loaded);
    body_close(&body);
}

TEST_WITH(scratch, what_is_no_regular_file_is_refused_without_waiting)
{
    char fifo[160];
    snprintf(fifo, sizeof(fifo), "%s/fifo", scratch->folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    const char *const paths[] = {scratch->folder, fifo, "/dev/zero"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        os_body from = OS_BODY_FILE(paths[i]);
        struct body body;
        os_error error = {0};
        CHECK_CODE(body_open(&from, LOAD_MOST, MOST, &body, &error), OS_ERR_ARGUMENT, &error);
        CHECK_SAYS(&error, paths[i]);
        body_close(&body);
    }
}

TEST_WITH(scratch, a_file_that_is_not_there_is_refused)
{
    const char *path = file_of(scratch, "gone", 3);
    os_body from = OS_BODY_FILE(path);
    struct body body;
    os_error error = {0};
    assert_int_equal(unlink(path), 0);
    CHECK_CODE(body_open(&from, LOAD_MOST, MOST, &body, &error), OS_ERR_IO, &error);
    CHECK_SAYS(&error, path);
    body_close(&body);
    from.file = "";
    CHECK_CODE(body_open(&from, LOAD_MOST, MOST, &body, &error), OS_ERR_IO, &error);
    body_close(&body);
}

/* The kernel says 0 of it and gives bytes: a file that grows between the look and the read. */
TEST(a_file_that_has_more_bytes_than_it_said_is_refused)
{
    os_body from = OS_BODY_FILE("/proc/self/status");
    struct body body;
    os_error error = {0};
    CHECK_CODE(body_open(&from, LOAD_MOST, MOST, &body, &error), OS_ERR_BODY, &error);
    CHECK_SAYS(&error, "/proc/self/status");
    body_close(&body);
}

/* And one that says more than it gives: sysfs attributes have a page and hold a line. */
TEST(a_file_that_has_fewer_bytes_than_it_said_is_refused)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    os_body from = OS_BODY_FILE(path);
    struct body body;
    os_error error = {0};
    struct stat st;
    if (stat(path, &st) != 0 || st.st_size == 0) {
        print_message("SKIPPED: %s is not there\n", path);
        skip();
    }
    CHECK_CODE(body_open(&from, 65536, 65536, &body, &error), OS_ERR_BODY, &error);
    body_close(&body);
}
