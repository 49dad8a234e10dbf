/* SPDX-License-Identifier: Apache-2.0 */
/* A race for leases: the table, and the judgement of what its processes believed. */
#include "oscommit_lease.h"
#include "race/race.h"

enum { LONG_OF_20 = 8 }; /* what a pause longer than the time to live does is what is to be seen */

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

/* Whatever is wrong with the table is said once, before eight processes start. */
static bool prepare_leases(struct race *race, bool network, enum status *ret_status)
{
    struct session *session = race->session;
    os_error error = {0};
    os_code code = network ? os_lease_table_check(session->client, &session->call, &error)
                           : os_lease_table_create(session->client, &session->call, &error);

    if (code != OS_OK)
        *ret_status = output_outcome(&session->output, race->at->store, status_of_lease(&error), &error);
    plan_faults(race);
    return code == OS_OK;
}

const struct race_in_table race_for_leases = {.take = race_settings_take_leases,
                                              .prepare = prepare_leases,
                                              .judge = race_judge_leases,
                                              .print = race_print_leases};
