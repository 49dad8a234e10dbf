/* SPDX-License-Identifier: Apache-2.0 */
/* L4 to L6: how long it is held, and how it is extended. */
#include "lease_trace.h"

/* ------------------------------------------------------------------------------------------------ L4, L6 */

/* L4: min(ttl, ...) - margin, from the send. L6: at risk after more than half of the ttl, lost when the time is over. */
TEST(L4_L6_time_counts_from_the_send_of_what_was_answered)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 +100 -> WAIT 1900 [HELD]\n"
          "timer +1900 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "timer +1000 -> WAIT 1 [HELD]\n"
          "timer +1 -> WAIT 2499 [AT_RISK]\n"
          "timer +2498 -> WAIT 1 [AT_RISK]\n"
          "timer +1 -> [LOST]\n");
}

/* L4: a twentieth of the ttl is not used, 500 ms at least. */
TEST(L4_the_margin_grows_with_the_ttl)
{
    TRACE("ttl=60\n"
          "start -> TAKE 1 e=1061 [ACQUIRING]\n"
          "ok @1000 -> WAIT 20000 [HELD]\n"
          "timer +20000 -> EXTEND 2 e=1081 on=1, WAIT 10001 [HELD]\n"
          "timer +10000 -> WAIT 1 [HELD]\n"
          "timer +1 -> WAIT 26999 [AT_RISK]\n"
          "timer +26998 -> WAIT 1 [AT_RISK]\n"
          "timer +1 -> [LOST]\n");
    TRACE("ttl=1\n"
          "start -> TAKE 1 e=1002 [ACQUIRING]\n"
          "ok @1000 -> WAIT 333 [HELD]\n"
          "timer +333 -> EXTEND 2 e=1003 on=1, WAIT 167 [HELD]\n"
          "timer +167 -> [LOST]\n"
          "ok +1 -> [LOST]\n");
    TRACE("ttl=11\n"
          "start -> TAKE 1 e=1012 [ACQUIRING]\n"
          "ok @1000 -> WAIT 3666 [HELD]\n"
          "timer +10449 -> EXTEND 2 e=1023 on=1, WAIT 1 [AT_RISK]\n"
          "timer +1 -> [LOST]\n");
}

/* L6: by the clock that advanced most. */
TEST(L6_each_clock_can_end_it)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer m+3001 -> EXTEND 2 e=1011 on=1, WAIT 2499 [AT_RISK]\n"
          "timer m+2499 -> [LOST]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer b+3001 -> EXTEND 2 e=1011 on=1, WAIT 2499 [AT_RISK]\n"
          "timer b+2499 -> [LOST]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer r+3001 -> EXTEND 2 e=1007 on=1, WAIT 2499 [AT_RISK]\n"
          "timer r+2499 -> [LOST]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer r-9000 -> WAIT 2000 [HELD]\n"
          "timer +5499 -> EXTEND 2 e=1013 on=1, WAIT 1 [AT_RISK]\n"
          "timer +1 -> [LOST]\n");
}

/* L6: whatever comes later; and what was asked is not asked again. */
TEST(L6_lost_is_final)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +5000 -> EXTEND 2 e=1012 on=1, WAIT 500 [AT_RISK]\n"
          "ok @1005 +600 -> [LOST]\n"
          "timer +1000 -> [LOST]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "ok @1005 +3500 -> [LOST]\n"
          "timer +1000 -> [LOST]\n"
          "stop -> [LOST]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer r+5500 -> [LOST]\n"
          "timer r-5500 -> [LOST]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "ambiguous +3500 -> [LOST]\n"
          "timer +1000 -> [LOST]\n");
}

/* L4: the expiry that was written is no longer away by the Date than that. */
TEST(L4_an_expiry_that_is_nearer_cuts_the_time)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1001 -> WAIT 2000 [HELD]\n"
          "timer +1999 -> WAIT 1 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1002 -> EXTEND 2 e=1009 on=1, WAIT 3001 [HELD]\n"
          "timer +3499 -> WAIT 1 [AT_RISK]\n"
          "timer +1 -> [LOST]\n");
}

/* L4: a third of 5500 ms, and more. */
TEST(L4_it_is_extended_at_once_when_the_date_cost_more_than_a_third)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1001 -> WAIT 2000 [HELD]\n"
          "timer +1999 -> WAIT 1 [HELD]\n"
          "timer +1 -> EXTEND 2 e=1010 on=1, WAIT 1001 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1002 -> EXTEND 2 e=1009 on=1, WAIT 3001 [HELD]\n"
          "ok @1002 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 3 e=1011 on=2, WAIT 1001 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1002 -> EXTEND 2 e=1009 on=1, WAIT 3001 [HELD]\n"
          "ok @1005 -> WAIT 250 [HELD]\n"
          "timer +249 -> WAIT 1 [HELD]\n"
          "timer +1 -> EXTEND 3 e=1013 on=2, WAIT 2250 [HELD]\n"
          "ok @1006 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 4 e=1015 on=3, WAIT 1001 [HELD]\n"
          "ok @1012 -> EXTEND 5 e=1019 on=4, WAIT 1500 [HELD]\n");
}

