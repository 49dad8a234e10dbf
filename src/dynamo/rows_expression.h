/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of requests about items of any attributes: conditions, changes, projections. All names and values go
 * through placeholders (#n0, :v0); each name has one, and none is given that no expression uses, which the service would
 * refuse. What is over a bound of the service (Developer Guide, "Quotas") is refused here.
 */
#ifndef OSCOMMIT_DYNAMO_ROWS_EXPRESSION_H
#define OSCOMMIT_DYNAMO_ROWS_EXPRESSION_H

#include "base/buf.h"
#include "rows/rows.h"

/* The placeholders that the expressions of one request share. */
struct rows_substitutes {
    json_t *names;  /* by name, its number */
    json_t *values; /* in their order */
    size_t bytes;
    bool failed; /* out of memory */
};
void rows_substitutes_init(struct rows_substitutes *substitutes);
void rows_substitutes_free(struct rows_substitutes *substitutes);

/* Each appends, of what has been checked (rows/check.h), a member with the comma before it; none where there is nothing
 * to say.
 *   OS_ERR_TOO_LARGE  an expression is too long, or has too many operators
 *   OS_ERR_NO_MEMORY  of the expression; whether `out` has taken it is for the caller to ask */
os_code rows_add_condition(struct buf *out, const char *member, const struct condition *condition,
                           struct rows_substitutes *substitutes, os_error *err);
/* Of a Query. */
os_code rows_add_key_condition(struct buf *out, const struct rows_list *list, struct rows_substitutes *substitutes,
                               os_error *err);
os_code rows_add_changes(struct buf *out, const struct change *changes, size_t count,
                         struct rows_substitutes *substitutes, os_error *err);
os_code rows_add_projection(struct buf *out, const struct path *paths, size_t count,
                            struct rows_substitutes *substitutes, os_error *err);
/* Behind the others, the names and values that they use. */
os_code rows_add_substitutes(struct buf *out, const struct rows_substitutes *substitutes, os_error *err);

#endif
