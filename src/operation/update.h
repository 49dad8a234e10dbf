/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OSCOMMIT_OPERATION_UPDATE_H
#define OSCOMMIT_OPERATION_UPDATE_H

#include "guarded/call.h"

/* The first step of a guarded call whose arguments are those of a struct kept_update (keep.h). */
enum steps_next operation_update(struct guarded *guarded);

#endif
