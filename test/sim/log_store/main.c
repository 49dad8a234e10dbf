/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_store_sim [--seeds N] [--seed N] [--trace] [--planted]
 *
 * Two to four writers append to one Delta table through a log store, and their requests meet what the seed says. When all
 * has ended, what was late has arrived, what was unknown is resolved, and one more writer has appended, then:
 *   - the versions of the log have no gap, and none was ever other bytes; what broke off was made whole
 *   - a commit that was told as committed is that version, and no other
 *   - one that was told as conflict or not executed is nowhere; one whose writer died is there once at most
 *   - no entry is incomplete
 * --planted tells the judge of each unknown as committed: then it must find something.
 */
#include "sim/log_store/world.h"

#include "append/append.h"
#include "delta/log_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] = "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,"
                             "\"metadata\":{}}]}";

enum { RESOLVES_MOST = 3 };

/* What a writer has when he dies is never freed: LeakSanitizer asks here whether it is to look. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

/* ------------------------------------------------------------------------------------------------------------- lanes */

static void file_of(const struct lane *lane, unsigned commit, char *ret, size_t size)
{
    (void)snprintf(ret, size, "lane-%u-commit-%u.parquet", lane->number, commit);
}

static os_delta_options options_of(struct lane *lane)
{
    os_delta_options options = OS_DELTA_OPTIONS_INIT;
    options.log_store = &lane->world->log_store;
    return options;
}

static void take_result(struct told *told, os_verdict verdict, os_delta_result *result)
{
    free(told->ticket);
    told->verdict = verdict;
    told->version = result->version;
    told->ticket = result->ticket;
    result->ticket = NULL;
}

static void resolve(struct lane *lane, struct told *told)
{
    os_delta_options options = options_of(lane);
    os_delta_result result = OS_DELTA_RESULT_INIT;
    const struct append_arguments arguments = {.table = "table", .ticket = told->ticket, .options = &options};
    os_verdict verdict = append_run_resolve(&lane->world->store, &arguments, &result, &told->error);
    take_result(told, verdict, &result);
    world_trace(lane->world, "lane %u: resolved as %s", lane->number, os_verdict_name(verdict));
}

static void commit(struct lane *lane, unsigned number)
{
    char path[64];
    struct told *told = &lane->told[number];
    os_delta_options options = options_of(lane);
    os_delta_result result = OS_DELTA_RESULT_INIT;
    file_of(lane, number, path, sizeof(path));
    const os_delta_add add = {path, 10, 1, 1};
    const os_delta_files files = {.size = sizeof(files), .schema = schema, .adds = &add, .count = 1};
    const struct append_arguments arguments = {.table = "table", .data = &files, .options = &options};
    os_verdict verdict = append_run_commit(&lane->world->store, &arguments, &result, &told->error);
    take_result(told, verdict, &result);
    world_trace(lane->world, "lane %u: commit %u is %s, version %lld: %s", lane->number, number,
                os_verdict_name(verdict), (long long)told->version, told->error.message);
    told->has_ended = true;
    if (lane->world->is_planted && verdict == OS_UNKNOWN)
        told->verdict = OS_COMMITTED;
    for (unsigned i = 0; i < RESOLVES_MOST && told->verdict == OS_UNKNOWN; i++)
        resolve(lane, told);
}

static void run_lane(void *context)
{
    struct lane *lane = context;
    for (unsigned i = 0; i < lane->commits; i++)
        commit(lane, i);
}

static bool is_running(const struct lane *lane)
{
    return lane->coroutine != NULL && !lane->is_dead && !coroutine_ended(lane->coroutine);
}

static void step(struct world *world, struct lane *lane)
{
    world->at = lane;
    coroutine_resume(lane->coroutine);
}

static void begin(struct world *world, struct lane *lane, unsigned number, unsigned commits)
{
    lane->world = world;
    lane->number = number;
    lane->commits = commits;
    lane->harms = (unsigned)world_draw(world, 4);
    lane->coroutine = coroutine_new(run_lane, lane);
    if (lane->coroutine == NULL)
        abort();
}

