/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's exit statuses, which scripts rely on: values never change. Those from 66 on are of sysexits.h; with each
 * of them, but OUTPUT and LOST, nothing was applied and never will be, as with 1. */
#ifndef OSCOMMIT_TOOL_STATUS_H
#define OSCOMMIT_TOOL_STATUS_H

enum status {
    STATUS_DONE = 0,         /* committed, or done */
    STATUS_NOT_EXECUTED = 1, /* nothing was applied and never will be, for another reason than those below */
    STATUS_USAGE = 2,
    STATUS_CONFLICT = 3,
    STATUS_UNKNOWN = 4,      /* may have been applied, or may still be: resolve the ticket */
    STATUS_UNDECIDABLE = 5,  /* unknown for good: no evidence is left that could decide */
    STATUS_ABSENT = 66,      /* no such object or bucket (EX_NOINPUT) */
    STATUS_UNREACHABLE = 69, /* the store or the ledger cannot be reached (EX_UNAVAILABLE) */
    STATUS_OUTPUT = 74,      /* committed, or done, but stdout did not take the result (EX_IOERR) */
    STATUS_LOST = 75,        /* lock: the lease was lost while its program ran (EX_TEMPFAIL) */
    STATUS_DENIED = 77       /* access denied, or no usable credentials (EX_NOPERM) */
};

#endif
