/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of the process, as stdout is. */
static bool result_lost;
static int reason; /* errno of the first failure */

/* A page of help fits: whoever prints much asks after each piece whether it went well. */
static char buffer[65536];

bool streams_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        int wrong_way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        bool is_closed = fcntl(fd, F_GETFD) == -1 && errno == EBADF;
        if (is_closed && open("/dev/null", wrong_way) != fd) /* the lowest that is free */
            return false;
    }
    if (isatty(STDOUT_FILENO) == 0)
        (void)setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
    return true;
}

bool streams_good(void)
{
    int number = errno;

    if (ferror(stdout) != 0 && reason == 0)
        reason = number;
    return ferror(stdout) == 0;
}

bool streams_flush(void)
{
    errno = 0;
    (void)fflush(stdout);
    return streams_good();
}

void streams_lose_result(void)
{
    result_lost = true;
}

static bool reader_is_gone(void)
{
    struct pollfd fd = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLERR) != 0;
}

static void report_lost_result(enum status status)
{
    bool done = status == STATUS_DONE || status == STATUS_OUTPUT;

    (void)fprintf(stderr, "oscommit: the result could not be written to stdout%s%s.%s\n", reason == 0 ? "" : ": ",
                  reason == 0 ? "" : strerror(reason),
                  done ? " Its write to the store is complete; its output is not." : "");
}

enum status streams_close(enum status status)
{
    bool gone = reader_is_gone(); /* before the descriptor is closed */
    bool good = streams_flush();

    if (fclose(stdout) != 0 && good) { /* a file server may say it only now */
        reason = errno;
        good = false;
    }
    if (!good && !gone)
        report_lost_result(status);
    return (!good || result_lost) && status == STATUS_DONE ? STATUS_OUTPUT : status;
}