/* One of those that run, or something that is late. */
static bool advance(struct world *world)
{
    unsigned running = 0;
    for (unsigned i = 0; i < world->lane_count; i++)
        running += is_running(&world->lanes[i]);
    if (running == 0)
        return false;
    if (world_draw(world, 16) == 0)
        world_deliver(world, (size_t)world_draw(world, LATE_MAX));
    uint64_t which = world_draw(world, running);
    for (unsigned i = 0; i < world->lane_count; i++) {
        if (!is_running(&world->lanes[i]) || which-- != 0)
            continue;
        step(world, &world->lanes[i]);
        break;
    }
    return true;
}

static void run_calm(struct world *world, struct lane *lane)
{
    lane->is_calm = true;
    while (is_running(lane))
        step(world, lane);
}

/* ------------------------------------------------------------------------------------------------------------- judge */

static bool has_file(const struct object *object, const char *path)
{
    return memmem(object->bytes, object->length, path, strlen(path)) != NULL;
}

static struct object *version_at(struct world *world, uint64_t version)
{
    char name[NAME_SIZE] = "table/" DELTA_LOG_FOLDER;
    delta_log_name_commit(version, name + strlen(name));
    return world_find(world, name);
}

static uint64_t count_versions(struct world *world)
{
    uint64_t count = 0;
    while (version_at(world, count) != NULL)
        count++;
    for (uint64_t i = 0; i < count; i++)
        if (world_is_torn(version_at(world, i)))
            world_fail(world, "Version %llu is torn.", (unsigned long long)i);
    if (version_at(world, count + 1) != NULL)
        world_fail(world, "The log has a gap at version %llu.", (unsigned long long)count);
    return count;
}

static void judge_commit(struct world *world, const struct lane *lane, unsigned number, uint64_t versions)
{
    char path[64];
    uint64_t found = 0;
    int64_t at = -1;
    const struct told *told = &lane->told[number];
    file_of(lane, number, path, sizeof(path));
    for (uint64_t i = 0; i < versions; i++) {
        if (!has_file(version_at(world, i), path))
            continue;
        found++;
        at = (int64_t)i;
    }
    if (found > 1)
        world_fail(world, "%s stands in %llu versions.", path, (unsigned long long)found);
    if (!told->has_ended)
        return;
    world->verdicts[told->verdict]++;
    if (told->verdict == OS_COMMITTED && (found != 1 || at != told->version))
        world_fail(world, "%s was told as version %lld, and is version %lld.", path, (long long)told->version,
                   (long long)at);
    if ((told->verdict == OS_CONFLICT || told->verdict == OS_NOT_EXECUTED) && found != 0)
        world_fail(world, "%s was told as %s, and is version %lld: %.200s", path, os_verdict_name(told->verdict),
                   (long long)at, told->error.message);
}

static void judge(struct world *world)
{
    uint64_t versions = count_versions(world);
    const struct lane *last = &world->lanes[world->lane_count];
    for (unsigned i = 0; i <= world->lane_count; i++)
        for (unsigned k = 0; k < world->lanes[i].commits; k++)
            judge_commit(world, &world->lanes[i], k, versions);
    if (last->told[0].verdict != OS_COMMITTED)
        world_fail(world, "Without any fault or rival left, a commit is %s: %.300s",
                   os_verdict_name(last->told[0].verdict), last->told[0].error.message);
    for (size_t i = 0; i < world->entry_count; i++)
        if (world->entries[i].found && !world->entries[i].is_complete)
            world_fail(world, "The entry of %s is incomplete.", world->entries[i].file_name);
}

/* --------------------------------------------------------------------------------------------------------------- all */

static void check_tickets(struct world *world)
{
    for (unsigned i = 0; i < world->lane_count; i++) {
        struct lane *lane = &world->lanes[i];
        for (unsigned k = 0; k < lane->commits; k++)
            if (lane->told[k].has_ended && lane->told[k].verdict == OS_UNKNOWN && lane->told[k].ticket == NULL)
                world_fail(world, "An unknown has no ticket.");
    }
}

