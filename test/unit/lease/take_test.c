/* SPDX-License-Identifier: Apache-2.0 */
/* L1 to L3: the item is taken, or waited for. */
#include "lease_trace.h"

/* ------------------------------------------------------------------------------------------------ L1 */

/* L1: also one that only asks again after an unclear answer: what it wrote before may come late. */
TEST(L1_every_take_writes_a_new_version)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "throttled -> WAIT 500 [ACQUIRING]\n"
          "timer +500 -> TAKE 3 e=1008 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
}

/* ------------------------------------------------------------------------------------------------ L2 */

/* L2a: absent, or free. */
TEST(L2_what_is_free_is_taken)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok +100 -> WAIT 1900 [HELD]\n");
}

/* L2b: strictly before, by a time of the service. The first TAKE has none. */
TEST(L2_a_foreign_lease_is_taken_when_its_expiry_has_passed)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=999 @1000 -> TAKE 2 e=1007 now=1000 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1008 now=1001 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
}

/* L2b: our wall clock alone would take a lease that lives. */
TEST(L2_a_wall_clock_that_runs_ahead_takes_no_foreign_lease)
{
    TRACE("ttl=6\n"
          "start r+3600000 -> TAKE 1 e=4607 [ACQUIRING]\n"
          "conflict v=other e=1060 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1008 now=1001 [ACQUIRING]\n"
          "conflict v=other e=1060 @1001 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 r+9000000 -> TAKE 3 e=1009 now=1002 [ACQUIRING]\n");
}

/* L2b: nor does a service whose Date runs ahead. */
TEST(L2_a_date_that_runs_ahead_takes_no_foreign_lease)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1060 @9000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=9008 now=1001 [ACQUIRING]\n");
}

/* L2b: what a Date says does not grow by a clock that may stand or be set. */
TEST(L2_the_services_time_goes_on_by_the_slower_clock)
{
    TRACE("ttl=6\n"
          "start r+9000000 -> TAKE 1 e=10007 [ACQUIRING]\n"
          "conflict v=other e=1060 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 m+5000 -> TAKE 2 e=1013 now=1001 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start r+9000000 -> TAKE 1 e=10007 [ACQUIRING]\n"
          "conflict v=other e=1060 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 b+5000 -> TAKE 2 e=1013 now=1001 [ACQUIRING]\n");
}

/* L2b: without a Date there is the wall clock, as for the foreign implementation itself. */
TEST(L2_a_service_without_dates_leaves_the_wall_clock)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1001 -> TAKE 2 e=1009 now=1001 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=999 -> TAKE 2 e=1007 now=1000 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "blind -> READ [ACQUIRING]\n"
          "throttled -> WAIT 500 [ACQUIRING]\n"
          "timer +500 -> TAKE 3 e=1008 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1060 @0 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1008 now=1001 [ACQUIRING]\n");
}

/* L2c is for what tells its ttl: another implementation's lease lives until its expiry, however seldom it is extended. */
TEST(L2_a_foreign_lease_is_never_ripe)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=9000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1008 now=1001 [ACQUIRING]\n"
          "conflict v=other e=9000 @1001 -> WAIT 1000 [ACQUIRING]\n"
          "timer +3600000 -> TAKE 3 e=4608 now=4601 [ACQUIRING]\n");
}

/* L2c: unchanged for exactly its ttl. */
TEST(L2_a_version_that_stays_is_taken_after_its_ttl)
{
    TRACE("ttl=2\n"
          "start -> TAKE 1 e=1003 [ACQUIRING]\n"
          "conflict v=other e=1006 t=5000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +4999 -> TAKE 2 e=1008 now=1004 [ACQUIRING]\n"
          "conflict v=other e=1006 t=5000 @1005 -> WAIT 1 [ACQUIRING]\n"
          "timer +1 -> TAKE 3 e=1009 on=other now=1005 [ACQUIRING]\n");
    TRACE("ttl=2\n"
          "start -> TAKE 1 e=1003 [ACQUIRING]\n"
          "conflict v=other e=1006 t=5000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +5000 -> TAKE 2 e=1008 on=other now=1005 [ACQUIRING]\n"
          "ok -> WAIT 666 [HELD]\n");
}

/* L2c: 1 s at least. */
TEST(L2_a_very_short_ttl_is_waited_out_for_a_second)
{
    TRACE("ttl=6 poll=999\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1006 t=10 @1000 -> WAIT 999 [ACQUIRING]\n"
          "timer +999 -> TAKE 2 e=1008 now=1000 [ACQUIRING]\n"
          "conflict v=other e=1006 t=10 @1000 -> WAIT 1 [ACQUIRING]\n"
          "timer +1 -> TAKE 3 e=1008 on=other now=1000 [ACQUIRING]\n");
}

