/* SPDX-License-Identifier: Apache-2.0 */
/* Time and chance of a race. */
#ifndef OSCOMMIT_LAB_RACE_CLOCK_H
#define OSCOMMIT_LAB_RACE_CLOCK_H

#include <stdint.h>

uint64_t race_now_us(void); /* CLOCK_MONOTONIC, which all processes of a host share */
uint64_t race_random(uint64_t *state);

#endif
