/* SPDX-License-Identifier: Apache-2.0 */
/* Histories in few words, for the tests of the judge and of the file format. */
#ifndef OSCOMMIT_TEST_HISTORY_MAKER_H
#define OSCOMMIT_TEST_HISTORY_MAKER_H

#include "history/history.h"
#include "history/judge.h"

struct history *maker_new(void); /* never NULL */

/* A call of key "k" that ended with this verdict; NULL for a value is "no object". Gives its id. */
uint64_t maker_call(struct history *history, enum history_operation operation, const char *expected, const char *value,
                    uint64_t start_us, uint64_t end_us, os_verdict verdict);
uint64_t maker_settled(struct history *history, enum history_operation operation, const char *expected,
                       const char *value, uint64_t start_us, uint64_t end_us, os_verdict settled, uint64_t settled_us);
/* The same operations in short; `from` and `to` say which: NULL to anything creates, anything to NULL deletes. */
uint64_t maker_write(struct history *history, const char *from, const char *to, uint64_t start_us, uint64_t end_us,
                     os_verdict verdict);
uint64_t maker_read(struct history *history, const char *value, uint64_t start_us, uint64_t end_us);
void maker_final(struct history *history, const char *value, int64_t versions);

/* Judges and frees it. */
void maker_accepted(struct history *history);
void maker_refused(struct history *history, enum judge_violation violation, uint64_t call, uint64_t other_call);

#endif
