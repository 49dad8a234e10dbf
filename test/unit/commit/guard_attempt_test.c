/* SPDX-License-Identifier: Apache-2.0 */
/* R6 to R10 and E2: the one attempt, and what its answer means. */
#include "support/guard_trace.h"

#define SENDING                                                               \
    "start -> HEAD [CHECKING]\n"                                              \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n"                              \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"
/* A round of R13 that finds the object still absent, and our record. */
#define STILL_ABSENT                             \
    "head none @1001 -> GET [RESOLVE_OWN]\n"     \
    "get found sent -> QUERY [RESOLVE_OTHERS]\n" \
    "query -> HEAD [RESOLVE_AGAIN]\n"

/* ------------------------------------------------------------------------------------------------ R6 */

/* R6: 2 s of the signature must be left, by each of the three clocks. */
TEST(what_would_arrive_too_late_is_not_sent)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok +2999 -> SEND 17001 [SENDING]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok +3000 -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok +19999 -> HEAD [RECHECKING]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok m+3000 -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok b+3000 -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok r+3000 -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/* A clock that was set back says nothing; one that was set back and forward again says most. */
TEST(a_lease_that_is_nearly_over_sends_nothing)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed r-16000 -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok r+17999 -> SEND 2001 [SENDING]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed r-16000 -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok r+18000 -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok r-600000 -> SEND 20000 [SENDING]\n");
}

/* The signature's time runs from before the request whose Date is D0. */
TEST(the_time_of_the_head_counts)
{
    TRACE(
        "put absent\n"
        "start -> HEAD [CHECKING]\n"
        "head none @1000 +3000 -> SIGN 1000/5 [SIGNING]\n"
        "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
        "put ok -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head failed -> WAIT 25 [CHECKING]\n"
          "timer +6000 -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n");
    TRACE("put absent recent=990\n"
          "start +2500 -> SIGN 990/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4590 fence=1000 if absent, HEAD [ACQUIRING]\n"
          "put ok -> [ACQUIRING]\n"
          "head none @1000 +499 -> SEND 19501 [SENDING]\n");
    TRACE("put absent recent=990\n"
          "start +2500 -> SIGN 990/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4590 fence=1000 if absent, HEAD [ACQUIRING]\n"
          "put ok -> [ACQUIRING]\n"
          "head none @1000 +500 -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE g=101 t=0 ttl=4600 fence=1000 if "
          "g=100 [FINISHED]\n");
}

TEST(of_a_short_signature_half_must_be_left)
{
    TRACE("put absent length=1\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/1 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1006 if absent [ACQUIRING]\n"
          "put ok +499 -> SEND 19501 [SENDING]\n");
    TRACE("put absent length=1\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/1 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1006 if absent [ACQUIRING]\n"
          "put ok +500 -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE g=101 t=0 ttl=4600 fence=1006 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent length=4\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/4 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1009 if absent [ACQUIRING]\n"
          "put ok +2000 -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE g=101 t=0 ttl=4600 fence=1009 if g=100 "
          "[FINISHED]\n");
}

/* R6: the attempt's own deadline is the end of the lease, which T6 keeps beyond length + allowance + margin. */
TEST(an_attempt_is_given_up_at_the_end_of_its_lease)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok +1500 -> SEND 18500 [SENDING]\n"
          "attempt ambiguous +18500 -> HEAD [RESOLVE_HEAD]\n");
}

