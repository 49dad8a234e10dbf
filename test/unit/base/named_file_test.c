/* SPDX-License-Identifier: Apache-2.0 */
/* Each of these would hang, and not fail, if a file were waited for. */
#include "base/named_file.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char folder[32];
static char path[64];

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/oscommit-named-XXXXXX");
    (void)snprintf(path, sizeof(path), "%s/file", mkdtemp(folder));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static void check_refused(const char *name, const char *why)
{
    const char *told = NULL;
    assert_int_equal(named_file_open(name, &told), -1);
    assert_non_null(told);
    if (strstr(told, why) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", name, told, why);
}

static void check_bytes(const char *name, const char *wanted)
{
    const char *told = NULL;
    char data[16] = "";
    int fd = named_file_open(name, &told);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, data, sizeof(data)), strlen(wanted));
    assert_string_equal(data, wanted);
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(close(fd), 0);
}

TEST_BETWEEN(set_up, tear_down, a_regular_file_is_read_also_through_a_link)
{
    char link[64];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("text", file) >= 0);
    assert_int_equal(fclose(file), 0);
    check_bytes(path, "text");
    (void)snprintf(link, sizeof(link), "%s/link", folder);
    assert_int_equal(symlink(path, link), 0);
    check_bytes(link, "text");
    assert_int_equal(unlink(link), 0);
}

TEST_BETWEEN(set_up, tear_down, the_null_device_is_an_empty_file)
{
    check_bytes("/dev/null", "");
}

TEST_BETWEEN(set_up, tear_down, a_fifo_is_refused_with_and_without_a_writer)
{
    assert_int_equal(mkfifo(path, 0600), 0);
    check_refused(path, "FIFO");
    assert_int_equal(errno, 0);
    int both = open(path, O_RDWR | O_CLOEXEC);
    assert_true(both >= 0);
    check_refused(path, "FIFO");
    assert_int_equal(close(both), 0);
}

TEST_BETWEEN(set_up, tear_down, a_pipe_by_its_number_is_refused)
{
    int fds[2];
    char name[32];
    assert_int_equal(pipe(fds), 0);
    (void)snprintf(name, sizeof(name), "/dev/fd/%d", fds[0]);
    check_refused(name, "FIFO");
    assert_int_equal(close(fds[0]) + close(fds[1]), 0);
}

TEST_BETWEEN(set_up, tear_down, what_else_is_no_file_is_refused)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    check_refused(path, "No such device");
    assert_int_equal(close(fd), 0);
    check_refused("/tmp", "folder");
    check_refused("/dev/zero", "device");
    check_refused("/dev/ptmx", "device");
    check_refused("/nonexistent/file", "No such file");
    assert_int_equal(errno, ENOENT);
}
