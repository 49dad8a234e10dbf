/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded store and its ledger, in a folder of their own. */
#include "trial.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char url[160];
static char tables_url[192];
static char rows_url[192];

const os_options *world_options(const struct world *world, enum scenario_kind kind)
{
    switch (kind) {
    case SCENARIO_LEASE: return &world->lease_options;
    case SCENARIO_LOCK: return &world->lock_options;
    case SCENARIO_ROWS: return &world->row_options;
    default: return &world->options;
    }
}

os_client *world_client(const struct world *world, enum scenario_kind kind, os_error *err)
{
    os_client *client = NULL;
    return os_client_open(world_options(world, kind), &client, err) == OS_OK ? client : NULL;
}

bool world_embedded_start(struct world *world, const char *folder)
{
    os_error err;
    world->name = "embedded";
    snprintf(world->root, sizeof(world->root), "%s/store", folder);
    snprintf(url, sizeof(url), "file://%s", world->root);
    world->options = (os_options)OS_OPTIONS_INIT;
    world->options.store_url = url;
    world->options.no_environment = 1;
    world->options.timeout_ms = 500;
    world->options.max_clock_skew_rate = 2;
    world->options.length_s = 1;
    snprintf(tables_url, sizeof(tables_url), "sqlite://%s/.oscommit/ledger.db", world->root);
    world->lease_options = (os_options)OS_OPTIONS_INIT;
    world->lease_options.ledger_url = tables_url;
    world->lease_options.no_environment = 1;
    world->lock_options = world->lease_options;
    snprintf(rows_url, sizeof(rows_url), "sqlite://%s/.oscommit/rows.db", world->root);
    world->row_options = world->lease_options;
    world->row_options.ledger_url = rows_url;
    if (os_init(world->root, &err) != OS_OK) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    return true;
}

/* What a disturbed writer could not remove is removed by the sweep of a later client, a day later: so the left-overs
 * are made a day older, and a client is opened. */
static size_t count_left_overs(const char *path, bool make_older)
{
    size_t count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        struct timespec times[2] = {{.tv_sec = time(NULL) - 25L * 60 * 60}, {.tv_sec = time(NULL) - 25L * 60 * 60}};
        if (entry->d_name[0] == '.')
            continue;
        count++;
        if (make_older && utimensat(dirfd(folder), entry->d_name, times, 0) != 0)
            perror(entry->d_name);
    }
    if (folder != NULL)
        (void)closedir(folder);
    return count;
}

bool world_embedded_is_clean(const struct world *world)
{
    char path[160];
    os_error err;
    snprintf(path, sizeof(path), "%s/.oscommit/tmp", world->root);
    if (count_left_overs(path, true) == 0)
        return true;
    for (int i = 0; i < 100 && count_left_overs(path, false) > 0; i++) /* a sweep removes 64 */
        os_client_close(world_client(world, SCENARIO_PLAIN, &err));
    return count_left_overs(path, false) == 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void world_embedded_stop(struct world *world)
{
    char *end = strrchr(world->root, '/');
    *end = '\0';
    (void)nftw(world->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
