/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Golden traces of an attempt. The first line has its parts and settings, each other one an event, and what came of it:
 *
 *   write check [together] [forgets]
 *   start -> TOGETHER
 *   ambiguous -> WAIT 100
 *   timer +100 -> TOGETHER
 *   failed 1:other/none -> FENCE 0
 *
 * Parts: create, write, bare, blind, check; [100*PART]. Events: start, timer, stop; ok, failed, throttled, ambiguous,
 * refused. What follows them: PART:TOKEN/BEFORE, PART:absent or PART:unseen, a row, whose condition has failed if the
 * event is `failed`; +MS by how much all clocks moved on before it, m+MS, b+MS, r+MS one of them.
 * Actions: PLAIN, TOGETHER, LOOK, FENCE PART, WAIT MS; or the verdict.
 */
#ifndef OSCOMMIT_TEST_TRANSACTION_TRACE_H
#define OSCOMMIT_TEST_TRANSACTION_TRACE_H

#include "support/test.h"
#include "transaction/transaction.h"

#define TRACE(trace) transaction_trace_check(__FILE__, __LINE__, (trace))
void transaction_trace_check(const char *file, int line, const char *trace);

/* "write check 0:other/read": what transaction_judge says. */
#define JUDGED(rows, finding) assert_int_equal(transaction_trace_judge(rows), TRANSACTION_##finding)
enum transaction_finding transaction_trace_judge(const char *rows);

#endif
