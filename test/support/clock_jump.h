/* SPDX-License-Identifier: Apache-2.0 */
/* Time that passes when a test says so, for the whole program. What must not be over before something has happened gets
 * an hour, and the hour passes when it has happened: so no slow machine decides the test. Only in programs that are
 * linked with -Wl,--wrap=clock_gettime; shared libraries, such as libcurl, keep the real time, and so does the kernel:
 * what waits until an instant that it reckons from the clock waits for so much longer behind a jump. */
#ifndef OSCOMMIT_TEST_CLOCK_JUMP_H
#define OSCOMMIT_TEST_CLOCK_JUMP_H

#include <stdint.h>

enum { HOUR_MS = 3600 * 1000 };

void clock_jump(uint64_t ms); /* forwards, all clocks; whoever sleeps in the kernel is not woken */

#endif
