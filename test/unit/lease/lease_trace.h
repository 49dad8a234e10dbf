/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Golden traces of a lease. The first line has the settings, each other one an event, and what came of it:
 *
 *   ttl=6 [poll=1000] [once] [fencing] [adopts=NUMBER]
 *   start -> TAKE 1 e=1007 [ACQUIRING]
 *   conflict v=other e=1009 t=6000 @1000 -> WAIT 1000 [ACQUIRING]
 *   timer +1000 -> TAKE 2 e=1008 [ACQUIRING]
 *
 * Events: start, timer, release, stop; ok, conflict, blind, throttled, ambiguous, refused. What follows them: an item
 * (none; free; or v=VERSION), e= its expiry in seconds, t= its ttl in milliseconds, n=EPOCH/N its token; epoch=E; @S the
 * service's Date; +MS by how much all clocks moved on before it, m+MS, b+MS, r+MS, r-MS one of them. Of versions, a
 * number is one of the handle's own.
 * Actions: TAKE VERSION e=EXPIRY [on=VERSION] [now=S], EXTEND VERSION e=EXPIRY on=VERSION, DROP on=VERSION, READ, EPOCH,
 * TOKEN EPOCH/N on=VERSION, and WAIT MS. Then [STATUS], with the token that is announced, and LEFT when it has
 * finished and something may be left.
 * All clocks begin at 1000 s.
 */
#ifndef OSCOMMIT_TEST_LEASE_TRACE_H
#define OSCOMMIT_TEST_LEASE_TRACE_H

#include "lease/lease.h"
#include "support/test.h"

#define LEASE_TRACE_NONCE "0123456789abcdef0123456789abcdef"

struct lease_trace {
    struct lease lease;
    struct clock_reading now;
    struct lease_actions todo; /* of the last event */
};

extern struct lease_trace lease_trace; /* as the last TRACE left it */

#define TRACE(trace) lease_trace_check(__FILE__, __LINE__, (trace))
void lease_trace_check(const char *file, int line, const char *trace);

#endif
