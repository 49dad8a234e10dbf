/* SPDX-License-Identifier: Apache-2.0 */
#include "torture.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SETTLERS = 64,
    FAILURES_MAX = 20,
    NUMBER_MAX = 1000000,
    HANG_S = 120,
    FIRST_MAX = 11,
    SWEEP_US = 100000,
    LONG_STEP = 8,
    DRAW_PRIME = 7919
};

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static char now[256]; /* what is made to fail, for the handler of a crash */

static void say_now(void)
{
    static const char said[] = "tortured: ";
    if (now[0] != '\0' && (write(STDERR_FILENO, said, sizeof(said) - 1) < 0 ||
                           write(STDERR_FILENO, now, strlen(now)) < 0 || write(STDERR_FILENO, "\n", 1) < 0))
        return;
}

void torture_say_now(int number);

/* The last words of a crash, and of a run that hangs (SIGALRM). */
void torture_say_now(int number)
{
    (void)number;
    say_now();
    abort();
}

static void fail(struct torture *torture, const char *what, const char *why)
{
    torture->failures++;
    printf("FAILED %s: %s\n", what, why);
    fflush(stdout);
}

static size_t open_files(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        return 0;
    while (readdir(folder) != NULL)
        count++;
    (void)closedir(folder);
    return count;
}

/* ------------------------------------------------------------------------------------------------------- settle */

struct settling {
    struct torture *torture;
    os_client *calm[SCENARIO_KINDS];
    atomic_size_t next;
    bool good[TORTURE_PENDING_MAX];
};

static void *settle_some(void *context)
{
    struct settling *settling = context;
    for (;;) {
        size_t i = atomic_fetch_add(&settling->next, 1);
        if (i >= settling->torture->pending_count)
            return NULL;
        struct trial *trial = settling->torture->pending[i];
        settling->good[i] = trial_settle(trial, settling->calm[trial->scenario->kind]);
    }
}

/* What was disturbed may leave an upload behind, which `gc` then finds: once no record shields it any more, it goes. */
static void sweep_uploads(struct torture *torture, os_client *calm)
{
    os_gc_options options = OS_GC_OPTIONS_INIT;
    os_gc_result result = OS_GC_RESULT_INIT;
    os_error err;
    options.older_than_s = 1;
    options.remove = 1;
    do {
        if (os_gc(calm, &options, NULL, NULL, NULL, &result, &err) != OS_OK || result.failed > 0) {
            fail(torture, "removing uploads", err.message);
            return;
        }
        torture->uploads += result.removed;
        usleep(SWEEP_US); /* until it is a second old: time alone makes it so */
    } while (result.uploads > 0);
}

static void settle(struct torture *torture)
{
    struct settling settling = {.torture = torture};
    alarm(HANG_S);
    pthread_t threads[SETTLERS];
    size_t count = 0;
    os_error err;
    for (int kind = 0; kind < SCENARIO_KINDS; kind++) {
        settling.calm[kind] = world_client(torture->world, (enum scenario_kind)kind, &err);
        if (settling.calm[kind] == NULL) {
            fail(torture, "settling", err.message);
            abort();
        }
    }
    while (count < SETTLERS && pthread_create(&threads[count], NULL, settle_some, &settling) == 0)
        count++;
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    sweep_uploads(torture, settling.calm[SCENARIO_PLAIN]);
    for (int kind = 0; kind < SCENARIO_KINDS; kind++)
        os_client_close(settling.calm[kind]);
    for (size_t i = 0; i < torture->pending_count; i++) {
        if (!settling.good[i])
            fail(torture, torture->pending_what[i], torture->pending[i]->why);
        trial_clear(torture->pending[i]);
        free(torture->pending[i]);
        free(torture->pending_what[i]);
    }
    torture->pending_count = 0;
    if (!world_embedded_is_clean(torture->world))
        fail(torture, "settling", "a temporary file outlives the sweep");
    if (torture->world->services != NULL)
        world_remote_renew(torture->world);
}

