/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a lease, and what it does by itself while it is held. */
#include "inject.h"
#include "support/event.h"
#include "trial.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    TTL_S = 4,        /* who comes after one that was left behind waits as long */
    SHORT_TTL_S = 2,  /* where an extension or a poll is waited for: a third of it */
    LONG_TTL_S = 3600 /* it outlives every trial */
};

static const char *const another = "another";

static uint64_t ttl_of(const struct trial *trial)
{
    return trial->scenario->metric != NULL ? SHORT_TTL_S : TTL_S;
}

static os_lease_options options_of(const struct trial *trial)
{
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = ttl_of(trial);
    options.fencing = trial->scenario->with_token;
    options.owner = trial->key;
    return options;
}

static bool look(struct trial *trial, os_client *calm, os_lease_info *ret)
{
    os_error err;
    *ret = (os_lease_info)OS_LEASE_INFO_INIT;
    if (os_lease_read(calm, trial->key, NULL, ret, &err) != OS_OK)
        return trial_blame(trial, "the lease cannot be read by an undisturbed client: %s", err.message);
    return true;
}

static bool is_ours(const struct trial *trial, const os_lease_info *info)
{
    return info->held && strcmp(info->owner, trial->key) == 0;
}

/* ------------------------------------------------------------------------------------------------------- prepare */

static bool acquire_calmly(struct trial *trial, os_client *calm, const os_lease_options *options, os_lease **ret)
{
    os_error err;
    if (os_lease_acquire(calm, trial->key, options, NULL, ret, &err) != OS_OK)
        return trial_blame(trial, "the trial could not be prepared: %s", err.message);
    return true;
}

/* With a token, it was held before; so that the next token is known not to be the first. */
static bool prepare(os_client *calm, struct trial *trial)
{
    os_lease_options options = options_of(trial);
    os_error err;
    options.owner = another;
    options.ttl_s = LONG_TTL_S;
    if (!look(trial, calm, &trial->found)) /* the connection is there before open files are counted */
        return false;
    if (!trial->scenario->held)
        return true;
    if (!acquire_calmly(trial, calm, &options, &trial->of_another))
        return false;
    trial->token_before = os_lease_token(trial->of_another);
    if (!trial->scenario->with_token)
        return true;
    os_code code = os_lease_release(trial->of_another, NULL, &err);
    trial->of_another = NULL;
    return code == OS_OK ? true : trial_blame(trial, "the trial could not be prepared: %s", err.message);
}

/* ------------------------------------------------------------------------------------------------------- acquire */

/* What was acquired is released again, undisturbed. */
static void end_lease(struct trial *trial)
{
    os_error err;
    trial->ended = os_lease_release(trial->lease, NULL, &err);
    trial->lease = NULL;
}

static void acquire(os_client *client, struct trial *trial)
{
    static char mark; /* an address that no lease has */
    os_lease_options options = options_of(trial);
    options.wait = trial->scenario->metric != NULL;
    trial->lease = (os_lease *)&mark;
    inject_pause(false);
    trial->code = os_lease_acquire(client, trial->key, &options, &trial->call, &trial->lease, &trial->err);
    trial->gave = trial->lease != NULL;
    if (trial->code != OS_OK)
        return;
    trial->told = os_lease_state(trial->lease);
    trial->token = os_lease_token(trial->lease);
    inject_pause(true);
    (void)look(trial, trial->calm, &trial->found);
    end_lease(trial);
}

/* On the thread of the client that waits: its first request was answered, or has failed. */
static void release_other(void *context, const os_metric *metric)
{
    struct trial *trial = context;
    os_lease *lease = trial->of_another;
    if (metric->kind != OS_METRIC_REQUEST || lease == NULL)
        return;
    trial->of_another = NULL;
    bool counted = inject_is_counted();
    inject_set_counted(false);
    trial->ended_other = os_lease_release(lease, NULL, NULL);
    inject_set_counted(counted);
}

static bool check_held(struct trial *trial)
{
    bool with_token = trial->scenario->with_token;
    if (trial->told != OS_LEASE_HELD && trial->told != OS_LEASE_AT_RISK)
        return trial_blame(trial, "held, and its state is %d", trial->told);
    if (!is_ours(trial, &trial->found))
        return trial_blame(trial, "held, and the item is of \"%s\"", trial->found.owner);
    if (with_token ? trial->token <= trial->token_before : trial->token != 0)
        return trial_blame(trial, "held with the token %llu, after %llu", (unsigned long long)trial->token,
                           (unsigned long long)trial->token_before);
    if (trial->found.token != trial->token)
        return trial_blame(trial, "the item has the token %llu", (unsigned long long)trial->found.token);
    return true;
}

/* OS_ERR_UNDECIDED: what was made to fail broke the client's connection or its loop for good. */
static bool check_ended(struct trial *trial, os_client *calm, os_code code)
{
    if (code != OS_OK && code != OS_ERR_UNDECIDED)
        return trial_blame(trial, "the release of what was held says %s", os_code_name(code));
    if (!look(trial, calm, &trial->left))
        return false;
    if (code == OS_OK && is_ours(trial, &trial->left))
        return trial_blame(trial, "released, and still there");
    return true;
}

