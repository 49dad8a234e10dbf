/* SPDX-License-Identifier: Apache-2.0 */
/* R12.9 and R12.10: another writer's record that protects nothing any more is taken over at once. */
#include "support/guard_trace.h"

#define LOCKING                                  \
    "start -> HEAD [CHECKING]\n"                 \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n" \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
#define RELEASED_JUST_NOW "put conflict g=7 t=0 ttl=9 n=other fence=1010 -> SIGN 1000/5 [SIGNING]\n"
#define BESIDE            "signed -> PUT g=8 t=20000 ttl=4600 fence=1010 if g=7 ttl=9 n=other, HEAD [ACQUIRING]\n"

/* ------------------------------------------------------------------------------------------------ R12.10 */

/* R12.10: with a Date at hand the PutItem goes out beside the HEAD, which was not sent before the release was seen. */
TEST(a_released_record_is_taken_over_beside_a_head)
{
    TRACE("put absent\n" LOCKING RELEASED_JUST_NOW BESIDE "head none @1001 -> [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("put absent\n" LOCKING RELEASED_JUST_NOW BESIDE "put ok -> [ACQUIRING]\n"
          "head none @1001 -> SEND 20000 [SENDING]\n");
    TRACE("put absent\n" LOCKING RELEASED_JUST_NOW BESIDE "put ok -> [ACQUIRING]\n"
          "head X @1001 -> CONFLICT EXPECTATION R1 X, RELEASE g=9 t=0 ttl=4601 fence=1010 if g=8 [FINISHED]\n");
    TRACE("put absent\n" LOCKING RELEASED_JUST_NOW BESIDE "head X @1001 -> CONFLICT EXPECTATION R1 X [ORPHANED]\n"
          "put ok -> RELEASE g=9 t=0 ttl=4601 fence=1010 if g=8 [FINISHED]\n");
    TRACE("put absent\n" LOCKING RELEASED_JUST_NOW BESIDE
          "put conflict g=8 t=20000 ttl=9 n=third fence=1030 -> [CONTEND_FIRST]\n"
          "head none @1001 -> HEAD [CONTEND_CHECKING]\n");
    TRACE("put absent\n" LOCKING "put conflict g=7 t=20000 ttl=9 n=other fence=1010 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1001 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n"
          "get found g=8 t=0 ttl=9 n=other -> SIGN 1001/5 [SIGNING]\n"
          "signed -> PUT g=9 t=20000 ttl=4601 fence=1011 if g=8 ttl=9 n=other, HEAD [ACQUIRING]\n");
}