/* L4: a clock of ours that is behind, known from now on. */
TEST(L4_without_usable_time_it_is_extended_before_it_is_announced)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @5000 +10 -> EXTEND 2 e=5008 on=1 [ACQUIRING]\n"
          "ok @5000 +10 -> WAIT 1990 [HELD]\n"
          "timer +1990 -> EXTEND 3 e=5009 on=2, WAIT 1001 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1006 -> EXTEND 2 e=1013 on=1 [ACQUIRING]\n"
          "ok @1013 -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> EXTEND 3 e=1021 on=2 [ACQUIRING]\n"
          "ambiguous -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> EXTEND 4 e=1022 on=2 [ACQUIRING]\n"
          "ok @1014 -> WAIT 2000 [HELD]\n");
}

/* L4: of the other two outcomes. */
TEST(L4_what_was_never_announced_is_not_lost)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1007 -> EXTEND 2 e=1014 on=1 [ACQUIRING]\n"
          "conflict v=other e=1012 t=6000 @1008 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 3 e=1016 now=1001 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1007 -> EXTEND 2 e=1014 on=1 [ACQUIRING]\n"
          "conflict none @1008 -> WAIT 500 [ACQUIRING]\n"
          "timer +250 -> WAIT 250 [ACQUIRING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1007 -> EXTEND 2 e=1014 on=1 [ACQUIRING]\n"
          "conflict v=2 t=6000 @1008 -> EXTEND 3 e=1015 on=2 [ACQUIRING]\n"
          "ok @1008 -> WAIT 2000 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1007 -> EXTEND 2 e=1014 on=1 [ACQUIRING]\n"
          "blind -> READ [ACQUIRING]\n"
          "ok v=1 t=6000 -> WAIT 500 [ACQUIRING]\n"
          "timer +500 -> EXTEND 3 e=1015 on=1 [ACQUIRING]\n"
          "refused -> DROP on=1 [RELEASING]\n"
          "ok -> [FAILED]\n");
    TRACE("ttl=6 once\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1007 -> EXTEND 2 e=1014 on=1 [ACQUIRING]\n"
          "conflict v=other e=1014 t=6000 @1008 -> [BUSY]\n");
}

/* L4: an answer that takes longer than the time lasts. */
TEST(L4_an_answer_that_takes_too_long_gives_no_time)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok +5500 -> EXTEND 2 e=1013 on=1 [ACQUIRING]\n"
          "ok +5499 -> EXTEND 3 e=1018 on=2, WAIT 1 [AT_RISK]\n"
          "ok -> WAIT 2000 [HELD]\n");
}

/* L4: without a Date only the ttl counts. */
TEST(L4_without_a_date_the_ttl_counts)
{
    TRACE("ttl=6\n"
          "start r+5000000 -> TAKE 1 e=6007 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @0 -> WAIT 2000 [HELD]\n");
}

/* Without fencing no token is asked for, also when REALTIME was set to and fro. */
TEST(L4_time_that_is_there_again_is_not_trusted)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok r+9000 -> EXTEND 2 e=1016 on=1 [ACQUIRING]\n"
          "ok r+9000 -> WAIT 250 [ACQUIRING]\n"
          "timer +250 r-9000 -> EXTEND 3 e=1017 on=2 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
}

/* ------------------------------------------------------------------------------------------------ L5 */

/* L5: at a third of the ttl after the send. */
TEST(L5_it_is_extended_at_a_third)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 +100 -> WAIT 1900 [HELD]\n"
          "timer +1899 -> WAIT 1 [HELD]\n"
          "timer +1 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "ok @1002 +100 -> WAIT 1900 [HELD]\n"
          "timer +1900 -> EXTEND 3 e=1011 on=2, WAIT 1001 [HELD]\n"
          "ok @1004 -> WAIT 2000 [HELD]\n");
}