/* L2c: by the slower of MONOTONIC and BOOTTIME. */
TEST(L2_only_the_slower_steady_clock_ripens)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer m+9000 -> TAKE 2 e=1016 now=1000 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer b+9000 -> TAKE 2 e=1016 now=1000 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer r+9000 -> TAKE 2 e=1007 now=1000 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer m+2000 b+3000 -> TAKE 2 e=1010 on=other now=1000 [ACQUIRING]\n");
}

/* L2c: from the receipt of the answer, not from the send. */
TEST(L2_what_the_answer_took_does_not_count)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2000 @1000 +1500 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1010 now=1001 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2000 @1000 +999 -> WAIT 1 [ACQUIRING]\n"
          "timer +1 -> TAKE 3 e=1008 on=other now=1000 [ACQUIRING]\n");
}

/* L2c: what was ripe when its answer came is taken at once. */
TEST(L2_what_ripens_under_way_is_taken_at_once)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1500 -> TAKE 2 e=1009 now=1001 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2000 @1000 +500 -> TAKE 3 e=1008 on=other now=1000 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
}

/* L2: and so is an item that was free in between. */
TEST(L2_a_version_that_changed_is_waited_out_anew)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=one e=1006 t=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1008 now=1001 [ACQUIRING]\n"
          "conflict v=two e=1006 t=2000 @1001 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 3 e=1009 now=1002 [ACQUIRING]\n"
          "conflict v=two e=1006 t=2000 @1001 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 4 e=1009 on=two now=1002 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=one e=1006 t=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1008 now=1001 [ACQUIRING]\n"
          "conflict free @1001 -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 3 e=1009 now=1001 [ACQUIRING]\n"
          "conflict v=one e=1006 t=2000 @1001 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 4 e=1009 now=1002 [ACQUIRING]\n");
}

/* L2c: nobody else holds it. */
TEST(L2_an_own_version_is_taken_at_once)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "conflict v=1 e=1006 t=6000 @1000 -> TAKE 3 e=1007 on=1 now=1000 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
}

/* L2c: a nonce is a whole one. */
TEST(L2_a_longer_or_shorter_nonce_is_anothers)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=0123456789abcdef0123456789abcdefx-1 e=1006 t=6000 @1000 -> WAIT 1000 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=0123456789abcdef0123456789abcdefx1 e=1006 t=6000 @1000 -> WAIT 1000 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=0123456789abcdef0123456789abcde e=1006 t=6000 @1000 -> WAIT 1000 [ACQUIRING]\n");
}

/* L2: what cannot be is not asked again without a pause. */
TEST(L2_a_conflict_that_contradicts_the_condition_is_followed_by_a_pause)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +2000 -> TAKE 2 e=1009 on=other now=1002 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2000 @1002 -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 3 e=1010 on=other now=1002 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2000 @1002 -> WAIT 500 [ACQUIRING]\n"
          "timer +500 -> TAKE 4 e=1010 on=other now=1002 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict none @1000 -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 now=1000 [ACQUIRING]\n"
          "conflict free n=3/1 @1000 -> WAIT 500 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=1 t=6000 @1000 -> TAKE 2 e=1007 on=1 now=1000 [ACQUIRING]\n"
          "conflict v=1 t=6000 @1000 -> WAIT 250 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=900 @1000 -> TAKE 2 e=1007 now=1000 [ACQUIRING]\n"
          "conflict v=other e=900 @1000 -> WAIT 250 [ACQUIRING]\n");
}

/* L2: ceil(the service's time) + ttl + 1, from the send of the request whose answer told it. */
TEST(L2_the_expiry_is_by_the_services_time)
{
    TRACE("ttl=6\n"
          "start r+1 -> TAKE 1 e=1008 [ACQUIRING]\n"
          "conflict v=other e=2000 @1500 +300 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1509 now=1001 [ACQUIRING]\n"
          "conflict v=other e=2000 @1502 +200 m+4000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 3 e=1515 now=1002 [ACQUIRING]\n"
          "conflict v=other e=2000 +200 b+9000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 r+70000 -> TAKE 4 e=1521 now=1073 [ACQUIRING]\n");
}

/* ------------------------------------------------------------------------------------------------ L3 */

/* L3 */
TEST(L3_it_is_polled_each_second_and_when_it_ripens)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2500 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1008 now=1001 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2500 @1001 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 3 e=1009 now=1002 [ACQUIRING]\n"
          "conflict v=other e=1006 t=2500 @1002 -> WAIT 500 [ACQUIRING]\n"
          "timer +500 -> TAKE 4 e=1010 on=other now=1002 [ACQUIRING]\n");
    TRACE("ttl=6 poll=400\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=1006 @1000 -> WAIT 400 [ACQUIRING]\n"
          "timer +399 -> WAIT 1 [ACQUIRING]\n"
          "timer +1 -> TAKE 2 e=1008 now=1000 [ACQUIRING]\n");
}

