/* SPDX-License-Identifier: Apache-2.0 */
/* A race in a table: the file that is made for it, its session and its network, from the beginning to the end. */
#include "race/race.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    (void)snprintf(table->url, sizeof(table->url), "sqlite://%s/race.db", table->folder);
    return true;
}

static void remove_table_file(const struct own_table *table)
{
    static const char *const names[] = {"race.db", "race.db-wal", "race.db-shm", "race.db-journal"};
    char path[300];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", table->folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(table->folder);
}

/* ---------------------------------------------------------------------------------------------------- the race */

static bool open_table_network(struct race *race, struct usage *usage)
{
    const struct options *options = race->session->options;

    if ((race->faults_wanted & ~RACE_FAULT_LOCAL) == 0)
        return true;
    race->net.of_leases = race->lease_count > 0;
    race->faults.at_requests = race->account_count > 0;
    return race_service_find(options, true, &race->net.ledger, usage) &&
           race_net_open(&race->net, &race->faults, race->writers, options_text(options, OPTION_CA_FILE), usage);
}

static enum status run_in_table(struct race *race, const struct race_in_table *kind, bool network)
{
    struct usage usage = {0};
    os_error error = {.code = OS_OK};
    enum status status = STATUS_NOT_EXECUTED;
    bool written;

    if (!race_open_files(race, &error))
        return session_fail(race->session, race->at->store, error.code, "%s", error.message);
    if (!open_table_network(race, &usage))
        return session_fail(race->session, race->at->store, OS_ERR_CONFIG, "%s", usage.message);
    if (!kind->prepare(race, network, &status))
        return status;
    if (!race_run_workers(race))
        return STATUS_NOT_EXECUTED;
    race_net_drain(&race->net);
    written = kind->judge(race);
    status = kind->print(race);
    return written || status != STATUS_DONE ? status : STATUS_NOT_EXECUTED;
}

static enum status run_table_session(struct race *race, const struct race_settings *settings, struct location *at,
                                     const struct race_in_table *kind, bool network)
{
    enum status status = session_open(race->session, race->session->options, NULL);

    if (status == STATUS_DONE) {
        status = race_prepare(race, settings, at)
                     ? run_in_table(race, kind, network)
                     : session_fail(race->session, at->store, OS_ERR_NO_MEMORY, "The race could not be prepared: %s.",
                                    strerror(errno));
    }
    return session_close(race->session, status);
}

/* What is raced for is named below the table as objects are below a store. */
static bool locate_table(const char *ledger, struct location *ret)
{
    ret->store = strdup(ledger);
    ret->key = strdup("");
    ret->url = strdup(ledger);
    return ret->store != NULL && ret->key != NULL && ret->url != NULL;
}

static enum status start_table_race(const struct options *options, const struct race_settings *settings,
                                    const struct race_in_table *kind, bool network)
{
    struct session session = {.options = options};
    struct location at = {0};
    struct usage usage = {0};
    struct race *race = calloc(1, sizeof(*race));
    enum status status = STATUS_NOT_EXECUTED;

    if (race != NULL && locate_table(options_text(options, OPTION_LEDGER), &at)) {
        race->session = &session;
        race->at = &at;
        status = run_table_session(race, settings, &at, kind, network);
        race_free(race);
    } else {
        free(race);
        (void)usage_refuse(&usage, "There is not enough memory.");
        (void)output_usage(options, &usage);
    }
    location_clear(&at);
    return status;
}

enum status race_in_table_run(const struct options *options, const struct race_in_table *kind)
{
    struct options own = *options;
    const char *ledger = options_text(options, OPTION_LEDGER);
    bool network = ledger != NULL && strncmp(ledger, "dynamo", 6) == 0;
    struct own_table table = {.folder = ""};
    struct race_settings settings;
    struct usage usage = {0};
    enum status status;

    if (!kind->take(options, network, &settings, &usage) || (ledger == NULL && !make_table_file(&table, &usage)))
        return output_usage(options, &usage);
    if (ledger == NULL) {
        own.value[OPTION_LEDGER] = table.url;
        own.distance[OPTION_LEDGER] = 0;
    }
    status = start_table_race(&own, &settings, kind, network);
    if (table.folder[0] != '\0' && status != STATUS_CONFLICT && !options_on(options, OPTION_KEEP))
        remove_table_file(&table);
    return status;
}
