/* SPDX-License-Identifier: Apache-2.0 */
/* What the table commands share: finding the table, and showing records. */
#ifndef OSCOMMIT_TOOL_TABLE_H
#define OSCOMMIT_TOOL_TABLE_H

#include "cli/session.h"
#include "common/table_state.h"

/* Opens a session on the table. `name` is a URL, or a bare key of --store, or NULL for the table as a whole. Where no
 * store is named at all a ledger is enough. STATUS_DONE, or everything was said; then table_close is still allowed. */
enum status table_open(struct session *session, const struct options *options, const char *name,
                       enum location_wants wants, struct location *ret_at);
enum status table_close(struct session *session, struct location *at, enum status status);

typedef os_code table_fn(os_client *client, const os_call *call, os_error *err);

struct table_calls {
    table_fn *of_records;
    table_fn *of_leases;                   /* with --leases */
    table_fn *of_locks;                    /* with --locks */
    table_fn *of_entries;                  /* with --log-entries */
    void (*then)(struct session *session); /* of a check, where that of records was good; else NULL */
};

/* One call on the table as a whole, which may be named by the first operand. */
enum status table_call(const struct options *options, const struct table_calls *calls);

/* Shows one record: as one line, as a block of lines (`long_form`), or as one JSON object. False: stdout does not take
 * it. */
bool table_show_record(struct output *output, const os_record *record, const struct table_view *view, bool long_form);

#endif
