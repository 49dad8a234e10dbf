/* SPDX-License-Identifier: Apache-2.0 */
/* What every command with a guarded write does around it: the ticket file before, verdict and ticket after. */
#ifndef OSCOMMIT_TOOL_GUARDED_H
#define OSCOMMIT_TOOL_GUARDED_H

#include "cli/session.h"

/* False, with a sentence: --ticket-file is given for a plain write, which has no ticket, or names a place where none
 * could be saved. `always`: the command guards without being told. */
bool guarded_check(const struct options *options, bool always, struct usage *usage);

/* Prints to stderr the command that resolves a ticket, with the settings of this command line. `file`: where the ticket is;
 * NULL: on the command line. */
void guarded_print_resolve(const struct options *options, const char *url, const char *file, const char *ticket);

/* Reports, saves or prints the ticket of an unknown outcome, clears `result`, and gives the exit status. */
enum status guarded_finish(struct session *session, const char *url, os_verdict verdict, os_result *result,
                           const os_error *error);

#endif
