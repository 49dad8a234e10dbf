/* SPDX-License-Identifier: Apache-2.0 */
/* What every race begins and ends with. */
#include "race/clock.h"
#include "race/race.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* The URL's key is a folder for the race: "tests" and "tests/" become "tests/race-<id>/". */
static bool choose_prefix(struct race *race, struct location *at)
{
    uint64_t number;
    size_t len = strlen(at->key);
    char *key = NULL;
    bool good;

    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        return false;
    (void)snprintf(race->id, sizeof(race->id), "%016" PRIx64, number);
    if (asprintf(&key, "%s%srace-%s/", at->key, len == 0 || at->key[len - 1] == '/' ? "" : "/", race->id) < 0)
        return false;
    good = location_set_key(at, key);
    free(key);
    return good;
}

bool race_prepare(struct race *race, const struct race_settings *settings, struct location *at)
{
    race->writers = settings->writers;
    memcpy(race->count, settings->count, sizeof(race->count));
    race->duration_us = settings->duration_us;
    race->seed = settings->seed;
    race->faults_wanted = settings->faults;
    race->lease_count = settings->leases;
    race->lease_ttl_s = settings->ttl_s;
    race->account_count = settings->accounts;
    while (race->seed == 0) {
        if (getrandom(&race->seed, sizeof(race->seed), 0) != (ssize_t)sizeof(race->seed))
            return false;
        race->seed >>= 16; /* short enough to be typed again */
    }
    if (!choose_prefix(race, at) || !race_record_init(&race->record, race_now_us()))
        return false;
    race_faults_init(&race->faults, &race->record, race->faults_wanted, race->writers, race->seed,
                     race_attempt_us(race->session->options));
    return true;
}

void race_free(struct race *race)
{
    race_net_close(&race->net);
    race_close_files(race);
    free(race->name);
    race_record_free(&race->record);
    race_faults_free(&race->faults);
    free(race);
}
