/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the explorer would notice: its own parts, put to the test. */
#ifndef OSCOMMIT_MODEL_SELFTEST_H
#define OSCOMMIT_MODEL_SELFTEST_H

#include <stdbool.h>

/* 0: good; 1: something is wrong, printed to stderr. */
int self_test(void);
/* `sentence` says what is wrong unless it is `good`. */
void must(bool good, const char *sentence);

#endif