static void keep_for_later(struct torture *torture, struct trial *trial)
{
    torture->pending_what[torture->pending_count] = strdup(now);
    torture->pending[torture->pending_count++] = trial;
    if (torture->pending_count == TORTURE_PENDING_MAX)
        settle(torture);
}

/* ---------------------------------------------------------------------------------------------------- one trial */

static struct trial *new_trial(struct torture *torture, const struct scenario *scenario)
{
    struct trial *trial = calloc(1, sizeof(*trial));
    if (trial == NULL)
        abort();
    trial->scenario = scenario;
    trial->world = torture->world;
    trial->number = torture->next++;
    return trial;
}

static bool with_calm_client(struct trial *trial, bool (*action)(struct trial *, os_client *))
{
    os_error err;
    if (trial->calm != NULL)
        return action(trial, trial->calm);
    os_client *calm = world_client(trial->world, trial->scenario->kind, &err);
    if (calm == NULL)
        return trial_blame(trial, "an undisturbed client could not be opened: %s", err.message);
    bool good = action(trial, calm);
    if (trial_is_of_table(trial))
        trial->calm = calm;
    else
        os_client_close(calm);
    return good;
}

static bool disturb(struct trial *trial, const struct inject_plan *plan)
{
    inject_begin(plan);
    trial_run(trial);
    return inject_end();
}

/* Once every client is closed: SQLite keeps a file open while another connection of the process has a lock on it. */
static bool leaves_no_file(struct trial *trial, size_t before)
{
    size_t after = open_files();
    for (int i = 0; trial->world->services != NULL && after > before && i < 60000; i++) {
        usleep(1000); /* the server's ends of the connections, which it closes in its own time */
        after = open_files();
    }
    return after <= before ? true : trial_blame(trial, "%zu open files, before there were %zu", after, before);
}

static void name_what_happens(const struct torture *torture, const struct scenario *scenario,
                              const struct inject_plan *plan)
{
    snprintf(now, sizeof(now), "%s %s: %s %s #%ld %s", torture->world->name, scenario->name,
             inject_kind_names[plan->kind], inject_variant_name(plan->kind, plan->variant), plan->number,
             plan->forever ? "and later" : "once");
}

/* With and without a failure; true when there was one. */
static bool try_once(struct torture *torture, const struct scenario *scenario, const struct inject_plan *plan)
{
    struct trial *trial = new_trial(torture, scenario);
    bool injected = false;
    size_t files = open_files();
    trial->undisturbed = plan->number < 0;
    name_what_happens(torture, scenario, plan);
    alarm(HANG_S);
    bool good = with_calm_client(trial, trial_prepare);
    if (good)
        injected = disturb(trial, plan);
    size_t length = strlen(now);
    snprintf(now + length, sizeof(now) - length, " (%s)", injected ? inject_call() : "");
    good = good && with_calm_client(trial, trial_check);
    trial_close_calm(trial);
    good = good && leaves_no_file(trial, files);
    if (torture->verbose)
        printf("%s: %s\n", now, trial->verdict ? os_verdict_name(trial->verdict) : os_code_name(trial->err.code));
    if (good) {
        keep_for_later(torture, trial);
    } else {
        fail(torture, now, trial->why);
        trial_clear(trial);
        free(trial);
    }
    torture->injections[plan->kind] += injected;
    return injected;
}

/* An upload that cannot be aborted is tried for two seconds: in a slice, those who must are fewer. Of the calls that
 * apply a write a run has but a few: a slice has them all. */
static long step_of(const struct torture *torture, const struct scenario *scenario, const struct inject_plan *plan)
{
    if (plan->kind == INJECT_DONE)
        return 1;
    return torture->step > 1 && scenario->in_parts && plan->forever ? torture->step * LONG_STEP : torture->step;
}

