/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One holder of leases by this library, which says what it believes: our side of the fleet of leases. Takes arguments and
 * writes lines as the peer does (lease_peer/src/main.rs); the lines are the events of lease_history.py. Uses the public
 * interface only.
 *
 *   interop_lease_holder WHO ENDPOINT TABLE KEYS TTL_S EXTEND_MS HOLD_MS [fencing]     credentials: AWS_ACCESS_KEY_ID ...
 *
 * KEYS with commas: each time one of them is taken. HOLD_MS is LEAST-MOST. EXTEND_MS is the peer's alone: this library
 * extends when it has to. SIGTERM ends a hold early, and then the program, which exits with 0.
 *
 * What it believes is what os_lease_state and os_lease_remaining_ms say, read after the instant that the line names: so a
 * line never says more than they do, however long the process was stopped in between.
 */
#include "oscommit_lease.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { KEYS_MAX = 16, LOOK_EVERY_MS = 50, DEADLINE_MS = 600000, US_PER_MS = 1000 };
/* Clocks are read in milliseconds: by so much the same end may seem to move. */
enum { CHANGE_US = 10 * US_PER_MS };

struct holder {
    const char *who;
    char *keys[KEYS_MAX];
    size_t key_count;
    uint64_t ttl_s;
    bool fencing;
    uint64_t hold_least_ms;
    uint64_t hold_most_ms;
    os_client *client;
    os_cancel *stopping;
    pthread_mutex_t mutex; /* of what follows, and of the lines, which stand in the order of what they say */
    pthread_cond_t news;
    const char *believed; /* the key; NULL: none */
    int64_t until_us;
    bool stopped;
};

/* ---------------------------------------------------------------------------------------------- clock, chance */

static int64_t monotonic_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static uint64_t chance(uint64_t below)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
        abort();
    return random % below;
}

static uint64_t some_ms(const struct holder *holder)
{
    return holder->hold_least_ms + chance(holder->hold_most_ms - holder->hold_least_ms + 1);
}

/* -------------------------------------------------------------------------------------------------- the belief */

/* One write for a line: a process that is killed leaves no half of one. */
static void say(const struct holder *holder, const char *event, const char *key, int64_t at_us, const char *more)
{
    char line[512];
    int length =
        snprintf(line, sizeof(line), "{\"event\":\"%s\",\"who\":\"%s\",\"key\":\"%s\",\"at_us\":%" PRId64 "%s}\n",
                 event, holder->who, key, at_us, more);
    if (length < 0 || (size_t)length >= sizeof(line) || write(STDOUT_FILENO, line, (size_t)length) != length)
        _exit(3); /* nobody could judge what is not said */
}

static void say_belief(struct holder *holder, const char *event, int64_t at_us, int64_t until_us, uint64_t token)
{
    char more[96];
    int length = snprintf(more, sizeof(more), ",\"until_us\":%" PRId64, until_us);
    if (token > 0)
        snprintf(more + length, sizeof(more) - (size_t)length, ",\"token\":%" PRIu64, token);
    holder->until_us = until_us;
    say(holder, event, holder->believed, at_us, more);
}

/* Ends the belief, if there is one, before what is said is done. True: there was one. */
static bool ends(struct holder *holder, const char *event)
{
    pthread_mutex_lock(&holder->mutex);
    bool believed = holder->believed != NULL;
    if (believed)
        say(holder, event, holder->believed, monotonic_us(), "");
    holder->believed = NULL;
    pthread_cond_signal(&holder->news);
    pthread_mutex_unlock(&holder->mutex);
    return believed;
}

static void begins(struct holder *holder, const os_lease *lease, const char *key)
{
    pthread_mutex_lock(&holder->mutex);
    int64_t at_us = monotonic_us();
    int64_t left_us = (int64_t)os_lease_remaining_ms(lease) * US_PER_MS;
    if (left_us > 0) {
        holder->believed = key;
        say_belief(holder, "held", at_us, at_us + left_us, os_lease_token(lease));
    }
    pthread_mutex_unlock(&holder->mutex);
}

/* True: it still believes. With the mutex. */
static bool looks(struct holder *holder, const os_lease *lease)
{
    int64_t at_us = monotonic_us();
    int64_t until_us = at_us + (int64_t)os_lease_remaining_ms(lease) * US_PER_MS;
    if (holder->believed == NULL || until_us == at_us)
        return false;
    if (until_us > holder->until_us + CHANGE_US || until_us < holder->until_us - CHANGE_US)
        say_belief(holder, "until", at_us, until_us, 0);
    return true;
}

static void lease_changed(void *context, os_lease *lease, os_lease_status status)
{
    (void)lease;
    if (status == OS_LEASE_LOST)
        ends(context, "lost");
}

/* ---------------------------------------------------------------------------------------------------- the work */

/* Waits so long, or until it is told that something happened. With the mutex. */
static void await_news(struct holder *holder, uint64_t ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    until.tv_sec += (time_t)(ms / 1000) + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&holder->news, &holder->mutex, &until);
}

/* False: the belief is over. */
static bool hold_on(struct holder *holder, const os_lease *lease, uint64_t ms)
{
    int64_t end_us = monotonic_us() + (int64_t)ms * US_PER_MS;
    pthread_mutex_lock(&holder->mutex);
    bool believes = looks(holder, lease);
    while (believes && !holder->stopped && monotonic_us() < end_us) {
        await_news(holder, LOOK_EVERY_MS);
        believes = looks(holder, lease);
    }
    pthread_mutex_unlock(&holder->mutex);
    return believes;
}

