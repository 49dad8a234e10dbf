/* SPDX-License-Identifier: Apache-2.0 */
/* Threads for calls that block (the embedded store, SQLite, libs3): started as they are needed, kept until the client
 * closes. */
#ifndef OSCOMMIT_CLIENT_WORKERS_H
#define OSCOMMIT_CLIENT_WORKERS_H

#include "client/loop.h"

enum { WORKERS_MAX = 16 };

struct workers;

os_code workers_new(struct workers **ret, os_error *err);
/* Runs blocking->work on some thread, then posts its job to its loop. When no thread at all can be started, on the
 * calling one. */
void workers_run(struct workers *workers, struct loop_blocking *blocking);
void workers_free(struct workers *workers); /* waits until all work is done */

#endif
