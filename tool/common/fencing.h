/* SPDX-License-Identifier: Apache-2.0 */
/* The token of the lease that a command runs under: `oscommit lock` gives it along in OSCOMMIT_FENCING_TOKEN. */
#ifndef OSCOMMIT_TOOL_FENCING_H
#define OSCOMMIT_TOOL_FENCING_H

#include "cli/session.h"

/* Puts it into the options of a guarded put; none changes nothing. STATUS_DONE, or the status to end with: said. */
enum status fencing_take(struct session *session, const char *url, os_put_options *ret);
/* A copy inside the store is not held back by a token, so under one it is refused, unless it creates. */
enum status fencing_refuse_copy(struct session *session, const char *url);

#endif
