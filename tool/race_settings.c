/* SPDX-License-Identifier: Apache-2.0 */
#include "race_settings.h"

#include "race_faults.h"

#include <string.h>

enum { WRITERS_DEFAULT = 8, KEYS_DEFAULT = 50 };

static uint64_t number_or(const struct options *options, enum option_id id, uint64_t otherwise)
{
    uint64_t number = options_number(options, id);

    return number == 0 ? otherwise : number;
}

bool race_duration_parse(const char *text, uint64_t *ret_us, struct usage *usage)
{
    static const struct {
        const char *name;
        uint64_t seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
    const uint64_t most = 7 * 24 * 3600;
    uint64_t number = 0;
    const char *p = text;

    for (; *p >= '0' && *p <= '9' && number <= most; p++) {
        number = number * 10 + (uint64_t)(*p - '0');
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (p != text && strcmp(p, units[i].name) == 0 && number > 0 && number * units[i].seconds <= most) {
            *ret_us = number * units[i].seconds * 1000000;
            return true;
        }
    }
    return usage_refuse(usage, "--duration must be a time such as 90s, 10m or 1h, at most a week, not \"%.60s\".",
                        text);
}

static bool take_duration(const struct options *options, struct race_settings *ret, struct usage *usage)
{
    static const enum option_id counts[] = {OPTION_KEYS, OPTION_UPDATES, OPTION_COPIES, OPTION_DELETES};
    const char *duration = options_text(options, OPTION_DURATION);

    if (duration == NULL) {
        return true;
    }
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        if (options_text(options, counts[i]) != NULL) {
            return usage_refuse(usage, "--duration and --%s exclude each other: a race ends by time or by counts.",
                                option_table[counts[i]].name);
        }
        ret->count[i] = 1;
    }
    return race_duration_parse(duration, &ret->duration_us, usage);
}

static bool take_faults(const struct options *options, bool embedded, struct race_settings *ret, struct usage *usage)
{
    const char *faults = options_text(options, OPTION_FAULTS);
    bool all;

    if (faults == NULL) {
        return true;
    }
    if (!race_faults_parse(faults, &ret->faults, usage)) {
        return false;
    }
    all = ret->faults == RACE_FAULT_ALL;
    if (embedded && all) {
        ret->faults = RACE_FAULT_LOCAL;
    }
    if (embedded && (ret->faults & ~RACE_FAULT_LOCAL) != 0) {
        return usage_refuse(usage, "A store in a folder has no network, so only the faults pause and kill are "
                                   "possible: give --faults pause,kill.");
    }
    return true;
}

bool race_settings_take(const struct options *options, bool embedded, struct race_settings *ret, struct usage *usage)
{
    memset(ret, 0, sizeof(*ret));
    ret->writers = (unsigned)number_or(options, OPTION_WRITERS, WRITERS_DEFAULT);
    ret->count[RACE_CREATE] = number_or(options, OPTION_KEYS, KEYS_DEFAULT);
    ret->count[RACE_UPDATE] = options_number(options, OPTION_UPDATES);
    ret->count[RACE_COPY] = options_number(options, OPTION_COPIES);
    ret->count[RACE_DELETE] = options_number(options, OPTION_DELETES);
    ret->seed = options_number(options, OPTION_SEED);
    return take_duration(options, ret, usage) && take_faults(options, embedded, ret, usage);
}