/* What was left unknown is decided once nothing is under way. */
static void run_settling(void *context)
{
    struct lane *last = context;
    struct world *world = last->world;
    for (unsigned i = 0; i < world->lane_count; i++)
        for (unsigned k = 0; k < world->lanes[i].commits; k++)
            if (world->lanes[i].told[k].verdict == OS_UNKNOWN)
                resolve(&world->lanes[i], &world->lanes[i].told[k]);
    commit(last, 0);
}

static void run(struct world *world)
{
    sim_world = world;
    world->lane_count = 2 + (unsigned)world_draw(world, LANES_MAX - 1);
    for (unsigned i = 0; i < world->lane_count; i++)
        begin(world, &world->lanes[i], i, 1 + (unsigned)world_draw(world, COMMITS_MAX));
    while (advance(world)) {
    }
    for (size_t i = 0; i < LATE_MAX; i++)
        world_deliver(world, i);
    check_tickets(world);
    struct lane *last = &world->lanes[world->lane_count];
    *last = (struct lane){.world = world, .number = world->lane_count, .commits = 1};
    last->coroutine = coroutine_new(run_settling, last);
    if (last->coroutine == NULL)
        abort();
    run_calm(world, last);
    judge(world);
}

static bool play(uint64_t seed, struct world *world, struct world *sum)
{
    world_init(world, seed);
    run(world);
    bool good = world->failure[0] == '\0';
    if (!good)
        (void)printf("seed %llu: %s\n", (unsigned long long)seed, world->failure);
    sum->requests += world->requests;
    for (size_t i = 0; i < FATES; i++)
        sum->struck[i] += world->struck[i];
    for (size_t i = 0; i <= OS_UNKNOWN; i++)
        sum->verdicts[i] += world->verdicts[i];
    world_free(world);
    return good;
}

static void print_sum(const struct world *sum, uint64_t seeds, uint64_t failed)
{
    (void)printf("%llu worlds, %llu requests, %llu failed\n", (unsigned long long)seeds,
                 (unsigned long long)sum->requests, (unsigned long long)failed);
    for (os_verdict verdict = OS_COMMITTED; verdict <= OS_UNKNOWN; verdict++)
        (void)printf("  %s: %llu\n", os_verdict_name(verdict), (unsigned long long)sum->verdicts[verdict]);
    (void)printf("  requests refused %llu, lost %llu, unanswered %llu, late %llu, torn %llu; deaths %llu\n",
                 (unsigned long long)sum->struck[FATE_REFUSED], (unsigned long long)sum->struck[FATE_LOST],
                 (unsigned long long)sum->struck[FATE_UNANSWERED], (unsigned long long)sum->struck[FATE_LATE],
                 (unsigned long long)sum->struck[FATE_TORN],
                 (unsigned long long)(sum->struck[FATE_DEATH] + sum->struck[FATE_LAST_DEED]));
}

static bool take_arguments(int argc, char **argv, struct world *world, uint64_t *ret_first, uint64_t *ret_seeds)
{
    for (int i = 1; i < argc; i++) {
        bool has_number = i + 1 < argc;
        if (strcmp(argv[i], "--trace") == 0) {
            world->traces = true;
        } else if (strcmp(argv[i], "--planted") == 0) {
            world->is_planted = true;
        } else if (strcmp(argv[i], "--seeds") == 0 && has_number) {
            *ret_seeds = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0 && has_number) {
            *ret_first = strtoull(argv[++i], NULL, 10);
            *ret_seeds = 1;
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    enum { FAILED_MOST = 10 };
    static struct world world;
    static struct world sum;
    uint64_t first = 1;
    uint64_t seeds = 2000;
    uint64_t failed = 0;
    if (!take_arguments(argc, argv, &world, &first, &seeds)) {
        (void)fprintf(stderr, "usage: log_store_sim [--seeds N] [--seed N] [--trace] [--planted]\n");
        return 2;
    }
    for (uint64_t seed = first; seed < first + seeds && failed < FAILED_MOST; seed++)
        failed += !play(seed, &world, &sum);
    print_sum(&sum, seeds, failed);
    coroutine_free_stacks();
    return (failed != 0) == world.is_planted ? 0 : 1;
}