static bool is_stopped(struct holder *holder)
{
    pthread_mutex_lock(&holder->mutex);
    bool stopped = holder->stopped;
    pthread_mutex_unlock(&holder->mutex);
    return stopped;
}

static void rest(struct holder *holder, uint64_t ms)
{
    int64_t end_us = monotonic_us() + (int64_t)ms * US_PER_MS;
    pthread_mutex_lock(&holder->mutex);
    while (!holder->stopped && monotonic_us() < end_us)
        await_news(holder, LOOK_EVERY_MS);
    pthread_mutex_unlock(&holder->mutex);
}

/* What was said to be lost must be so for the library too: 1 if it is not. */
static int give_back(struct holder *holder, os_lease *lease, bool believes)
{
    os_error error;
    bool released = ends(holder, believes ? "released" : "lost") && believes;
    os_code code = os_lease_release(lease, NULL, &error);
    if (released || code == OS_ERR_CONFLICT)
        return 0;
    fprintf(stderr, "interop_lease_holder: lost, but released as %s: %s\n", os_code_name(code), error.message);
    return 1;
}

static int hold_one(struct holder *holder, const char *key)
{
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    os_lease *lease = NULL;
    os_error error;
    options.ttl_s = holder->ttl_s;
    options.wait = 1;
    options.fencing = holder->fencing;
    options.owner = holder->who;
    options.changed = lease_changed;
    options.context = holder;
    call.deadline_ms = DEADLINE_MS;
    call.cancel = holder->stopping;
    os_code code = os_lease_acquire(holder->client, key, &options, &call, &lease, &error);
    if (code == OS_ERR_CANCELLED)
        return 0;
    if (code != OS_OK) {
        fprintf(stderr, "interop_lease_holder: %s\n", error.message);
        return 1;
    }
    begins(holder, lease, key);
    bool believes = hold_on(holder, lease, some_ms(holder));
    while (believes && !is_stopped(holder) && chance(2) == 0)
        believes = hold_on(holder, lease, some_ms(holder));
    return give_back(holder, lease, believes);
}

static int work(struct holder *holder)
{
    while (!is_stopped(holder)) {
        if (hold_one(holder, holder->keys[chance(holder->key_count)]) != 0)
            return 1;
        rest(holder, some_ms(holder) / 4);
    }
    return 0;
}

/* Every other thread has the signal blocked. */
static void *await_signal(void *context)
{
    struct holder *holder = context;
    sigset_t set;
    int got = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    while (sigwait(&set, &got) != 0) {
    }
    pthread_mutex_lock(&holder->mutex);
    holder->stopped = true;
    pthread_cond_signal(&holder->news);
    pthread_mutex_unlock(&holder->mutex);
    os_cancel_trigger(holder->stopping);
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ its beginning */

static bool take_arguments(int argc, char **argv, struct holder *ret)
{
    if (argc < 8 || argc > 9 || (argc == 9 && strcmp(argv[8], "fencing") != 0))
        return false;
    ret->who = argv[1];
    for (char *rest = NULL, *key = strtok_r(argv[4], ",", &rest); key != NULL && ret->key_count < KEYS_MAX;
         key = strtok_r(NULL, ",", &rest))
        ret->keys[ret->key_count++] = key;
    ret->ttl_s = strtoull(argv[5], NULL, 10);
    ret->fencing = argc == 9;
    return ret->key_count > 0 &&
           sscanf(argv[7], "%" SCNu64 "-%" SCNu64, &ret->hold_least_ms, &ret->hold_most_ms) == 2 &&
           ret->hold_least_ms <= ret->hold_most_ms;
}

static bool open_client(char **argv, struct holder *holder)
{
    os_options options = OS_OPTIONS_INIT;
    char ledger_url[256];
    os_error error;
    snprintf(ledger_url, sizeof(ledger_url), "dynamodb://%s", argv[3]);
    options.ledger_url = ledger_url;
    options.dynamodb_endpoint = argv[2];
    if (os_client_open(&options, &holder->client, &error) == OS_OK)
        return true;
    fprintf(stderr, "interop_lease_holder: %s\n", error.message);
    return false;
}

static bool prepare(struct holder *holder, pthread_t *ret_thread)
{
    pthread_condattr_t steady;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    return pthread_sigmask(SIG_BLOCK, &set, NULL) == 0 && pthread_mutex_init(&holder->mutex, NULL) == 0 &&
           pthread_condattr_init(&steady) == 0 && pthread_condattr_setclock(&steady, CLOCK_MONOTONIC) == 0 &&
           pthread_cond_init(&holder->news, &steady) == 0 && os_cancel_new(&holder->stopping) == OS_OK &&
           pthread_create(ret_thread, NULL, await_signal, holder) == 0;
}

int main(int argc, char **argv)
{
    static struct holder holder;
    pthread_t signals;
    if (!take_arguments(argc, argv, &holder)) {
        fprintf(stderr, "usage: interop_lease_holder WHO ENDPOINT TABLE KEYS TTL_S EXTEND_MS LEAST-MOST [fencing]\n");
        return 2;
    }
    if (!prepare(&holder, &signals) || !open_client(argv, &holder))
        return 1;
    int status = work(&holder);
    if (status != 0)
        return status;
    pthread_join(signals, NULL);
    os_client_close(holder.client);
    os_cancel_free(holder.stopping);
    return 0;
}
