/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands on Delta tables share: the table of the first operand, the log store, and how a commit ends. */
#ifndef OSCOMMIT_TOOL_DELTA_H
#define OSCOMMIT_TOOL_DELTA_H

#include "cli/location.h"
#include "cli/session.h"
#include "oscommit_delta.h"

struct delta_session {
    struct session session;
    struct location table;
    os_delta_options how;
    os_client *log_store; /* NULL: none was named */
    os_delta_partition partitions[PARTITIONS_MAX];
    char *pairs[PARTITIONS_MAX]; /* own: what they point into */
};

/* STATUS_DONE, or everything was said; delta_session_close is allowed in either case. */
enum status delta_session_open(struct delta_session *delta, const struct options *options);
enum status delta_session_close(struct delta_session *delta, enum status status);

/* Reports, saves or prints the ticket of an unknown outcome, clears `result`, and gives the exit status. */
enum status delta_finish(struct delta_session *delta, os_verdict verdict, os_delta_result *result,
                         const os_error *error);

#endif