static long first_of(const struct torture *torture, long step)
{
    unsigned long next = torture->next;
    if (step > torture->step)
        return (long)(next * DRAW_PRIME % (unsigned long)step); /* else only the first calls would ever be hit */
    return (long)(next % (unsigned long)(step < FIRST_MAX ? step : FIRST_MAX));
}

/* Threads share the last calls of a run in different ways: three runs in a row that were not hit end it. */
static void torture_numbers(struct torture *torture, const struct scenario *scenario, struct inject_plan plan)
{
    int calm = 0;
    long step = step_of(torture, scenario, &plan);
    for (long i = first_of(torture, step); i < NUMBER_MAX && calm < 3 && torture->failures < FAILURES_MAX; i += step) {
        if (i / step % torture->shards != torture->shard)
            continue;
        plan.number = i;
        calm = try_once(torture, scenario, &plan) ? 0 : calm + (torture->step > 1 ? 3 : 1);
    }
}

/* The servers' threads have ended first: what one of them is just making may be on no stack yet. */
static bool leaks(struct torture *torture)
{
    if (__lsan_do_recoverable_leak_check == NULL)
        return false;
    if (torture->world->services != NULL)
        world_remote_rest(torture->world);
    return __lsan_do_recoverable_leak_check() != 0;
}

/* Where a run takes a second, a slice has one way to fail of each kind, drawn. */
static bool is_left_out(const struct torture *torture, const struct scenario *scenario, enum inject_kind kind,
                        int variant)
{
    unsigned long count = (unsigned long)inject_variants(kind);
    return torture->step > 1 && scenario->metric != NULL &&
           (torture->drawn + (unsigned long)torture->shard) % count != (unsigned long)variant;
}

static void torture_kind(struct torture *torture, const struct scenario *scenario, enum inject_kind kind)
{
    torture->drawn = torture->next;
    for (int variant = 0; variant < inject_variants(kind); variant++) {
        if (is_left_out(torture, scenario, kind, variant))
            continue;
        for (int forever = 0; forever < 2; forever++) {
            struct inject_plan plan = {.kind = kind, .variant = variant, .forever = forever};
            if (!forever || !inject_is_passing(kind, variant))
                torture_numbers(torture, scenario, plan);
        }
    }
    if (leaks(torture))
        fail(torture, scenario->name, inject_kind_names[kind]);
}

/* The first run of all is undisturbed, and must do its work. What it did not call cannot fail. */
static void torture_scenario(struct torture *torture, const struct scenario *scenario)
{
    struct inject_plan none = {.kind = INJECT_MEMORY, .number = -1};
    bool is_called[INJECT_KINDS];
    (void)try_once(torture, scenario, &none);
    for (int kind = 0; kind < INJECT_KINDS; kind++)
        is_called[kind] = inject_count((enum inject_kind)kind) > 0;
    for (int kind = 0; kind < INJECT_KINDS; kind++)
        if (is_called[kind] && (torture->only_kind < 0 || torture->only_kind == kind))
            torture_kind(torture, scenario, (enum inject_kind)kind);
}

static void torture_scenarios(struct torture *torture, const struct scenarios *scenarios)
{
    for (size_t i = 0; i < scenarios->count && torture->failures < FAILURES_MAX; i++)
        if (torture->only_scenario == NULL || strcmp(torture->only_scenario, scenarios->list[i].name) == 0)
            torture_scenario(torture, &scenarios->list[i]);
}

void torture_run(struct torture *torture)
{
    const char *group = torture->only_group;
    if (group == NULL || strcmp(group, "objects") == 0)
        torture_scenarios(torture, &object_scenarios);
    if (!torture->is_started && (group == NULL || strcmp(group, "holding") == 0)) {
        torture_scenarios(torture, &lease_scenarios);
        torture_scenarios(torture, &lock_scenarios);
    }
    if (!torture->is_started && (group == NULL || strcmp(group, "rows") == 0))
        torture_scenarios(torture, &row_scenarios);
    settle(torture);
    alarm(0);
}
