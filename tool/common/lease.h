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
/* That of --ttl, `otherwise` without, and fencing, which the tool's leases always have. */
bool lease_take_ttl(const struct options *options, uint64_t otherwise, os_lease_options *ret, struct usage *usage);

/* ---------------------------------------------------------------------------------------- from process to process */

#define LEASE_HANDLE_VARIABLE "OSCOMMIT_LEASE_HANDLE"
#define LEASE_EXIT_STATUS                                                          \
    "   0  done\n"                                                                 \
    "   1  not done, for another reason than those below; it may still be held\n"  \
    "   2  bad usage or settings\n"                                                \
    "  69  the table cannot be reached; it may still be held: try again in time\n" \
    "  75  the lease was lost\n"                                                   \
    "  77  access denied, or no usable credentials\n"

/* A conflict of a lease that one had is its loss. */
enum status lease_status_of(const os_error *error);

struct lease_held {
    char handle[OS_LEASE_HANDLE_SIZE];
    uint64_t token;
    uint64_t remaining_ms;
};

/* False: *err says why; OS_ERR_CONFLICT: it is lost already. */
bool lease_describe(const os_lease *lease, struct lease_held *ret, os_error *err);
bool lease_print_json(struct output *output, const char *name, const struct lease_held *held);
/* Goes on with the lease of the first operand, by the handle that is given. STATUS_DONE, or everything was said. */
enum status lease_session_adopt(struct session *session, const os_lease_options *how, os_lease **ret);

#endif
