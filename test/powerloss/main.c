/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oscommit_powerloss [--all] [--step N] [--images N] [--seed N] [--instant N] [--lie objects|logs|folders]
 *
 * Records what an embedded store does to the disk, lets the power fail after every N-th change [2] (--all: after each),
 * rebuilds what the disk may hold then (nothing of what was not flushed, all of it, and --images [3] random choices;
 * --all: 40), and looks whether the store keeps its word there. --lie: the disk forgets flushes, so that failures must
 * come.
 */
#include "disk_log.h"
#include "image.h"
#include "judge.h"
#include "story.h"

#include <ftw.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FAILURES_MAX = 10, SLICE_STEP = 2, SLICE_IMAGES = 3, ALL_IMAGES = 40 };

struct plan {
    long step, images, instant;
    unsigned long seed;
    enum disk_lie lie;
    char folder[64];
    unsigned long instants, tried, failures;
};

static enum disk_lie lie_of(const char *name)
{
    return strcmp(name, "objects") == 0 ? DISK_LIES_ABOUT_OBJECTS
           : strcmp(name, "logs") == 0  ? DISK_LIES_ABOUT_LOGS
                                        : DISK_LIES_ABOUT_FOLDERS;
}

static bool read_options(int argc, char **argv, struct plan *plan)
{
    static const struct option options[] = {{"all", no_argument, NULL, 'a'},
                                            {"step", required_argument, NULL, 's'},
                                            {"images", required_argument, NULL, 'i'},
                                            {"seed", required_argument, NULL, 'e'},
                                            {"lie", required_argument, NULL, 'l'},
                                            {"instant", required_argument, NULL, 't'},
                                            {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'a':
            plan->step = 1;
            plan->images = ALL_IMAGES;
            break;
        case 's': plan->step = strtol(optarg, NULL, 10); break;
        case 'i': plan->images = strtol(optarg, NULL, 10); break;
        case 'e': plan->seed = strtoul(optarg, NULL, 10); break;
        case 't': plan->instant = strtol(optarg, NULL, 10); break;
        case 'l': plan->lie = lie_of(optarg); break;
        default: return false;
        }
    }
    return optind == argc && plan->step > 0 && plan->images >= 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void try_image(struct plan *plan, size_t instant, enum image_choice choice, uint64_t seed)
{
    char disk[96];
    char root[128];
    char why[1600] = "the image could not be made";
    snprintf(disk, sizeof(disk), "%s/image", plan->folder);
    snprintf(root, sizeof(root), "%s/store", disk);
    bool good = mkdir(disk, 0700) == 0 && image_build(instant, choice, seed, disk) &&
                judge_image(root, instant, why, sizeof(why));
    plan->tried++;
    if (!good) {
        static const char *const choices[] = {"nothing unflushed", "everything", "some of what was unflushed"};
        char call[96];
        char change[160] = "nothing";
        story_describe(instant, call, sizeof(call));
        if (instant > 0)
            disk_log_describe(instant - 1, change, sizeof(change));
        plan->failures++;
        printf("FAILED after change %zu (%s; %s), with %s on the disk (seed %llu): %s\n", instant, change, call,
               choices[choice], (unsigned long long)seed, why);
        fflush(stdout);
    }
    (void)nftw(disk, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void try_instant(struct plan *plan, size_t instant)
{
    plan->instants++;
    try_image(plan, instant, IMAGE_NONE, plan->seed);
    try_image(plan, instant, IMAGE_ALL, plan->seed);
    for (long i = 0; i < plan->images; i++)
        try_image(plan, instant, IMAGE_SOME, plan->seed + instant * 1000003 + (uint64_t)i);
}

static bool record(struct plan *plan)
{
    char disk[96];
    char root[128];
    snprintf(disk, sizeof(disk), "%s/disk", plan->folder);
    snprintf(root, sizeof(root), "%s/store", disk);
    bool good = mkdir(disk, 0700) == 0 && disk_log_start(disk) && story_run(root, plan->lie);
    disk_log_stop();
    return good;
}

int main(int argc, char **argv)
{
    struct stat st;
    struct plan plan = {.step = SLICE_STEP, .images = SLICE_IMAGES, .instant = -1, .seed = 1};
    if (!read_options(argc, argv, &plan)) {
        fprintf(stderr,
                "usage: %s [--all] [--step N] [--images N] [--seed N] [--instant N] [--lie objects|logs|folders]\n",
                argv[0]);
        return 2;
    }
    snprintf(plan.folder, sizeof(plan.folder), "%s/oscommit-powerloss-XXXXXX",
             stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(plan.folder) == NULL) {
        perror(plan.folder);
        return 1;
    }
    bool recorded = record(&plan);
    size_t count = disk_log_count();
    size_t first = plan.instant >= 0 ? (size_t)plan.instant : plan.seed % (size_t)plan.step;
    for (size_t i = first; recorded && i <= count && plan.failures < FAILURES_MAX; i += (size_t)plan.step) {
        try_instant(&plan, i);
        i = plan.instant >= 0 ? count : i;
    }
    (void)nftw(plan.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    disk_log_free();
    printf("%zu changes of the disk\n", count);
    printf("%lu instants, %lu images, %lu failures\n", plan.instants, plan.tried, plan.failures);
    return recorded && plan.failures == 0 && plan.tried > 0 ? 0 : 1;
}
