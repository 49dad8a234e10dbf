/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a race. Each is this program again (a client does not survive fork), in a process group of its own,
 * so that a Ctrl-C reaches the parent alone, which then sends each one SIGTERM. All share one pipe for their stdin: a
 * phase starts when as many bytes are written as there are processes, and its end tells them that the parent is gone.
 */
#include "race.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct process {
    pid_t pid;  /* 0: not started, or collected */
    int report; /* -1: at its end */
    struct race_reader reader;
    unsigned phases; /* 0: not ready, 1: ready, 2: has created, 3: has incremented */
    bool lost;
};

struct crew {
    struct race *race;
    struct process *process;
    struct pollfd *fds; /* one for each process, and the interrupt */
    int start;          /* written to begin a phase */
    bool told_trouble;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ------------------------------------------------------------------------------------------------ starting */

struct arguments {
    char *list[OPTION_COUNT + 16];
    size_t count;
    bool failed;
};

static void add_argument(struct arguments *arguments, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_argument(struct arguments *arguments, const char *format, ...)
{
    va_list args;
    char *text = NULL;

    va_start(args, format);
    if (arguments->failed || vasprintf(&text, format, args) < 0) {
        arguments->failed = true;
    } else {
        arguments->list[arguments->count++] = text;
    }
    va_end(args);
}

static void free_arguments(struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        free(arguments->list[i]);
    }
}

/* The settings of the command line; the variables are inherited. The parent has checked the table already. */
static void add_settings(struct arguments *arguments, const struct options *options)
{
    for (int id = 0; id < OPTION_COUNT; id++) {
        bool own = option_table[id].scope == OPTION_SCOPE_SETTING && options->value[id] != NULL &&
                   !options->from_environment[id] && id != OPTION_STORE;
        if (own) {
            add_argument(arguments, "--%s=%s", option_table[id].name, options->value[id]);
        }
    }
    if (options_on(options, OPTION_QUIET)) {
        add_argument(arguments, "--quiet");
    }
    for (unsigned i = 0; i < options->given[OPTION_VERBOSE] && i < 2; i++) {
        add_argument(arguments, "-v");
    }
}

static void build_arguments(struct arguments *arguments, const struct race *race, unsigned index)
{
    memset(arguments, 0, sizeof(*arguments));
    add_argument(arguments, "oscommit");
    add_argument(arguments, RACE_WORKER_COMMAND);
    add_argument(arguments, "--store=%s", race->at->store);
    add_settings(arguments, race->session->options);
    add_argument(arguments, "--");
    add_argument(arguments, "%s", race->at->key);
    add_argument(arguments, "%s", race->id);
    add_argument(arguments, "%u", index);
    add_argument(arguments, "%" PRIu64, race->tally.keys);
    add_argument(arguments, "%" PRIu64, race->tally.updates);
}

/* stdin and stdout as given, no signal blocked, an own process group. 0 or an errno. */
static int spawn_with(pid_t *ret, char *const *arguments, int input, int output)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int failure = posix_spawn_file_actions_init(&actions);

