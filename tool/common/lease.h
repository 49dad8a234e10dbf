/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of leases share. */
#ifndef OSCOMMIT_TOOL_LEASE_H
#define OSCOMMIT_TOOL_LEASE_H

#include "cli/session.h"
#include "oscommit_lease.h"

/* Opens a session on the table of leases: that of --ledger, else the one in the embedded store that --store names.
 * STATUS_DONE, or everything was said; then lease_session_close is still allowed. */
enum status lease_session_open(struct session *session, const struct options *options);
enum status lease_session_close(struct session *session, enum status status);

/* The time that a flag gives, in seconds; `otherwise` where it is not given. */
bool lease_time(const struct options *options, enum option_id id, uint64_t otherwise, uint64_t *ret_s,
                struct usage *usage);

#endif
