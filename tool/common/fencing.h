/* SPDX-License-Identifier: Apache-2.0 */
/* The token of the lease that a command runs under: `oscommit lock` gives it along in OSCOMMIT_FENCING_TOKEN. */
#ifndef OSCOMMIT_TOOL_FENCING_H
#define OSCOMMIT_TOOL_FENCING_H

#include "cli/session.h"

/* Puts it into the options of a guarded put; none changes nothing. STATUS_DONE, or the status to end with: said. */
enum status fencing_take(struct session *session, const char *url, os_put_options *ret);
/* What is not held back by a token is refused under one: `what` is "A copy over an object". As above. */
enum status fencing_refuse(struct session *session, const char *url, const char *what);

#endif
