/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/shrink.h"

#include "sim/plan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------ one trial */

static void run_child(uint64_t seed, const struct fault_change *change, enum world_defect defect, struct trial *ret)
{
    static struct world world;
    alarm(TRIAL_SECONDS_MAX);
    ret->failed = !world_run(&world, seed, change, defect, NULL);
    ret->digest = world.digest;
    for (uint32_t i = 0; i < FAULT_COUNT; i++)
        ret->has_kind[i] = world.faults.rate[i] > 0;
    for (uint32_t lane = 0; lane < world.lanes; lane++)
        ret->calls[lane] = plan_count(&world, lane);
    ret->struck_count = world.faults.log_count;
    memcpy(ret->struck, world.faults.log, ret->struck_count * sizeof(ret->struck[0]));
    memcpy(ret->failure, world.failures[0], sizeof(ret->failure));
    _exit(0);
}

bool trial_run(uint64_t seed, const struct fault_change *change, enum world_defect defect, struct trial *ret)
{
    struct trial *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        run_child(seed, change, defect, shared);
    int status = 0;
    bool ran = child > 0 && waitpid(child, &status, 0) == child;
    *ret = *shared;
    if (ran && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        ret->failed = true;
        ret->signal = WIFSIGNALED(status) ? WTERMSIG(status) : -1;
        snprintf(ret->failure, sizeof(ret->failure), "The process ended by itself (%s).",
                 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "see what it said");
    }
    munmap(shared, sizeof(*shared));
    return ran;
}

/* ------------------------------------------------------------------------------------------------ smaller */

struct shrinking {
    uint64_t seed;
    enum world_defect defect;
    struct fault_change *change;
    struct trial *trial; /* the last one that failed */
    struct trial *next;
    uint32_t tries;
    bool ok;
};

enum { TRIES_MAX = 3000 };

/* Takes `smaller` over if it fails still. */
static bool try_change(struct shrinking *shrinking, struct fault_change *smaller)
{
    if (shrinking->tries++ >= TRIES_MAX || !shrinking->ok) {
        fault_change_free(smaller);
        return false;
    }
    shrinking->ok = trial_run(shrinking->seed, smaller, shrinking->defect, shrinking->next);
    if (!shrinking->ok || !shrinking->next->failed) {
        fault_change_free(smaller);
        return false;
    }
    fault_change_free(shrinking->change);
    *shrinking->change = *smaller;
    struct trial *kept = shrinking->trial;
    shrinking->trial = shrinking->next;
    shrinking->next = kept;
    return true;
}

static void without_kinds(struct shrinking *shrinking)
{
    bool known = shrinking->trial->signal == 0; /* a child that crashed has told nothing */
    for (uint32_t i = 0; i < FAULT_COUNT; i++) {
        struct fault_change smaller;
        if (shrinking->change->without_kind[i] || (known && !shrinking->trial->has_kind[i]))
            continue;
        shrinking->ok = shrinking->ok && fault_change_copy(shrinking->change, &smaller);
        if (shrinking->ok) {
            smaller.without_kind[i] = true;
            (void)try_change(shrinking, &smaller);
        }
    }
}

static void without_calls(struct shrinking *shrinking)
{
    bool known = shrinking->trial->signal == 0;
    for (uint32_t lane = 0; lane < WORLD_LANES_MAX; lane++) {
        for (uint32_t index = 0; index < (known ? shrinking->trial->calls[lane] : PLAN_CALLS_MAX); index++) {
            struct fault_change smaller;
            uint64_t call = fault_occasion(lane, index);
            if (fault_lacks_call(shrinking->change, call))
                continue;
            shrinking->ok = shrinking->ok && fault_change_copy(shrinking->change, &smaller) &&
                            fault_change_without_call(&smaller, call);
            if (shrinking->ok)
                (void)try_change(shrinking, &smaller);
        }
    }
}

/* Where the faults are named one by one, a kind need not be named as well. */
static void kinds_back(struct shrinking *shrinking)
{
    for (uint32_t i = 0; i < FAULT_COUNT && shrinking->change->has_only; i++) {
        struct fault_change plainer;
        if (!shrinking->change->without_kind[i] || fault_is_of_the_world(i))
            continue;
        shrinking->ok = shrinking->ok && fault_change_copy(shrinking->change, &plainer);
        if (shrinking->ok) {
            plainer.without_kind[i] = false;
            (void)try_change(shrinking, &plainer);
        }
    }
}

/* The faults that strike, but for `skip` of them from `from` on. */
static bool try_fewer(struct shrinking *shrinking, size_t from, size_t skip)
{
    struct fault_change smaller;
    const struct fault_change *now = shrinking->change;
    struct fault_point kept[FAULT_LOG_MAX];
    size_t count = 0;
    for (size_t i = 0; i < now->only_count; i++)
        if (i < from || i >= from + skip)
            kept[count++] = now->only[i];
    shrinking->ok = shrinking->ok && fault_change_copy(now, &smaller) && fault_change_only(&smaller, kept, count);
    return shrinking->ok && try_change(shrinking, &smaller);
}

