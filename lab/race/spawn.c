/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How one process of a race is started: this program again (a client does not survive fork), in a process group of its
 * own, so that a Ctrl-C reaches the parent alone, which then sends each one SIGTERM.
 */
#include "race/race.h"
#include "race/work.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    if (arguments->failed || vasprintf(&text, format, args) < 0)
        arguments->failed = true;
    else
        arguments->list[arguments->count++] = text;
    va_end(args);
}

static void free_arguments(struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        free(arguments->list[i]);
}

static bool is_endpoint(enum option_id id)
{
    return id == OPTION_ENDPOINT_URL || id == OPTION_S3_ENDPOINT || id == OPTION_DYNAMODB_ENDPOINT;
}

static void add_setting(struct arguments *arguments, const struct options *options, enum option_id id)
{
    const struct option_spec *spec = &option_table[id];

    if (spec->kind == OPTION_KIND_SWITCH && options->given[id] > 0)
        add_argument(arguments, "--%s", spec->name);
    else if (options->value[id] != NULL)
        add_argument(arguments, "--%s=%s", spec->name, options->value[id]);
}

/* The settings of the command line and of the config file, which is not read again; the variables are inherited. Behind a
 * proxy the endpoints are its own. */
static void add_settings(struct arguments *arguments, const struct race *race)
{
    const struct options *options = race->session->options;
    bool proxied = race->net.proxy != NULL;
    /* That a lease is lost is what a race for leases is about, and nothing to be warned of. */
    bool quiet = options_on(options, OPTION_QUIET) || (race->lease_count > 0 && options->given[OPTION_VERBOSE] == 0);

    add_argument(arguments, "--config=/dev/null");
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option_spec *spec = &option_table[id];
        bool own = spec->scope == OPTION_SCOPE_SETTING && !spec->not_in_file &&
                   options->distance[id] != DISTANCE_VARIABLE && id != OPTION_STORE && id != OPTION_METRICS;
        if (own && !(proxied && is_endpoint((enum option_id)id)))
            add_setting(arguments, options, (enum option_id)id);
    }
    if (quiet)
        add_argument(arguments, "--quiet");
    for (unsigned i = 0; i < options->given[OPTION_VERBOSE] && i < 2; i++)
        add_argument(arguments, "-v");
}

/* worker.c reads them. */
static void add_operands(struct arguments *arguments, const struct race *race)
{
    add_argument(arguments, "--");
    add_argument(arguments, "%s", race->at->key);
    add_argument(arguments, "%s", race->id);
    if (race->lease_count > 0) {
        add_argument(arguments, "%u", race->lease_count);
        add_argument(arguments, "%" PRIu64, race->lease_ttl_s);
    }
    if (race->account_count > 0)
        add_argument(arguments, "%u", race->account_count);
}

static void build_arguments(struct arguments *arguments, const struct race *race, unsigned lane)
{
    char url[320];

    memset(arguments, 0, sizeof(*arguments));
    add_argument(arguments, "oscommit-race");
    add_argument(arguments, RACE_WORKER_COMMAND);
    if (!race_is_in_table(race))
        add_argument(arguments, "--store=%s", race->at->store);
    add_settings(arguments, race);
    if (race_net_url(&race->net, lane, false, url, sizeof(url)))
        add_argument(arguments, "--s3-endpoint=%s", url);
    if (race_net_url(&race->net, lane, true, url, sizeof(url)))
        add_argument(arguments, "--dynamodb-endpoint=%s", url);
    add_operands(arguments, race);
}

/* Its stdin, stdout and page as given, no signal blocked, an own process group. 0 or an errno. */
static int spawn_with(pid_t *ret, char *const *arguments, char *const *environment, const int fds[3])
{
    static const int targets[3] = {STDIN_FILENO, STDOUT_FILENO, RACE_FRONT_FD};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int failure = posix_spawn_file_actions_init(&actions);

    if (failure != 0)
        return failure;
    failure = posix_spawnattr_init(&attributes);
    if (failure != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return failure;
    }
    (void)sigemptyset(&none);
    for (size_t i = 0; i < 3 && failure == 0; i++)
        failure = posix_spawn_file_actions_adddup2(&actions, fds[i], targets[i]);
    failure = failure != 0 ? failure : posix_spawnattr_setsigmask(&attributes, &none);
    failure = failure != 0 ? failure : posix_spawnattr_setpgroup(&attributes, 0);
    failure =
        failure != 0 ? failure : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    failure =
        failure != 0 ? failure : posix_spawn(ret, "/proc/self/exe", &actions, &attributes, arguments, environment);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static void close_both(int fds[2])
{
    (void)close(fds[0]);
    (void)close(fds[1]);
}

int race_spawn(const struct race *race, int front, unsigned lane, struct race_process *ret)
{
    struct arguments arguments;
    char **environment;
    int task[2];
    int report[2];
    int failure;

    if (pipe2(task, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(report, O_CLOEXEC) != 0) {
        failure = errno;
        close_both(task);
        return failure;
    }
    environment = race_net_environment(&race->net, lane);
    build_arguments(&arguments, race, lane);
    failure = arguments.failed || environment == NULL
                  ? ENOMEM
                  : spawn_with(&ret->pid, arguments.list, environment, (const int[3]){task[0], report[1], front});
    free_arguments(&arguments);
    race_net_free_environment(environment);
    (void)close(task[0]);
    (void)close(report[1]);
    if (failure != 0) {
        ret->pid = 0;
        (void)close(task[1]);
        (void)close(report[0]);
        return failure;
    }
    ret->task = task[1];
    ret->report = report[0];
    return 0;
}
