/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's exit statuses, which scripts rely on: values never change. */
#ifndef OSCOMMIT_TOOL_STATUS_H
#define OSCOMMIT_TOOL_STATUS_H

enum status {
    STATUS_DONE = 0,         /* committed, or done */
    STATUS_NOT_EXECUTED = 1, /* nothing was applied and never will be */
    STATUS_USAGE = 2,
    STATUS_CONFLICT = 3,
    STATUS_UNKNOWN = 4 /* may have been applied, or may still be */
};

#endif
