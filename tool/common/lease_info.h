/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a table of leases, or of locks, shown as a block, as a line, or as a JSON object. */
#ifndef OSCOMMIT_TOOL_LEASE_INFO_H
#define OSCOMMIT_TOOL_LEASE_INFO_H

#include "cli/session.h"
#include "oscommit_lease.h"

/* False: the output did not take it. `brief`: a line of a list. */
bool lease_info_print(struct output *output, const char *name, const os_lease_info *info, bool brief);
bool lock_info_print(struct output *output, const os_lock *lock, const os_lock_info *info, bool brief);

/* Reads the lease of the first operand and shows it. */
enum status lease_info_show(struct session *session);

#endif
