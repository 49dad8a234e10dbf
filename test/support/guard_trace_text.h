/* SPDX-License-Identifier: Apache-2.0 */
/* What a step of the guard did, as one line of text. */
#ifndef OSCOMMIT_TEST_GUARD_TRACE_TEXT_H
#define OSCOMMIT_TEST_GUARD_TRACE_TEXT_H

#include "commit/guard.h"

enum { TRACE_TEXT_SIZE = 512 };

struct trace_text {
    char text[TRACE_TEXT_SIZE];
};

void trace_text_add(struct trace_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * " HEAD, PUT g=1 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]": the requests, then the state. Ours is the nonce
 * unless n= says otherwise (n=-: none). WAIT 25 is a timer drawn from the back-off's step of 25 ms. A verdict shows
 * reason and rule, `again` where the call should start a new guard, `longer` where that one doubles its length (E6),
 * and what was found or made.
 */
void trace_text_step(struct trace_text *text, const struct guard *guard, const struct guard_actions *todo);
void trace_text_ticket(struct trace_text *text, const struct guard_ticket *ticket);

#endif
