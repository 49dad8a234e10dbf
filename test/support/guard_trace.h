/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Golden traces of the guard. A trace is a list of lines; the first says what the guard is for, each other one is an
 * event and what the guard does with it:
 *
 *     TRACE("put absent\n"
 *           "start -> HEAD [CHECKING]\n"
 *           "head none @1000 +20 -> SIGN 1000/5 [SIGNING]\n" ...);
 *
 * TRACE plays the events on virtual clocks, writes the same lines anew and compares. Where they differ it prints the
 * new trace as C source and fails. It knows the guard's interface, no socket and no clock.
 *
 * First line: put|copy|delete|complete, then absent or the expected ETag (bare, the quotes are added), then any of
 *     forward no-fences always 409=again 409=final ours=ETAG recent=DATE length=S work=S margin=S stalled=S
 *     timeout=MS ttl=S recheck=MS rate=N gen=N fencing=N parts=N doubt native tells mixed versioned known=NONCE commits-in=MS
 * Events:
 *     start | timer | stop | signed [failed] [bytes=N]
 *                                 signed bytes=N: so many, which do not arrive at once (1,000 in a second, at least)
 *     head VERSION | head failed | head refused          VERSION: none|ETAG [nonce=] [rep=] [lm=] [vid=] [token=]
 *                                 and of a HEAD, at its end, pairs (N4): over=NONCE in the place of what is expected,
 *                                 pair=NONCE in that of something else
 *     source BYTES | source failed | source refused
 *     put ok|conflict RECORD|blind|throttled|ambiguous|refused|unreadable
 *     get none|found RECORD|throttled|ambiguous|refused|unreadable        RECORD: [sent] g= t= ttl= n= fence= saw= u=
 *     query [row ETAG RECORD]... | query throttled
 *     attempt ok [ETAG] | precondition|409|refused|denied|expired|token|skewed|not-sent|ambiguous
 *     parts open|gone|unclear|refused      abort ok|gone|unclear|refused
 *     versions ours VERSION|others|unclear|hidden
 *     resolve [SETTING]...    makes a ticket of the guard, and a new guard of the ticket
 * and with each: @DATE (the answer's Date), +MS (all clocks go on before the event), m+MS b+MS r+MS r-MS (one clock).
 * The nonce "us" is the guard's own, "whole" another's; any other word is not formed as one. "sent" is the record that
 * was put last. After SEND the object is looked at when a second has passed (V4.2): `timer`; only LOOK MS is printed.
 */
#ifndef OSCOMMIT_TEST_GUARD_TRACE_H
#define OSCOMMIT_TEST_GUARD_TRACE_H

#include "commit/guard.h"
#include "support/test.h"

#define GUARD_TRACE_NONCE "0123456789abcdef0123456789abcdef"
#define GUARD_TRACE_WHOLE "00000000000000000000000000000007"
enum { GUARD_TRACE_UPLOAD = 9 };

struct guard_trace {
    struct guard guard;
    struct clock_reading now;
    struct guard_event event;  /* the last */
    struct guard_actions todo; /* of the last event */
    struct record put;         /* the last record that was put */
};

extern struct guard_trace guard_trace; /* as the last TRACE left it */

#define TRACE(trace) guard_trace_check(__FILE__, __LINE__, (trace))
void guard_trace_check(const char *file, int line, const char *trace);

/* The defaults of a trace: those of the protocol, with fences. */
struct guard_settings guard_trace_settings(void);

#endif
