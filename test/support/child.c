/* SPDX-License-Identifier: Apache-2.0 */
#include "support/child.h"

#include "support/event.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ARGUMENTS_MAX = 16 };

static bool spawn(struct child *ret, char **argv, int child_in, int child_out)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool ok = posix_spawn_file_actions_adddup2(&actions, child_in, STDIN_FILENO) == 0 &&
              posix_spawn_file_actions_adddup2(&actions, child_out, STDOUT_FILENO) == 0 &&
              posix_spawn(&ret->pid, "/proc/self/exe", &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return ok;
}

bool child_start(struct child *ret, const char *role, const char *const *arguments)
{
    char *argv[ARGUMENTS_MAX + 4] = {(char *)(uintptr_t) "child", (char *)(uintptr_t) "--child",
                                     (char *)(uintptr_t)role};
    for (size_t i = 0; i < ARGUMENTS_MAX && arguments != NULL && arguments[i] != NULL; i++)
        argv[3 + i] = (char *)(uintptr_t)arguments[i];
    memset(ret, 0, sizeof(*ret));
    int in[2];
    int out[2];
    if (pipe2(in, O_CLOEXEC) != 0)
        return false;
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        close(in[1]);
        return false;
    }
    bool ok = spawn(ret, argv, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    ret->in = in[1];
    ret->out = out[0];
    if (!ok) {
        close(in[1]);
        close(out[0]);
        ret->pid = 0;
    }
    return ok;
}

bool child_tell(struct child *child, const char *line)
{
    size_t len = strlen(line);
    return write(child->in, line, len) == (ssize_t)len && write(child->in, "\n", 1) == 1;
}

bool child_hear(struct child *child, char *ret, size_t size, unsigned timeout_ms)
{
    int64_t end = (int64_t)now_ms() + timeout_ms;
    size_t len = 0;
    while (len + 1 < size) {
        int64_t left = end - (int64_t)now_ms();
        struct pollfd ready = {.fd = child->out, .events = POLLIN};
        char c;
        if (left <= 0 || poll(&ready, 1, (int)left) <= 0 || read(child->out, &c, 1) != 1)
            return false;
        if (c == '\n') {
            ret[len] = '\0';
            return true;
        }
        ret[len++] = c;
    }
    return false;
}

int child_wait(struct child *child)
{
    if (child->pid == 0)
        return -1;
    close(child->in);
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(child->out);
    child->pid = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void child_kill(struct child *child)
{
    if (child->pid != 0) {
        kill(child->pid, SIGKILL);
        child_wait(child);
    }
}

bool child_await_go(void)
{
    char c = '\0';
    while (read(STDIN_FILENO, &c, 1) == 1)
        if (c == '\n')
            return true;
    return false;
}
