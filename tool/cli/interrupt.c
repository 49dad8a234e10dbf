/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/interrupt.h"

#include "cli/duration.h"
#include "cli/verdict.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
    TICK_MS = 1000,
    ECHO_MS = 500 /* timeout(1) sends its signal to the process and then to the group: that is no second wish */
};

static void post_event(int fd)
{
    uint64_t one = 1;
    ssize_t written = write(fd, &one, sizeof(one));

    (void)written; /* an eventfd takes it unless its counter is full, and then it is readable already */
}

static void end_at_once(int status)
{
    static const char text[] =
        "\n"
        "oscommit: a second signal ended the command without a verdict, so the write may have been applied.\n";

    if (status == STATUS_UNKNOWN) {
        ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
        (void)written;
    }
    _exit(status);
}

static void on_event(struct interrupt *interrupt, uint64_t *first_ms)
{
    uint64_t at_ms = duration_now_ms();

    if (*first_ms != 0 && at_ms - *first_ms < ECHO_MS)
        return;
    if (*first_ms != 0)
        end_at_once(atomic_load(&interrupt->status));
    *first_ms = at_ms;
    post_event(interrupt->seen); /* first: who finds a call cancelled must know why, and begin no other */
    os_cancel_trigger(interrupt->cancel);
}

static void on_signal(struct interrupt *interrupt, uint32_t number, uint64_t *first_ms)
{
    int fd = atomic_load(&interrupt->diverted);
    unsigned char byte = (unsigned char)number;

    if (fd < 0) {
        if (atomic_load(&interrupt->number) == 0)
            atomic_store(&interrupt->number, (int)number);
        on_event(interrupt, first_ms);
    } else {
        ssize_t written = write(fd, &byte, 1);
        (void)written; /* a pipe that is full has enough of them */
    }
}

static void *interrupt_run(void *context)
{
    struct interrupt *interrupt = context;
    struct pollfd fds[3] = {{.fd = interrupt->ending, .events = POLLIN},
                            {.fd = interrupt->signals, .events = POLLIN},
                            {.fd = interrupt->peer, .events = 0}};
    uint64_t first_ms = 0; /* when the first signal was read */

    while (true) {
        int ready = poll(fds, 3, interrupt->tick == NULL ? -1 : TICK_MS);
        struct signalfd_siginfo info;

        if (fds[0].revents != 0 || (ready < 0 && errno != EINTR))
            return NULL;
        if (ready == 0) {
            interrupt->tick(interrupt->tick_context);
            continue;
        }
        if (fds[1].revents != 0 && read(interrupt->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
            on_signal(interrupt, info.ssi_signo, &first_ms);
        if (fds[2].revents != 0) {
            fds[2].fd = -1; /* said once */
            on_event(interrupt, &first_ms);
        }
    }
}

static void close_all(struct interrupt *interrupt)
{
    int fds[3] = {interrupt->signals, interrupt->ending, interrupt->seen};

    for (size_t i = 0; i < 3; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    os_cancel_free(interrupt->cancel);
    interrupt->cancel = NULL;
}

bool interrupt_start(struct interrupt *interrupt, int peer, void (*tick)(void *context), void *tick_context)
{
    sigset_t set;
    int failure;

    memset(interrupt, 0, sizeof(*interrupt));
    interrupt->peer = peer;
    atomic_init(&interrupt->status, STATUS_UNKNOWN);
    atomic_init(&interrupt->diverted, -1);
    atomic_init(&interrupt->number, 0);
    interrupt->tick = tick;
    interrupt->tick_context = tick_context;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    interrupt->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    interrupt->ending = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    interrupt->seen = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (interrupt->signals < 0 || interrupt->ending < 0 || interrupt->seen < 0)
        failure = errno;
    else if (os_cancel_new(&interrupt->cancel) != OS_OK)
        failure = ENOMEM;
    else
        failure = pthread_create(&interrupt->thread, NULL, interrupt_run, interrupt);
    interrupt->started = failure == 0;
    if (failure != 0) {
        close_all(interrupt);
        errno = failure;
    }
    return interrupt->started;
}

/* How long poll may wait; -1: for ever. */
static int left_ms(uint64_t until_ms)
{
    uint64_t at_ms = duration_now_ms();

    if (until_ms <= at_ms)
        return 0;
    return until_ms - at_ms > INT_MAX ? -1 : (int)(until_ms - at_ms);
}

enum interrupt_waited interrupt_wait_until(const struct interrupt *interrupt, int fd, short events,
                                           uint64_t monotonic_ms)
{
    struct pollfd fds[2] = {{.fd = interrupt->seen, .events = POLLIN}, {.fd = fd, .events = events}};

    while (true) {
        int ready = poll(fds, 2, left_ms(monotonic_ms));
        if (ready < 0 && errno != EINTR)
            return INTERRUPT_READY; /* the caller's read or write says what is wrong */
        if (ready > 0)
            return fds[0].revents == 0 ? INTERRUPT_READY : INTERRUPT_SIGNAL;
        if (ready == 0)
            return INTERRUPT_LATE;
    }
}

bool interrupt_wait(const struct interrupt *interrupt, int fd, short events)
{
    return interrupt_wait_until(interrupt, fd, events, UINT64_MAX) != INTERRUPT_SIGNAL;
}

bool interrupt_seen(const struct interrupt *interrupt)
{
    struct pollfd fd = {.fd = interrupt->seen, .events = POLLIN};

    return poll(&fd, 1, 0) > 0;
}

void interrupt_settle(struct interrupt *interrupt, int status)
{
    atomic_store(&interrupt->status, status);
}

void interrupt_end_by(int number, bool whole_group)
{
    sigset_t set;

    (void)fflush(stdout);
    (void)signal(number, SIG_DFL);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, number);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    (void)kill(whole_group ? 0 : getpid(), number);
}

void interrupt_divert(struct interrupt *interrupt, int fd)
{
    atomic_store(&interrupt->diverted, fd);
}

void interrupt_stop(struct interrupt *interrupt)
{
    if (!interrupt->started)
        return;
    post_event(interrupt->ending);
    (void)pthread_join(interrupt->thread, NULL);
    close_all(interrupt);
    interrupt->started = false;
}
