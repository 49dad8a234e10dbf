/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "race.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { WRITERS_DEFAULT = 8, KEYS_DEFAULT = 50 };

static uint64_t number_or(const struct options *options, enum option_id id, uint64_t otherwise)
{
    uint64_t number = options_number(options, id);

    return number == 0 ? otherwise : number;
}

/* The URL's key is a folder for the race: "tests" and "tests/" become "tests/race-<id>/". */
static bool choose_prefix(struct race *race, struct location *at)
{
    uint64_t number;
    size_t len = strlen(at->key);
    char *key = NULL;
    bool good;

    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number)) {
        return false;
    }
    (void)snprintf(race->id, sizeof(race->id), "%016" PRIx64, number);
    if (asprintf(&key, "%s%srace-%s/", at->key, len == 0 || at->key[len - 1] == '/' ? "" : "/", race->id) < 0) {
        return false;
    }
    good = location_set_key(at, key);
    free(key);
    return good;
}

/* What an unknown write refers to is not deleted, and neither is the evidence of a broken race. */
static bool may_remove(const struct race *race, enum status status)
{
    return !options_on(race->session->options, OPTION_KEEP) && status != STATUS_UNKNOWN && status != STATUS_CONFLICT;
}

static enum status run_race(struct race *race)
{
    enum status status = STATUS_NOT_EXECUTED;

    if (!race_make_counter(race, &status)) {
        return status;
    }
    if (!race_run_workers(race)) {
        race_remove_objects(race);
        return STATUS_NOT_EXECUTED;
    }
    race_read_back(race);
    status = race_report(race);
    if (may_remove(race, status)) {
        race_remove_objects(race);
    } else {
        char sentence[256];
        (void)snprintf(sentence, sizeof(sentence), "The objects are kept below %.200s", race->at->url);
        output_message(&race->session->output, sentence);
    }
    return status;
}

static enum status run(const struct options *options)
{
    struct usage usage = {0};
    struct location at = {0};
    struct session session;
    struct race race = {.session = &session, .at = &at};
    enum status status;

    if (!location_parse(options->operand[0], LOCATION_PREFIX, options, &at, &usage)) {
        return output_usage(options, &usage);
    }
    status = session_open(&session, options, at.store);
    if (status == STATUS_DONE) {
        bool ready =
            choose_prefix(&race, &at) &&
            race_tally_init(&race.tally, (unsigned)number_or(options, OPTION_WRITERS, WRITERS_DEFAULT),
                            number_or(options, OPTION_KEYS, KEYS_DEFAULT), options_number(options, OPTION_UPDATES));
        status = ready ? run_race(&race)
                       : session_fail(&session, at.url, OS_ERR_NO_MEMORY, "The race could not be prepared: %s.",
                                      strerror(errno));
    }
    status = session_close(&session, status);
    race_tally_free(&race.tally);
    location_clear(&at);
    return status;
}

static const enum option_id own_options[] = {OPTION_WRITERS, OPTION_KEYS, OPTION_UPDATES, OPTION_KEEP, OPTION_COUNT};

const struct command command_race = {
    .name = "race",
    .operands = "URL",
    .summary = "let many processes race for names, and check the outcome",
    .description =
        "Starts N processes. All try to create each of K keys, each with its own content: exactly one must commit, the "
        "others\n"
        "must be told of a conflict. With --updates they then increment one shared counter, M times each, with "
        "--if-match.\n"
        "At the end the objects are read back and a table shows whether it all adds up. Works below URL/race-<random>/ "
        "only,\n"
        "and deletes what it made there, unless --keep is given, or the outcome is unknown or broken.\n"
        "Exit status: 0 exact, 1 incomplete, 3 broken (two winners, a lost update), 4 an outcome is still unknown.\n",
    .examples = "oscommit init /srv/store && oscommit race file:///srv/store --writers 8 --keys 50 --updates 25\n"
                "oscommit race s3://bucket/tests --writers 8 --keys 50 --updates 25 --ledger dynamodb://commits \\\n"
                "  --condition-headers off\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