/* L5: after a short pause, until the time is over; each time as a new version (L1). */
TEST(L5_what_is_unclear_is_asked_again)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "ambiguous +100 -> WAIT 250 [HELD]\n"
          "timer +250 -> EXTEND 3 e=1010 on=1, WAIT 651 [HELD]\n"
          "throttled +100 -> WAIT 500 [HELD]\n"
          "timer +500 -> EXTEND 4 e=1010 on=1, WAIT 51 [HELD]\n"
          "ambiguous +100 -> WAIT 1000 [AT_RISK]\n"
          "timer +1000 -> EXTEND 5 e=1012 on=1, WAIT 1450 [AT_RISK]\n"
          "ok +100 -> WAIT 1900 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "ambiguous -> WAIT 250 [HELD]\n"
          "timer +250 -> EXTEND 3 e=1010 on=1, WAIT 751 [HELD]\n"
          "ambiguous +3000 -> WAIT 250 [AT_RISK]\n"
          "timer +249 -> WAIT 1 [AT_RISK]\n"
          "timer +1 -> [LOST]\n"
          "timer +1000 -> [LOST]\n");
}

/* L5: the answer of an earlier extension was lost. */
TEST(L5_an_own_version_in_the_way_is_the_current_one)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "ambiguous -> WAIT 250 [HELD]\n"
          "timer +250 -> EXTEND 3 e=1010 on=1, WAIT 751 [HELD]\n"
          "conflict v=2 t=6000 @1002 -> EXTEND 4 e=1009 on=2, WAIT 751 [HELD]\n"
          "ok @1002 -> WAIT 2000 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "conflict v=1 t=6000 @1002 -> WAIT 250 [HELD]\n"
          "timer +250 -> EXTEND 3 e=1010 on=1, WAIT 751 [HELD]\n");
}

/* L5: anything else ends it. */
TEST(L5_what_another_has_is_lost)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "conflict v=other t=6000 @1002 -> [LOST]\n"
          "timer +1000 -> [LOST]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "conflict none @1002 -> [LOST]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "conflict free @1002 -> [LOST]\n");
}

/* L5: a READ decides in the same way. */
TEST(L5_a_blind_conflict_is_followed_by_a_read)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "blind @1002 -> READ, WAIT 1001 [HELD]\n"
          "ok v=1 t=6000 @1002 -> WAIT 250 [HELD]\n"
          "timer +250 -> EXTEND 3 e=1010 on=1, WAIT 751 [HELD]\n"
          "ok @1002 -> WAIT 2000 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "ambiguous -> WAIT 250 [HELD]\n"
          "timer +250 -> EXTEND 3 e=1010 on=1, WAIT 751 [HELD]\n"
          "blind -> READ, WAIT 751 [HELD]\n"
          "ok v=2 t=6000 -> EXTEND 4 e=1010 on=2, WAIT 751 [HELD]\n"
          "ok @1002 -> WAIT 2000 [HELD]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "blind -> READ, WAIT 1001 [HELD]\n"
          "ok v=other t=6000 -> [LOST]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "blind -> READ, WAIT 1001 [HELD]\n"
          "ok none -> [LOST]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "blind -> READ, WAIT 1001 [HELD]\n"
          "ambiguous -> WAIT 250 [HELD]\n"
          "timer +250 -> EXTEND 3 e=1010 on=1, WAIT 751 [HELD]\n"
          "blind -> READ, WAIT 751 [HELD]\n"
          "refused -> WAIT 751 [HELD]\n"
          "timer +1000 -> EXTEND 4 e=1011 on=1, WAIT 2250 [AT_RISK]\n");
}

/* L5: it may be allowed again before the time is over. */
TEST(L5_a_refusal_is_borne_until_the_time_is_over)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "refused -> WAIT 1000 [HELD]\n"
          "timer +1000 -> EXTEND 3 e=1010 on=1, WAIT 1 [HELD]\n"
          "refused -> WAIT 1 [HELD]\n"
          "timer +1 -> WAIT 999 [AT_RISK]\n"
          "timer +999 -> EXTEND 4 e=1011 on=1, WAIT 1500 [AT_RISK]\n"
          "refused -> WAIT 1000 [AT_RISK]\n"
          "timer +1000 -> EXTEND 5 e=1012 on=1, WAIT 500 [AT_RISK]\n"
          "refused +500 -> [LOST]\n");
}

/* L6: lost by time, an answer only tells what is there. */
TEST(L6_what_answers_after_it_was_lost_is_kept_for_the_release)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "timer +3500 -> [LOST]\n"
          "ok -> [LOST]\n"
          "release -> DROP on=2 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "timer +3500 -> [LOST]\n"
          "conflict v=other t=6000 -> [LOST]\n"
          "release -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "timer +3500 -> [LOST]\n"
          "blind -> [LOST]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "blind -> READ, WAIT 1001 [HELD]\n"
          "timer +3500 -> [LOST]\n"
          "ok none -> [LOST]\n"
          "release -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "timer +3500 -> [LOST]\n"
          "refused -> [LOST]\n"
          "release -> DROP on=1 [RELEASING]\n");
}
