/* SPDX-License-Identifier: Apache-2.0 */
/* Forward-only keys (N4): sent again after an answer that says nothing, and decided by one HEAD. */
#include "support/guard_trace.h"

#include <stdio.h>

/* D0 1000, length 5: nothing is sent any more when 3 s have passed; the fence is 1010, dead from 1013 on. */
#define CREATE                                \
    "put absent native forward recent=1000\n" \
    "start -> SIGN 1000/5 [SIGNING]\n"        \
    "signed -> SEND 12000 [SENDING]\n"
#define REPLACE                                 \
    "put E native forward recent=1000 ours=F\n" \
    "start -> SIGN 1000/5 [SIGNING]\n"          \
    "signed -> SEND 12000 [SENDING]\n"
/* The same under a record. */
#define RECORD_LOST                                                                 \
    "put absent forward recent=1000\n"                                              \
    "start -> SIGN 1000/5 [SIGNING]\n"                                              \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent, HEAD [ACQUIRING]\n" \
    "head none @1000 -> [ACQUIRING]\n"                                              \
    "put ok -> SEND 20000 [SENDING]\n"                                              \
    "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
#define LOST  "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
#define AGAIN "-> SEND 12000 [SENDING]\n"

/* ------------------------------------------------------------------------------------------------ N4.2: sent again */

