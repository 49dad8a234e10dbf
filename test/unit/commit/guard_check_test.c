/* SPDX-License-Identifier: Apache-2.0 */
/* R1 to R3: the check, the signature and the lock, one after the other and together. */
#include "support/guard_trace.h"

/* R1, R2, and R3 under way; and the same with R1 and R3 together. */
#define LOCKING                                  \
    "start -> HEAD [CHECKING]\n"                 \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n" \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
#define TOGETHER                      \
    "start -> SIGN 990/5 [SIGNING]\n" \
    "signed -> PUT g=100 t=20000 ttl=4590 fence=1000 if absent, HEAD [ACQUIRING]\n"
#define BROKEN "head E @1000 -> CONFLICT EXPECTATION R1 E [ORPHANED]\n"

/* ------------------------------------------------------------------------------------------------ R1 */

/* R1, R2, R3, R9: one step after the other, D0 is the Date of the HEAD. */
TEST(a_create_is_checked_signed_locked_and_sent)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 +20 -> SIGN 1000/5 [SIGNING]\n"
          "signed +1 -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok +9 -> SEND 19991 [SENDING]\n"
          "attempt ok X @1001 +30 -> COMMITTED WRITTEN R9 X [FINISHED]\n");
}

TEST(a_replacement_is_under_the_etag_that_it_expects)
{
    TRACE("put E\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=before @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=before if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
}

TEST(a_delete_leaves_nothing)
{
    TRACE("delete E ours=*\n"
          "start -> HEAD [CHECKING]\n"
          "head E @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ok -> COMMITTED WRITTEN R9 none [FINISHED]\n");
}

/* R1: each way in which an expectation can be broken. */
TEST(a_broken_expectation_is_a_conflict_before_anything_is_locked)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head E @1000 -> CONFLICT EXPECTATION R1 E [FINISHED]\n");
    TRACE("put E\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> CONFLICT EXPECTATION R1 none [FINISHED]\n");
    TRACE("put E\n"
          "start -> HEAD [CHECKING]\n"
          "head F @1000 -> CONFLICT EXPECTATION R1 F [FINISHED]\n");
    TRACE("copy E\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "head F @1000 -> CONFLICT EXPECTATION R1 F [FINISHED]\n");
}

TEST(a_head_that_fails_is_sent_again)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head failed @999 -> WAIT 25 [CHECKING]\n"
          "timer +25 -> HEAD [CHECKING]\n"
          "head failed -> WAIT 50 [CHECKING]\n"
          "timer +50 -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n");
}

TEST(an_answer_without_a_date_is_no_check)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none -> WAIT 25 [CHECKING]\n"
          "timer +25 -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n");
}

/* A delete marker counts as absent, whatever it carries. */
TEST(an_absent_object_carries_no_nonce)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none nonce=us lm=7 @1000 -> SIGN 1000/5 [SIGNING]\n");
}

TEST(a_refused_head_ends_the_guard)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head refused @1000 -> NOT_EXECUTED HEAD_REFUSED R1 [FINISHED]\n");
}

/* R1, T6: the source's size decides the allowance (5 s + size / 40 MiB/s), the fence and the timeout. */
TEST(a_copy_asks_for_its_source_too)
{
    TRACE("copy absent\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "head none @1000 -> [CHECKING]\n"
          "source 1 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1011 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("copy absent\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "source 4194304000 -> [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=112000 ttl=4600 fence=1110 if absent [ACQUIRING]\n");
}

/* F2.11: the store copies what the source has become by then, 5 GiB at most. */
TEST(a_source_that_is_not_pinned_may_grow)
{
    TRACE("copy absent unpinned\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "head none @1000 -> [CHECKING]\n"
          "source 1 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=140000 ttl=5200 fence=1138 if absent [ACQUIRING]\n"
          "put ok -> SEND 140000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("copy absent unpinned recent=990\n"
          "start -> PUT g=100 t=140000 ttl=5190 fence=1128 if absent, HEAD, SOURCE [ACQUIRING]\n"
          "head none @1000 -> [ACQUIRING]\n"
          "source 5368709120 -> [ACQUIRING]\n"
          "put ok -> SIGN 990/5 [SIGNING_AGAIN]\n"
          "signed -> SEND 140000 [SENDING]\n");
    TRACE("copy absent unpinned native recent=1000\n"
          "start -> SOURCE [CHECKING]\n"
          "source 1 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 140000 [SENDING]\n");
    TRACE("copy absent unpinned work=30\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "head none @1000 -> [CHECKING]\n"
          "source 1 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=37000 ttl=4600 fence=1035 if absent [ACQUIRING]\n");
    TRACE("put absent unpinned\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n");
}

