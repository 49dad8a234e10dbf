/* SPDX-License-Identifier: Apache-2.0 */
/* What a race is asked for on its command line. Pure. */
#ifndef OSCOMMIT_LAB_RACE_SETTINGS_H
#define OSCOMMIT_LAB_RACE_SETTINGS_H

#include "cli/options.h"
#include "cli/usage.h"
#include "race/content.h"

#include <stdbool.h>
#include <stdint.h>

struct race_settings {
    unsigned writers;
    uint64_t count[RACE_KINDS]; /* by time: 1 for each kind */
    uint64_t duration_us;       /* 0: by counts */
    uint64_t seed;              /* 0: to be drawn */
    unsigned faults;
    unsigned leases;   /* raced for; 0: none are */
    uint64_t ttl_s;    /* of a lease */
    unsigned accounts; /* between which transactions transfer; 0: none do */
};

/* "90", "90s", "10m", "1h": at most a week. */
bool race_duration_parse(const char *text, uint64_t *ret_us, struct usage *usage);

/* `embedded`: the store is a folder. */
bool race_settings_take(const struct options *options, bool embedded, struct race_settings *ret, struct usage *usage);

/* The same with --lock. `network`: requests to the table can be harmed. */
bool race_settings_take_leases(const struct options *options, bool network, struct race_settings *ret,
                               struct usage *usage);
/* The same with --transactions. */
bool race_settings_take_transactions(const struct options *options, bool network, struct race_settings *ret,
                                     struct usage *usage);

/* How long an attempt can live after its writer's end, by the settings: length, allowance, margin. */
uint64_t race_attempt_us(const struct options *options);

#endif
