/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/result_file.h"
#include "support/test.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char path[96];

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/oscommit-result-XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/result", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder); /* fails, and with it the test, when a temporary file was left */
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void expect_text(const char *text)
{
    char read[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    read[fread(read, 1, sizeof(read) - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(read, text);
}

TEST_BETWEEN(make_folder, remove_folder, it_takes_its_name_when_it_is_whole)
{
    struct result_file file;
    os_error err;
    assert_true(result_file_open(path, &file, &err));
    assert_true(fputs("whole", file.stream) >= 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_true(result_file_close(&file, true, &err));
    expect_text("whole");
    struct stat found;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0666 & ~mask);
}

TEST_BETWEEN(make_folder, remove_folder, one_that_was_given_up_leaves_the_old_one)
{
    struct result_file file;
    os_error err;
    write_text("old");
    assert_true(result_file_open(path, &file, &err));
    assert_true(fputs("half", file.stream) >= 0);
    assert_true(result_file_close(&file, false, &err));
    expect_text("old");
    assert_true(result_file_close(&file, true, &err)); /* closed already */
}

TEST_BETWEEN(make_folder, remove_folder, a_folder_that_is_not_there_is_told_at_once)
{
    struct result_file file;
    os_error err = {.code = OS_OK};
    (void)snprintf(path, sizeof(path), "%s/none/result", folder);
    assert_false(result_file_open(path, &file, &err));
    assert_int_equal(err.code, OS_ERR_IO);
    assert_non_null(strstr(err.message, path));
}

TEST(a_device_is_written_to_directly)
{
    struct result_file file;
    os_error err = {.code = OS_OK};
    assert_true(result_file_open("/dev/full", &file, &err));
    assert_null(file.temporary);
    assert_true(fputs("lost", file.stream) >= 0);
    assert_false(result_file_close(&file, true, &err));
    assert_int_equal(err.code, OS_ERR_NO_SPACE);
}

TEST_BETWEEN(make_folder, remove_folder, a_link_stays_and_what_it_leads_to_is_replaced)
{
    struct result_file file;
    os_error err = {.code = OS_OK};
    struct stat found;
    char link[128];
    write_text("old");
    (void)snprintf(link, sizeof(link), "%s/link", folder);
    assert_int_equal(symlink(path, link), 0);
    assert_true(result_file_open(link, &file, &err));
    assert_true(fputs("whole", file.stream) >= 0);
    assert_true(result_file_close(&file, true, &err));
    expect_text("whole");
    assert_int_equal(lstat(link, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    assert_int_equal(unlink(link), 0);
}

TEST_BETWEEN(make_folder, remove_folder, a_fifo_that_nobody_reads_is_told_at_once)
{
    struct result_file file;
    os_error err = {.code = OS_OK};
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(result_file_open(path, &file, &err));
    assert_int_equal(err.code, OS_ERR_IO);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    assert_true(result_file_open(path, &file, &err));
    assert_int_equal(fcntl(fileno(file.stream), F_GETFL) & O_NONBLOCK, 0);
    assert_true(result_file_close(&file, true, &err));
    assert_int_equal(close(reader), 0);
}

TEST_BETWEEN(make_folder, remove_folder, an_open_file_by_its_number_is_written_to_directly)
{
    struct result_file file;
    os_error err = {.code = OS_OK};
    char name[32];
    write_text("");
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    (void)snprintf(name, sizeof(name), "/dev/fd/%d", fd);
    assert_true(result_file_open(name, &file, &err));
    assert_null(file.temporary);
    assert_true(fputs("direct", file.stream) >= 0);
    assert_true(result_file_close(&file, true, &err));
    assert_int_equal(close(fd), 0);
    expect_text("direct");
}