static bool check_acquired(os_client *calm, struct trial *trial)
{
    bool is_free = !trial->scenario->held || trial->scenario->with_token || trial->scenario->metric != NULL;
    if (trial->ended_other != OS_OK)
        return trial_blame(trial, "the other holder's release says %s", os_code_name(trial->ended_other));
    if (trial->code == OS_OK)
        return is_free ? check_held(trial) && check_ended(trial, calm, trial->ended)
                       : trial_blame(trial, "acquired, and another holds it");
    if (trial->gave)
        return trial_blame(trial, "nothing was acquired, and a lease was given");
    if (!look(trial, calm, &trial->left))
        return false;
    if (trial->code == OS_ERR_CONFLICT && (!trial->scenario->held || trial->scenario->with_token))
        return trial_blame(trial, "told of another holder, and there is none");
    if (!is_free && (!trial->left.held || strcmp(trial->left.owner, another) != 0))
        return trial_blame(trial, "what another holds is of \"%s\"", trial->left.owner);
    return true;
}

/* ----------------------------------------------------------------------------------------------------- extension */

static struct event changed; /* something may have: an extension was answered, or the state is another one */

static void note_extension(void *context, const os_metric *metric)
{
    (void)context;
    if (metric->kind == OS_METRIC_REQUEST && strcmp(metric->operation, "UpdateItem") == 0)
        event_set(&changed);
}

static void note_change(void *context, os_lease *lease, os_lease_status status)
{
    (void)context;
    (void)lease;
    (void)status;
    event_set(&changed);
}

/* Until then nothing comes that would be worth a look. */
static void wait_for_change(uint64_t most_ms)
{
    struct timespec until;
    int error = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(most_ms / 1000);
    until.tv_nsec += (long)(most_ms % 1000 * 1000000);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&changed.mutex);
    while (changed.set == 0 && error == 0)
        error = pthread_cond_timedwait(&changed.cond, &changed.mutex, &until);
    changed.set = 0;
    pthread_mutex_unlock(&changed.mutex);
}

/* Until it has more time than at first, or is lost. The read comes after the step that an answer made: both are the
 * loop's. */
static void wait_for_extension(os_client *client, struct trial *trial)
{
    const uint64_t over_ms = now_ms() + os_lease_remaining_ms(trial->lease);
    os_lease_info info = OS_LEASE_INFO_INIT;
    do {
        wait_for_change(os_lease_remaining_ms(trial->lease) + 1);
        (void)os_lease_read(client, trial->key, &trial->call, &info, NULL);
        trial->told = os_lease_state(trial->lease);
    } while (trial->told != OS_LEASE_LOST && now_ms() + os_lease_remaining_ms(trial->lease) <= over_ms + 1);
    trial->lost_early = trial->told == OS_LEASE_LOST && now_ms() + 1 < over_ms;
}

/* The failures are the loop's alone: this thread is not counted. */
static void extend(os_client *client, struct trial *trial)
{
    os_lease_options options = options_of(trial);
    changed = (struct event)EVENT_INIT;
    options.changed = note_change;
    trial->code = os_lease_acquire(client, trial->key, &options, NULL, &trial->lease, &trial->err);
    if (trial->code != OS_OK)
        return;
    wait_for_change(0); /* what the acquisition told */
    inject_set_counted(false);
    inject_pause(false);
    wait_for_extension(client, trial);
    inject_pause(true);
    inject_set_counted(true);
    trial->token = os_lease_token(trial->lease);
    (void)look(trial, trial->calm, &trial->found);
    end_lease(trial);
}

static bool check_extended(os_client *calm, struct trial *trial)
{
    if (trial->code != OS_OK)
        return trial_blame(trial, "acquired undisturbed, and told %s: %s", os_code_name(trial->code),
                           trial->err.message);
    if (trial->told != OS_LEASE_LOST)
        return check_held(trial) && check_ended(trial, calm, trial->ended);
    if (trial->undisturbed)
        return trial_blame(trial, "undisturbed, and lost");
    if (trial->lost_early)
        return trial_blame(trial, "lost before its time was over, and nobody has taken it");
    return trial->ended == OS_ERR_CONFLICT
               ? true
               : trial_blame(trial, "lost, and its release says %s", os_code_name(trial->ended));
}

/* ------------------------------------------------------------------------------------------------- release, read */

static void release(os_client *client, struct trial *trial)
{
    os_lease_options options = options_of(trial);
    trial->code = os_lease_acquire(client, trial->key, &options, NULL, &trial->lease, &trial->err);
    if (trial->code != OS_OK)
        return;
    trial->gave = true;
    trial->token = os_lease_token(trial->lease);
    inject_pause(false);
    trial->code = os_lease_release(trial->lease, &trial->call, &trial->err);
    inject_pause(true);
    (void)look(trial, trial->calm, &trial->found);
    if (trial->code != OS_ERR_NO_MEMORY && trial->code != OS_ERR_ARGUMENT)
        return;
    trial->told = os_lease_state(trial->lease);
    end_lease(trial);
}

