/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oscommit_torture [--all] [--step N] [--world embedded|remote] [--group objects|holding|rows] [--kind KIND]
 *                  [--scenario NAME] [--shard I/N] [--verbose]
 *
 * Without --all every N-th number [61] of each kind is made to fail. Prints the failures and how many injections of
 * each kind there were; exit status 1 when something was not as it must be.
 */
#include "torture.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void torture_say_now(int number);

enum { SLICE_STEP = 61 };
#ifdef OSCOMMIT_TEST_IS_STARTED
enum { IS_STARTED = 1 };
#else
enum { IS_STARTED = 0 };
#endif

static int kind_of(const char *name)
{
    for (int kind = 0; kind < INJECT_KINDS; kind++)
        if (strcmp(name, inject_kind_names[kind]) == 0)
            return kind;
    return -2;
}

static bool read_options(int argc, char **argv, struct torture *torture)
{
    static const struct option options[] = {{"all", no_argument, NULL, 'a'},
                                            {"step", required_argument, NULL, 's'},
                                            {"kind", required_argument, NULL, 'k'},
                                            {"scenario", required_argument, NULL, 'n'},
                                            {"shard", required_argument, NULL, 'd'},
                                            {"world", required_argument, NULL, 'w'},
                                            {"group", required_argument, NULL, 'g'},
                                            {"verbose", no_argument, NULL, 'v'},
                                            {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        if (option == 'a')
            torture->step = 1;
        else if (option == 's')
            torture->step = strtol(optarg, NULL, 10);
        else if (option == 'k')
            torture->only_kind = kind_of(optarg);
        else if (option == 'n')
            torture->only_scenario = optarg;
        else if (option == 'd' && sscanf(optarg, "%ld/%ld", &torture->shard, &torture->shards) != 2)
            return false;
        else if (option == 'w')
            torture->only_world = optarg;
        else if (option == 'g')
            torture->only_group = optarg;
        else if (option == 'v')
            torture->verbose = true;
        else if (option == '?')
            return false;
    return optind == argc && torture->step > 0 && torture->shards > 0 && torture->only_kind > -2;
}

static bool make_folder(char *ret, size_t size)
{
    struct stat st;
    const char *base = stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp"; /* memory: flushes cost nothing */
    snprintf(ret, size, "%s/oscommit-torture-XXXXXX", base);
    return mkdtemp(ret) != NULL;
}

static void run_world(struct torture *torture, struct world *world)
{
    if (torture->only_world == NULL || strcmp(torture->only_world, world->name) == 0) {
        torture->world = world;
        torture_run(torture);
    }
}

int main(int argc, char **argv)
{
    static struct torture torture = {.only_kind = -1, .step = SLICE_STEP, .shards = 1, .is_started = IS_STARTED};
    static struct world embedded;
    static struct world remote;
    char folder[64];
    if (!read_options(argc, argv, &torture)) {
        fprintf(stderr,
                "usage: %s [--all] [--step N] [--world embedded|remote] [--group objects|holding] [--kind KIND] "
                "[--scenario NAME] [--shard I/N] [--verbose]\n",
                argv[0]);
        return 2;
    }
    wrap_memory_install();
    wrap_vfs_install();
    signal(SIGALRM, torture_say_now);
    signal(SIGPIPE, SIG_IGN);
    if (!make_folder(folder, sizeof(folder)) || !world_embedded_start(&embedded, folder) ||
        !world_remote_start(&remote, folder))
        return 1;
    run_world(&torture, &embedded);
    run_world(&torture, &remote);
    world_remote_stop(&remote);
    world_embedded_stop(&embedded);
    unsigned long total = 0;
    for (int kind = 0; kind < INJECT_KINDS; kind++) {
        printf("%-8s %lu\n", inject_kind_names[kind], torture.injections[kind]);
        total += torture.injections[kind];
    }
    printf("%lu uploads were left behind, and removed by gc\n", torture.uploads);
    printf("%lu injections, %lu failures\n", total, torture.failures);
    return torture.failures == 0 && total > 0 ? 0 : 1;
}