/* L3 */
TEST(L3_once_ends_at_the_first_item_of_another)
{
    TRACE("ttl=6 once\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "throttled -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "conflict v=other e=1006 t=6000 @1000 -> [BUSY]\n"
          "timer +9000 -> [BUSY]\n"
          "conflict v=other e=1006 t=6000 @1000 -> [BUSY]\n"
          "stop -> [BUSY]\n"
          "release -> [RELEASED]\n");
}

/* L3.2: its time is over, so its holder may be dead; what is taken has been seen unchanged for its ttl all the same. */
TEST(L3_once_waits_for_one_that_may_be_dead)
{
    TRACE("ttl=6 once\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=999 t=1500 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1008 now=1001 [ACQUIRING]\n"
          "conflict v=other e=999 t=1500 @1001 -> WAIT 500 [ACQUIRING]\n"
          "timer +500 -> TAKE 3 e=1009 on=other now=1001 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
}

/* L3.2: it lives, and a clock is wrong. */
TEST(L3_once_ends_when_one_that_seemed_dead_goes_on)
{
    TRACE("ttl=6 once\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=999 t=1500 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1008 now=1001 [ACQUIRING]\n"
          "conflict v=another e=1000 t=1500 @1001 -> [BUSY]\n");
}

/* L3 */
TEST(L3_once_goes_on_while_nobody_else_holds_it)
{
    TRACE("ttl=6 once\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "conflict v=1 t=6000 @1000 -> TAKE 3 e=1007 on=1 now=1000 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
    TRACE("ttl=6 once\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=900 @1000 -> TAKE 2 e=1007 now=1000 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
    TRACE("ttl=6 once\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict free @1000 -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 now=1000 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
}

/* L3 */
TEST(L3_unclear_answers_are_followed_by_longer_pauses)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "throttled -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "ambiguous -> WAIT 500 [ACQUIRING]\n"
          "timer +500 -> TAKE 3 e=1008 [ACQUIRING]\n"
          "throttled -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 4 e=1009 [ACQUIRING]\n"
          "throttled -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 5 e=1010 [ACQUIRING]\n"
          "conflict v=other e=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 6 e=1008 now=1001 [ACQUIRING]\n"
          "throttled -> WAIT 250 [ACQUIRING]\n");
    TRACE("ttl=6 poll=100\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "throttled -> WAIT 100 [ACQUIRING]\n");
}

/* L3: a conflict without the item is followed by a READ of it, which is judged in the same way. */
TEST(L3_a_blind_conflict_is_followed_by_a_read)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "blind @1000 -> READ [ACQUIRING]\n"
          "ok v=other e=1006 t=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1008 now=1001 [ACQUIRING]\n"
          "blind @1001 -> READ [ACQUIRING]\n"
          "ok v=other e=1006 t=2000 @1001 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 3 e=1009 on=other now=1002 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
    TRACE("ttl=6 once\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "blind @1000 -> READ [ACQUIRING]\n"
          "ok v=other e=1006 t=2000 @1000 -> [BUSY]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "blind @1000 -> READ [ACQUIRING]\n"
          "ok v=other e=900 @1000 -> TAKE 2 e=1007 now=1000 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "blind -> READ [ACQUIRING]\n"
          "ok v=1 t=6000 -> TAKE 3 e=1008 on=1 now=1000 [ACQUIRING]\n"
          "blind -> READ [ACQUIRING]\n"
          "ok v=1 t=6000 -> WAIT 500 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "blind -> READ [ACQUIRING]\n"
          "ok none -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 now=1000 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "blind -> READ [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "blind -> READ [ACQUIRING]\n"
          "refused -> [FAILED]\n");
}

/* A TAKE that is refused ends it; one before it that was not answered is dropped. */
TEST(L3_a_refusal_ends_it)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "refused -> [FAILED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "refused -> DROP on=1 [RELEASING]\n"
          "ok -> [FAILED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "refused -> DROP on=1 [RELEASING]\n"
          "ambiguous -> [FAILED LEFT]\n");
}

/* A timer that comes too early, twice, or for nothing. */
TEST(L3_a_timer_at_any_time_does_no_harm)
{
    TRACE("ttl=6\n"
          "timer -> [ACQUIRING]\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "timer +100 -> [ACQUIRING]\n"
          "timer +100 -> [ACQUIRING]\n"
          "conflict v=other e=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +999 -> WAIT 1 [ACQUIRING]\n"
          "timer -> WAIT 1 [ACQUIRING]\n"
          "timer +1 -> TAKE 2 e=1009 now=1001 [ACQUIRING]\n");
}