    if (failure != 0) {
        return failure;
    }
    failure = posix_spawnattr_init(&attributes);
    if (failure != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return failure;
    }
    (void)sigemptyset(&none);
    failure = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    failure = failure != 0 ? failure : posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    failure = failure != 0 ? failure : posix_spawnattr_setsigmask(&attributes, &none);
    failure = failure != 0 ? failure : posix_spawnattr_setpgroup(&attributes, 0);
    failure =
        failure != 0 ? failure : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    failure = failure != 0 ? failure : posix_spawn(ret, "/proc/self/exe", &actions, &attributes, arguments, environ);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static int start_one(struct crew *crew, unsigned index, int input)
{
    struct process *process = &crew->process[index];
    struct arguments arguments;
    int report[2];
    int failure;

    if (pipe2(report, O_CLOEXEC) != 0) {
        return errno;
    }
    build_arguments(&arguments, crew->race, index);
    failure = arguments.failed ? ENOMEM : spawn_with(&process->pid, arguments.list, input, report[1]);
    free_arguments(&arguments);
    (void)close(report[1]);
    if (failure != 0) {
        process->pid = 0;
        (void)close(report[0]);
        return failure;
    }
    process->report = report[0];
    return 0;
}

static int start_all(struct crew *crew)
{
    int start[2];
    int failure = 0;

    if (pipe2(start, O_CLOEXEC) != 0) {
        return errno;
    }
    crew->start = start[1];
    for (unsigned i = 0; i < crew->race->tally.writers && failure == 0; i++) {
        failure = start_one(crew, i, start[0]);
    }
    (void)close(start[0]);
    return failure;
}

/* ------------------------------------------------------------------------------------------------ listening */

static void lose(struct crew *crew, struct process *process)
{
    if (!process->lost) {
        process->lost = true;
        crew->race->tally.lost_writers++;
    }
    if (process->pid > 0) {
        (void)kill(process->pid, SIGTERM);
    }
}

static void end_report(struct process *process)
{
    if (process->report >= 0) {
        (void)close(process->report);
        process->report = -1;
    }
}

static bool hear(struct crew *crew, unsigned index, const char *line)
{
    struct race *race = crew->race;
    struct process *process = &crew->process[index];
    struct race_message message;

    if (!race_line_parse(line, &message)) {
        return false;
    }
    switch (message.kind) {
    case RACE_MESSAGE_READY:
    case RACE_MESSAGE_DONE:
        process->phases++;
        return (process->phases == 1) == (message.kind == RACE_MESSAGE_READY) && process->phases <= 3;
    case RACE_MESSAGE_TROUBLE:
        if (!crew->told_trouble) { /* one stands for all: they mostly have the same cause */
            crew->told_trouble = true;
            output_message(&race->session->output, message.text);
        }
        return true;
    case RACE_MESSAGE_CREATE:
    case RACE_MESSAGE_UPDATE: break;
    }
    return process->phases == (message.kind == RACE_MESSAGE_CREATE ? 1U : 2U) &&
           race_tally_add(&race->tally, index, &message);
}

static void listen_to(struct crew *crew, unsigned index)
{
    struct process *process = &crew->process[index];
    char data[4096];
    char line[RACE_LINE_MAX];
    const char *next = data;
    size_t len;
    bool too_long = false;
    ssize_t got = read(process->report, data, sizeof(data));

    if (got < 0 && errno == EINTR) {
        return;
    }
    if (got <= 0) {
        end_report(process);
        return;
    }
    len = (size_t)got;
    while (race_reader_take(&process->reader, &next, &len, line, &too_long)) {
        if (!hear(crew, index, line)) {
            too_long = true;
            break;
        }
    }
    if (too_long) {
        output_message(&crew->race->session->output, "A racing process said something that is no message of a race.");
        lose(crew, process);
        end_report(process);
    }
}

static void stop_all(struct crew *crew)
{
    for (unsigned i = 0; i < crew->race->tally.writers; i++) {
        if (crew->process[i].pid > 0) {
            (void)kill(crew->process[i].pid, SIGTERM);
        }
    }
}

static void show_progress(struct crew *crew, unsigned phases)
{
    struct race_tally *tally = &crew->race->tally;
    struct progress *progress = &crew->race->session->output.progress;

    if (phases == 2) {
        progress_update(progress, tally->creations.calls, tally->writers * tally->keys);
    } else if (phases == 3) {
        progress_update(progress, race_tally_committed(&tally->increments), tally->writers * tally->updates);
    }
}

/* Listens until every process has come so far, or is at its end. */
static void listen_until(struct crew *crew, unsigned phases)
{
    unsigned writers = crew->race->tally.writers;
    const struct interrupt *interrupt = &crew->race->session->interrupt;

    while (true) {
        unsigned waiting = 0;
        for (unsigned i = 0; i < writers; i++) {
            const struct process *process = &crew->process[i];
            crew->fds[i] = (struct pollfd){.fd = process->report, .events = POLLIN};
            waiting += process->report >= 0 && process->phases < phases ? 1 : 0;
        }
        crew->fds[writers] = (struct pollfd){.fd = crew->race->interrupted ? -1 : interrupt->seen, .events = POLLIN};
        if (waiting == 0) {
            return;
        }
        if (poll(crew->fds, writers + 1, -1) < 0) {
            continue; /* EINTR; nothing else can happen to these */
        }
        if (crew->fds[writers].revents != 0) {
            crew->race->interrupted = true;
            stop_all(crew);
        }
        for (unsigned i = 0; i < writers; i++) {
            if (crew->fds[i].revents != 0) {
                listen_to(crew, i);
            }
        }
        show_progress(crew, phases);
    }
}

/* ------------------------------------------------------------------------------------------------ phases */

/* A byte for every process, also for those that are gone: what nobody reads does no harm. */
static bool begin(struct crew *crew)
{
    char bytes[256];
    unsigned writers = crew->race->tally.writers;

    memset(bytes, 'g', sizeof(bytes));
    return write(crew->start, bytes, writers) == (ssize_t)writers;
}

static void run_phase(struct crew *crew, unsigned phases, struct race_phase *phase)
{
    uint64_t started_ms = now_ms();

    if (!crew->race->interrupted && begin(crew)) {
        listen_until(crew, phases);
    }
    phase->elapsed_ms = now_ms() - started_ms;
}

static void run_phases(struct crew *crew)
{
    struct race_tally *tally = &crew->race->tally;
    struct progress *progress = &crew->race->session->output.progress;

    progress_count(progress, "calls");
    listen_until(crew, 1);
    run_phase(crew, 2, &tally->creations);
    if (tally->updates > 0) {
        progress_count(progress, "increments");
        run_phase(crew, 3, &tally->increments);
    }
}

/* No further byte will come: what still waits for one ends by the loss of its pipe, what still works is heard to its
 * end. */
static void finish(struct crew *crew)
{
    struct race_tally *tally = &crew->race->tally;
    unsigned wanted = tally->updates > 0 ? 3 : 2;

    if (crew->start >= 0) {
        (void)close(crew->start);
    }
    listen_until(crew, UINT32_MAX);
    for (unsigned i = 0; i < tally->writers; i++) {
        struct process *process = &crew->process[i];
        int status = 0;
        while (process->pid > 0 && waitpid(process->pid, &status, 0) < 0 && errno == EINTR) {
        }
        process->pid = 0;
        if (process->phases < wanted || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            lose(crew, process);
        }
        end_report(process);
    }
}

bool race_run_workers(struct race *race)
{
    unsigned writers = race->tally.writers;
    struct crew crew = {.race = race, .start = -1};
    int failure = ENOMEM;

    crew.process = calloc(writers, sizeof(crew.process[0]));
    crew.fds = calloc(writers + 1, sizeof(crew.fds[0]));
    for (unsigned i = 0; crew.process != NULL && i < writers; i++) {
        crew.process[i].report = -1;
    }
    if (crew.process != NULL && crew.fds != NULL) {
        failure = start_all(&crew);
        if (failure == 0) {
            run_phases(&crew);
        } else {
            stop_all(&crew);
        }
        finish(&crew);
    }
    free(crew.process);
    free(crew.fds);
    if (failure != 0) {
        (void)session_fail(race->session, race->at->url, OS_ERR_IO,
                           "The %u processes of the race could not be started: %s.", writers, strerror(failure));
    }
    return failure == 0;
}