/* Halves, quarters ... and at last single ones (after Zeller's delta debugging). */
static void fewer_faults(struct shrinking *shrinking)
{
    struct fault_change exact;
    shrinking->ok = shrinking->ok && fault_change_copy(shrinking->change, &exact) &&
                    fault_change_only(&exact, shrinking->trial->struck, shrinking->trial->struck_count);
    if (!shrinking->ok || shrinking->trial->signal != 0 || !try_change(shrinking, &exact))
        return;
    for (size_t skip = shrinking->change->only_count; skip > 0; skip /= 2) {
        for (size_t from = 0; from < shrinking->change->only_count;)
            if (!try_fewer(shrinking, from, skip))
                from += skip;
    }
}

enum { SINGLE_TRIES_MAX = 600, SINGLE_REQUESTS_MAX = 40 };

static bool is_first_of_its_kind(const struct trial *trial, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (trial->struck[i].kind == trial->struck[at].kind &&
            trial->struck[i].occasion >> 40 == trial->struck[at].occasion >> 40)
            return false;
    return true;
}

/* One fault that is enough by itself. Without the others the requests have other numbers, so that taking away one after
 * another does not lead there: each number is tried, for each kind and lane of those that struck. */
static bool single_fault(struct shrinking *shrinking)
{
    uint32_t end = shrinking->tries + SINGLE_TRIES_MAX;
    struct trial *all = malloc(sizeof(*all));
    bool found = false;
    shrinking->ok = shrinking->ok && all != NULL;
    if (shrinking->ok)
        *all = *shrinking->trial;
    for (uint64_t number = 0; number <= SINGLE_REQUESTS_MAX && shrinking->ok && !found; number++) {
        for (size_t i = 0; i < all->struck_count && shrinking->ok && !found && shrinking->tries < end; i++) {
            struct fault_change smaller;
            struct fault_point point = all->struck[i];
            point.occasion = (point.occasion >> 40 << 40) + number;
            if (!is_first_of_its_kind(all, i))
                continue;
            shrinking->ok = fault_change_copy(shrinking->change, &smaller) && fault_change_only(&smaller, &point, 1);
            found = shrinking->ok && try_change(shrinking, &smaller);
        }
    }
    free(all);
    return found;
}

bool shrink(uint64_t seed, struct fault_change *change, enum world_defect defect, FILE *file)
{
    struct shrinking shrinking = {.seed = seed, .defect = defect, .change = change, .ok = true};
    struct trial *trials = calloc(2, sizeof(*trials));
    if (trials == NULL)
        return false;
    shrinking.trial = &trials[0];
    shrinking.next = &trials[1];
    shrinking.ok = trial_run(seed, change, defect, shrinking.trial) && shrinking.trial->failed;
    without_kinds(&shrinking);
    without_calls(&shrinking);
    if (shrinking.trial->signal == 0 && !single_fault(&shrinking))
        fewer_faults(&shrinking);
    without_calls(&shrinking);
    kinds_back(&shrinking);
    fprintf(file, "minimised in %u tries: %zu faults are left\n", shrinking.tries, shrinking.trial->struck_count);
    free(trials);
    return shrinking.ok;
}

bool shrink_print(uint64_t seed, const struct fault_change *change, enum world_defect defect, FILE *file)
{
    static const char *const options[] = WORLD_DEFECT_OPTIONS;
    struct trial *trial = calloc(1, sizeof(*trial));
    char name[64];
    if (trial == NULL || !trial_run(seed, change, defect, trial)) {
        free(trial);
        return false;
    }
    fprintf(file, "seed %llu %s: %s\nreplay: oscommit_sim --trace%s --seed %llu", (unsigned long long)seed,
            trial->failed ? "fails" : "does not fail", trial->failure, options[defect], (unsigned long long)seed);
    for (uint32_t i = 0; i < FAULT_COUNT; i++)
        if (change->without_kind[i])
            fprintf(file, " --without %s", fault_name(i));
    for (size_t i = 0; i < change->without_count; i++) {
        fault_point_name(change->without[i], name);
        fprintf(file, " --without %s", name);
    }
    for (size_t i = 0; i < change->without_call_count; i++) {
        fault_call_name(change->without_call[i], name);
        fprintf(file, " --without %s", name);
    }
    if (change->has_only && change->only_count == 0)
        fprintf(file, " --only none");
    for (size_t i = 0; i < change->only_count; i++) {
        fault_point_name(change->only[i], name);
        fprintf(file, " --only %s", name);
    }
    fprintf(file, "\ndigest %016llx\n", (unsigned long long)trial->digest);
    free(trial);
    return true;
}
