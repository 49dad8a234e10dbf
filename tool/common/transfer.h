/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes up (put, cp FILE URL) and down (get, cp URL FILE), with their report. */
#ifndef OSCOMMIT_TOOL_TRANSFER_H
#define OSCOMMIT_TOOL_TRANSFER_H

#include "cli/session.h"

/* Guarded by --if-absent or --if-match, else plain. `file` may be "-". */
enum status transfer_up(struct session *session, const struct location *to, const char *file);

/* `offset` and `count` as in os_sink. `file` may be "-". */
enum status transfer_down(struct session *session, const struct location *from, const char *file, uint64_t offset,
                          uint64_t count);

/* False, with a sentence: the object and the JSON result would both go to stdout. */
bool transfer_down_check(const struct options *options, const char *file, struct usage *usage);

#endif
