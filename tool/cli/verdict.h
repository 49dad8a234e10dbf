/* SPDX-License-Identifier: Apache-2.0 */
/* The one place where an outcome becomes an exit status and a word. */
#ifndef OSCOMMIT_TOOL_VERDICT_H
#define OSCOMMIT_TOOL_VERDICT_H

#include "cli/status.h"
#include "oscommit.h"

enum status status_of_guarded(os_verdict verdict, const os_result *result, const os_error *error);

/* Of a plain call that changes nothing, and of one that writes: there some failures leave open what happened. */
enum status status_of_read(const os_error *error);
enum status status_of_write(const os_error *error);

/* Of a call on a lease, where nothing but the caller's words can be an argument. */
enum status status_of_lease(const os_error *error);

/* What a file of this machine was refused for: OS_ERR_DENIED, OS_ERR_NO_SPACE, OS_ERR_NO_MEMORY or OS_ERR_IO. */
os_code code_of_errno(int number);

/* "done", "not executed", "bad usage", "conflict", "lost", "unknown". */
const char *status_name(enum status status);

/* "record", "native", "both"; "": nothing was sent. */
const char *guarded_name(os_guard guard);

#endif
