/* SPDX-License-Identifier: Apache-2.0 */
/* L7: what is ours is dropped, when it is released and when acquiring is given up. */
#include "lease_trace.h"

/* ------------------------------------------------------------------------------------------------ release */

/* L7 */
TEST(L7_a_release_drops_the_current_version)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "ok @1002 -> WAIT 2000 [HELD]\n"
          "release +100 -> DROP on=2 [RELEASING]\n"
          "ok @1002 -> [RELEASED]\n"
          "release -> [RELEASED]\n"
          "stop -> [RELEASED]\n");
}

/* L7: of one that never had it, there is nothing to drop; a look that failed is not repeated. */
TEST(L7_a_release_of_what_was_never_had_asks_for_no_drop)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "release -> [RELEASING]\n"
          "blind -> READ [RELEASING]\n"
          "throttled -> [RELEASED]\n");
}

/* L7: its answer comes first, or that it was given up. */
TEST(L7_a_release_waits_for_the_request_under_way)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "release -> [RELEASING]\n"
          "ok @1002 -> DROP on=2 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "release -> [RELEASING]\n"
          "ambiguous -> DROP on=1 [RELEASING]\n"
          "conflict v=2 t=6000 -> DROP on=2 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "release -> [RELEASING]\n"
          "conflict v=other t=6000 -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "release -> [RELEASING]\n"
          "conflict v=2 t=6000 -> DROP on=2 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "release -> [RELEASING]\n"
          "blind -> READ [RELEASING]\n"
          "ok v=1 t=6000 -> WAIT 250 [RELEASING]\n"
          "timer +250 -> DROP on=1 [RELEASING]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "blind -> READ, WAIT 1001 [HELD]\n"
          "release -> [RELEASING]\n"
          "ok v=1 t=6000 -> WAIT 250 [RELEASING]\n"
          "timer +250 -> DROP on=1 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "release -> [RELEASING]\n"
          "refused -> DROP on=1 [RELEASING]\n"
          "ok -> [RELEASED]\n");
}

/* L7: it was another's, or gone. */
TEST(L7_a_release_of_what_is_anothers_is_through)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "conflict v=other t=6000 -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "conflict none -> [RELEASED]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok free n=3/4 @1000 -> WAIT 2000 [HELD 3/4]\n"
          "release -> DROP on=1 [RELEASING 3/4]\n"
          "conflict free n=3/4 -> [RELEASED 3/4]\n");
}

/* L7 */
TEST(L7_a_blind_conflict_is_followed_by_a_read)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "blind -> READ [RELEASING]\n"
          "ok v=other -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "blind -> READ [RELEASING]\n"
          "ok v=1 t=6000 -> WAIT 250 [RELEASING]\n"
          "timer +250 -> DROP on=1 [RELEASING]\n"
          "blind -> READ [RELEASING]\n"
          "ok none -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "ambiguous -> WAIT 250 [HELD]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "blind -> READ [RELEASING]\n"
          "ok v=2 t=6000 -> DROP on=2 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "blind -> READ [RELEASING]\n"
          "throttled -> WAIT 250 [RELEASING]\n"
          "timer +250 -> DROP on=1 [RELEASING]\n"
          "blind -> READ [RELEASING]\n"
          "refused -> [RELEASED LEFT]\n");
}

/* L7: until the caller gives up; then something may be left. */
TEST(L7_what_is_unclear_is_dropped_again)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "ambiguous -> WAIT 250 [RELEASING]\n"
          "timer +250 -> DROP on=1 [RELEASING]\n"
          "throttled -> WAIT 500 [RELEASING]\n"
          "timer +500 -> DROP on=1 [RELEASING]\n"
          "ambiguous -> WAIT 1000 [RELEASING]\n"
          "timer +1000 -> DROP on=1 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "ambiguous -> WAIT 250 [RELEASING]\n"
          "stop -> [RELEASED LEFT]\n"
          "timer +9000 -> [RELEASED LEFT]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "stop -> [RELEASED LEFT]\n"
          "ok -> [RELEASED LEFT]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "refused -> [RELEASED LEFT]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "release -> [RELEASING]\n"
          "conflict v=1 t=6000 -> WAIT 250 [RELEASING]\n"
          "timer +250 -> DROP on=1 [RELEASING]\n");
}

