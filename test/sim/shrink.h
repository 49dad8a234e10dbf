/* SPDX-License-Identifier: Apache-2.0 */
/* From a seed that fails to a schedule with little in it that still does: fewer kinds of faults, fewer faults, fewer
 * calls. Every try runs in a child process, so that one that crashes or hangs is a failure like any other. */
#ifndef OSCOMMIT_TEST_SIM_SHRINK_H
#define OSCOMMIT_TEST_SIM_SHRINK_H

#include "sim/world.h"

/* What came of one seed in a child. */
struct trial {
    bool failed;
    int signal; /* not 0: it was killed by this one */
    uint64_t digest;
    bool has_kind[FAULT_COUNT];
    uint32_t calls[WORLD_LANES_MAX]; /* of each lane */
    size_t struck_count;
    struct fault_point struck[FAULT_LOG_MAX];
    char failure[512]; /* the first one */
};

enum { TRIAL_SECONDS_MAX = 60 };

/* False: no child could be made. */
bool trial_run(uint64_t seed, const struct fault_change *change, enum world_defect defect, struct trial *ret);

/* `change` must fail; it is made smaller in place. Says on `file` what it does. False: no memory or no child. */
bool shrink(uint64_t seed, struct fault_change *change, enum world_defect defect, FILE *file);
/* How to run it again, and the sentence of its failure. */
bool shrink_print(uint64_t seed, const struct fault_change *change, enum world_defect defect, FILE *file);

#endif
