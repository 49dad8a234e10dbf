/* SPDX-License-Identifier: Apache-2.0 */
/* A race for leases: the table, the processes, and the judgement of what they believed. */
#include "oscommit_lease.h"
#include "race/race.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG_OF_20 = 8 }; /* what a pause longer than the time to live does is what is to be seen */

/* ------------------------------------------------------------------------------------- a file for a race alone */

struct own_table {
    char folder[256]; /* "": the table is somebody's */
    char url[300];
};

static bool make_table_file(struct own_table *table, struct usage *usage)
{
    const char *temporary = getenv("TMPDIR");

    (void)snprintf(table->folder, sizeof(table->folder), "%.200s/oscommit-race-XXXXXX",
                   temporary == NULL || temporary[0] != '/' ? "/tmp" : temporary);
    if (mkdtemp(table->folder) == NULL) {
        table->folder[0] = '\0';
        return usage_refuse(usage,
                            "A folder for the table of the race could not be made: %s. Name a table with "
                            "--ledger.",
                            strerror(errno));
    }
    (void)snprintf(table->url, sizeof(table->url), "sqlite://%s/leases.db", table->folder);
    return true;
}

static void remove_table_file(const struct own_table *table)
{
    static const char *const names[] = {"leases.db", "leases.db-wal", "leases.db-shm", "leases.db-journal"};
    char path[300];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", table->folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(table->folder);
}

/* ---------------------------------------------------------------------------------------------------- the race */

/* Whatever is wrong with the table is said once, before eight processes start. */
static bool prepare_table(struct race *race, bool network, enum status *ret_status)
{
    struct session *session = race->session;
    os_error error = {0};
    os_code code = network ? os_lease_table_check(session->client, &session->call, &error)
                           : os_lease_table_create(session->client, &session->call, &error);

    if (code != OS_OK)
        *ret_status = output_outcome(&session->output, race->at->store, status_of_lease(&error), &error);
    return code == OS_OK;
}

static bool open_lease_network(struct race *race, struct usage *usage)
{
    const struct options *options = race->session->options;

    if ((race->faults_wanted & ~RACE_FAULT_LOCAL) == 0)
        return true;
    race->net.of_leases = true;
    return race_service_find(options, true, &race->net.ledger, usage) &&
           race_net_open(&race->net, &race->faults, race->writers, options_text(options, OPTION_CA_FILE), usage);
}

/* A holder that dies costs the others its time to live: they are to have as much time in between. */
static void plan_faults(struct race *race)
{
    struct race_faults *faults = &race->faults;
    uint64_t ttl_us = race->lease_ttl_s * 1000000;

    if (faults->mean_us < 2 * ttl_us / race->lease_count)
        faults->mean_us = 2 * ttl_us / race->lease_count;
    faults->long_us = ttl_us;
    faults->long_of_20 = LONG_OF_20;
}

static enum status run_leases(struct race *race, bool network)
{
    struct usage usage = {0};
    os_error error = {.code = OS_OK};
    enum status status = STATUS_NOT_EXECUTED;
    bool written;

    if (!race_open_files(race, &error))
        return session_fail(race->session, race->at->store, error.code, "%s", error.message);
    if (!open_lease_network(race, &usage))
        return session_fail(race->session, race->at->store, OS_ERR_CONFIG, "%s", usage.message);
    if (!prepare_table(race, network, &status))
        return status;
    plan_faults(race);
    if (!race_run_workers(race))
        return STATUS_NOT_EXECUTED;
    race_net_drain(&race->net);
    written = race_judge_leases(race);
    status = race_print_leases(race);
    return written || status != STATUS_DONE ? status : STATUS_NOT_EXECUTED;
}

static enum status run_lease_session(struct race *race, const struct race_settings *settings, struct location *at,
                                     bool network)
{
    enum status status = session_open(race->session, race->session->options, NULL);

    if (status == STATUS_DONE) {
        status = race_prepare(race, settings, at)
                     ? run_leases(race, network)
                     : session_fail(race->session, at->store, OS_ERR_NO_MEMORY, "The race could not be prepared: %s.",
                                    strerror(errno));
    }
    return session_close(race->session, status);
}

/* The leases are named below the table as objects are below a store. */
static bool locate_table(const char *ledger, struct location *ret)
{
    ret->store = strdup(ledger);
    ret->key = strdup("");
    ret->url = strdup(ledger);
    return ret->store != NULL && ret->key != NULL && ret->url != NULL;
}

static enum status start_lease_race(const struct options *options, const struct race_settings *settings, bool network)
{
    struct session session = {.options = options};
    struct location at = {0};
    struct usage usage = {0};
    struct race *race = calloc(1, sizeof(*race));
    enum status status = STATUS_NOT_EXECUTED;

    if (race != NULL && locate_table(options_text(options, OPTION_LEDGER), &at)) {
        race->session = &session;
        race->at = &at;
        status = run_lease_session(race, settings, &at, network);
        race_free(race);
    } else {
        free(race);
        (void)usage_refuse(&usage, "There is not enough memory.");
        (void)output_usage(options, &usage);
    }
    location_clear(&at);
    return status;
}

enum status race_leases_run(const struct options *options)
{
    struct options own = *options;
    const char *ledger = options_text(options, OPTION_LEDGER);
    bool network = ledger != NULL && strncmp(ledger, "dynamo", 6) == 0;
    struct own_table table = {.folder = ""};
    struct race_settings settings;
    struct usage usage = {0};
    enum status status;

    if (!race_settings_take_leases(options, network, &settings, &usage) ||
        (ledger == NULL && !make_table_file(&table, &usage)))
        return output_usage(options, &usage);
    if (ledger == NULL) {
        own.value[OPTION_LEDGER] = table.url;
        own.distance[OPTION_LEDGER] = 0;
    }
    status = start_lease_race(&own, &settings, network);
    if (table.folder[0] != '\0' && status != STATUS_CONFLICT && !options_on(options, OPTION_KEEP))
        remove_table_file(&table);
    return status;
}
