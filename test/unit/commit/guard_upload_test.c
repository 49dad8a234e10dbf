/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R14: a Complete is decided by its upload id, and a contender aborts the holder's upload before it takes over. Our
 * upload is 9, of 7 parts: fence 1011 (length 5, allowance 5 + 1), dead from 1014 on. The holder's upload is 5.
 */
#include "support/guard_trace.h"

#include <string.h>

#define LOCKING                                                                   \
    "start -> HEAD [CHECKING]\n"                                                  \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n"                                  \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1011 u=9 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"
#define LOCKING_UPDATE                                                                       \
    "start -> HEAD [CHECKING]\n"                                                             \
    "head E nonce=before @1000 -> SIGN 1000/5 [SIGNING]\n"                                   \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1011 saw=before u=9 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"
#define AMBIGUOUS "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
/* Rounds: what the first HEAD says, our record, the rows of the partition. */
#define ALIVE    "head none @1013 -> GET [RESOLVE_OWN]\n"
#define DEAD     "head none @1014 -> HEAD [RESOLVE_HEAD]\nhead none @1014 -> GET [RESOLVE_OWN]\n"
#define DEAD_E   "head E nonce=before @1014 -> HEAD [RESOLVE_HEAD]\nhead E nonce=before @1014 -> GET [RESOLVE_OWN]\n"
#define OURS     "get found sent -> QUERY [RESOLVE_OTHERS]\n"
#define ASKED    "query -> PARTS u=9 [RESOLVE_PARTS]\n"
#define RELEASED "R14 again, RELEASE g=101 t=0 ttl=4614 fence=1011 if g=100 [FINISHED]\n"

/* ------------------------------------------------------------------------------------------------ our Complete */

/* T6: 5 s and 10 ms a part, rounded up. */
TEST(the_allowance_grows_with_the_parts)
{
    TRACE("complete absent parts=10000\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=112000 ttl=4600 fence=1110 u=9 if absent [ACQUIRING]\n"
          "put ok -> SEND 112000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X, RELEASE g=101 t=0 ttl=4600 fence=1110 if g=100 [FINISHED]\n");
    TRACE("complete absent parts=7 work=9\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1014 u=9 if absent [ACQUIRING]\n");
    TRACE("complete absent parts=7\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed bytes=2500 -> PUT g=100 t=82000 ttl=4600 fence=1080 u=9 if absent [ACQUIRING]\n");
    assert_int_equal(guard_work_s(GUARD_COMPLETE, 100), 6);
    assert_int_equal(guard_work_s(GUARD_COMPLETE, 101), 7);
}

/* T6: what a profile says of the store's Completes lengthens fence and timeout; what the caller says wins. */
TEST(a_store_may_be_at_a_complete_for_minutes)
{
    TRACE("complete absent parts=7 complete=300\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=307000 ttl=10210 fence=1305 u=9 if absent [ACQUIRING]\n"
          "put ok -> SEND 307000 [SENDING]\n");
    TRACE("complete absent parts=7 complete=300 work=9\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1014 u=9 if absent [ACQUIRING]\n");
    TRACE("complete absent parts=7 complete=300\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed bytes=2500 -> PUT g=100 t=376000 ttl=12280 fence=1374 u=9 if absent [ACQUIRING]\n");
    TRACE("complete absent parts=7 complete=3\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1011 u=9 if absent [ACQUIRING]\n");
    TRACE("put absent complete=300\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n");
}

/* R14: never applied, and what is dead will not be. The same upload, with the same nonce, may be tried again. */
TEST(an_upload_that_is_open_after_its_complete_is_dead_is_not_executed)
{
    TRACE("complete absent parts=7\n" LOCKING AMBIGUOUS DEAD OURS ASKED "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1014 -> NOT_EXECUTED EXPIRED " RELEASED);
    TRACE("complete absent parts=7\n" LOCKING AMBIGUOUS DEAD OURS ASKED "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head F @9999 -> NOT_EXECUTED EXPIRED R14 again, RELEASE g=101 t=0 ttl=13599 fence=1011 if g=100 "
          "[FINISHED]\n");
}

