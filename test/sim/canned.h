/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that no service of ours gives by itself: 5xx, throttles, an error inside a 200. As AWS words them. */
#ifndef OSCOMMIT_TEST_SIM_CANNED_H
#define OSCOMMIT_TEST_SIM_CANNED_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum canned_s3 { CANNED_INTERNAL_ERROR, CANNED_SLOW_DOWN, CANNED_SKEWED, CANNED_ERROR_200 };
enum canned_dynamo { CANNED_SERVER_ERROR, CANNED_THROTTLED, CANNED_REQUEST_LIMIT, CANNED_DYNAMO_SKEWED };

/* `head`: no body. False: no memory. */
bool canned_s3(enum canned_s3 what, bool head, uint64_t now_ms, struct buf *ret);
/* What is not the service answers, without the service's mark; `which` of eight ways, 404 most often. */
bool canned_foreign(uint32_t which, bool to_s3, bool head, uint64_t now_ms, struct buf *ret);
/* Another Date in an answer that has one. */
void canned_redate(struct buf *answer, uint64_t date_s);
/* Takes the mark out of an answer of the store. */
void canned_unmark(struct buf *answer);
bool canned_dynamo(enum canned_dynamo what, uint64_t now_ms, struct buf *ret);
bool canned_dynamo_error(const char *body, uint64_t now_ms, struct buf *ret); /* HTTP 400 */

#endif
