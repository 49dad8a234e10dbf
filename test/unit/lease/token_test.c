/* SPDX-License-Identifier: Apache-2.0 */
/* L8: a lease is announced with a token that grows. L9: what arrives late. */
#include "lease_trace.h"

/* ------------------------------------------------------------------------------------------------ L8 */

/* L8: epoch << 32 | n, as the TAKE has made it. */
TEST(L8_a_token_with_an_epoch_is_announced)
{
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=5/8 @1000 -> WAIT 2000 [HELD 5/8]\n");
}

/* L8: without an epoch, or at the end of one, a new one is asked for. */
TEST(L8_a_token_without_an_epoch_gets_one)
{
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 @1000 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD 9/1]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok none @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=1 -> TOKEN 1/1 on=1 [ACQUIRING]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=5/2147483647 @1000 -> WAIT 2000 [HELD 5/2147483647]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=5/2147483648 @1000 -> EPOCH [ACQUIRING]\n");
}

/* L8: an epoch is 1 at least, and fits. */
TEST(L8_an_epoch_that_cannot_be_is_a_failure)
{
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=0 -> DROP on=1 [RELEASING]\n"
          "ok -> [FAILED]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=4294967296 -> DROP on=1 [RELEASING]\n"
          "ambiguous -> [FAILED LEFT]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=4294967295 -> TOKEN 4294967295/1 on=1 [ACQUIRING]\n");
}

/* L8: the same again. */
TEST(L8_what_is_unclear_is_asked_again)
{
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> EPOCH [ACQUIRING]\n"
          "throttled -> WAIT 500 [ACQUIRING]\n"
          "timer +500 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "ambiguous -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "ok -> WAIT 250 [HELD 9/1]\n");
}

/* L8 */
TEST(L8_what_is_refused_is_a_failure)
{
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "refused -> DROP on=1 [RELEASING]\n"
          "ok -> [FAILED]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "refused -> DROP on=1 [RELEASING]\n"
          "ok -> [FAILED]\n");
}

/* L8: never announced, so not lost; and an epoch that was asked for before counts no more. */
TEST(L8_what_another_has_taken_is_sought_again)
{
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "conflict v=other t=2000 n=0/2 @1001 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 2 e=1009 now=1001 [ACQUIRING]\n"
          "conflict v=other t=2000 n=10/1 @1002 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 3 e=1010 on=other now=1002 [ACQUIRING]\n"
          "ok v=3 t=6000 n=0/1 @1003 -> EPOCH [ACQUIRING]\n"
          "ok epoch=11 -> TOKEN 11/1 on=3 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD 11/1]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "conflict none @1001 -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1009 now=1000 [ACQUIRING]\n");
    TRACE("ttl=6 fencing once\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "conflict v=other e=1003 t=2000 @1001 -> [BUSY]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "blind -> READ [ACQUIRING]\n"
          "ok v=other t=6000 @1001 -> WAIT 1000 [ACQUIRING]\n");
}

/* L8: on the version that is there, if it is ours. */
TEST(L8_a_conflict_that_shows_our_nonce_is_no_loss)
{
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "conflict v=1 t=6000 n=0/1 -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "blind -> READ [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 -> WAIT 500 [ACQUIRING]\n"
          "timer +500 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "ok -> WAIT 1250 [HELD 9/1]\n");
}

/* L8: time counts from the TAKE. When it is over another may have been announced: a new TAKE, and a new token. */
TEST(L8_time_that_is_over_before_the_token_is_won_by_another_take)
{
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 +5500 -> TAKE 2 e=1013 on=1 now=1005 [ACQUIRING]\n"
          "ok v=2 t=6000 n=0/2 @1006 -> EPOCH [ACQUIRING]\n"
          "ok epoch=10 -> TOKEN 10/1 on=2 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD 10/1]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "ok +5500 -> TAKE 2 e=1013 on=1 now=1005 [ACQUIRING]\n"
          "ok v=2 t=6000 n=9/2 +100 @1006 -> WAIT 1900 [HELD 9/2]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=3/1 @1007 -> TAKE 2 e=1014 on=1 now=1000 [ACQUIRING]\n"
          "ok v=2 t=6000 n=3/2 @1007 -> WAIT 2000 [HELD 3/2]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "ok +5499 -> EXTEND 2 e=1013 on=1, WAIT 1 [AT_RISK 9/1]\n");
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=0/1 @1000 -> EPOCH [ACQUIRING]\n"
          "ok epoch=9 -> TOKEN 9/1 on=1 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +6000 -> TAKE 2 e=1013 on=1 now=1006 [ACQUIRING]\n"
          "conflict v=other t=2000 n=9/2 @1006 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 3 e=1014 now=1007 [ACQUIRING]\n");
}

