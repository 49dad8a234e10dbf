/* SPDX-License-Identifier: Apache-2.0 */
#include "race/race.h"

#include "race/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an unknown write refers to is not deleted, and neither is the evidence of a broken race. */
static bool may_remove(const struct race *race, enum status status)
{
    return race->progress.judged && !options_on(race->session->options, OPTION_KEEP) && status != STATUS_UNKNOWN &&
           status != STATUS_CONFLICT;
}

static void say_where_kept(struct race *race)
{
    char sentence[256];

    (void)snprintf(sentence, sizeof(sentence), "The objects are kept below %.200s", race->at->url);
    output_message(&race->session->output, sentence);
}

/* After the processes: what stands there, whether it can be true, and away with it. */
static enum status finish_race(struct race *race)
{
    enum status status;
    bool written;

    race_net_drain(&race->net);
    race_await_the_dead(race);
    race_read_back(race);
    written = race_judge(race);
    status = race_print_result(race);
    if (may_remove(race, status))
        race_remove_objects(race);
    else
        say_where_kept(race);
    return written || status != STATUS_DONE ? status : STATUS_NOT_EXECUTED;
}

static enum status run_race(struct race *race)
{
    enum status status = STATUS_NOT_EXECUTED;
    bool ran;

    if (!race_probe(race, &status))
        return status;
    ran = race_run_workers(race);
    if (!race_list_names(race))
        return session_fail(race->session, race->at->url, OS_ERR_NO_MEMORY, "There is not enough memory.");
    if (!ran) {
        race_remove_objects(race);
        return STATUS_NOT_EXECUTED;
    }
    return finish_race(race);
}

/* Faults of the network, and those that wait for the boundary of a request, need a proxy; a folder has none. */
static bool needs_network(const struct race *race)
{
    return race->faults_wanted != 0 && strncmp(race->at->store, "file:", 5) != 0;
}

static bool open_network(struct race *race, struct usage *usage)
{
    const struct options *options = race->session->options;

    if (!needs_network(race))
        return true;
    race->faults.at_requests = true;
    return race_net_find(options, &race->net, usage) &&
           race_net_open(&race->net, &race->faults, race->writers, options_text(options, OPTION_CA_FILE), usage);
}

static enum status start_race(struct race *race)
{
    struct usage usage = {0};
    os_error error = {.code = OS_OK};

    if (!race_open_files(race, &error))
        return session_fail(race->session, race->at->url, error.code, "%s", error.message);
    if (!open_network(race, &usage))
        return session_fail(race->session, race->at->url, OS_ERR_CONFIG, "%s", usage.message);
    return run_race(race);
}

static enum status run_session(struct race *race, const struct race_settings *settings, struct location *at)
{
    enum status status = session_open(race->session, race->session->options, at->store);

    if (status == STATUS_DONE) {
        status = race_prepare(race, settings, at)
                     ? start_race(race)
                     : session_fail(race->session, at->url, OS_ERR_NO_MEMORY, "The race could not be prepared: %s.",
                                    strerror(errno));
    }
    return session_close(race->session, status);
}

static bool take_operand(const struct options *options, struct location *ret, struct usage *usage)
{
    if (options->operand_count == 0)
        return usage_refuse(
            usage, "race needs a URL, below which it works, or --lock, to race for leases, or --transactions.");
    if (options_text(options, OPTION_TTL) != NULL)
        return usage_refuse(usage, "--ttl is of leases: it needs --lock.");
    return location_parse(options->operand[0], LOCATION_PREFIX, options, ret, usage);
}

enum status race_run(const struct options *options)
{
    struct usage usage = {0};
    struct location at = {0};
    struct session session = {.options = options};
    struct race_settings settings;
    struct race *race;
    enum status status;

    if (options_on(options, OPTION_LOCK))
        return race_in_table_run(options, &race_for_leases);
    if (options_on(options, OPTION_TRANSACTIONS))
        return race_in_table_run(options, &race_with_transactions);
    if (!take_operand(options, &at, &usage) ||
        !race_settings_take(options, strncmp(at.store, "file:", 5) == 0, &settings, &usage)) {
        location_clear(&at);
        return output_usage(options, &usage);
    }
    race = calloc(1, sizeof(*race));
    if (race == NULL) {
        (void)usage_refuse(&usage, "There is not enough memory.");
        location_clear(&at);
        return output_usage(options, &usage);
    }
    race->session = &session;
    race->at = &at;
    status = run_session(race, &settings, &at);
    race_free(race);
    location_clear(&at);
    return status;
}
