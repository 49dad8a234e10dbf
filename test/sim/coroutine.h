/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coroutines on stacks of their own, all on one thread. One that is dropped before its end is simply never resumed, as
 * a process that was killed. Knows nothing of time or of processes.
 */
#ifndef OSCOMMIT_TEST_SIM_COROUTINE_H
#define OSCOMMIT_TEST_SIM_COROUTINE_H

#include <stdbool.h>

struct coroutine;

struct coroutine *coroutine_new(void (*run)(void *context), void *context); /* NULL: no memory */
void coroutine_resume(struct coroutine *coroutine); /* not from within one; returns when it yields or has ended */
void coroutine_yield(void);                         /* from within */
bool coroutine_ended(const struct coroutine *coroutine);
void coroutine_free(struct coroutine *coroutine); /* not from within itself; wherever it stands. NULL is fine */

void coroutine_free_stacks(void); /* those kept for later ones */

#endif