/* L7: also when it is lost; nothing when there is nothing. */
TEST(L7_a_release_is_allowed_in_every_state)
{
    TRACE("ttl=6\n"
          "release -> [RELEASED]\n"
          "start -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "ok @1002 -> WAIT 2000 [HELD]\n"
          "timer r+5500 -> [LOST]\n"
          "release -> DROP on=2 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "conflict none -> [LOST]\n"
          "release -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "throttled -> WAIT 250 [ACQUIRING]\n"
          "release -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other t=6000 -> WAIT 1000 [ACQUIRING]\n"
          "release -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "conflict none -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "refused -> [FAILED]\n"
          "release -> [RELEASED]\n");
}

/* L7: several takes may be on their way; the one that was applied has our nonce. */
TEST(L7_a_take_of_unclear_outcome_is_dropped)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "ambiguous -> WAIT 500 [ACQUIRING]\n"
          "release -> DROP on=2 [RELEASING]\n"
          "conflict v=1 t=6000 -> DROP on=1 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "release -> [RELEASING]\n"
          "ok @1000 -> DROP on=1 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "release -> [RELEASING]\n"
          "ambiguous -> DROP on=1 [RELEASING]\n"
          "throttled -> WAIT 250 [RELEASING]\n"
          "timer +250 -> DROP on=1 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "release -> [RELEASING]\n"
          "throttled -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "release -> [RELEASING]\n"
          "conflict v=other t=6000 -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "release -> [RELEASING]\n"
          "stop -> [RELEASED LEFT]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=1 t=6000 -> TAKE 2 e=1007 on=1 now=1000 [ACQUIRING]\n"
          "stop -> [RELEASING]\n"
          "stop -> [STOPPED LEFT]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok free n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "release -> [RELEASING]\n"
          "ok epoch=4 -> DROP on=1 [RELEASING]\n"
          "ok -> [RELEASED]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok free n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=4 -> TOKEN 4/1 on=1 [ACQUIRING]\n"
          "release -> [RELEASING]\n"
          "ambiguous -> DROP on=1 [RELEASING]\n"
          "ok -> [RELEASED]\n");
}

/* ------------------------------------------------------------------------------------------------ stop */

/* L7: one try, then it is stopped. */
TEST(L7_a_stop_tries_once_to_drop_what_is_unclear)
{
    TRACE("ttl=6\n"
          "stop -> [STOPPED]\n"
          "start -> [STOPPED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "stop -> [RELEASING]\n"
          "ambiguous -> DROP on=1 [RELEASING]\n"
          "ok -> [STOPPED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "stop -> [RELEASING]\n"
          "ambiguous -> DROP on=1 [RELEASING]\n"
          "ambiguous -> [STOPPED LEFT]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "stop -> [RELEASING]\n"
          "ambiguous -> DROP on=1 [RELEASING]\n"
          "blind -> READ [RELEASING]\n"
          "throttled -> [STOPPED LEFT]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "stop -> [RELEASING]\n"
          "ok @1000 -> DROP on=1 [RELEASING]\n"
          "throttled -> [STOPPED LEFT]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "stop -> DROP on=1 [RELEASING]\n"
          "conflict none -> [STOPPED]\n"
          "release -> [RELEASED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other t=6000 -> WAIT 1000 [ACQUIRING]\n"
          "stop -> [STOPPED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "stop -> [RELEASING]\n"
          "conflict v=other t=6000 -> [STOPPED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "stop -> [RELEASING]\n"
          "refused -> [STOPPED]\n");
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "blind -> READ [ACQUIRING]\n"
          "stop -> [RELEASING]\n"
          "ok v=other t=6000 -> [STOPPED]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok free n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "stop -> [RELEASING]\n"
          "ok epoch=7 -> DROP on=1 [RELEASING]\n"
          "ok -> [STOPPED]\n");
}

/* A caller that is through while it is being stopped does not make it try for longer. */
TEST(L7_a_release_after_a_stop_changes_nothing)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "stop -> [RELEASING]\n"
          "release -> [RELEASING]\n"
          "ambiguous -> DROP on=1 [RELEASING]\n"
          "ambiguous -> [STOPPED LEFT]\n"
          "release -> [RELEASED LEFT]\n");
}

/* What is held is not given up by a deadline of acquiring. */
TEST(L7_what_is_held_is_not_stopped)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "stop -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n");
}
