/* SPDX-License-Identifier: Apache-2.0 */
/* What a checkpoint says, where the log before it is gone, or would be long to read. */
#ifndef OSCOMMIT_APPEND_CHECKPOINT_H
#define OSCOMMIT_APPEND_CHECKPOINT_H

#include "append/append.h"

enum { DELTA_CHECKPOINT_NAME_SIZE = 64 };

/* As if it were one entry of the log. OS_ERR_UNSUPPORTED: a checkpoint in another form. delta_actions_clear frees *ret,
 * whatever the code was. */
os_code checkpoint_read(struct append *append, uint64_t version, struct delta_actions *ret);

#endif
