/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth first through all worlds of one configuration; remembers how each was reached. */
#ifndef OSCOMMIT_MODEL_SEARCH_H
#define OSCOMMIT_MODEL_SEARCH_H

#include "schedule.h"

struct search_limits {
    uint64_t states; /* 0: none */
    double seconds;  /* 0: none */
};

struct search_result {
    uint64_t states;
    uint64_t transitions;
    struct tally tally;
    uint32_t depth;
    bool finished; /* everything reachable was seen */
    bool out_of_memory;
    double seconds;
    struct finding finding;
    struct schedule schedule; /* to the finding */
};

void search(const struct config *of, const struct search_limits *limits, struct search_result *ret);

double seconds_now(void);

#endif
