/* SPDX-License-Identifier: Apache-2.0 */
/* The token of the lease that a command runs under: `oscommit lock` gives it along in OSCOMMIT_FENCING_TOKEN. */
#ifndef OSCOMMIT_TOOL_FENCING_H
#define OSCOMMIT_TOOL_FENCING_H

#include "cli/session.h"

/* `fencing` of a guarded write's options; none changes nothing. STATUS_DONE, or the status to end with: said. */
enum status fencing_take(struct session *session, const char *url, uint64_t *ret);
/* A put without a condition is not held back by a token, and so is refused under one. As above. */
enum status fencing_refuse_put(struct session *session, const char *url);

#endif
