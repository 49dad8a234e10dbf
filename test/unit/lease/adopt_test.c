/* SPDX-License-Identifier: Apache-2.0 */
/* L11: what another process acquired is gone on with. */
#include "lease_trace.h"

TEST(L11_what_stands_there_is_extended_on_its_version)
{
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=3 t=6000 @1000 -> EXTEND 104 e=1007 on=3 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 105 e=1009 on=104, WAIT 1001 [HELD]\n"
          "ok @1002 -> WAIT 2000 [HELD]\n"
          "release -> DROP on=105 [RELEASING]\n"
          "ok -> [RELEASED]\n");
}

TEST(L11_a_later_version_of_the_same_nonce_is_gone_on_with)
{
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=10 t=6000 @1000 -> EXTEND 104 e=1007 on=10 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n");
}

/* The TAKE that was sent before the one that won. Somebody else may have held it before that came. */
TEST(L11_an_earlier_version_is_of_a_take_that_came_late)
{
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=2 t=6000 @1000 -> [LOST]\n");
    TRACE("ttl=6 adopts=10\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=9 t=6000 @1000 -> [LOST]\n");
}

TEST(L11_anothers_or_none_is_a_loss)
{
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=other t=6000 @1000 -> [LOST]\n");
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok none @1000 -> [LOST]\n");
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok free n=7/2 @1000 -> [LOST]\n");
}

TEST(L11_a_conflict_shows_who_has_it)
{
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=3 t=6000 @1000 -> EXTEND 104 e=1007 on=3 [ACQUIRING]\n"
          "conflict v=4 t=6000 @1000 -> EXTEND 105 e=1007 on=4 [ACQUIRING]\n"
          "conflict v=other t=6000 @1000 -> [LOST]\n");
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=3 t=6000 @1000 -> EXTEND 104 e=1007 on=3 [ACQUIRING]\n"
          "blind -> READ [ACQUIRING]\n"
          "ok none @1000 -> [LOST]\n");
}

/* What may have been written is recognised. */
TEST(L11_an_extension_that_was_not_answered_is_asked_for_again)
{
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "throttled -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> READ [ACQUIRING]\n"
          "ok v=3 t=6000 @1000 -> EXTEND 104 e=1007 on=3 [ACQUIRING]\n"
          "ambiguous -> WAIT 500 [ACQUIRING]\n"
          "timer +500 -> EXTEND 105 e=1008 on=3 [ACQUIRING]\n"
          "conflict v=104 t=6000 @1001 -> EXTEND 106 e=1008 on=104 [ACQUIRING]\n"
          "ok @1001 -> WAIT 2000 [HELD]\n");
}

/* Its time was over when the answer came: another gives some. */
TEST(L11_without_time_it_is_extended_again)
{
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=3 t=6000 @1000 -> EXTEND 104 e=1007 on=3 [ACQUIRING]\n"
          "ok @1000 +6000 -> EXTEND 105 e=1013 on=104 [ACQUIRING]\n"
          "ok @1006 -> WAIT 2000 [HELD]\n");
}

TEST(L11_the_token_is_the_one_that_stands_there)
{
    TRACE("ttl=6 fencing adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=3 t=6000 n=7/2 @1000 -> EXTEND 104 e=1007 on=3 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD 7/2]\n");
    TRACE("ttl=6 fencing adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=3 t=6000 @1000 -> [FAILED LEFT]\n");
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=3 t=6000 n=7/2 @1000 -> EXTEND 104 e=1007 on=3 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n");
}

/* Whoever has the handle may try again. */
TEST(L11_what_fails_drops_nothing)
{
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "stop -> [STOPPED LEFT]\n");
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=3 t=6000 @1000 -> EXTEND 104 e=1007 on=3 [ACQUIRING]\n"
          "stop -> [STOPPED LEFT]\n"
          "ok @1000 -> [STOPPED LEFT]\n");
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "refused -> [FAILED LEFT]\n");
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=3 t=6000 @1000 -> EXTEND 104 e=1007 on=3 [ACQUIRING]\n"
          "refused -> [FAILED LEFT]\n");
}

/* One that is released before it was adopted is left to whoever has the handle. */
TEST(L11_a_release_of_what_was_not_adopted_yet_drops_nothing)
{
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "release -> [RELEASED LEFT]\n"
          "ok v=4 t=6000 @1000 -> [RELEASED LEFT]\n");
}

/* Who held it was stopped, and another process went on with it. */
TEST(L11_who_had_it_before_drops_nothing_of_whoever_adopted_it)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +6000 -> [LOST]\n"
          "release -> DROP on=1 [RELEASING]\n"
          "conflict v=105 t=6000 -> [RELEASED]\n");
}

TEST(L11_who_had_it_before_has_lost_it_when_another_has_adopted_it)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n"
          "conflict v=105 t=6000 @1002 -> [LOST]\n");
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=3 t=6000 @1000 -> EXTEND 104 e=1007 on=3 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 105 e=1009 on=104, WAIT 1001 [HELD]\n"
          "conflict v=77 t=6000 @1002 -> [LOST]\n");
}

/* What the process before may believe rests on it. */
TEST(L11_the_ttl_in_the_item_does_not_become_shorter)
{
    TRACE("ttl=6 adopts=3\n"
          "start -> READ [ACQUIRING]\n"
          "ok v=3 t=9000 @1000 -> EXTEND 104 e=1010 on=3 [ACQUIRING]\n"
          "ok @1000 -> WAIT 3000 [HELD]\n");
}