/* The version that the HEAD beside it shows may be another one of the same ETag: then the record says the wrong `saw`. */
TEST(a_takeover_beside_a_head_that_shows_another_nonce_begins_anew)
{
    TRACE("put E\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=a @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=a if absent [ACQUIRING]\n"
          "put conflict g=7 t=0 ttl=9 n=other saw=a -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4600 fence=1010 saw=a if g=7 ttl=9 n=other, HEAD [ACQUIRING]\n"
          "put ok -> [ACQUIRING]\n"
          "head E nonce=b @1001 -> NOT_EXECUTED MISTAKEN R3 again, RELEASE g=9 t=0 ttl=4601 fence=1010 saw=a if g=8 "
          "[FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ R12.11 */

#define KNOWS_RELEASED "released g=7 ttl=9 n=other"

/* Its HEAD follows the release in any case, be it the first request or beside the PutItem. */
TEST(who_knows_a_released_record_begins_with_its_takeover)
{
    TRACE("put absent recent=1000 " KNOWS_RELEASED "\n"
          "start -> SIGN 1000/5 [SIGNING]\n" BESIDE "put ok -> [ACQUIRING]\n"
          "head none @1001 -> SEND 20000 [SENDING]\n");
    TRACE("put absent " KNOWS_RELEASED "\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4600 fence=1010 if g=7 ttl=9 n=other [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n");
    TRACE("put absent recent=1000 " KNOWS_RELEASED "\n"
          "start -> SIGN 1000/5 [SIGNING]\n" BESIDE "put ok -> [ACQUIRING]\n"
          "head X @1001 -> CONFLICT EXPECTATION R1 X, RELEASE g=9 t=0 ttl=4601 fence=1010 if g=8 [FINISHED]\n");
}

/* What is known may be old: the condition says so. */
TEST(a_released_record_that_is_not_there_any_more_is_not_taken_over)
{
    TRACE("put absent recent=1000 " KNOWS_RELEASED "\n"
          "start -> SIGN 1000/5 [SIGNING]\n" BESIDE
          "put conflict g=8 t=20000 ttl=9 n=third fence=1030 -> [CONTEND_FIRST]\n"
          "head none @1001 -> HEAD [CONTEND_CHECKING]\n");
    TRACE("put absent recent=1000 " KNOWS_RELEASED "\n"
          "start -> SIGN 1000/5 [SIGNING]\n" BESIDE "put blind -> GET [ACQUIRE_READING]\n"
          "head none @1001 -> [ACQUIRE_READING]\n"
          "get none -> NOT_EXECUTED RECORD_GONE R4 again [FINISHED]\n");
}

/* That of an earlier guard of the same upload is continued (R4.3), and after the last generation comes none. */
TEST(a_released_record_of_ones_own_or_of_the_last_generation_is_left_to_the_ledger_to_show)
{
    TRACE("put absent recent=1000 released g=7 ttl=9 n=us\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent, HEAD [ACQUIRING]\n");
    TRACE("put absent recent=1000 released g=18446744073709551615 ttl=9 n=other\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent, HEAD [ACQUIRING]\n");
}

/* R14.18: its writer may have kept the nonce back that it found. */
TEST(what_a_released_record_kept_back_is_not_passed_on)
{
    TRACE("put E recent=1000 known=whole " KNOWS_RELEASED "\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4600 fence=1010 if g=7 ttl=9 n=other, HEAD [ACQUIRING]\n");
    TRACE("put E recent=1000 known=whole " KNOWS_RELEASED " saw=whole\n"
          "start -> SIGN 1000/5 replaced=whole [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4600 fence=1010 saw=whole if g=7 ttl=9 n=other, HEAD [ACQUIRING]\n");
}

/* ------------------------------------------------------------------------------------------------ R12.9 */

#define REPLACING                                                        \
    "start -> HEAD [CHECKING]\n"                                         \
    "head E nonce=whole @1000 -> SIGN 1000/5 replaced=whole [SIGNING]\n" \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=whole if absent [ACQUIRING]\n"

/* Its nonce on the object, as its own or as that which was replaced, shows that its only attempt was applied. */
TEST(a_spent_record_is_taken_over_at_once)
{
    TRACE("put E\n" REPLACING
          "put conflict g=7 t=20000 ttl=9 n=whole fence=1009 -> SIGN 1000/5 replaced=whole [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4600 fence=1010 saw=whole if g=7 ttl=9 n=whole [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("put E\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=a rep=whole @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=a if absent [ACQUIRING]\n"
          "put conflict g=7 t=20000 ttl=9 n=whole -> SIGN 1000/5 [SIGNING]\n");
}

/* By a HEAD of any time; what was signed at an old one would leave too little of its signature. */
TEST(an_old_head_is_followed_by_another_that_shows_it_spent)
{
    TRACE("put E\n" REPLACING "put conflict g=7 t=20000 ttl=9 n=whole fence=1009 +2000 -> HEAD [CONTEND_CHECKING]\n"
          "head E nonce=whole @1002 -> SIGN 1002/5 replaced=whole [SIGNING]\n");
    TRACE("put E\n" REPLACING "put conflict g=7 t=20000 ttl=9 n=whole fence=1009 +2000 -> HEAD [CONTEND_CHECKING]\n"
          "head failed -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n");
}

/* R14.1: of an upload there may be several Completes under one nonce. */
TEST(the_record_of_a_complete_is_not_spent)
{
    TRACE("put E\n" REPLACING "put conflict g=7 t=20000 ttl=9 n=whole fence=1009 u=5 -> HEAD [CONTEND_CHECKING]\n"
          "head E nonce=whole @1001 -> WAIT 25 [CONTEND_WAITING]\n");
}

/* A peer's has no nonce, and an object without one shows nothing; nor does what is not formed as one. */
TEST(a_record_without_a_nonce_is_not_spent)
{
    TRACE("put E\n"
          "start -> HEAD [CHECKING]\n"
          "head E @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put conflict g=7 t=20000 ttl=9 n=- -> HEAD [CONTEND_CHECKING]\n"
          "head E @1001 -> WAIT 25 [CONTEND_WAITING]\n");
    TRACE("put E\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=a @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=a if absent [ACQUIRING]\n"
          "put conflict g=7 t=20000 ttl=9 n=a -> HEAD [CONTEND_CHECKING]\n"
          "head E nonce=a @1001 -> WAIT 25 [CONTEND_WAITING]\n");
}

/* ------------------------------------------------------------------------------------------------ R11.5 */

#define MET "put conflict g=7 t=20000 ttl=9 n=other fence=1010 -> SOON 15 [CONTEND_WAITING]\n"

/* The HEAD that went out with the PutItem is as old as the record: the next one follows when the holder is done. */
TEST(a_holder_that_was_just_met_is_given_the_time_of_an_attempt)
{
    TRACE("put absent commits-in=15\n" LOCKING MET "timer +15 -> HEAD [CONTEND_CHECKING]\n"
          "head X nonce=other @1000 -> CONFLICT EXPECTATION R11 X [FINISHED]\n");
    TRACE("put absent commits-in=15\n" LOCKING MET "timer +15 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1000 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n"
          "get found g=8 t=20000 ttl=9 n=third fence=1010 -> SOON 15 [CONTEND_WAITING]\n"
          "timer +15 -> HEAD [CONTEND_CHECKING]\n");
    TRACE("put absent commits-in=15\n" LOCKING MET "stop -> NOT_EXECUTED BUSY R11 [FINISHED]\n");
}

TEST(an_old_head_is_sent_again_at_once)
{
    TRACE("put absent commits-in=15\n" LOCKING
          "put conflict g=7 t=20000 ttl=9 n=other fence=1010 +2000 -> HEAD [CONTEND_CHECKING]\n");
}
