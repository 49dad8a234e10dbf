/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

enum { A = 1, B = 2, C = 4 };

/* Time is short: a ttl of 3 s, of which 2.5 s may be used, extended after 1 s. */
#define SHORT .ttl_s = 3, .poll_ms = 1000, .grid_ms = 500, .tick_ms = 500, .leap_ms = 3000
/* The margin is a twentieth of the ttl, as with any longer one. A waiter polls when what it has seen ripens. */
#define LONG  .ttl_s = 10, .poll_ms = 10000, .grid_ms = 1, .tick_ms = 500, .leap_ms = 9000, .horizon_ms = 24000
#define WHOLE .whole = true
#define PLAIN .no_dates = true, WHOLE
#define QUICK .quick = true

static const struct config configs[] = {
    {"pair", "two handles, of which some end or die", .handles = 2, SHORT, PLAIN, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 2, [BUDGET_RELEASE] = 1, [BUDGET_CRASH] = 1}},
    {"pair-dates", "the same by the service's Dates, and TTL deletes", .handles = 2, SHORT, WHOLE, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_RELEASE] = 1, [BUDGET_TTL] = 1}},
    {"pair-slow", "answers take their time", .handles = 2, SHORT, .no_dates = true, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1}},
    {"pair-slow-dates", "answers take their time, Dates are of the instant that serves", .handles = 2, SHORT, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1}},
    {"once", "one of them does not wait", .handles = 2, SHORT, PLAIN, .once = B, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1, [BUDGET_RELEASE] = 1}},
    {"lost", "answers are lost; what was not served lands later", .handles = 2, SHORT, PLAIN, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2}},
    {"lost-ends", "the same, and what is left is dropped", .handles = 2, SHORT, PLAIN, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LOSE] = 2, [BUDGET_RELEASE] = 1, [BUDGET_STOP] = 1}},
    {"lost-ttl", "the same, and TTL deletes", .handles = 2, SHORT, WHOLE, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1, [BUDGET_TTL] = 1}},
    {"busy", "throttled, refused, answered without the item", .handles = 2, SHORT, PLAIN, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED,
                [BUDGET_LEAP] = 1,
                [BUDGET_THROTTLE] = 1,
                [BUDGET_REFUSE] = 1,
                [BUDGET_BLIND] = 2,
                [BUDGET_RELEASE] = 1}},
    {"blind", "an answer is lost, and the next conflicts are without the item", .handles = 2, SHORT, PLAIN, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LOSE] = 1, [BUDGET_BLIND] = 2, [BUDGET_RELEASE] = 1}},
    {"fenced", "tokens, and TTL deletes what has them", .handles = 2, SHORT, WHOLE, .fencing = MASK_ALL, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 2, [BUDGET_TTL] = 1, [BUDGET_RELEASE] = 1}},
    {"fenced-lost", "tokens, and answers that are lost", .handles = 2, SHORT, WHOLE, .fencing = MASK_ALL, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 2, [BUDGET_LOSE] = 2, [BUDGET_TTL] = 1}},
    {"fenced-mixed", "one of them without fencing: it deletes the token", .handles = 2, SHORT, WHOLE, .fencing = A,
     QUICK, .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1, [BUDGET_RELEASE] = 2}},
    {"fenced-trio", "three of them", .handles = 3, SHORT, PLAIN, .fencing = MASK_ALL,
     .budget = {[BUDGET_NEXT] = 8, [BUDGET_LEAP] = 2, [BUDGET_RELEASE] = 1}},
    {"trio", "three handles", .handles = 3, SHORT, PLAIN,
     .budget = {[BUDGET_NEXT] = 8, [BUDGET_LEAP] = 2, [BUDGET_CRASH] = 1}},
    {"trio-lost", "three handles, and answers that are lost", .handles = 3, SHORT, PLAIN,
     .budget = {[BUDGET_NEXT] = 6, [BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1}},
    {"rate-5", "one clock is faster by 5 %", .handles = 2, LONG, PLAIN, .rate = {100, 105}, QUICK,
     .budget = {[BUDGET_NEXT] = 7, [BUDGET_LEAP] = 1}},
    {"rate-5-slow", "the same, and answers take their time", .handles = 2, LONG, .no_dates = true, .rate = {100, 105},
     .budget = {[BUDGET_NEXT] = 5, [BUDGET_LEAP] = 1, [BUDGET_TICK] = 1}},
    {"rate-10", "one clock is faster by 10 %", .handles = 2, LONG, PLAIN, .rate = {100, 110}, .expects = "two-holders",
     QUICK, .budget = {[BUDGET_NEXT] = 7}},
    {"suspended", "MONOTONIC of one of them stands", .handles = 2, SHORT, WHOLE, .horizon_ms = 12000, QUICK,
     .budget = {[BUDGET_NEXT] = 5, [BUDGET_LEAP] = 2, [BUDGET_SUSPEND] = 2}},
    {"set", "REALTIME is set forward and back", .handles = 2, SHORT, WHOLE, .horizon_ms = 9000, QUICK,
     .budget = {[BUDGET_NEXT] = 4, [BUDGET_LEAP] = 1, [BUDGET_SET] = 2}},
    {"waiter-frozen", "all clocks of a waiter stand", .handles = 2, SHORT, WHOLE, .may_be_frozen = MASK_ALL,
     .horizon_ms = 12000, QUICK, .budget = {[BUDGET_NEXT] = 5, [BUDGET_LEAP] = 2, [BUDGET_FREEZE] = 2}},
    {"holder-frozen", "all clocks of a holder stand", .handles = 2, SHORT, WHOLE, .may_be_frozen = MASK_ALL,
     .holder_may_be_frozen = true, .horizon_ms = 12000, .expects = "two-holders", QUICK,
     .budget = {[BUDGET_NEXT] = 5, [BUDGET_LEAP] = 2, [BUDGET_FREEZE] = 1}},
    {"holder-frozen-fenced", "the same: tokens grow nevertheless", .handles = 2, SHORT, WHOLE,
     .may_be_frozen = MASK_ALL, .holder_may_be_frozen = true, .may_overlap = true, .fencing = MASK_ALL,
     .horizon_ms = 12000, QUICK, .budget = {[BUDGET_NEXT] = 5, [BUDGET_LEAP] = 2, [BUDGET_FREEZE] = 1}},
    {"foreign", "the other implementation beside a handle", .handles = 1, SHORT, .foreign = true, .foreign_ttl_s = 3,
     QUICK, .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 2, [BUDGET_FOREIGN] = 5, [BUDGET_RELEASE] = 1}},
    {"foreign-lost", "the same, and answers are lost, and TTL deletes", .handles = 1, SHORT, .foreign = true,
     .foreign_ttl_s = 3, QUICK,
     .budget =
         {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 2, [BUDGET_FOREIGN] = 4, [BUDGET_LOSE] = 2, [BUDGET_TTL] = 1}},
    {"foreign-pair", "it beside two handles", .handles = 2, SHORT, WHOLE, .foreign = true, .foreign_ttl_s = 3,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_FOREIGN] = 3}},
    {"foreign-fenced", "it removes tokens", .handles = 2, SHORT, WHOLE, .fencing = MASK_ALL, .foreign = true,
     .foreign_ttl_s = 2, QUICK, .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 2, [BUDGET_FOREIGN] = 2}},
    {"foreign-we-ahead", "our wall clock is an hour ahead", .handles = 1, SHORT, .foreign = true, .foreign_ttl_s = 3,
     .wall_s = {3600}, .horizon_ms = 12000, QUICK,
     .budget = {[BUDGET_NEXT] = 6, [BUDGET_LEAP] = 2, [BUDGET_FOREIGN] = 4}},
    {"foreign-we-behind", "our wall clock is an hour behind", .handles = 1, SHORT, .foreign = true, .foreign_ttl_s = 3,
     .wall_s = {-3600}, .horizon_ms = 12000, QUICK,
     .budget = {[BUDGET_NEXT] = 6, [BUDGET_LEAP] = 2, [BUDGET_FOREIGN] = 4, [BUDGET_TTL] = 1}},
    {"foreign-we-set", "our wall clock is set", .handles = 1, SHORT, .foreign = true, .foreign_ttl_s = 3,
     .horizon_ms = 12000, QUICK,
     .budget = {[BUDGET_NEXT] = 6, [BUDGET_LEAP] = 2, [BUDGET_FOREIGN] = 4, [BUDGET_SET] = 2}},
    {"foreign-ahead", "its wall clock is an hour ahead", .handles = 1, SHORT, .foreign = true, .foreign_ttl_s = 3,
     .foreign_wall_s = 3600, .expects = "two-holders", QUICK, .budget = {[BUDGET_NEXT] = 6, [BUDGET_FOREIGN] = 2}},
    {"foreign-no-dates", "our wall clock is an hour ahead, and the service tells no Date", .handles = 1, SHORT, PLAIN,
     .foreign = true, .foreign_ttl_s = 3, .wall_s = {3600}, .horizon_ms = 12000, .expects = "two-holders", QUICK,
     .budget = {[BUDGET_NEXT] = 6, [BUDGET_FOREIGN] = 2}},
    {"break", "somebody deletes the item of a holder", .handles = 2, SHORT, PLAIN, .expects = "two-holders", QUICK,
     .budget = {[BUDGET_NEXT] = 3, [BUDGET_BREAK] = 1}},
    {"twice", "a layer below sends a request twice", .handles = 2, SHORT, PLAIN, QUICK,
     .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_DUP] = 1, [BUDGET_RELEASE] = 1}},
    {"twice-fenced", "the same with tokens", .handles = 3, SHORT, PLAIN, .fencing = MASK_ALL,
     .budget = {[BUDGET_LEAP] = 2, [BUDGET_DUP] = 1, [BUDGET_RELEASE] = 1, [BUDGET_CRASH] = 1}},
    {"twice-ttl", "and TTL deletes the token: why L9 forbids it", .handles = 3, SHORT, PLAIN, .fencing = MASK_ALL,
     .expects = "token-shrinks",
     .budget = {[BUDGET_LEAP] = 2, [BUDGET_DUP] = 1, [BUDGET_RELEASE] = 1, [BUDGET_TTL] = 1}},
    {"twice-mixed", "one without fencing deletes the token: as bad", .handles = 3, SHORT, PLAIN, .fencing = A | B,
     .expects = "token-shrinks", QUICK, .budget = {[BUDGET_LEAP] = 1, [BUDGET_DUP] = 1, [BUDGET_RELEASE] = 2}},
    {"adopted", "one is detached, another goes on with it, a third wants it", .handles = 3, SHORT, PLAIN, .adopts = B,
     QUICK, .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_DETACH] = 1, [BUDGET_RELEASE] = 1}},
    {"adopted-back", "one has lost it, another goes on with it, the first releases", .handles = 3, SHORT, PLAIN,
     .adopts = B, QUICK, .budget = {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 2, [BUDGET_RELEASE] = 1}},
    {"adopted-lost", "one is detached, and answers are lost", .handles = 3, SHORT, PLAIN, .adopts = B,
     .budget =
         {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_DETACH] = 1, [BUDGET_RELEASE] = 1, [BUDGET_LOSE] = 1}},
    {"adopted-blind", "and conflicts are without the item", .handles = 3, SHORT, PLAIN, .adopts = B,
     .budget =
         {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_DETACH] = 1, [BUDGET_RELEASE] = 1, [BUDGET_BLIND] = 2}},
    {"adopted-busy", "throttled, refused", .handles = 3, SHORT, PLAIN, .adopts = B,
     .budget = {[BUDGET_NEXT] = UNLIMITED,
                [BUDGET_LEAP] = 1,
                [BUDGET_DETACH] = 1,
                [BUDGET_THROTTLE] = 1,
                [BUDGET_REFUSE] = 1,
                [BUDGET_RELEASE] = 1}},
    {"adopted-twice", "a layer below sends a TAKE twice, and its version is a handle: why L9 forbids it", .handles = 3,
     SHORT, PLAIN, .adopts = B, .expects = "not-adopted", QUICK,
     .budget =
         {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_DETACH] = 1, [BUDGET_RELEASE] = 1, [BUDGET_DUP] = 1}},
    {"adopted-fenced", "the same with tokens", .handles = 3, SHORT, PLAIN, .adopts = B, .fencing = MASK_ALL,
     .budget =
         {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_DETACH] = 1, [BUDGET_RELEASE] = 1, [BUDGET_LOSE] = 1}},
    {"adopted-ttl", "TTL deletes, and the adoption is stopped", .handles = 3, SHORT, WHOLE, .adopts = B,
     .budget =
         {[BUDGET_NEXT] = UNLIMITED, [BUDGET_LEAP] = 1, [BUDGET_DETACH] = 1, [BUDGET_STOP] = 1, [BUDGET_TTL] = 1}},
};

size_t configs_count(void)
{
    return sizeof(configs) / sizeof(configs[0]);
}

const struct config *config_at(size_t i)
{
    return &configs[i];
}
