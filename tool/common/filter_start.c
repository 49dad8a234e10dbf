/* SPDX-License-Identifier: Apache-2.0 */
#include "common/filter_start.h"

#include "common/surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Those of an update that this one is run by are replaced. */
static bool fill_surroundings(struct surroundings *ret, const char *url, const os_current *current)
{
    char round[16];
    const struct surrounding own[] = {
        {"OSCOMMIT_UPDATE_EXISTS", current->exists ? "1" : "0"},
        {"OSCOMMIT_UPDATE_ETAG", current->etag},
        {"OSCOMMIT_UPDATE_URL", url},
        {"OSCOMMIT_UPDATE_ROUND", round},
    };

    (void)snprintf(round, sizeof(round), "%u", (unsigned)current->round);
    return surroundings_fill(ret, own, sizeof(own) / sizeof(own[0]));
}

/* The tool blocks the signals that it reads from a descriptor, and ignores SIGPIPE: programs expect neither. */
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t reset;
    int failure;

    (void)sigemptyset(&none);
    (void)sigemptyset(&reset);
    (void)sigaddset(&reset, SIGPIPE);
    failure = posix_spawnattr_setsigmask(attributes, &none);
    if (failure == 0)
        failure = posix_spawnattr_setsigdefault(attributes, &reset);
    if (failure == 0)
        failure = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return failure;
}

static int spawn_with(struct filter *filter, int in, int out, char *const *environment)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failure = posix_spawn_file_actions_init(&actions);

    if (failure != 0)
        return failure;
    failure = posix_spawnattr_init(&attributes);
    if (failure == 0) {
        failure = set_signals(&attributes);
        if (failure == 0)
            failure = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        if (failure == 0)
            failure = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (failure == 0)
            failure =
                posix_spawnp(&filter->child, filter->program[0], &actions, &attributes, filter->program, environment);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return failure;
}

/* By number: not every libc that the tool is built with has the function. */
static int watch_child(struct filter *filter)
{
    int failure;

    filter->child_fd = (int)syscall(SYS_pidfd_open, filter->child, 0);
    if (filter->child_fd >= 0)
        return 0;
    failure = errno;
    (void)kill(filter->child, SIGKILL);
    (void)waitpid(filter->child, NULL, 0);
    return failure;
}

static int spawn(struct filter *filter, const os_current *current, int in, int out)
{
    struct surroundings surroundings;
    int failure;

    if (!fill_surroundings(&surroundings, filter->url, current))
        return ENOMEM;
    failure = spawn_with(filter, in, out, surroundings.all);
    surroundings_clear(&surroundings);
    return failure == 0 ? watch_child(filter) : failure;
}

static void close_both(int fds[2])
{
    (void)close(fds[0]);
    (void)close(fds[1]);
}

/* Only this side does not block; the flag is of the open file, of which each end of a pipe has its own. */
static int keep_ends(struct filter *filter, int to, int from)
{
    if (fcntl(to, F_SETFL, O_NONBLOCK) != 0 || fcntl(from, F_SETFL, O_NONBLOCK) != 0)
        return errno;
    filter->to_child = to;
    filter->from_child = from;
    return 0;
}

int filter_start(struct filter *filter, const os_current *current)
{
    int in[2];
    int out[2];
    int failure;

    if (pipe2(in, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(out, O_CLOEXEC) != 0) {
        failure = errno;
        close_both(in);
        return failure;
    }
    failure = keep_ends(filter, in[1], out[0]);
    if (failure == 0)
        failure = spawn(filter, current, in[0], out[1]);
    (void)close(in[0]);
    (void)close(out[1]);
    if (failure != 0) {
        (void)close(in[1]);
        (void)close(out[0]);
    }
    return failure;
}
