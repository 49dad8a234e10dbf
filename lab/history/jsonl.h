/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A history as lines of JSON, the form that `race --history` writes and `check` reads. One object a line; the first
 * says {"oscommit_history":1}; then, in any order, facts {"fact":NAME,"value":TEXT}, calls {"call":ID,"writer":N,
 * "operation":"put_if_absent",...}, events {"event":"pause",...}, finals {"final":KEY,...}, what is said of leases
 * (lease_line.h), transactions and sums (transaction_line.h). Field names are those of history.h; a value that is null
 * is "no object"; fields that are not known are passed over. Bounded: lines of 64 KiB, 10 million lines.
 */
#ifndef OSCOMMIT_LAB_JSONL_H
#define OSCOMMIT_LAB_JSONL_H

#include "history/history.h"

#include <stdio.h>

bool jsonl_write(const struct history *history, FILE *file); /* false: a write failed (errno), or no memory */
/* False: `err` says which line and why. */
bool jsonl_read(FILE *file, const char *name, struct history *history, os_error *err);

#endif