TEST(what_was_not_applied_is_sent_again_after_one_head)
{
    TRACE(CREATE LOST "head none @1000 " AGAIN "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE(REPLACE LOST "head E nonce=before @1000 " AGAIN "attempt ok F -> COMMITTED WRITTEN R9 F [FINISHED]\n");
    TRACE("copy absent native forward recent=1000\n"
          "start -> SOURCE [CHECKING]\n"
          "source 5 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 13000 [SENDING]\n" LOST "head none @1000 -> SEND 13000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
}

/* An ETag names one version for ever, whoever tells of its nonce or of its time. */
TEST(the_base_stands_by_its_etag)
{
    TRACE(REPLACE LOST "head E lm=7 @1000 " AGAIN);
    TRACE(REPLACE LOST "head E nonce=other lm=9 @1000 " AGAIN);
}

TEST(the_pauses_between_copies_grow)
{
    TRACE(CREATE LOST "head none @1000 " AGAIN "attempt ambiguous -> WAIT 25 [RESOLVE_WAITING]\n"
                      "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
                      "head none @1000 -> SEND 11975 [SENDING]\n"
                      "attempt ambiguous -> WAIT 50 [RESOLVE_WAITING]\n"
                      "timer +50 -> HEAD [RESOLVE_AGAIN]\n"
                      "head none @1000 -> SEND 11925 [SENDING]\n"
                      "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
}

/* A 412 of a later copy is looked into at once; what then stands is not written to without a pause. */
TEST(a_412_while_the_base_stands_is_followed_by_a_pause)
{
    TRACE(CREATE LOST "head none @1000 " AGAIN "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
                      "head none @1000 -> WAIT 25 [RESOLVE_WAITING]\n"
                      "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
                      "head none @1000 -> SEND 11975 [SENDING]\n"
                      "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
                      "head none @1000 -> WAIT 50 [RESOLVE_WAITING]\n"
                      "timer +50 -> HEAD [RESOLVE_AGAIN]\n"
                      "head X nonce=us @1000 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    /* a HEAD that was asked again has had its pause */
    TRACE(CREATE LOST "head none @1000 " AGAIN "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
                      "head failed -> WAIT 25 [RESOLVE_WAITING]\n"
                      "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
                      "head none @1000 -> SEND 11975 [SENDING]\n");
}

TEST(a_head_without_an_answer_is_asked_again)
{
    TRACE(CREATE LOST "head failed -> WAIT 25 [RESOLVE_WAITING]\n"
                      "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
                      "head none -> WAIT 50 [RESOLVE_WAITING]\n"
                      "timer +50 -> HEAD [RESOLVE_AGAIN]\n"
                      "head none @1000 -> SEND 11925 [SENDING]\n");
}

/* Without the promise, or under a record, everything is as it was. */
TEST(without_the_promise_nothing_is_sent_again)
{
    TRACE("put absent native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n" LOST "head none over=whole @1000 -> WAIT 25 [RESOLVE_WAITING]\n");
    TRACE(RECORD_LOST "head X over=whole @1000 -> GET [RESOLVE_OWN]\n");
}

/* ------------------------------------------------------------------------------------------------ N4.2: decided */

TEST(our_nonce_in_a_pair_is_a_commit)
{
    TRACE(CREATE LOST "head X nonce=other pair=us pair=whole @1000 -> COMMITTED PROVEN V4 none [FINISHED]\n");
    TRACE(REPLACE LOST "head X nonce=other over=us @1000 -> COMMITTED PROVEN V4 none [FINISHED]\n");
    /* whatever excludes others (V4.1) */
    TRACE(RECORD_LOST "head X nonce=other pair=us @1000 -> COMMITTED PROVEN V4 none [FINISHED]\n");
    TRACE("put absent native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n" LOST
          "head X nonce=other over=us @1000 -> COMMITTED PROVEN V4 none [FINISHED]\n");
    /* while the copy is still under way, too (V4.2) */
    TRACE(CREATE "timer +1000 -> HEAD [SENDING]\n"
                 "head X nonce=other pair=us @1001 -> COMMITTED PROVEN V4 none [FINISHED]\n");
}

TEST(a_pair_of_another_over_our_base_is_a_conflict)
{
    TRACE(CREATE LOST "head X nonce=other over=whole @1000 -> CONFLICT OVERTAKEN N4 X [FINISHED]\n");
    TRACE(REPLACE LOST "head X nonce=other over=whole @1000 -> CONFLICT OVERTAKEN N4 X [FINISHED]\n");
    TRACE(REPLACE LOST "head X nonce=other pair=whole over=other @1000 -> CONFLICT OVERTAKEN N4 X [FINISHED]\n");
}

/* While a copy is under way, and by a HEAD without a Date: the ETag that we expect is gone for ever. */
TEST(a_pair_needs_neither_a_date_nor_an_answer)
{
    TRACE(CREATE "timer +1000 -> HEAD [SENDING]\n"
                 "head X nonce=other over=whole @1001 -> CONFLICT OVERTAKEN N4 X [FINISHED]\n");
    TRACE(REPLACE "timer +1000 -> HEAD [SENDING]\n"
                  "head E nonce=other over=whole @1001 -> LOOK 2000 [SENDING]\n");
    TRACE(CREATE "timer +1000 -> HEAD [SENDING]\n"
                 "head failed -> LOOK 2000 [SENDING]\n");
    TRACE(CREATE LOST "head X nonce=other over=whole -> CONFLICT OVERTAKEN N4 X [FINISHED]\n");
}

/* A store that shows the metadata of an upload beside the object that was there before it. */
TEST(a_pair_beside_the_base_decides_nothing)
{
    TRACE(REPLACE LOST "head E nonce=other over=whole @1000 " AGAIN);
}

TEST(another_version_without_such_a_pair_is_judged_as_ever)
{
    TRACE(CREATE LOST "head X nonce=other pair=whole @1000 -> WAIT 25 [RESOLVE_WAITING]\n"
                      "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
                      "head X nonce=other @1013 -> HEAD [RESOLVE_AGAIN]\n"
                      "head X nonce=other @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE(CREATE LOST "head refused -> WAIT 25 [RESOLVE_WAITING]\n");
}

TEST(what_stands_when_the_attempt_is_dead_was_not_replaced)
{
    TRACE(CREATE LOST "head none @1013 +3000 -> HEAD [RESOLVE_AGAIN]\n"
                      "head none @1013 -> NOT_EXECUTED EXPIRED N4 again [FINISHED]\n");
    TRACE(REPLACE LOST "head E lm=9 @1013 +3000 -> HEAD [RESOLVE_AGAIN]\n"
                       "head E lm=9 @1013 -> NOT_EXECUTED EXPIRED N4 again [FINISHED]\n");
    /* too late to be sent, and not dead yet */
    TRACE(CREATE LOST "head none @1012 +3000 -> WAIT 25 [RESOLVE_WAITING]\n");
}

/* The clocks of this machine stood: by them there would be time. */
TEST(what_is_dead_is_not_sent_again)
{
    TRACE(CREATE LOST "head failed @1013 -> WAIT 25 [RESOLVE_WAITING]\n"
                      "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
                      "head none @1013 -> NOT_EXECUTED EXPIRED N4 again [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ N4.3 */

/* The first copy was applied late, the second found it there, and B has replaced it since. */
TEST(a_refusal_speaks_for_its_copy_alone)
{
    TRACE(CREATE LOST "head none @1000 " AGAIN "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
                      "head X nonce=other pair=us @1000 -> COMMITTED PROVEN V4 none [FINISHED]\n");
    TRACE(CREATE LOST "head none @1000 " AGAIN "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
                      "head X nonce=us @1000 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE(CREATE LOST "head none @1000 " AGAIN "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
                      "head X nonce=other @1000 -> WAIT 25 [RESOLVE_WAITING]\n");
}

TEST(no_answer_but_success_is_definite_after_one_that_was_not)
{
    static const char *const answers[] = {"409", "refused", "denied", "expired", "token", "skewed", "not-sent"};
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        char trace[600];
        snprintf(trace, sizeof(trace), "%s%s%s%sattempt %s -> WAIT 25 [RESOLVE_WAITING]\n%s", CREATE, LOST,
                 "head none @1000 ", AGAIN, answers[i],
                 "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
                 "head none @1000 -> SEND 11975 [SENDING]\n"
                 "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
        TRACE(trace);
    }
}

/* E6: "too late" of a later copy says nothing of an earlier one, and lengthens nothing but what was not executed. */
TEST(what_came_too_late_after_an_uncertainty_is_still_looked_for)
{
    TRACE(CREATE "attempt expired -> HEAD [RESOLVE_AGAIN]\n"
                 "head none @1000 " AGAIN "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE(CREATE "attempt expired -> HEAD [RESOLVE_AGAIN]\n"
                 "head X nonce=us @1000 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE(CREATE "attempt expired -> HEAD [RESOLVE_AGAIN]\n"
                 "head none @1013 +3000 -> HEAD [RESOLVE_AGAIN]\n"
                 "head none @1013 -> NOT_EXECUTED EXPIRED N4 again longer [FINISHED]\n");
    TRACE(CREATE LOST "head none @1000 " AGAIN "attempt expired -> WAIT 25 [RESOLVE_WAITING]\n"
                      "timer +3000 -> HEAD [RESOLVE_AGAIN]\n"
                      "head X nonce=us @1005 -> COMMITTED PROVEN V4 X [FINISHED]\n");
}

TEST(stopped_between_two_copies_it_is_unknown)
{
    TRACE(CREATE LOST "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
    TRACE(CREATE LOST "head none @1000 " AGAIN "attempt refused -> WAIT 25 [RESOLVE_WAITING]\n"
                      "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
}

/* A 409 before anything was uncertain is what it was. */
TEST(a_definite_answer_before_any_other_stays_definite)
{
    TRACE(CREATE "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
                 "head X nonce=other @1000 -> CONFLICT OVERTAKEN R7 X [FINISHED]\n");
    TRACE(CREATE "attempt precondition -> HEAD [RESOLVE_AGAIN]\n" /* the refusal is what decides, not the pair */
                 "head X nonce=other over=whole @1000 -> CONFLICT OVERTAKEN R7 X [FINISHED]\n");
    TRACE(CREATE "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
                 "head none @1000 -> NOT_EXECUTED UNMET R7 [FINISHED]\n");
    TRACE("put absent native forward recent=1000 409=again\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt 409 -> WAIT 25 [SEND_WAITING]\n"
          "timer +25 -> SEND 11975 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1000 -> SEND 11975 [SENDING]\n");
}

/* ------------------------------------------------------------------------------------------------ N4.4, uploads, tickets */

TEST(the_same_etag_is_refused)
{
    TRACE("put E native forward recent=1000 ours=E\n"
          "start -> NOT_EXECUTED SAME_ETAG N4 [FINISHED]\n");
    TRACE("put E forward ours=E\n"
          "start -> NOT_EXECUTED SAME_ETAG N4 [FINISHED]\n");
    TRACE("put E native recent=1000 ours=E\n"
          "start -> SIGN 1000/5 [SIGNING]\n");
    /* before anybody knows which ETags are made here */
    TRACE("put E native forward recent=1000 body=E\n"
          "start -> NOT_EXECUTED SAME_ETAG N4 [FINISHED]\n");
    TRACE("put E native forward recent=1000 body=F\n"
          "start -> SIGN 1000/5 [SIGNING]\n");
    TRACE("put absent native forward recent=1000 body=F\n"
          "start -> SIGN 1000/5 [SIGNING]\n");
}

TEST(a_copy_of_the_same_bytes_is_refused)
{
    TRACE("copy E native forward recent=1000\n"
          "start -> SOURCE [CHECKING]\n"
          "source 5 etag=E -> NOT_EXECUTED SAME_ETAG N4 [FINISHED]\n");
    TRACE("copy E native forward recent=1000\n"
          "start -> SOURCE [CHECKING]\n"
          "source 5 etag=F -> SIGN 1000/5 [SIGNING]\n");
    TRACE("copy E native recent=1000\n"
          "start -> SOURCE [CHECKING]\n"
          "source 5 etag=E -> SIGN 1000/5 [SIGNING]\n");
}

TEST(a_complete_is_never_sent_again)
{
    TRACE("complete absent parts=7 native forward recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 13000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1000 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
          "head X nonce=other over=whole @1000 -> CONFLICT OVERTAKEN N4 X [FINISHED]\n");
}

#define COMPLETE_DEAD(head)                                \
    "complete absent parts=7 native forward recent=1000\n" \
    "start -> SIGN 1000/5 [SIGNING]\n"                     \
    "signed -> SEND 13000 [SENDING]\n"                     \
    "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"          \
    "head " head " @1014 -> PARTS u=9 [RESOLVE_PARTS]\n"

/* Where the upload is not known to be open, the parts go up again. */
TEST(what_stands_when_a_complete_is_dead_was_not_replaced)
{
    TRACE(COMPLETE_DEAD("none") "parts gone -> HEAD [RESOLVE_AGAIN]\n"
                                "head none @1014 -> NOT_EXECUTED STAGE_AGAIN N4 [FINISHED]\n");
    TRACE(COMPLETE_DEAD("none") "parts open -> HEAD [RESOLVE_AGAIN]\n"
                                "head none @1014 -> NOT_EXECUTED EXPIRED N4 again [FINISHED]\n");
    TRACE(COMPLETE_DEAD("X nonce=other") "parts refused -> HEAD [RESOLVE_AGAIN]\n"
                                         "head X nonce=other @1014 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    /* our nonce beside the base: a Complete that may be half done */
    TRACE("complete E parts=7 native forward\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 nonce=before @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 13000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "head E lm=5 nonce=us @1014 -> PARTS u=9 [RESOLVE_PARTS]\n"
          "parts gone -> HEAD [RESOLVE_AGAIN]\n"
          "head E lm=5 nonce=us @1014 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
}

/* The HEAD is asked all the same, and what does not rest on the upload decides. */
TEST(parts_that_are_not_listed_keep_no_head_away)
{
    TRACE(COMPLETE_DEAD("none") "parts unclear -> HEAD [RESOLVE_AGAIN]\n"
                                "head X nonce=other over=whole @1014 -> CONFLICT OVERTAKEN N4 X [FINISHED]\n");
    TRACE(COMPLETE_DEAD("none") "parts unclear -> HEAD [RESOLVE_AGAIN]\n"
                                "head X nonce=us @1014 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE(COMPLETE_DEAD("none") "parts unclear -> HEAD [RESOLVE_AGAIN]\n"
                                "head none @1014 -> WAIT 25 [RESOLVE_WAITING]\n"
                                "timer +25 -> PARTS u=9 [RESOLVE_PARTS]\n"
                                "parts open -> HEAD [RESOLVE_AGAIN]\n"
                                "head none @1014 -> NOT_EXECUTED EXPIRED N4 again [FINISHED]\n");
}

/* N4's conflict is true of what lives as well: nothing needs to be looked at once more. */
TEST(a_pair_decides_without_the_fence)
{
    TRACE(COMPLETE_DEAD("none") "parts gone -> HEAD [RESOLVE_AGAIN]\n"
                                "head X nonce=other over=whole @1014 -> CONFLICT OVERTAKEN N4 X [FINISHED]\n");
    assert_false(guard_by_fence(&guard_trace.guard));
    TRACE(COMPLETE_DEAD("none") "parts gone -> HEAD [RESOLVE_AGAIN]\n"
                                "head none @1014 -> NOT_EXECUTED STAGE_AGAIN N4 [FINISHED]\n");
    assert_true(guard_by_fence(&guard_trace.guard));
}

TEST(a_ticket_is_decided_and_nothing_is_sent)
{
    TRACE(CREATE "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
                 "resolve -> native forward * d0=1000 g=100 t=20000 ttl=4600 fence=1010 base=none\n"
                 "start -> HEAD [RESOLVE_AGAIN]\n"
                 "head X nonce=other pair=us @1000 -> COMMITTED PROVEN V4 none [FINISHED]\n");
    TRACE(CREATE "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
                 "resolve -> native forward * d0=1000 g=100 t=20000 ttl=4600 fence=1010 base=none\n"
                 "start -> HEAD [RESOLVE_AGAIN]\n"
                 "head X nonce=other over=whole @1000 -> CONFLICT OVERTAKEN N4 X [FINISHED]\n");
    TRACE(CREATE "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
                 "resolve -> native forward * d0=1000 g=100 t=20000 ttl=4600 fence=1010 base=none\n"
                 "start -> HEAD [RESOLVE_AGAIN]\n"
                 "head none @1000 -> WAIT 25 [RESOLVE_WAITING]\n"
                 "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
                 "head none @1013 -> HEAD [RESOLVE_AGAIN]\n"
                 "head none @1013 -> NOT_EXECUTED EXPIRED N4 [FINISHED]\n");
}
