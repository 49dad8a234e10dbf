/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that prints keys (AWS SDKs and Tools Reference Guide, "Process credential provider"). It is run as it stands
 * there, without a shell. What it writes to its standard error goes where this process's goes: nobody here may tell
 * whether it is a secret.
 */
#include "credentials/service.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "credentials/words.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PROCESS_COMMAND_SIZE = 4096,
    PROCESS_WORDS_MAX = 64,
    PROCESS_OUTPUT_MAX = 64 << 10,
    PROCESS_MS = 60000,
    PROCESS_LINGER_MS = 8192
};

extern char **environ;

/* ------------------------------------------------------------------------------------------------ starting */

static int spawn(char *const words[], int out_fd, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
        if (error == 0)
            error = posix_spawnattr_setsigmask(&attributes, &none);
        if (error == 0)
            error = posix_spawnattr_setsigdefault(&attributes, &usual);
        if (error == 0)
            error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        if (error == 0)
            error = posix_spawnp(ret_pid, words[0], &actions, &attributes, words, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Its standard output, to be read. */
static int start_process(char *const words[], pid_t *ret_pid, int *ret_error)
{
    int ends[2];
    if (fd_pipe(ends) != 0) {
        *ret_error = errno;
        return -1;
    }
    *ret_error = spawn(words, ends[1], ret_pid);
    (void)close(ends[1]);
    if (*ret_error == 0)
        return ends[0];
    (void)close(ends[0]);
    return -1;
}

/* ------------------------------------------------------------------------------------------------ reading */

enum process_end { PROCESS_ENDED = 1, PROCESS_TOO_LATE, PROCESS_STOPPED, PROCESS_TOO_LONG, PROCESS_UNREADABLE };

/* Until it closes its output. */
static enum process_end read_output(struct fetcher *fetcher, int fd, char *ret, size_t *ret_len)
{
    uint64_t until_ms = clock_monotonic_ms() + PROCESS_MS;
    if (fetcher->deadline_monotonic_ms != 0 && fetcher->deadline_monotonic_ms < until_ms)
        until_ms = fetcher->deadline_monotonic_ms;
    struct pollfd watched[] = {{.fd = fd, .events = POLLIN}, {.fd = fetcher->stop_fd, .events = POLLIN}};
    for (*ret_len = 0; *ret_len <= PROCESS_OUTPUT_MAX;) {
        uint64_t now_ms = clock_monotonic_ms();
        if (now_ms >= until_ms)
            return PROCESS_TOO_LATE;
        if (poll(watched, 2, (int)(until_ms - now_ms)) <= 0)
            continue;
        if (watched[1].revents != 0)
            return PROCESS_STOPPED;
        ssize_t got = read(fd, ret + *ret_len, PROCESS_OUTPUT_MAX + 1 - *ret_len);
        if (got < 0 && errno != EINTR)
            return PROCESS_UNREADABLE;
        if (got == 0)
            return PROCESS_ENDED;
        *ret_len += got > 0 ? (size_t)got : 0;
    }
    return PROCESS_TOO_LONG;
}

/* False: it has not ended. -1: its status is not to be had, as where the caller's program ignores SIGCHLD. */
static bool reap(pid_t pid, int flags, int *ret_status)
{
    pid_t got;
    do {
        got = waitpid(pid, ret_status, flags);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        *ret_status = -1;
    return got != 0;
}

/* One that has closed its output ends at once, or never: no descriptor tells of it on every kernel that is supported. */
static enum process_end await_end(struct fetcher *fetcher, pid_t pid, int *ret_status)
{
    for (uint64_t pause_ms = 1; pause_ms < PROCESS_LINGER_MS; pause_ms *= 2) {
        if (reap(pid, WNOHANG, ret_status))
            return PROCESS_ENDED;
        if (!fetcher_pause(fetcher, pause_ms))
            return PROCESS_STOPPED;
    }
    return PROCESS_TOO_LATE;
}

static os_code judge_end(enum process_end end, int status, const char *program, os_error *err)
{
    switch (end) {
    case PROCESS_TOO_LATE:
        return error_set(err, OS_ERR_CREDENTIALS,
                         "The credential_process \"%.200s\" did not end in time (at most %d s), and was killed.",
                         program, PROCESS_MS / 1000);
    case PROCESS_STOPPED: return error_set(err, OS_ERR_CANCELLED, "The client was closed.");
    case PROCESS_TOO_LONG:
        return error_set(err, OS_ERR_CREDENTIALS, "The credential_process \"%.200s\" printed more than %d bytes.",
                         program, PROCESS_OUTPUT_MAX);
    case PROCESS_UNREADABLE:
        return error_set(err, OS_ERR_CREDENTIALS, "The output of the credential_process \"%.200s\" cannot be read.",
                         program);
    case PROCESS_ENDED: break;
    }
    if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return OS_OK;
    return error_set(err, OS_ERR_CREDENTIALS, "The credential_process \"%.200s\" failed: it %s %d. Run it by hand.",
                     program, WIFEXITED(status) ? "ended with status" : "was ended by signal",
                     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static os_code run_process(const struct chain *chain, char *const words[], char *ret, size_t *ret_len, os_error *err)
{
    pid_t pid = 0;
    int error = 0;
    int fd = start_process(words, &pid, &error);
    if (fd < 0)
        return error_set(err, OS_ERR_CREDENTIALS, "The credential_process \"%.200s\" cannot be run: %s.", words[0],
                         strerror(error));
    int status = 0;
    enum process_end end = read_output(chain->fetcher, fd, ret, ret_len);
    (void)close(fd);
    if (end == PROCESS_ENDED)
        end = await_end(chain->fetcher, pid, &status);
    /* One that has been reaped elsewhere has no id any more: it may be another program's. */
    if (end != PROCESS_ENDED && !reap(pid, WNOHANG, &status)) {
        (void)kill(pid, SIGKILL);
        (void)reap(pid, 0, &status);
    }
    return judge_end(end, status, words[0], err);
}

/* ------------------------------------------------------------------------------------------------ the keys */

static os_code read_process(struct text output, struct keys *ret, os_error *err)
{
    static const struct service_members members = {.access_key_id = "AccessKeyId",
                                                   .secret_access_key = "SecretAccessKey",
                                                   .session_token = "SessionToken",
                                                   .expiration = "Expiration"};
    const char *from = "What the credential_process printed";
    json_t *document = NULL;
    os_code code = service_read_json(output, from, &document, err);
    const json_t *version = json_object_get(document, "Version");
    if (code == OS_OK && !(json_is_integer(version) && json_integer_value(version) == 1))
        code = error_set(err, OS_ERR_CREDENTIALS, "%s has no \"Version\": 1, the only one that is known.", from);
    if (code == OS_OK)
        code = service_take_keys(document, &members, from, ret, err);
    json_decref(document);
    return code;
}

static os_code ask_process(const struct chain *chain, char *command, struct keys *ret, os_error *err)
{
    char *words[PROCESS_WORDS_MAX + 1];
    if (!words_split(command, words, PROCESS_WORDS_MAX)) {
        return error_set(err, OS_ERR_CONFIG,
                         "credential_process is no command: it is empty, has a quote that is not "
                         "closed, or more than %d words.",
                         PROCESS_WORDS_MAX);
    }
    char *output = malloc(PROCESS_OUTPUT_MAX + 1);
    size_t len = 0;
    if (output == NULL)
        return error_no_memory(err);
    os_code code = run_process(chain, words, output, &len, err);
    if (code == OS_OK)
        code = read_process(text_of(output, len), ret, err);
    OPENSSL_cleanse(output, PROCESS_OUTPUT_MAX + 1);
    free(output);
    return code;
}

os_code source_process(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    char command[PROCESS_COMMAND_SIZE];
    os_code code = service_setting(chain, profile, "credential_process", command, sizeof(command), err);
    if (code == OS_OK && command[0] == '\0')
        return chain_pass(chain, "the profile \"%.100s\" has no credential_process", profile);
    if (code == OS_OK)
        code = chain_may_block(chain, err);
    return code == OS_OK ? ask_process(chain, command, ret, err) : code;
}