static bool check_released(os_client *calm, struct trial *trial)
{
    if (!trial->gave)
        return trial_blame(trial, "acquired undisturbed, and told %s: %s", os_code_name(trial->code),
                           trial->err.message);
    switch (trial->code) {
    case OS_OK: return !is_ours(trial, &trial->found) ? true : trial_blame(trial, "released, and still there");
    case OS_ERR_UNDECIDED: return true;
    case OS_ERR_NO_MEMORY: /* refused */ return check_held(trial) && check_ended(trial, calm, trial->ended);
    default:
        return trial_blame(trial, "what was held is released with %s: %s", os_code_name(trial->code),
                           trial->err.message);
    }
}

static void read_it(os_client *client, struct trial *trial)
{
    trial->given_lease = (os_lease_info)OS_LEASE_INFO_INIT;
    inject_pause(false);
    trial->code = os_lease_read(client, trial->key, &trial->call, &trial->given_lease, &trial->err);
}

static bool check_read(os_client *calm, struct trial *trial)
{
    const os_lease_info *given = &trial->given_lease;
    if (!look(trial, calm, &trial->found))
        return false;
    if (trial->code != OS_OK)
        return !given->held ? true : trial_blame(trial, "a read that failed has given something");
    return given->held && given->ttl_ms == trial->found.ttl_ms && given->expiry_s == trial->found.expiry_s &&
                   strcmp(given->owner, another) == 0 && strcmp(given->version, trial->found.version) == 0
               ? true
               : trial_blame(trial, "the read gave the version \"%s\" of \"%s\" until %lld, ttl %llu, held %d",
                             given->version, given->owner, (long long)given->expiry_s,
                             (unsigned long long)given->ttl_ms, given->held);
}

/* --------------------------------------------------------------------------------------------------------- table */

static void create_table(os_client *client, struct trial *trial)
{
    inject_pause(false);
    trial->code = os_lease_table_create(client, &trial->call, &trial->err);
}

static void check_table(os_client *client, struct trial *trial)
{
    inject_pause(false);
    trial->code = os_lease_table_check(client, &trial->call, &trial->err);
}

/* -------------------------------------------------------------------------------------------------------- settle */

/* The next holder has it when the time of what was left behind is over, and with a newer token. */
static bool settle(os_client *calm, struct trial *trial)
{
    os_lease_options options = options_of(trial);
    os_call call = OS_CALL_INIT;
    os_lease *lease = NULL;
    os_error err;
    options.wait = 1;
    call.deadline_ms = FOLLOW_UP_MS;
    if (os_lease_acquire(calm, trial->key, &options, &call, &lease, &err) != OS_OK)
        return trial_blame(trial, "the next holder was told: %s", err.message);
    uint64_t token = os_lease_token(lease);
    uint64_t most = trial->token > trial->token_before ? trial->token : trial->token_before;
    if (os_lease_release(lease, NULL, &err) != OS_OK)
        return trial_blame(trial, "the next holder's release says: %s", err.message);
    return !trial->scenario->with_token || token > most
               ? true
               : trial_blame(trial, "the next holder has the token %llu after %llu", (unsigned long long)token,
                             (unsigned long long)most);
}

#define LEASE .kind = SCENARIO_LEASE, .prepare = prepare, .settle = settle
static const struct scenario scenarios[] = {
    {LEASE, .name = "lease_acquire", .run = acquire, .check = check_acquired},
    {LEASE, .name = "lease_acquire_fenced", .with_token = true, .calm_at_first = true, .run = acquire,
     .check = check_acquired},
    {LEASE, .name = "lease_acquire_fenced_again", .with_token = true, .held = true, .calm_at_first = true,
     .run = acquire, .check = check_acquired},
    {LEASE, .name = "lease_acquire_of_held", .held = true, .wanted = OS_ERR_CONFLICT, .run = acquire,
     .check = check_acquired},
    {LEASE, .name = "lease_acquire_waiting", .held = true, .deadline_ms = 1500, .metric = release_other, .run = acquire,
     .check = check_acquired},
    {LEASE, .name = "lease_extension", .calm_at_first = true, .metric = note_extension, .run = extend,
     .check = check_extended},
    {LEASE, .name = "lease_release", .calm_at_first = true, .run = release, .check = check_released},
    {LEASE, .name = "lease_release_fenced", .with_token = true, .calm_at_first = true, .run = release,
     .check = check_released},
    {LEASE, .name = "lease_read", .held = true, .calm_at_first = true, .run = read_it, .check = check_read},
    {.kind = SCENARIO_LEASE, .name = "lease_table_create", .calm_at_first = true, .run = create_table},
    {.kind = SCENARIO_LEASE, .name = "lease_table_check", .calm_at_first = true, .run = check_table},
};
const struct scenarios lease_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};
