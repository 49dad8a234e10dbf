/* SPDX-License-Identifier: Apache-2.0 */
/* What may happen next in a world of transactions. */
#ifndef OSCOMMIT_MODEL_TRANSACTION_CHOICE_H
#define OSCOMMIT_MODEL_TRANSACTION_CHOICE_H

#include "model.h"

enum choice_kind {
    CHOICE_START = 1, /* call: it reads its rows, and begins an attempt */
    CHOICE_TIMER,     /* call */
    CHOICE_STOP,      /* call */
    CHOICE_RESOLVE,   /* call: whoever has its ticket looks */
    CHOICE_SERVE,     /* flight: the service decides and applies; 1: it has forgotten the token */
    CHOICE_DELIVER,   /* flight: the answer arrives; 1: without items */
    CHOICE_LOSE,      /* flight: the answer never arrives */
    CHOICE_REJECT,    /* flight, outcome: THROTTLED, REFUSED */
    CHOICE_FOREIGN,   /* row, enum foreign_step */
    CHOICE_TIME       /* how the clocks behave, whose */
};

enum foreign_step { FOREIGN_UPDATE = 0, FOREIGN_PUT, FOREIGN_DELETE, FOREIGN_CREATE, FOREIGN_STEPS };
enum clock_mode { CLOCKS_RUN = 0, CLOCKS_SUSPENDED, CLOCKS_FROZEN };

bool foreign_may(const struct row *row, enum foreign_step step);

#endif
