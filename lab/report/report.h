/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A history and what its judge said, as one HTML page that needs nothing else: no network, no other file. The answer
 * stands first; then the numbers, the findings, the lanes of the writers with every call, and each key's chain of
 * versions. Without scripts, and on paper, the lanes are a drawing; a script makes them zoomable.
 *
 * Nothing that a history says can become markup or script: text.h. Knows nothing of how the history was made.
 */
#ifndef OSCOMMIT_LAB_REPORT_H
#define OSCOMMIT_LAB_REPORT_H

#include "history/history.h"
#include "history/judge.h"

#include <stdio.h>

/* Calls and events that the page carries one by one, and lanes that it draws; beyond that the first ones, and the page
 * says so. */
enum { REPORT_CALLS_MAX = 200000, REPORT_EVENTS_MAX = 100000, REPORT_LANES_MAX = 250 };

/* Writes the page. OK, or ERR_NO_MEMORY or ERR_IO, with a sentence in `err` (which may be NULL). */
os_code report_write(const struct history *history, const struct judge_result *judged, FILE *out, os_error *err);

#endif
