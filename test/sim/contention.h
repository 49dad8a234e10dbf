/* SPDX-License-Identifier: Apache-2.0 */
/* What a DynamoDB that has a row under way for another answers, and one that is not done yet with what it was asked. */
#ifndef OSCOMMIT_TEST_SIM_CONTENTION_H
#define OSCOMMIT_TEST_SIM_CONTENTION_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether the request is one that others can be in the way of: a write, or a transaction of reads. */
bool contention_may_be(const struct buf *request);
/* An answer to it, whole, and not applied; `choice` says in what words, and which row of several it is about. False: no
 * memory. */
bool contention_answer(const struct buf *request, uint64_t choice, uint64_t now_ms, struct buf *ret);

bool contention_denied(uint64_t now_ms, struct buf *ret); /* of any request */

bool contention_may_be_in_progress(const struct buf *request);
bool contention_in_progress(uint64_t now_ms, struct buf *ret);

#endif