/* versitygw 1.8.0: a late copy of a part opens an upload again that was completed. */
TEST(where_a_part_may_come_late_an_open_upload_says_nothing)
{
    TRACE("complete absent parts=7 doubt\n" LOCKING AMBIGUOUS DEAD OURS ASKED "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head F @9999 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("complete absent parts=7 doubt\n" LOCKING AMBIGUOUS DEAD OURS ASKED "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head none @9999 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("complete absent parts=7 doubt\n" LOCKING AMBIGUOUS DEAD OURS ASKED "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1014 -> NOT_EXECUTED STAGE_AGAIN R13.D, RELEASE g=101 t=0 ttl=4614 fence=1011 if g=100 "
          "[FINISHED]\n");
}

/* "Once dead": what is open before may be completed after. */
TEST(before_the_complete_is_dead_nobody_asks)
{
    TRACE("complete absent parts=7\n" LOCKING AMBIGUOUS ALIVE OURS "query -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1014 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head none @1014 -> GET [RESOLVE_OWN]\n" OURS ASKED);
    TRACE("complete absent parts=7 no-fences\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 u=9 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n" AMBIGUOUS "head none @9999 -> GET [RESOLVE_OWN]\n" OURS
          "query -> HEAD [RESOLVE_AGAIN]\n"
          "head none @9999 -> WAIT 25 [RESOLVE_WAITING]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
}

/* V4 and row A come first. */
TEST(what_shows_our_nonce_is_committed_whatever_the_upload_says)
{
    TRACE("complete absent parts=7\n" LOCKING AMBIGUOUS DEAD OURS ASKED "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head X nonce=us @1014 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE("complete absent parts=7\n" LOCKING AMBIGUOUS DEAD OURS
          "query row X g=5 n=other fence=1020 saw=us -> COMMITTED PROVEN R13.A none [FINISHED]\n");
}

/* R14: NoSuchUpload says only that somebody completed or aborted it: the rest of the table. A row that says "not
 * executed" then says that the upload is lost, too. */
TEST(an_upload_that_is_gone_is_judged_by_the_rest_of_the_table)
{
    TRACE("complete absent parts=7\n" LOCKING AMBIGUOUS DEAD OURS ASKED "parts gone -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1014 -> NOT_EXECUTED STAGE_AGAIN R13.D, RELEASE g=101 t=0 ttl=4614 fence=1011 if g=100 "
          "[FINISHED]\n");
    TRACE("complete E parts=7\n" LOCKING_UPDATE AMBIGUOUS DEAD_E OURS ASKED "parts gone -> HEAD [RESOLVE_AGAIN]\n"
          "head E nonce=before @1014 -> NOT_EXECUTED STAGE_AGAIN R13.D, RELEASE g=101 t=0 ttl=4614 fence=1011 "
          "saw=before if g=100 [FINISHED]\n");
    TRACE("complete absent parts=7\n" LOCKING AMBIGUOUS DEAD OURS ASKED "parts gone -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1014 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("complete absent parts=7\n" LOCKING AMBIGUOUS DEAD
          "get found g=101 t=20000 ttl=4620 n=other fence=1030 -> QUERY [RESOLVE_OTHERS]\n" ASKED
          "parts gone -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1014 -> CONFLICT OVERTAKEN R13.E F [FINISHED]\n");
}

TEST(a_refusal_to_list_the_parts_says_nothing)
{
    TRACE("complete absent parts=7\n" LOCKING AMBIGUOUS DEAD OURS ASKED "parts refused -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1014 -> NOT_EXECUTED STAGE_AGAIN R13.D, RELEASE g=101 t=0 ttl=4614 fence=1011 if g=100 "
          "[FINISHED]\n");
}

TEST(an_unclear_list_of_parts_repeats_the_round)
{
    TRACE("complete absent parts=7\n" LOCKING AMBIGUOUS DEAD OURS ASKED "parts unclear -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head none @1014 -> GET [RESOLVE_OWN]\n" OURS ASKED "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head failed -> WAIT 50 [RESOLVE_WAITING]\n"
          "timer +50 -> HEAD [RESOLVE_HEAD]\n"
          "head none @1014 -> GET [RESOLVE_OWN]\n" OURS ASKED "parts gone -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1014 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

/* A copy may have left its nonce out, and its object may be as old as its upload: the very version may be ours. */
TEST(the_very_version_without_a_nonce_may_be_ours)
{
    TRACE("complete E parts=7\n"
          "start -> HEAD [CHECKING]\n"
          "head E @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1011 u=9 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n" AMBIGUOUS
          "head E @1014 -> HEAD [RESOLVE_HEAD]\nhead E @1014 -> GET [RESOLVE_OWN]\n" OURS ASKED
          "parts gone -> HEAD [RESOLVE_AGAIN]\n"
          "head E @1014 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

/* R7: 412 is definite as of a PUT, and nobody asks for the parts. */
TEST(a_412_is_definite)
{
    TRACE("complete absent parts=7\n" LOCKING "attempt precondition @1020 -> HEAD [RESOLVE_HEAD]\n"
          "head F @1020 -> GET [RESOLVE_OWN]\n" OURS "query -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1020 -> CONFLICT OVERTAKEN R13.C F, RELEASE g=101 t=0 ttl=4620 fence=1011 if g=100 [FINISHED]\n");
    TRACE("complete absent parts=7\n" LOCKING "attempt precondition @1020 -> HEAD [RESOLVE_HEAD]\n"
          "head none @1020 -> GET [RESOLVE_OWN]\n" OURS "query -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1020 -> NOT_EXECUTED UNMET R13.B, RELEASE g=101 t=0 ttl=4620 fence=1011 if g=100 [FINISHED]\n");
}

/* R7: "abort the upload, release, stage again, new guard". */
TEST(a_409_calls_for_a_new_upload_and_is_not_sent_again)
{
    TRACE("complete absent parts=7 409=again\n" LOCKING "attempt 409 -> HEAD [RESOLVE_HEAD]\n"
          "head none @1001 -> GET [RESOLVE_OWN]\n" OURS "query -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1001 -> NOT_EXECUTED STAGE_AGAIN R13.B, RELEASE g=101 t=0 ttl=4601 fence=1011 if g=100 "
          "[FINISHED]\n");
    TRACE("complete absent parts=7 409=final\n" LOCKING "attempt 409 -> HEAD [RESOLVE_HEAD]\n"
          "head F @1001 -> GET [RESOLVE_OWN]\n" OURS "query -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1001 -> CONFLICT OVERTAKEN R13.C F, RELEASE g=101 t=0 ttl=4601 fence=1011 if g=100 [FINISHED]\n");
    TRACE("complete absent parts=7\n" LOCKING "attempt 409 -> HEAD [RESOLVE_HEAD]\n" ALIVE OURS
          "query -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> WAIT 25 [RESOLVE_WAITING]\n");
}

/* What the store is busy with may be an earlier guard's Complete of the same upload, which was called dead too early:
 * then its nonce, or who saw it, tells. */
TEST(after_a_409_an_earlier_complete_is_looked_for)
{
    TRACE("complete absent parts=7 409=again\n" LOCKING "attempt 409 -> HEAD [RESOLVE_HEAD]\n"
          "head X nonce=us @1001 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE("complete absent parts=7 409=again\n" LOCKING "attempt 409 -> HEAD [RESOLVE_HEAD]\n"
          "head F @1001 -> GET [RESOLVE_OWN]\n" OURS
          "query row X g=5 n=other fence=1020 saw=us -> COMMITTED PROVEN R13.A none [FINISHED]\n");
    TRACE("complete absent parts=7 409=again\n" LOCKING "attempt 409 -> HEAD [RESOLVE_HEAD]\n"
          "head F @1001 -> GET [RESOLVE_OWN]\n" OURS "query -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1001 -> CONFLICT OVERTAKEN R13.C F, RELEASE g=101 t=0 ttl=4601 fence=1011 if g=100 [FINISHED]\n");
}

TEST(a_ticket_keeps_the_upload)
{
    TRACE("complete absent parts=7\n" LOCKING AMBIGUOUS "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "resolve -> ticket * d0=1000 g=100 t=20000 ttl=4600 fence=1011 u=9 base=none\n"
          "start -> HEAD [RESOLVE_HEAD]\n" DEAD OURS ASKED "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1014 -> NOT_EXECUTED EXPIRED R14 [FINISHED]\n");
}

/* Only where no answer said so does the verdict rest on the fence. */
TEST(what_rests_on_the_fence_alone_is_known)
{
    static const struct {
        enum verdict verdict;
        bool dead, not_applied, by_fence;
    } cases[] = {
        {VERDICT_NOT_EXECUTED, true, false, true},   {VERDICT_CONFLICT, true, false, true},
        {VERDICT_NOT_EXECUTED, false, false, false}, {VERDICT_CONFLICT, true, true, false},
        {VERDICT_COMMITTED, true, false, false},     {VERDICT_UNKNOWN, true, false, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct guard guard;
        memset(&guard, 0, sizeof(guard));
        guard.outcome.verdict = cases[i].verdict;
        guard.round.life = cases[i].dead ? GUARD_LIFE_OVER : GUARD_LIFE_LEFT;
        guard.attempt.not_applied = cases[i].not_applied;
        assert_int_equal(guard_by_fence(&guard), cases[i].by_fence);
    }
}

/* ------------------------------------------------------------------------------------------------ two of one nonce */

/* A new guard of the same upload has the same nonce. What an earlier one left is continued (R4), also when its release,
 * under way in the background, is applied in between: with the very generation that the new guard then wants. */
TEST(a_release_of_an_earlier_guard_is_not_taken_for_the_record_just_sent)
{
    TRACE("complete absent parts=7 no-fences\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 u=9 if absent [ACQUIRING]\n"
          "put conflict g=50 t=20000 ttl=4590 n=us u=9 -> PUT g=51 t=20000 ttl=4600 u=9 if g=50 ttl=4590 "
          "[ACQUIRING]\n"
          "put conflict g=51 t=0 ttl=4600 n=us -> PUT g=52 t=20000 ttl=4600 u=9 if g=51 ttl=4600 [ACQUIRING]\n"
          "put ok -> HEAD [RECHECKING]\n"
          "head none -> SEND 20000 [SENDING]\n");
    TRACE("complete absent parts=7 no-fences\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 u=9 if absent [ACQUIRING]\n"
          "put conflict g=50 t=20000 ttl=4590 n=us u=9 -> PUT g=51 t=20000 ttl=4600 u=9 if g=50 ttl=4590 "
          "[ACQUIRING]\n"
          "put conflict g=51 t=20000 ttl=4595 n=us u=9 -> PUT g=52 t=20000 ttl=4600 u=9 if g=51 ttl=4595 "
          "[ACQUIRING]\n");
}

/* V4: an earlier guard's Complete, thought to be lost, is this call's write. */
TEST(what_an_earlier_guard_of_the_upload_wrote_is_committed)
{
    TRACE("complete absent parts=7\n"
          "start -> HEAD [CHECKING]\n"
          "head X nonce=us @1000 -> COMMITTED PROVEN V4 X [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ the contender */

#define CONTENDING                               \
    "start -> HEAD [CHECKING]\n"                 \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n" \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
#define NONCE "fedcba9876543210fedcba9876543210"
#define REPLACING                                                                       \
    "start -> HEAD [CHECKING]\n"                                                        \
    "head E nonce=" NONCE " lm=900 @1000 -> SIGN 1000/5 replaced=" NONCE " [SIGNING]\n" \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=" NONCE " if absent [ACQUIRING]\n"
#define MET      "put conflict g=7 t=20000 ttl=9 n=other fence=990 u=5 -> HEAD [CONTEND_CHECKING]\n"
#define ABORTING "head none @1000 -> ABORT u=5 [CONTEND_ABORTING]\n"
#define TAKING                                   \
    "head none @1001 -> SIGN 1001/5 [SIGNING]\n" \
    "signed -> PUT g=8 t=20000 ttl=4601 fence=1011 if g=7 ttl=9 n=other [ACQUIRING]\n"

/* R14: abort, then HEAD, then the takeover. */
TEST(the_holders_upload_is_aborted_before_its_record_is_taken_over)
{
    TRACE("put absent\n" CONTENDING MET ABORTING "abort ok -> HEAD [CONTEND_CHECKING]\n" TAKING
          "put ok -> SEND 20000 [SENDING]\n");
    TRACE("put absent\n" CONTENDING MET ABORTING "abort gone -> HEAD [CONTEND_CHECKING]\n" TAKING
          "put ok -> SEND 20000 [SENDING]\n");
}

/* R14.18: what the store shows may be the metadata of the holder's Complete, beside the version before it. */
TEST(the_nonce_of_a_complete_beside_what_it_replaces_is_not_passed_on)
{
    TRACE("put E\n" REPLACING "put conflict g=7 t=20000 ttl=9 n=" NONCE " fence=990 u=5 -> HEAD [CONTEND_CHECKING]\n"
          "head E nonce=" NONCE " lm=900 @1000 -> ABORT u=5 [CONTEND_ABORTING]\n"
          "abort ok -> HEAD [CONTEND_CHECKING]\n"
          "head E nonce=" NONCE " lm=900 @1001 -> SIGN 1001/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4601 fence=1011 if g=7 ttl=9 n=" NONCE " [ACQUIRING]\n");
}

/* R14.18: it kept the nonce back itself, or did not know it. A record without a nonce is a peer's. */
TEST(nor_is_it_passed_on_where_the_holder_has_not_noted_it)
{
    TRACE("put E\n" REPLACING MET "head E nonce=" NONCE " lm=900 @1000 -> ABORT u=5 [CONTEND_ABORTING]\n"
          "abort ok -> HEAD [CONTEND_CHECKING]\n"
          "head E nonce=" NONCE " lm=900 @1001 -> SIGN 1001/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4601 fence=1011 if g=7 ttl=9 n=other [ACQUIRING]\n");
    TRACE("put E\n" REPLACING "put conflict g=7 t=20000 ttl=9 n=other fence=900 -> HEAD [CONTEND_CHECKING]\n"
          "head E nonce=" NONCE " lm=900 @1001 -> SIGN 1001/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4601 fence=1011 if g=7 ttl=9 n=other [ACQUIRING]\n");
    TRACE("put E\n" REPLACING "put conflict g=7 t=0 ttl=9 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4600 fence=1010 if g=7 ttl=9 n=-, HEAD [ACQUIRING]\n");
}

/* All guards of an upload have one nonce: the record that this one goes on with is that of an earlier one. */
TEST(a_guard_that_goes_on_with_the_record_of_an_earlier_one_keeps_back_what_that_did)
{
    TRACE("complete E parts=7\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=" NONCE " lm=900 @1000 -> SIGN 1000/5 replaced=" NONCE " [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1011 saw=" NONCE " u=9 if absent [ACQUIRING]\n"
          "put conflict g=7 t=0 ttl=9 n=us u=9 -> PUT g=8 t=20000 ttl=4600 fence=1011 u=9 if g=7 ttl=9 [ACQUIRING]\n");
}

TEST(it_is_passed_on_where_the_holder_has_noted_or_written_it)
{
    TRACE("put E\n" REPLACING "put conflict g=7 t=20000 ttl=9 n=other fence=900 saw=" NONCE
          " -> HEAD [CONTEND_CHECKING]\n"
          "head E nonce=" NONCE " lm=900 @1001 -> SIGN 1001/5 replaced=" NONCE " [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4601 fence=1011 saw=" NONCE " if g=7 ttl=9 n=other [ACQUIRING]\n");
    TRACE("put E\n" REPLACING "put conflict g=7 t=20000 ttl=9 n=" NONCE " fence=900 -> SIGN 1000/5 replaced=" NONCE
          " [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4600 fence=1010 saw=" NONCE " if g=7 ttl=9 n=" NONCE " [ACQUIRING]\n");
}

/* "Accepted" is also said of an upload that was completed (MinIO): only the HEAD after it tells. */
TEST(a_complete_that_was_applied_shows_in_the_head_after_the_abort)
{
    TRACE("put absent\n" CONTENDING MET ABORTING "abort ok -> HEAD [CONTEND_CHECKING]\n"
          "head X nonce=other @1001 -> CONFLICT EXPECTATION R11 X [FINISHED]\n");
    TRACE("put absent\n" CONTENDING MET ABORTING "abort gone -> HEAD [CONTEND_CHECKING]\n"
          "head X nonce=other @1001 -> CONFLICT EXPECTATION R11 X [FINISHED]\n");
}

/* R12's bound comes first, and so does a broken expectation. */
TEST(the_upload_of_a_holder_that_may_live_is_left_alone)
{
    TRACE("put absent\n" CONTENDING "put conflict g=7 t=20000 ttl=9 n=other fence=1010 u=5 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1012 -> WAIT 25 [CONTEND_WAITING]\n");
    TRACE("put absent\n" CONTENDING MET "head X nonce=other @1000 -> CONFLICT EXPECTATION R11 X [FINISHED]\n");
    TRACE("put absent\n" CONTENDING "put conflict g=7 t=0 ttl=9 n=other u=5 +2000 -> HEAD [CONTEND_CHECKING]\n" TAKING);
}

/* Without a fence R12's bound begins anew with an accepted abort, and a whole poll follows. */
#define UNFENCED "put conflict g=7 t=20000 ttl=9 n=other u=5 -> HEAD [CONTEND_CHECKING]\n"
#define POLLED   "get found g=7 t=20000 ttl=9 n=other u=5 -> HEAD [CONTEND_CHECKING]\n"
#define BOUND_PASSED                                 \
    UNFENCED                                         \
    "head none @1001 -> WAIT 25 [CONTEND_WAITING]\n" \
    "timer +60001 -> GET [CONTEND_READING]\n" POLLED "head none @1061 -> ABORT u=5 [CONTEND_ABORTING]\n"
TEST(without_a_fence_the_bound_begins_anew_with_the_abort)
{
    TRACE("put absent\n" CONTENDING BOUND_PASSED "abort ok +3000 -> WAIT 50 [CONTEND_WAITING]\n"
          "timer +60000 -> GET [CONTEND_READING]\n" POLLED "head none @1084 -> WAIT 100 [CONTEND_WAITING]\n"
          "timer +1 -> GET [CONTEND_READING]\n" POLLED "head none @1084 -> SIGN 1084/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4684 fence=1094 if g=7 ttl=9 n=other [ACQUIRING]\n");
    TRACE("put absent\n" CONTENDING BOUND_PASSED "abort gone -> WAIT 50 [CONTEND_WAITING]\n"
          "timer m+90000 -> GET [CONTEND_READING]\n" POLLED "head none @1084 -> WAIT 100 [CONTEND_WAITING]\n"
          "timer b+60001 -> GET [CONTEND_READING]\n" POLLED
          "head X nonce=other @1084 -> CONFLICT EXPECTATION R11 X [FINISHED]\n");
}

TEST(an_unclear_abort_is_sent_again_after_a_poll)
{
    TRACE("put absent\n" CONTENDING MET ABORTING "abort unclear -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other fence=990 u=5 -> HEAD [CONTEND_CHECKING]\n" ABORTING
          "abort ok -> HEAD [CONTEND_CHECKING]\n" TAKING);
}

TEST(an_abort_that_is_refused_ends_the_wait)
{
    TRACE("put absent\n" CONTENDING MET ABORTING "abort refused -> NOT_EXECUTED ABORT_REFUSED R14 [FINISHED]\n");
    TRACE("put absent\n" CONTENDING MET ABORTING "stop -> NOT_EXECUTED BUSY R11 [FINISHED]\n");
}

/* What was aborted is the upload of the record that was seen: another record, another upload. */
TEST(a_record_that_changed_meanwhile_is_a_new_one)
{
    TRACE("put absent\n" CONTENDING BOUND_PASSED "abort ok -> WAIT 50 [CONTEND_WAITING]\n"
          "timer +30000 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other u=6 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1091 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +60001 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other u=6 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1151 -> ABORT u=6 [CONTEND_ABORTING]\n");
    TRACE("put absent\n" CONTENDING MET ABORTING "abort ok -> HEAD [CONTEND_CHECKING]\n" TAKING
          "put conflict g=8 t=20000 ttl=9 n=third fence=990 u=6 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1001 -> ABORT u=6 [CONTEND_ABORTING]\n");
}

/* ------------------------------------------------------------------------------------------------ V4.5, V4.6 */

#define COMPLETING                                                                           \
    "start -> HEAD [CHECKING]\n"                                                             \
    "head E nonce=before lm=900 @1000 -> SIGN 1000/5 [SIGNING]\n"                            \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=before u=9 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"                                                       \
    "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"

/* What a HEAD shows may be of an earlier upload of the call, and this Complete may come yet. A record that is left would be
 * in the way: it never counts as spent. */
TEST(a_complete_that_a_head_calls_committed_releases_nothing)
{
    TRACE("complete E always\n" COMPLETING "head F nonce=us lm=1001 @1001 -> COMMITTED PROVEN V4 F [FINISHED]\n");
    TRACE("complete E\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=before lm=900 @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=before u=9 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ok F -> COMMITTED WRITTEN R9 F, RELEASE g=101 t=0 ttl=4600 fence=1010 saw=before if g=100 "
          "[FINISHED]\n");
}

/* All uploads of a call have one nonce. The first HEAD of a guard may show the Complete of an earlier one, half done. */
TEST(the_expected_version_with_our_nonce_is_not_ours_at_once)
{
    TRACE("complete E\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=us lm=900 @1000 -> SIGN 1000/5 replaced=us [SIGNING]\n");
    TRACE("complete E\n"
          "start -> HEAD [CHECKING]\n"
          "head F nonce=us lm=1000 @1000 -> COMMITTED PROVEN V4 F [FINISHED]\n");
    TRACE("complete absent\n"
          "start -> HEAD [CHECKING]\n"
          "head F nonce=us lm=1000 @1000 -> COMMITTED PROVEN V4 F [FINISHED]\n");
}

/* Some stores write the metadata of an upload first: the rest is still the version before. */
TEST(the_old_version_with_our_nonce_is_not_ours)
{
    TRACE("complete E\n" COMPLETING "head E nonce=us lm=900 @1001 -> GET [RESOLVE_OWN]\n");
    TRACE("complete E\n" COMPLETING "head E nonce=us lm=1001 @1001 -> COMMITTED PROVEN V4 E [FINISHED]\n");
}