/* L8: at once for the first time, then after a pause. */
TEST(L8_takes_that_never_bring_time_are_paused)
{
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=3/1 +6000 -> TAKE 2 e=1013 on=1 now=1006 [ACQUIRING]\n"
          "ok v=2 t=6000 n=3/2 +6000 -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 3 e=1020 on=2 now=1012 [ACQUIRING]\n"
          "ok v=3 t=6000 n=3/3 +6000 -> WAIT 500 [ACQUIRING]\n"
          "timer +500 -> TAKE 4 e=1026 on=3 now=1018 [ACQUIRING]\n"
          "conflict v=other t=6000 n=3/4 -> WAIT 1000 [ACQUIRING]\n");
}

/* L8: its time seems to be there again after REALTIME was set back. */
TEST(L8_a_token_that_was_ready_is_not_announced_later)
{
    TRACE("ttl=6 fencing\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=3/1 r+9000 -> TAKE 2 e=1016 on=1 now=1009 [ACQUIRING]\n"
          "ok v=2 t=6000 n=3/2 r+9000 -> WAIT 250 [ACQUIRING]\n"
          "timer +250 r-9000 -> TAKE 3 e=1017 on=2 now=1009 [ACQUIRING]\n"
          "ok v=3 t=6000 n=3/3 -> WAIT 2000 [HELD 3/3]\n");
}

/* L8: a token is a token only of one who has been announced. */
TEST(L8_without_fencing_there_is_none)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok v=1 t=6000 n=5/8 @1000 -> WAIT 2000 [HELD]\n");
}

/* ------------------------------------------------------------------------------------------------ L9 */

/* L9: an answer that was given up changes nothing. */
TEST(L9_an_answer_that_nobody_waits_for_is_not_looked_at)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=other e=2000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "ok @1000 -> WAIT 1000 [ACQUIRING]\n"
          "conflict none @1000 -> WAIT 1000 [ACQUIRING]\n");
}

/* L9: a TAKE that was given up may be applied later; nobody holds it, and its own handle takes it over at once. */
TEST(L9_a_late_take_is_taken_over_at_once)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ambiguous -> WAIT 250 [ACQUIRING]\n"
          "timer +250 -> TAKE 2 e=1008 [ACQUIRING]\n"
          "conflict v=other e=1010 t=6000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +1000 -> TAKE 3 e=1008 now=1001 [ACQUIRING]\n"
          "conflict v=1 e=1007 t=6000 @1001 -> TAKE 4 e=1008 on=1 now=1001 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
}

/* L9: one that lands after a release is nobody's; another handle waits it out. */
TEST(L9_a_late_take_of_another_handle_is_waited_out)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "conflict v=fedcba98765432100123456789abcdef-1 e=1007 t=6000 @1000 -> WAIT 1000 [ACQUIRING]\n"
          "timer +6000 -> TAKE 2 e=1013 on=fedcba98765432100123456789abcdef-1 now=1006 [ACQUIRING]\n"
          "ok -> WAIT 2000 [HELD]\n");
}