TEST(a_copys_source_that_fails_is_asked_for_again)
{
    TRACE("copy absent\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "source failed -> WAIT 25 [CHECKING]\n"
          "timer +25 -> SOURCE [CHECKING]\n"
          "source failed -> WAIT 50 [CHECKING]\n"
          "head none @1000 -> [CHECKING]\n"
          "timer +50 -> SOURCE [CHECKING]\n"
          "source 0 -> SIGN 1000/5 [SIGNING]\n");
    TRACE("copy absent\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "source 0 -> [CHECKING]\n"
          "head failed -> WAIT 25 [CHECKING]\n"
          "timer +25 -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n");
}

TEST(a_missing_source_is_not_executed)
{
    TRACE("copy absent\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "head none @1000 -> [CHECKING]\n"
          "source refused @1000 -> NOT_EXECUTED SOURCE R1 [FINISHED]\n");
    TRACE("copy absent\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "source refused -> [CHECKING]\n"
          "head none @1000 -> NOT_EXECUTED SOURCE R1 [FINISHED]\n");
}

/* The conflict is the better answer: the caller's next step follows from it. */
TEST(a_broken_expectation_outranks_a_missing_source)
{
    TRACE("copy absent\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "source refused -> [CHECKING]\n"
          "head E @1000 -> CONFLICT EXPECTATION R1 E [FINISHED]\n");
    TRACE("copy absent\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "source refused -> [CHECKING]\n"
          "head failed -> WAIT 25 [CHECKING]\n"
          "timer +25 -> HEAD [CHECKING]\n"
          "head E @1000 -> CONFLICT EXPECTATION R1 E [FINISHED]\n");
}

/* CopyObject's limit is 5 GiB. */
TEST(a_source_over_five_gibibytes_is_refused)
{
    TRACE("copy absent\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "head none @1000 -> [CHECKING]\n"
          "source 5368709121 -> NOT_EXECUTED SOURCE_TOO_LARGE R1 [FINISHED]\n");
    TRACE("copy absent\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "head none @1000 -> [CHECKING]\n"
          "source 5368709120 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=140000 ttl=5200 fence=1138 if absent [ACQUIRING]\n");
}

/* ------------------------------------------------------------------------------------------------ R2, R3 */

TEST(a_signature_that_cannot_be_made_ends_the_guard)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed failed -> NOT_EXECUTED SIGN_FAILED R2 [FINISHED]\n");
}

