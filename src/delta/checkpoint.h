/* SPDX-License-Identifier: Apache-2.0 */
/* What a classic checkpoint, one Parquet file, says of a table: its protocol, its metadata, and one application's version. */
#ifndef OSCOMMIT_DELTA_CHECKPOINT_H
#define OSCOMMIT_DELTA_CHECKPOINT_H

#include "delta/actions.h"
#include "delta/chunk.h"

/* All zero before the first chunk. */
struct checkpoint {
    json_t *columns; /* own: values by path */
};

/* Is the column of interest? */
bool checkpoint_wants(const char *path);
/* Takes a chunk's bytes; those of one column in the order of their row groups. */
os_code checkpoint_take(struct checkpoint *checkpoint, const struct chunk *chunk, const void *data, size_t length,
                        os_error *err);
/* As if they stood in a log entry. `app_id` NULL: no txn is of interest. *ret is freed by delta_actions_clear, whatever the
 * code was. */
os_code checkpoint_give(const struct checkpoint *checkpoint, const char *app_id, struct delta_actions *ret,
                        os_error *err);
void checkpoint_free(struct checkpoint *checkpoint);

#endif
