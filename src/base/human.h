/* SPDX-License-Identifier: Apache-2.0 */
/* Times for sentences: what a person reads, and what a damaged record may hold. */
#ifndef OSCOMMIT_BASE_HUMAN_H
#define OSCOMMIT_BASE_HUMAN_H

#include <stdint.h>

enum { HUMAN_SIZE = 64 };

/* "2026-11-22 10:31:22 UTC"; beyond the year 9999 "no time (18446744073709551615)". */
void human_time(uint64_t epoch_s, char ret[HUMAN_SIZE]);

/* "850 ms", "20 s", "3 min 5 s", "2 h 40 min", "12 days"; over ten years "for ever (18446744073709551615 ms)". */
void human_span(uint64_t span_ms, char ret[HUMAN_SIZE]);

#endif
