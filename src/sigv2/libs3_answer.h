/* SPDX-License-Identifier: Apache-2.0 */
/* From how a libs3 request ended, and what the tap saw of its answer, to a result and a sentence. */
#ifndef OSCOMMIT_SIGV2_LIBS3_ANSWER_H
#define OSCOMMIT_SIGV2_LIBS3_ANSWER_H

#include "sigv2/libs3_run.h"

/* What a request was, for messages. */
struct libs3_subject {
    const char *verb;
    const char *bucket;
    const char *key; /* NULL: the bucket itself */
    const char *host;
};

/* OS_OK: status and headers of the answer are in `ret`, with the store's error for any status but 2xx. Else no answer
 * was seen. */
os_code libs3_answer(const struct libs3_run *run, const struct libs3_subject *subject, struct libs3_result *ret,
                     os_error *err);

/* An answer came and the tap missed it: a request that changes nothing is then sent again. */
bool libs3_answer_missed(const struct libs3_run *run);

/* After a 2xx whose body libs3 has given on: OS_OK when it came whole. */
os_code libs3_answer_body(const struct libs3_run *run, const struct libs3_subject *subject, os_error *err);

#endif