/* R2: a pause between signing and the lock changes neither date nor length; R6 then sends nothing. */
TEST(date_and_length_stay_as_signed)
{
    TRACE("put absent length=9\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/9 [SIGNING]\n"
          "signed +4000 -> PUT g=100 t=20000 ttl=4600 fence=1014 if absent [ACQUIRING]\n"
          "put throttled @1004 -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> PUT g=100 t=20000 ttl=4600 fence=1014 if absent [ACQUIRING]\n"
          "put ok -> SEND 19975 [SENDING]\n"
          "head none @1005 -> [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
}

/* R3: with an answer of the store at hand, HEAD and PutItem go out together; D0 is that answer's Date. */
TEST(check_and_lock_go_out_together_after_a_recent_answer)
{
    TRACE("put E recent=990 known=before\n"
          "start -> SIGN 990/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4590 fence=1000 saw=before if absent, HEAD [ACQUIRING]\n"
          "head E nonce=before @1000 -> [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
}

/* R3.6: a record that lacks `saw` would take the best evidence from the writer of what is replaced. */
TEST(a_replacement_of_what_is_not_known_looks_first)
{
    TRACE("put E recent=990\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=before @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=before if absent [ACQUIRING]\n");
    TRACE("put E recent=990 known=-\n"
          "start -> SIGN 990/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4590 fence=1000 if absent, HEAD [ACQUIRING]\n"
          "head E @1000 -> [ACQUIRING]\n");
}

/* R3.6, G3.5: what is known is what the record and the object say; and if the HEAD shows another, nothing is sent. */
TEST(a_version_that_is_not_the_known_one_sends_nothing)
{
    TRACE("put E recent=990 known=whole\n"
          "start -> SIGN 990/5 replaced=whole [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4590 fence=1000 saw=whole if absent, HEAD [ACQUIRING]\n"
          "put ok -> [ACQUIRING]\n"
          "head E nonce=b @1000 -> NOT_EXECUTED MISTAKEN R3 again, RELEASE g=101 t=0 ttl=4600 fence=1000 saw=whole "
          "if g=100 [FINISHED]\n");
    TRACE("delete E recent=990 known=whole\n"
          "start -> SIGN 990/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4590 fence=1000 saw=whole if absent, HEAD [ACQUIRING]\n"
          "head E @1000 -> NOT_EXECUTED MISTAKEN R3 again [ORPHANED]\n");
}

/* Where another's record is in the way, none of ours says anything yet. */
TEST(a_contender_that_knew_another_version_contends)
{
    TRACE("put E recent=990 known=a\n"
          "start -> SIGN 990/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4590 fence=1000 saw=a if absent, HEAD [ACQUIRING]\n"
          "put conflict g=7 t=20000 ttl=9 n=other fence=1010 -> [CONTEND_FIRST]\n"
          "head E nonce=b @1000 -> HEAD [CONTEND_CHECKING]\n");
}

/* ------------------------------------------------------------------------------------------------ R3.7 */

#define COPYING                \
    "copy absent recent=990\n" \
    "start -> PUT g=100 t=20000 ttl=4590 fence=1002 if absent, HEAD, SOURCE [ACQUIRING]\n"

/* All three go out together, and count on 64 MiB; the signature follows, of the same date and length. */
TEST(a_copy_is_signed_when_its_source_is_known)
{
    TRACE(COPYING "head none @1000 -> [ACQUIRING]\n"
                  "source 67108864 -> [ACQUIRING]\n"
                  "put ok +100 -> SIGN 990/5 [SIGNING_AGAIN]\n"
                  "signed -> SEND 19900 [SENDING]\n"
                  "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE(COPYING "put ok -> [ACQUIRING]\n"
                  "source 1 -> [ACQUIRING]\n"
                  "head none @1000 -> SIGN 990/5 [SIGNING_AGAIN]\n");
    TRACE(COPYING
          "put ok -> [ACQUIRING]\n"
          "head none @1000 -> [ACQUIRING]\n"
          "source failed -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> SOURCE [ACQUIRING]\n"
          "source 1 -> SIGN 990/5 [SIGNING_AGAIN]\n"
          "signed failed -> NOT_EXECUTED SIGN_FAILED R2, RELEASE g=101 t=0 ttl=4600 fence=1002 if g=100 [FINISHED]\n");
}

TEST(a_copy_of_more_than_its_record_counts_on_sends_nothing)
{
    TRACE(COPYING "put ok -> [ACQUIRING]\n"
                  "source 67108865 -> NOT_EXECUTED MISTAKEN R3 again, RELEASE g=101 t=0 ttl=4590 fence=1002 if g=100 "
                  "[FINISHED]\n");
    TRACE(COPYING "source 1 -> [ACQUIRING]\n"
                  "head none @1000 -> [ACQUIRING]\n"
                  "put ok -> SIGN 990/5 [SIGNING_AGAIN]\n"
                  "signed bytes=9 -> NOT_EXECUTED NOT_SENT R6 again, RELEASE g=101 t=0 ttl=4600 fence=1002 if g=100 "
                  "[FINISHED]\n");
    TRACE(COPYING
          "source 1 -> [ACQUIRING]\n"
          "head none @1000 -> [ACQUIRING]\n"
          "put ok +3000 -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE g=101 t=0 ttl=4600 fence=1002 if g=100 "
          "[FINISHED]\n");
}

/* Contention begins when R1 is whole. What is signed then knows the source. */
TEST(a_copy_contends_when_its_source_is_known)
{
    TRACE(COPYING "put conflict g=7 t=20000 ttl=9 n=other fence=1010 -> [CONTEND_FIRST]\n"
                  "head none @1000 -> [CONTEND_FIRST]\n"
                  "source 1 -> HEAD [CONTEND_CHECKING]\n");
    TRACE(COPYING "source 1 -> [ACQUIRING]\n"
                  "put conflict g=7 t=20000 ttl=9 n=other fence=1010 -> [CONTEND_FIRST]\n"
                  "head none @1000 -> HEAD [CONTEND_CHECKING]\n");
    TRACE(COPYING "head X @1000 -> CONFLICT EXPECTATION R1 X [ORPHANED]\n");
    TRACE(COPYING "source refused -> [ACQUIRING]\n"
                  "head none @1000 -> NOT_EXECUTED SOURCE R1 [ORPHANED]\n");
}

TEST(together_the_lock_may_be_answered_first)
{
    TRACE("put absent recent=990\n" TOGETHER "put ok -> [ACQUIRING]\n"
          "head none @1000 -> SEND 20000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
}

/* R3: the verdict does not wait for the PutItem, whose record is released when it is answered. */
TEST(together_a_broken_expectation_is_told_at_once)
{
    TRACE("put absent recent=990\n" TOGETHER BROKEN
          "put ok -> RELEASE g=101 t=0 ttl=4600 fence=1000 if g=100 [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER "put ok -> [ACQUIRING]\n"
          "head E @1000 -> CONFLICT EXPECTATION R1 E, RELEASE g=101 t=0 ttl=4600 fence=1000 if g=100 [FINISHED]\n");
}

TEST(an_orphaned_lock_is_released_in_every_way_it_may_be_answered)
{
    TRACE("put absent recent=990\n" TOGETHER BROKEN
          "put ambiguous -> RELEASE g=101 t=0 ttl=4600 fence=1000 if g=100 [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER BROKEN
          "put conflict sent -> RELEASE g=101 t=0 ttl=4600 fence=1000 if g=100 [FINISHED]\n");
    TRACE(
        "put absent recent=990\n" TOGETHER BROKEN
        "put conflict g=7 t=9 ttl=9 n=us fence=9 saw=x -> RELEASE g=8 t=0 ttl=4600 fence=9 saw=x if g=7 [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER BROKEN
          "put blind -> RELEASE g=101 t=0 ttl=4600 fence=1000 if g=100 [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER "put ambiguous -> WAIT 25 [ACQUIRING]\n"
          "timer -> PUT g=100 t=20000 ttl=4590 fence=1000 if absent [ACQUIRING]\n"
          "head E @1000 -> CONFLICT EXPECTATION R1 E [ORPHANED]\n"
          "put throttled -> RELEASE g=101 t=0 ttl=4600 fence=1000 if g=100 [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER "put ambiguous -> WAIT 25 [ACQUIRING]\n"
          "timer -> PUT g=100 t=20000 ttl=4590 fence=1000 if absent [ACQUIRING]\n"
          "head E @1000 -> CONFLICT EXPECTATION R1 E [ORPHANED]\n"
          "put refused -> RELEASE g=101 t=0 ttl=4600 fence=1000 if g=100 [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER "put ambiguous -> WAIT 25 [ACQUIRING]\n"
          "timer -> PUT g=100 t=20000 ttl=4590 fence=1000 if absent [ACQUIRING]\n"
          "head E @1000 -> CONFLICT EXPECTATION R1 E [ORPHANED]\n"
          "put conflict g=7 n=other -> [FINISHED]\n");
}

TEST(an_orphaned_lock_that_was_not_made_is_not_released)
{
    TRACE("put absent recent=990\n" TOGETHER BROKEN "put conflict g=7 n=other -> [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER BROKEN "put throttled -> [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER BROKEN "put refused -> [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER BROKEN "put unreadable -> [FINISHED]\n");
}

/* A second release would say an earlier ttl, and T5 keeps evidence by that. */
TEST(an_orphaned_lock_that_is_released_by_now_is_left_as_it_is)
{
    TRACE("put absent recent=990\n" TOGETHER BROKEN "put conflict g=101 t=0 ttl=4607 n=us fence=1000 -> [FINISHED]\n");
}

/* Only the PutItem's answer counts for an orphan: no timer, no late answer, no second stop. */
TEST(an_orphan_waits_for_nothing_but_its_lock)
{
    TRACE("put absent recent=990\n" TOGETHER "head E @1000 -> CONFLICT EXPECTATION R1 E [ORPHANED]\n"
          "timer -> [ORPHANED]\n"
          "head none @1001 -> [ORPHANED]\n"
          "stop -> [ORPHANED]\n"
          "put ok -> RELEASE g=101 t=0 ttl=4601 fence=1000 if g=100 [FINISHED]\n");
}

TEST(together_a_head_that_fails_is_sent_again_beside_the_lock)
{
    TRACE("put absent recent=990\n" TOGETHER "head failed -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> HEAD [ACQUIRING]\n"
          "put ok -> [ACQUIRING]\n"
          "head none @1000 -> SEND 19975 [SENDING]\n");
    TRACE("put absent recent=990\n" TOGETHER "head failed -> WAIT 25 [ACQUIRING]\n"
          "put ok -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> HEAD [ACQUIRING]\n"
          "head none @1000 -> SEND 19975 [SENDING]\n");
    TRACE("put absent recent=990\n" TOGETHER "put ok -> [ACQUIRING]\n"
          "head failed -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> HEAD [ACQUIRING]\n"
          "head none @1000 -> SEND 19975 [SENDING]\n");
    TRACE("put absent recent=990\n" TOGETHER "head failed -> WAIT 25 [ACQUIRING]\n"
          "put throttled -> WAIT 50 [ACQUIRING]\n"
          "timer +50 -> PUT g=100 t=20000 ttl=4590 fence=1000 if absent, HEAD [ACQUIRING]\n"
          "head none @1000 -> [ACQUIRING]\n"
          "put ok -> SEND 19950 [SENDING]\n");
    TRACE("put absent recent=990\n" TOGETHER "head failed -> WAIT 25 [ACQUIRING]\n"
          "put blind -> GET [ACQUIRE_READING]\n"
          "timer +25 -> HEAD [ACQUIRE_READING]\n"
          "head none @1000 -> [ACQUIRE_READING]\n"
          "get found sent -> SEND 19975 [SENDING]\n");
    TRACE("put absent recent=990\n" TOGETHER "put blind -> GET [ACQUIRE_READING]\n"
          "get found sent -> [ACQUIRING]\n"
          "head failed -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> HEAD [ACQUIRING]\n"
          "head none @1000 -> SEND 19975 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
          "head none @1001 -> GET [RESOLVE_OWN]\n");
}

TEST(together_a_refused_head_releases_the_lock)
{
    TRACE("put absent recent=990\n" TOGETHER "put ok -> [ACQUIRING]\n"
          "head refused -> NOT_EXECUTED HEAD_REFUSED R1, RELEASE g=101 t=0 ttl=4590 fence=1000 if g=100 [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER "head refused -> NOT_EXECUTED HEAD_REFUSED R1 [ORPHANED]\n"
          "put ok -> RELEASE g=101 t=0 ttl=4590 fence=1000 if g=100 [FINISHED]\n");
}

/* R11: whether there is anything to contend for, R1's HEAD says first; R12 then wants one more. */
TEST(together_anothers_record_is_contended_for_only_after_the_check)
{
    TRACE("put absent recent=990\n" TOGETHER "put conflict g=7 t=20000 ttl=9 n=other fence=900 -> [CONTEND_FIRST]\n"
          "head E @1000 -> CONFLICT EXPECTATION R1 E [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER "put conflict g=7 t=20000 ttl=9 n=other fence=900 -> [CONTEND_FIRST]\n"
          "head none @1000 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1001 -> SIGN 1001/5 [SIGNING]\n");
    TRACE("put absent recent=990\n" TOGETHER "head none @1000 -> [ACQUIRING]\n"
          "put conflict g=7 t=20000 ttl=9 n=other fence=900 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1001 -> SIGN 1001/5 [SIGNING]\n");
    TRACE("put absent recent=990\n" TOGETHER "head failed -> WAIT 25 [ACQUIRING]\n"
          "put conflict g=7 t=20000 ttl=9 n=other fence=900 -> HEAD [CONTEND_FIRST]\n"
          "timer +25 -> [CONTEND_FIRST]\n"
          "head none @1001 -> HEAD [CONTEND_CHECKING]\n");
    TRACE("put absent recent=990\n" TOGETHER "put conflict g=7 t=20000 ttl=9 n=other fence=900 -> [CONTEND_FIRST]\n"
          "head failed -> WAIT 25 [CONTEND_FIRST]\n"
          "timer +30000 -> HEAD [CONTEND_FIRST]\n"
          "head none @1001 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1001 -> SIGN 1001/5 [SIGNING]\n");
}

TEST(a_ledger_that_refuses_ends_the_guard)
{
    TRACE("put absent\n" LOCKING "put refused -> NOT_EXECUTED LEDGER_REFUSED R3 [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put unreadable -> NOT_EXECUTED UNREADABLE_RECORD R3 [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put ambiguous -> WAIT 25 [ACQUIRING]\n"
          "timer -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put refused -> NOT_EXECUTED LEDGER_REFUSED R3, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n");
}
