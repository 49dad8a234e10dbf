/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/batch.h"

#include "sim/shrink.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BATCH_SEEDS = 100, JOBS_MAX = 64 };

struct child { /* shared with it */
    pid_t pid; /* 0: none */
    uint64_t first;
    uint64_t count;
    uint64_t now; /* the seed that it is at */
    bool failed;
    bool done;
    struct summary summary;
};

double batch_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool run_seed(const struct batch_options *options, uint64_t seed, struct summary *ret)
{
    static struct world world;
    bool ok = world_run(&world, seed, options->change, options->defect, NULL);
    uint64_t digest = world.digest;
    summary_add(ret, &world);
    world_free(&world);
    if (ok && options->twice) {
        ok = world_run(&world, seed, options->change, options->defect, NULL) && world.digest == digest;
        world_free(&world);
    }
    return ok;
}

static void run_child(const struct batch_options *options, struct child *child)
{
    for (uint64_t i = 0; i < child->count && !child->failed; i++) {
        child->now = child->first + i;
        alarm(TRIAL_SECONDS_MAX);
        child->failed = !run_seed(options, child->now, &child->summary);
    }
    child->done = true;
    _exit(0);
}

struct batches {
    const struct batch_options *options;
    struct child *children;
    uint32_t jobs;
    uint64_t next; /* seeds already given out */
    double begun_s;
    struct summary *ret;
    bool failed;
    uint64_t failed_seed;
};

static bool start(struct batches *batches, struct child *child)
{
    uint64_t left = batches->options->seeds - batches->next;
    *child = (struct child){.first = batches->options->first + batches->next};
    child->count = left < BATCH_SEEDS ? left : BATCH_SEEDS;
    child->now = child->first;
    batches->next += child->count;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        run_child(batches->options, child);
    child->pid = pid;
    return pid > 0;
}

static void take(struct batches *batches, struct child *child)
{
    child->pid = 0;
    summary_join(batches->ret, &child->summary);
    bool failed = child->failed || !child->done;
    if (failed && (!batches->failed || child->now < batches->failed_seed)) {
        batches->failed = true;
        batches->failed_seed = child->now;
    }
    FILE *progress = batches->options->progress;
    if (progress != NULL) {
        double seconds = batch_clock_s() - batches->begun_s;
        fprintf(progress, "%llu seeds, %.0f seeds/s\n", (unsigned long long)batches->ret->seeds,
                (double)batches->ret->seeds / seconds);
    }
}

static bool wants_more(const struct batches *batches)
{
    double limit_s = batches->options->seconds;
    bool in_time = limit_s <= 0 || batch_clock_s() - batches->begun_s < limit_s;
    return in_time && !batches->failed && batches->next < batches->options->seeds;
}

/* True while a child runs. */
static bool wait_for_one(struct batches *batches)
{
    pid_t pid = wait(NULL);
    for (uint32_t i = 0; i < batches->jobs && pid > 0; i++) {
        if (batches->children[i].pid == pid) {
            take(batches, &batches->children[i]);
            return true;
        }
    }
    return pid > 0;
}

static bool run_all(struct batches *batches)
{
    bool ok = true;
    do {
        for (uint32_t i = 0; i < batches->jobs && ok && wants_more(batches); i++)
            if (batches->children[i].pid == 0)
                ok = start(batches, &batches->children[i]);
    } while (wait_for_one(batches));
    return ok;
}

bool batch_run(const struct batch_options *options, struct summary *ret, bool *ret_any_failed, uint64_t *ret_failed)
{
    uint32_t jobs = options->jobs < 1 ? 1 : options->jobs > JOBS_MAX ? JOBS_MAX : options->jobs;
    struct batches batches = {.options = options, .jobs = jobs, .begun_s = batch_clock_s(), .ret = ret};
    size_t size = jobs * sizeof(*batches.children);
    batches.children = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (batches.children == MAP_FAILED)
        return false;
    bool ok = run_all(&batches);
    munmap(batches.children, size);
    *ret_any_failed = batches.failed;
    *ret_failed = batches.failed_seed;
    return ok;
}
