/* SPDX-License-Identifier: Apache-2.0 */
/* A row as a part of the commit: its condition, and what is written. */
#ifndef OSCOMMIT_TRANSACT_ROW_WRITE_H
#define OSCOMMIT_TRANSACT_ROW_WRITE_H

#include "transact/row.h"
#include "transact/row_token.h"

struct row_write {
    struct row_mark mark; /* borrows from the row */
    struct rows_write write;
    /* What it points to; own. */
    json_t *values; /* an array */
    json_t *item;
    struct condition_term *terms;
    struct path_step *steps; /* of all paths; one each */
    struct change *changes;
    size_t term_max;
    size_t change_max;
    size_t step_count;
};
void row_write_free(struct row_write *write); /* one that is all zero is fine */

/* `token` is that of the attempt, `now_s` for what has expired; borrowed, as the row is. The row is checked once more: objects in its fields may have been
 * changed. *ret is all zero on failure. OS_ERR_ARGUMENT, OS_ERR_TOO_LARGE, OS_ERR_NO_MEMORY. */
os_code row_write_make(const struct os_row *row, const char *token, int64_t now_s, struct row_write *ret,
                       os_error *err);

/* X8: replaces the token that was read by this one, on the condition that it is still there, and changes nothing else. Of a
 * WRITE. OS_ERR_NO_MEMORY. */
os_code row_write_fence(const struct row_mark *mark, const char *fence, struct row_write *ret, os_error *err);

#endif
