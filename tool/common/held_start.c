/* SPDX-License-Identifier: Apache-2.0 */
#include "common/held_start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the tool blocks and ignores, programs do not expect. */
static void reset_signals(void)
{
    sigset_t none;

    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child, where other threads are missing: nothing here may take a lock. */
static void become(char *const *program, char **environment, int terminal, const struct held_watch *watch, int report)
{
    int failure;

    (void)setpgid(0, 0);
    keeper_tell(watch->keeper, getpid(), watch->until_ms);
    if (terminal >= 0)
        (void)tcsetpgrp(terminal, getpid()); /* SIGTTOU is blocked still */
    reset_signals();
    environ = environment;
    (void)execvp(program[0], program);
    failure = errno;
    ssize_t written = write(report, &failure, sizeof(failure));
    (void)written;
    _exit(127);
}

static int read_report(int report)
{
    int failure = 0;
    ssize_t got;

    do
        got = read(report, &failure, sizeof(failure));
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof(failure) ? failure : 0;
}

int held_start(char *const *program, char **environment, int terminal, const struct held_watch *watch, pid_t *ret)
{
    int report[2]; /* it closes when the program begins */
    int failure;
    pid_t parent = getpid();

    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *ret = fork();
    if (*ret == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) /* it died before that */
            _exit(127);
        become(program, environment, terminal, watch, report[1]);
    }
    failure = *ret < 0 ? errno : 0;
    (void)close(report[1]);
    if (failure == 0) {
        (void)setpgid(*ret, *ret); /* whoever is first */
        failure = read_report(report[0]);
        if (failure != 0)
            (void)waitpid(*ret, NULL, 0);
    }
    (void)close(report[0]);
    return failure;
}
