/* SPDX-License-Identifier: Apache-2.0 */
#include "common/filter_start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "OSCOMMIT_UPDATE_"
enum { VARIABLES = 4 };

struct surroundings {
    char *own[VARIABLES];
    char **all; /* the caller's and those; ends with NULL */
};

static void surroundings_clear(struct surroundings *surroundings)
{
    for (size_t i = 0; i < VARIABLES; i++)
        free(surroundings->own[i]);
    free(surroundings->all);
}

static char *variable(const char *name, const char *value)
{
    size_t size = strlen(name) + 1 + strlen(value) + 1;
    char *text = malloc(size);

    if (text != NULL)
        (void)snprintf(text, size, "%s=%s", name, value);
    return text;
}

static bool fill_own(struct surroundings *ret, const char *url, const os_current *current)
{
    char round[16];

    (void)snprintf(round, sizeof(round), "%u", (unsigned)current->round);
    ret->own[0] = variable(PREFIX "EXISTS", current->exists ? "1" : "0");
    ret->own[1] = variable(PREFIX "ETAG", current->etag);
    ret->own[2] = variable(PREFIX "URL", url);
    ret->own[3] = variable(PREFIX "ROUND", round);
    return ret->own[0] != NULL && ret->own[1] != NULL && ret->own[2] != NULL && ret->own[3] != NULL;
}

/* Without those of an update that this one is run by. */
static bool surroundings_fill(struct surroundings *ret, const char *url, const os_current *current)
{
    size_t count = 0;
    size_t kept = 0;

    memset(ret, 0, sizeof(*ret));
    while (environ[count] != NULL)
        count++;
    ret->all = calloc(count + VARIABLES + 1, sizeof(*ret->all));
    if (ret->all == NULL || !fill_own(ret, url, current)) {
        surroundings_clear(ret);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], PREFIX, strlen(PREFIX)) != 0)
            ret->all[kept++] = environ[i];
    memcpy(ret->all + kept, ret->own, sizeof(ret->own));
    return true;
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

    if (!surroundings_fill(&surroundings, filter->url, current))
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
