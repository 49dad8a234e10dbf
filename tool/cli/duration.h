/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks and lengths of time. */
#ifndef OSCOMMIT_TOOL_DURATION_H
#define OSCOMMIT_TOOL_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* "90", "90s", "30m", "36h", "7d": seconds, from 1 to `most_s`, in one of `units` ("smhd"). False: it is none. */
bool duration_parse(const char *text, const char *units, uint64_t most_s, uint64_t *ret_s);

uint64_t duration_now_ms(void); /* CLOCK_MONOTONIC */

#endif
