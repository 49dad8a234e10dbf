/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite remembers in the memory of its process which locks that process has on a file. A child that was forked beside
 * an open connection has a copy of this memory and none of the locks: a connection that it opened would believe that it
 * has them, and exclude nobody ("How To Corrupt An SQLite Database File", 2.6, sqlite.org/howtocorrupt.html). Nor is a
 * child of a process with threads sure to get SQLite's mutexes. So it opens none.
 */
#ifndef OSCOMMIT_SQLITE_FORK_H
#define OSCOMMIT_SQLITE_FORK_H

#include <oscommit.h>

/* OS_ERR_ARGUMENT in such a child. `what` is in `file`. */
os_code sqlite_fork_check(const char *what, const char *file, os_error *err);
/* The check, before a connection is opened; and when it is closed. */
os_code sqlite_fork_enter(const char *what, const char *file, os_error *err);
void sqlite_fork_leave(void);

#endif
