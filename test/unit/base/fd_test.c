/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fd.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child, whose standard streams may be closed; its exit status says which check failed. */
static int in_child(int (*check)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        (void)close(STDIN_FILENO);
        (void)close(STDOUT_FILENO);
        (void)close(STDERR_FILENO);
        _exit(check());
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int is_free(int fd)
{
    return fcntl(fd, F_GETFD) == -1 && errno == EBADF;
}

static int is_ours(int fd)
{
    return fd > STDERR_FILENO && fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

static int opens_above(void)
{
    int folder = fd_open("/", O_RDONLY | O_DIRECTORY, 0);
    int file = fd_openat(folder, "dev/null", O_RDWR, 0);
    int stream = fd_socket(AF_UNIX, SOCK_STREAM, 0);
    int given = fd_above_standard(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!is_ours(folder) || !is_ours(file) || !is_ours(stream) || !is_ours(given))
        return 1;
    return is_free(STDIN_FILENO) && is_free(STDOUT_FILENO) && is_free(STDERR_FILENO) ? 0 : 2;
}

static int fails_as_the_system_says(void)
{
    struct rlimit few;
    if (fd_open("/no/such/file", O_RDONLY, 0) != -1 || errno != ENOENT)
        return 1;
    if (fd_above_standard(-1) != -1 || errno != ENOENT)
        return 2;
    if (getrlimit(RLIMIT_NOFILE, &few) != 0)
        return 3;
    few.rlim_cur = 3;
    if (setrlimit(RLIMIT_NOFILE, &few) != 0)
        return 3;
    /* Where there is no room above it is not left below. EINVAL: 3 is over the limit itself (fcntl(2)). */
    if (fd_open("/dev/null", O_RDONLY, 0) != -1 || (errno != EMFILE && errno != EINVAL))
        return 4;
    return is_free(STDIN_FILENO) ? 0 : 5;
}

static int occupies_what_is_closed(void)
{
    int kept = open("/dev/zero", O_RDWR | O_CLOEXEC); /* 0 */
    fd_occupy_standard();
    if (kept != 0 || write(kept, "x", 1) != 1)
        return 1;
    if (write(STDOUT_FILENO, "x", 1) != -1 || errno != EBADF || is_free(STDERR_FILENO))
        return 2;
    return open("/dev/null", O_RDONLY | O_CLOEXEC) > STDERR_FILENO ? 0 : 3;
}

TEST(what_is_closed_can_be_occupied)
{
    assert_int_equal(in_child(occupies_what_is_closed), 0);
}

TEST(descriptors_are_never_those_of_the_standard_streams)
{
    assert_int_equal(in_child(opens_above), 0);
}

TEST(a_failure_leaves_errno_and_no_descriptor)
{
    assert_int_equal(in_child(fails_as_the_system_says), 0);
}
