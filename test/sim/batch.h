/* SPDX-License-Identifier: Apache-2.0 */
/* Many seeds, a hundred to a child process: what a dying process left in libraries of the system goes with the
 * child, and a seed that crashes is found. */
#ifndef OSCOMMIT_TEST_SIM_BATCH_H
#define OSCOMMIT_TEST_SIM_BATCH_H

#include "sim/summary.h"

struct batch_options {
    uint64_t first;
    uint64_t seeds;
    double seconds; /* begin no batch after so long; 0: no bound */
    uint32_t jobs;  /* children at a time */
    enum world_defect defect;
    bool twice; /* each seed twice: the digests must agree */
    const struct fault_change *change;
    FILE *progress; /* NULL: none */
};

/* Fills `ret` with all that has run, and *ret_failed with the first seed that fails, if *ret_any_failed. False: the
 * machine has no memory or processes left. */
bool batch_run(const struct batch_options *options, struct summary *ret, bool *ret_any_failed, uint64_t *ret_failed);

double batch_clock_s(void); /* of the machine, for seeds a second */

#endif