TEST(no_byte_sent_is_not_executed_and_tried_again)
{
    TRACE("put absent\n" SENDING "attempt not-sent -> NOT_EXECUTED NOT_SENT R6 again, RELEASE g=101 t=0 ttl=4600 "
          "fence=1010 if g=100 [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ R9, V5 */

TEST(a_success_leaves_the_record_to_its_ttl)
{
    TRACE("put absent\n" SENDING "attempt ok X @1003 -> COMMITTED WRITTEN R9 X [FINISHED]\n"
          "attempt ok X -> [FINISHED]\n"
          "head none @1004 -> [FINISHED]\n"
          "stop -> [FINISHED]\n"
          "timer -> [FINISHED]\n");
    assert_int_equal(guard_verdict(&guard_trace.guard), VERDICT_COMMITTED);
}

/* T3: generation + 1, timeout 0, a fresh ttl from the largest Date, the same nonce, fence and saw. */
TEST(a_success_releases_where_that_is_wanted)
{
    TRACE("put absent always\n" SENDING
          "attempt ok X @1003 -> COMMITTED WRITTEN R9 X, RELEASE g=101 t=0 ttl=4603 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put E always\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=before @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=before if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ok X @999 -> COMMITTED WRITTEN R9 X, RELEASE g=101 t=0 ttl=4600 fence=1010 saw=before if g=100 "
          "[FINISHED]\n");
}

/* V5, T3: releases after each definite refusal. */
TEST(a_release_says_what_the_record_said)
{
    TRACE("put E no-fences\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=before @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 saw=before if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt refused @1007 -> NOT_EXECUTED REFUSED R8, RELEASE g=101 t=0 ttl=4607 saw=before if g=100 "
          "[FINISHED]\n");
    TRACE("put E ttl=600\n"
          "start -> HEAD [CHECKING]\n"
          "head E @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=1600 fence=1010 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt refused @1007 -> NOT_EXECUTED REFUSED R8, RELEASE g=101 t=0 ttl=1607 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ R7 */

TEST(a_412_is_definite_and_goes_to_the_table)
{
    TRACE("put absent\n" SENDING "attempt precondition @1001 -> HEAD [RESOLVE_HEAD]\n" STILL_ABSENT
          "head none @1001 -> NOT_EXECUTED UNMET R13.B, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent\n" SENDING "attempt precondition @1001 -> HEAD [RESOLVE_HEAD]\n" STILL_ABSENT
          "head E @1001 -> CONFLICT OVERTAKEN R13.C E, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 [FINISHED]\n");
}

TEST(a_final_409_is_as_a_412)
{
    TRACE("put absent 409=final\n" SENDING "attempt 409 @1001 -> HEAD [RESOLVE_HEAD]\n" STILL_ABSENT
          "head none @1001 -> NOT_EXECUTED UNMET R13.B, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent 409=final\n" SENDING "attempt 409 @1001 -> HEAD [RESOLVE_HEAD]\n" STILL_ABSENT
          "head E @1001 -> CONFLICT OVERTAKEN R13.C E, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 [FINISHED]\n");
}

/* R7: nothing is sent again, nothing is released, and only death or the deadline ends it. */
TEST(a_409_of_unknown_meaning_is_ambiguous)
{
    TRACE("put absent\n" SENDING "attempt 409 @1001 -> HEAD [RESOLVE_HEAD]\n" STILL_ABSENT
          "head none @1001 -> WAIT 25 [RESOLVE_WAITING]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
}

TEST(an_undecided_409_sends_the_same_request_again)
{
    TRACE("put absent 409=again\n" SENDING "attempt 409 @1001 -> WAIT 25 [SEND_WAITING]\n"
          "timer +25 -> SEND 19975 [SENDING]\n"
          "attempt 409 -> WAIT 50 [SEND_WAITING]\n"
          "timer +50 -> SEND 19925 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    assert_int_equal(guard_trace.guard.attempt.send_count, 3);
    TRACE("put absent 409=again\n" SENDING "attempt 409 -> WAIT 25 [SEND_WAITING]\n"
          "timer +25 -> SEND 19975 [SENDING]\n"
          "attempt precondition -> HEAD [RESOLVE_HEAD]\n" STILL_ABSENT
          "head E @1001 -> CONFLICT OVERTAKEN R13.C E, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent 409=again\n" SENDING "attempt 409 -> WAIT 25 [SEND_WAITING]\n"
          "timer +25 -> SEND 19975 [SENDING]\n"
          "attempt refused -> NOT_EXECUTED REFUSED R8, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent 409=again\n" SENDING "attempt 409 -> WAIT 25 [SEND_WAITING]\n"
          "timer +25 -> SEND 19975 [SENDING]\n"
          "attempt not-sent -> NOT_EXECUTED NOT_SENT R6 again, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/* R7: when all copies were answered so and the signature is over, nothing was applied; a new guard may try again. */
TEST(undecided_until_the_signature_is_over_is_not_applied)
{
    TRACE("put absent 409=again\n" SENDING "attempt 409 +3000 -> HEAD [RESOLVE_HEAD]\n" STILL_ABSENT
          "head none @1001 -> NOT_EXECUTED EXPIRED R13.B again longer, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent 409=again\n" SENDING "attempt 409 +2990 -> WAIT 25 [SEND_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n" STILL_ABSENT
          "head E @1001 -> CONFLICT OVERTAKEN R13.C E, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 [FINISHED]\n");
}

TEST(an_ambiguous_copy_after_an_undecided_one_stays_ambiguous)
{
    TRACE("put absent 409=again\n" SENDING "attempt 409 -> WAIT 25 [SEND_WAITING]\n"
          "timer +25 -> SEND 19975 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n" STILL_ABSENT "head none @1001 -> WAIT 25 [RESOLVE_WAITING]\n");
}

/* ------------------------------------------------------------------------------------------------ R8, R10 */

TEST(a_definite_refusal_is_not_executed)
{
    TRACE("put absent\n" SENDING "attempt refused @1001 -> NOT_EXECUTED REFUSED R8, RELEASE g=101 t=0 ttl=4601 "
          "fence=1010 if g=100 [FINISHED]\n");
}

/* R8: an expired signature is refused like a bad one: a refusal is definite only while the signature surely lives,
 * by a clock that may be margin ahead and a D0 cut to the second: 5 s - 2 s - 1 s. */
TEST(a_denial_is_definite_only_early)
{
    TRACE(
        "put absent\n" SENDING
        "attempt denied +1999 -> NOT_EXECUTED REFUSED R8, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent\n" SENDING "attempt denied +2000 -> HEAD [RESOLVE_HEAD]\n");
    TRACE("put absent\n" SENDING "attempt denied b+2000 -> HEAD [RESOLVE_HEAD]\n");
    TRACE("put absent margin=4\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt denied -> HEAD [RESOLVE_HEAD]\n");
}

TEST(expired_is_never_definite)
{
    TRACE("put absent\n" SENDING "attempt expired -> HEAD [RESOLVE_HEAD]\n");
}

TEST(whatever_else_is_ambiguous)
{
    TRACE("put absent\n" SENDING "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n");
}

/* ------------------------------------------------------------------------------------------------ E2 */

/* R2: renewed credentials sign the same date and length again. */
TEST(an_expired_token_signs_the_same_date_and_length_again)
{
    TRACE("put absent\n" SENDING "attempt token @1001 -> SIGN 1000/5 renewed [SIGNING_AGAIN]\n"
          "signed -> SEND 20000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("put absent 409=again\n" SENDING "attempt token -> SIGN 1000/5 renewed [SIGNING_AGAIN]\n"
          "signed -> SEND 20000 [SENDING]\n"
          "attempt 409 -> WAIT 25 [SEND_WAITING]\n"
          "timer +25 -> SEND 19975 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
}

TEST(a_token_is_renewed_once)
{
    TRACE("put absent\n" SENDING "attempt token -> SIGN 1000/5 renewed [SIGNING_AGAIN]\n"
          "signed -> SEND 20000 [SENDING]\n"
          "attempt token -> NOT_EXECUTED REFUSED E2, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n");
}

/* R6: too late for this signature is not too late for the call. */
TEST(a_token_that_expired_late_calls_for_a_new_guard)
{
    TRACE("put absent\n" SENDING "attempt token +3000 -> NOT_EXECUTED TOO_LATE E2 again longer, RELEASE g=101 t=0 "
          "ttl=4600 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent\n" SENDING "attempt token -> SIGN 1000/5 renewed [SIGNING_AGAIN]\n"
          "signed +3000 -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/* R6, F3: renewed credentials may have a longer token, and the record counts on how the first arrives. */
TEST(a_renewed_signature_that_takes_longer_to_arrive_is_not_sent)
{
    TRACE("put absent\n" SENDING "attempt token -> SIGN 1000/5 renewed [SIGNING_AGAIN]\n"
          "signed bytes=2500 -> NOT_EXECUTED NOT_SENT R6 again, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed bytes=2500 -> PUT g=100 t=81000 ttl=4600 fence=1079 if absent [ACQUIRING]\n"
          "put ok -> SEND 81000 tail=8000 [SENDING]\n"
          "attempt token -> SIGN 1000/5 renewed [SIGNING_AGAIN]\n"
          "signed bytes=3000 -> SEND 81000 tail=8000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed bytes=2500 -> PUT g=100 t=81000 ttl=4600 fence=1079 if absent [ACQUIRING]\n"
          "put ok -> SEND 81000 tail=8000 [SENDING]\n"
          "attempt token -> SIGN 1000/5 renewed [SIGNING_AGAIN]\n"
          "signed bytes=3001 -> NOT_EXECUTED NOT_SENT R6 again, RELEASE g=101 t=0 ttl=4600 fence=1079 if g=100 "
          "[FINISHED]\n");
}

TEST(credentials_that_cannot_be_renewed_end_the_guard)
{
    TRACE("put absent\n" SENDING "attempt token -> SIGN 1000/5 renewed [SIGNING_AGAIN]\n"
          "signed failed -> NOT_EXECUTED SIGN_FAILED E2, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n");
}

/* E2: after R3 a new date needs a new guard. */
TEST(a_skewed_request_calls_for_a_new_guard)
{
    TRACE("put absent\n" SENDING "attempt skewed @1900 -> NOT_EXECUTED SKEWED E2 again, RELEASE g=101 t=0 ttl=5500 "
          "fence=1010 if g=100 [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ V3: stop */

TEST(a_stop_while_the_attempt_is_out_is_unknown)
{
    TRACE("put absent\n" SENDING "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "attempt ok X -> [FINISHED]\n");
    TRACE("put absent 409=again\n" SENDING "attempt 409 -> WAIT 25 [SEND_WAITING]\n"
          "timer +25 -> SEND 19975 [SENDING]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
}

/* V1: every copy so far was answered definitely, and none will follow. */
TEST(a_stop_between_two_copies_is_not_executed)
{
    TRACE("put absent 409=again\n" SENDING "attempt 409 -> WAIT 25 [SEND_WAITING]\n"
          "stop -> NOT_EXECUTED STOPPED V3, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n"
          "timer -> [FINISHED]\n");
    TRACE("put absent\n" SENDING "attempt token -> SIGN 1000/5 renewed [SIGNING_AGAIN]\n"
          "stop -> NOT_EXECUTED STOPPED V3, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n"
          "signed -> [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ V4.2 */

#define SENDING                                                               \
    "start -> HEAD [CHECKING]\n"                                              \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n"                              \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"

/* Without an answer for a second the object is looked at, ever less often. What does not show our nonce proves nothing. */
TEST(an_attempt_without_an_answer_is_looked_for)
{
    TRACE("put absent\n" SENDING "timer +1000 -> HEAD [SENDING]\n"
          "head none @1001 -> LOOK 2000 [SENDING]\n"
          "timer +2000 -> HEAD [SENDING]\n"
          "head failed -> LOOK 4000 [SENDING]\n"
          "timer +4000 -> HEAD [SENDING]\n"
          "head X nonce=other @1003 -> LOOK 4000 [SENDING]\n"
          "timer +4000 -> HEAD [SENDING]\n"
          "head X nonce=us @1004 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE("put absent always\n" SENDING "timer +1000 -> HEAD [SENDING]\n"
          "head X nonce=other rep=us @1004 -> COMMITTED PROVEN V4 none, RELEASE g=101 t=0 ttl=4604 fence=1010 if g=100 "
          "[FINISHED]\n");
}

TEST(the_answer_ends_the_look)
{
    TRACE("put absent\n" SENDING "timer +1000 -> HEAD [SENDING]\n"
          "attempt ok X -> DROP, COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("put absent\n" SENDING "timer +1000 -> HEAD [SENDING]\n"
          "attempt ambiguous -> DROP, HEAD [RESOLVE_HEAD]\n");
    TRACE("put absent\n" SENDING "timer +1000 -> HEAD [SENDING]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
}

/* Whoever was there in between wrote without a record; a copy of ours would overwrite it. */
TEST(nothing_is_sent_again_after_a_look_that_shows_another_version)
{
    TRACE("put absent\n" SENDING "timer +1000 -> HEAD [SENDING]\n"
          "head X nonce=other @1001 -> LOOK 2000 [SENDING]\n"
          "attempt token -> HEAD [RESOLVE_HEAD]\n");
    TRACE("put absent 409=again\n" SENDING "timer +1000 -> HEAD [SENDING]\n"
          "head X nonce=other @1001 -> LOOK 2000 [SENDING]\n"
          "attempt 409 -> HEAD [RESOLVE_HEAD]\n");
}

/* It holds again: nothing but that was in the way. */
TEST(what_was_not_sent_again_may_be_tried_again)
{
    TRACE("put absent\n" SENDING "timer +1000 -> HEAD [SENDING]\n"
          "head X nonce=other @1001 -> LOOK 2000 [SENDING]\n"
          "attempt token -> HEAD [RESOLVE_HEAD]\n"
          "head none @1001 -> GET [RESOLVE_OWN]\n"
          "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1001 -> NOT_EXECUTED EXPIRED R13.B again, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/* A deletion leaves no nonce to look for; and a Complete may be taken for what is not whole, or for another one's. */
TEST(what_no_look_can_decide_is_not_looked_for)
{
    TRACE("delete E\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=before @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=before if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "timer +1000 -> [SENDING]\n");
    TRACE("complete absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 u=9 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "timer +1000 -> [SENDING]\n");
}
