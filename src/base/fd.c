/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h> /* glibc's tcp_info ends too early */
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int fd_above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    (void)close(fd);
    errno = error;
    return moved;
}

int fd_open(const char *path, int flags, mode_t mode)
{
    return fd_above_standard(open(path, flags | O_CLOEXEC, mode));
}

int fd_openat(int folder, const char *path, int flags, mode_t mode)
{
    return fd_above_standard(openat(folder, path, flags | O_CLOEXEC, mode));
}

int fd_socket(int family, int type, int protocol)
{
    return fd_above_standard(socket(family, type | SOCK_CLOEXEC, protocol));
}

int fd_pipe(int ret_ends[2])
{
    if (pipe2(ret_ends, O_CLOEXEC) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        ret_ends[i] = fd_above_standard(ret_ends[i]);
    if (ret_ends[0] >= 0 && ret_ends[1] >= 0)
        return 0;
    int error = errno;
    for (int i = 0; i < 2; i++)
        if (ret_ends[i] >= 0)
            (void)close(ret_ends[i]);
    errno = error;
    return -1;
}

void fd_occupy_standard(void)
{
    int fd;
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF && (fd = open("/dev/null", O_RDONLY)) > STDERR_FILENO)
            (void)close(fd); /* another thread was quicker */
}

/* At `offset`, or from where the descriptor stands: not every file can be read elsewhere. */
static int64_t read_all(int fd, char *ret, size_t size, const uint64_t *offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = offset != NULL ? pread(fd, ret + done, size - done, (off_t)(*offset + done))
                                     : read(fd, ret + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (int64_t)done;
}

int64_t fd_read(int fd, void *ret, size_t size)
{
    return read_all(fd, ret, size, NULL);
}

int64_t fd_read_at(int fd, void *ret, size_t size, uint64_t offset)
{
    return read_all(fd, ret, size, &offset);
}

static uint64_t bytes_received(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_received : 0;
}

uint64_t fd_taken_bytes(int fd)
{
    uint64_t received = 0;
    int unread = 0;
    do { /* until both are of one instant */
        received = bytes_received(fd);
        if (ioctl(fd, FIONREAD, &unread) != 0)
            return 0;
    } while (received != bytes_received(fd));
    return received > (uint64_t)unread ? received - (uint64_t)unread : 0;
}
