/* SPDX-License-Identifier: Apache-2.0 */
/* An open client with what its calls need: cancellation by signals, progress, the deadline. One per command. */
#ifndef OSCOMMIT_TOOL_SESSION_H
#define OSCOMMIT_TOOL_SESSION_H

#include "cli/interrupt.h"
#include "cli/location.h"
#include "cli/options.h"
#include "cli/output.h"
#include "oscommit.h"

struct session {
    const struct options *options;
    struct output output;
    struct interrupt interrupt;
    os_client *client;
    os_call call; /* for every call of the command; its address stays good while the session does */
};

/* STATUS_DONE, or the status with which to end: everything was said. `peer` as for interrupt_start. session_close,
 * which gives back the status that it gets, is always allowed afterwards. */
enum status session_open(struct session *session, const struct options *options, const char *store_url);
enum status session_open_peered(struct session *session, const struct options *options, const char *store_url,
                                int peer);
/* Another client of the same command, for a table alone: nothing of a store is asked of it. It is closed before the session.
 * STATUS_DONE, or everything was said. */
enum status session_connect_table(struct session *session, const char *ledger_url, os_client **ret);
enum status session_close(struct session *session, enum status status);

/* For failures of the tool itself: fills an os_error and reports it. */
enum status session_fail(struct session *session, const char *url, os_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
