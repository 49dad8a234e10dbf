/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands on Lance tables share: the table of the operand, and the table of its rows. */
#ifndef OSCOMMIT_TOOL_LANCE_H
#define OSCOMMIT_TOOL_LANCE_H

#include "cli/location.h"
#include "cli/session.h"
#include "oscommit_lance.h"

struct lance_session {
    struct session session;
    struct location table;
    os_lance_options how;
};

/* STATUS_DONE, or everything was said; lance_session_close is allowed in either case. */
enum status lance_session_open(struct lance_session *lance, const struct options *options);
enum status lance_session_close(struct lance_session *lance, enum status status);

#endif
