/* SPDX-License-Identifier: Apache-2.0 */
/* R3 to R5: what is written into the record (T2, T5, T6, E7), our own record recognised, and the check under the lock.
 */
#include "support/guard_trace.h"

/* R1, R2, and R3 under way; and the same with R1 and R3 together. */
#define LOCKING                                  \
    "start -> HEAD [CHECKING]\n"                 \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n" \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
#define TOGETHER                      \
    "start -> SIGN 990/5 [SIGNING]\n" \
    "signed -> PUT g=100 t=20000 ttl=4590 fence=1000 if absent, HEAD [ACQUIRING]\n"

/* ------------------------------------------------------------------------------------------------ T2, T5, T6, E7 */

/* T2: 48 random bits; the rest is room for generation + 1. */
TEST(a_generation_starts_within_48_bits)
{
    TRACE("put absent gen=18446744073709551615\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=281474976710655 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n");
    TRACE("put absent gen=281474976710656\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=0 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n");
}

/* T5: D0 + max(setting, 10 x timeout x rate), in seconds, rounded up. */
TEST(the_ttl_covers_ten_waits)
{
    TRACE("put absent ttl=600 timeout=12000 rate=2\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=12000 ttl=1600 fence=1010 if absent [ACQUIRING]\n");
    TRACE("put absent ttl=600 timeout=20001 rate=3\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20001 ttl=1601 fence=1010 if absent [ACQUIRING]\n");
    TRACE("put absent ttl=700 timeout=20001 rate=3\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20001 ttl=1700 fence=1010 if absent [ACQUIRING]\n");
}

/* T6: length + allowance + margin <= timeout, where the operation needs more. */
TEST(a_long_operation_writes_a_longer_timeout)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n");
    TRACE("put absent timeout=12000\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=12000 ttl=4600 fence=1010 if absent [ACQUIRING]\n");
    TRACE("put absent timeout=11999\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=12000 ttl=4600 fence=1010 if absent [ACQUIRING]\n");
    TRACE("put absent length=60 margin=3\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/60 [SIGNING]\n"
          "signed -> PUT g=100 t=68000 ttl=4600 fence=1065 if absent [ACQUIRING]\n");
    TRACE("put absent work=30\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=37000 ttl=4600 fence=1035 if absent [ACQUIRING]\n");
    TRACE("delete E\n"
          "start -> HEAD [CHECKING]\n"
          "head E @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n");
}

/* F2: what does not arrive at once has its own time for it (bytes at the least rate), what the kernel was given
 * may be late, and the store may wait for the rest of a body. */
TEST(what_does_not_arrive_at_once_has_a_later_fence)
{
#define SIGNING                  \
    "start -> HEAD [CHECKING]\n" \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
    TRACE("put absent\n" SIGNING "signed bytes=1 -> PUT g=100 t=79000 ttl=4600 fence=1077 if absent [ACQUIRING]\n"
          "put ok -> SEND 79000 tail=6000 [SENDING]\n");
    TRACE("put absent\n" SIGNING "signed bytes=1000 -> PUT g=100 t=79000 ttl=4600 fence=1077 if absent [ACQUIRING]\n"
          "put ok -> SEND 79000 tail=6000 [SENDING]\n");
    TRACE("put absent\n" SIGNING "signed bytes=2500 -> PUT g=100 t=81000 ttl=4600 fence=1079 if absent [ACQUIRING]\n"
          "put ok -> SEND 81000 tail=8000 [SENDING]\n");
    TRACE("put absent stalled=10\n" SIGNING
          "signed bytes=2500 -> PUT g=100 t=26000 ttl=4600 fence=1024 if absent [ACQUIRING]\n");
    TRACE("put absent work=30\n" SIGNING
          "signed bytes=2500 -> PUT g=100 t=106000 ttl=4600 fence=1104 if absent [ACQUIRING]\n");
}

/* A store that waits for the rest of a body for ever: its beginning never dies. */
TEST(what_may_stall_for_ever_has_no_fence)
{
    TRACE("put absent stalled=4294967295\n" SIGNING
          "signed bytes=2500 -> PUT g=100 t=81000 ttl=4600 if absent [ACQUIRING]\n"
          "put ok -> SEND 81000 tail=8000 [SENDING]\n");
    TRACE("put absent stalled=4294967295\n" SIGNING
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n");
}

/* E7: where an expired request was not seen to be refused, the record has no fence. */
TEST(without_proof_of_expiry_a_record_has_no_fence)
{
    TRACE("put absent no-fences\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ R4 */

TEST(a_lost_answer_sends_the_same_lock_again)
{
    TRACE("put absent\n" LOCKING "put ambiguous +2000 -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok -> SEND 17975 [SENDING]\n");
}

TEST(the_lock_backs_off_on_its_own)
{
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head failed -> WAIT 25 [CHECKING]\n"
          "timer +25 -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put throttled -> WAIT 25 [ACQUIRING]\n");
}

TEST(our_own_record_is_recognised)
{
    TRACE("put absent\n" LOCKING "put ambiguous +2000 -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put conflict sent -> SEND 17975 [SENDING]\n");
    TRACE("put absent no-fences\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 if absent [ACQUIRING]\n"
          "put ambiguous +2000 -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> PUT g=100 t=20000 ttl=4600 if absent [ACQUIRING]\n"
          "put conflict sent -> SEND 17975 [SENDING]\n");
}

/* R4, R5: a late copy of an earlier PutItem brought it back; it is continued on its generation and nonce, the lease
 * starts anew, and HEAD comes again under it. It is no takeover from anybody. */
TEST(an_older_item_of_ours_is_continued)
{
    TRACE("put absent\n" LOCKING "put ambiguous -> WAIT 25 [ACQUIRING]\n"
          "timer +1000 -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put conflict g=90 t=20000 ttl=4600 n=us fence=1010 -> PUT g=91 t=20000 ttl=4600 fence=1010 if g=90 ttl=4600 "
          "[ACQUIRING]\n"
          "put ok -> HEAD [RECHECKING]\n"
          "head none @1001 -> SEND 20000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    assert_false(guard_trace.guard.own.took_over);
    TRACE("put absent\n" LOCKING "put conflict g=100 t=20000 ttl=4600 n=us fence=1009 -> PUT g=101 t=20000 ttl=4600 "
          "fence=1010 if g=100 ttl=4600 [ACQUIRING]\n"
          "put ok -> HEAD [RECHECKING]\n"
          "head E @1001 -> CONFLICT EXPECTATION R5 E, RELEASE g=102 t=0 ttl=4601 fence=1010 if g=101 [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put conflict g=100 t=20000 ttl=4600 n=us -> PUT g=101 t=20000 ttl=4600 fence=1010 if "
          "g=100 ttl=4600 [ACQUIRING]\n"
          "put ok -> HEAD [RECHECKING]\n");
    TRACE("put absent recent=990\n" TOGETHER "put conflict g=90 t=20000 ttl=4600 n=us fence=1010 -> PUT g=91 t=20000 "
          "ttl=4590 fence=1000 if g=90 ttl=4600 [ACQUIRING]\n"
          "put ok -> [ACQUIRING]\n"
          "head none @1000 -> HEAD [RECHECKING]\n"
          "head none @1000 -> SEND 20000 [SENDING]\n");
}

/* V5: what is left of an older item when its continuation was not applied is released too. */
TEST(an_older_item_of_ours_is_released_when_it_cannot_be_continued)
{
    TRACE("put absent\n" LOCKING "put conflict g=90 t=20000 ttl=4600 n=us fence=1009 -> PUT g=91 t=20000 ttl=4600 "
          "fence=1010 if g=90 ttl=4600 [ACQUIRING]\n"
          "put throttled -> WAIT 25 [ACQUIRING]\n"
          "stop -> NOT_EXECUTED STOPPED V3, RELEASE g=91 t=0 ttl=4600 fence=1009 if g=90 [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put conflict g=90 t=20000 ttl=4600 n=us fence=1009 -> PUT g=91 t=20000 ttl=4600 "
          "fence=1010 if g=90 ttl=4600 [ACQUIRING]\n"
          "put refused -> NOT_EXECUTED LEDGER_REFUSED R3, RELEASE g=91 t=0 ttl=4600 fence=1009 if g=90 [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put conflict g=90 t=20000 ttl=4600 n=us fence=1009 -> PUT g=91 t=20000 ttl=4600 "
          "fence=1010 if g=90 ttl=4600 [ACQUIRING]\n"
          "stop -> NOT_EXECUTED STOPPED V3 [ORPHANED]\n"
          "put throttled -> RELEASE g=91 t=0 ttl=4600 fence=1009 if g=90 [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put conflict g=90 t=20000 ttl=4600 n=us fence=1009 -> PUT g=91 t=20000 ttl=4600 "
          "fence=1010 if g=90 ttl=4600 [ACQUIRING]\n"
          "put ambiguous -> WAIT 25 [ACQUIRING]\n"
          "stop -> NOT_EXECUTED STOPPED V3, RELEASE g=92 t=0 ttl=4600 fence=1010 if g=91 [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put conflict g=90 t=20000 ttl=4600 n=us fence=1009 -> PUT g=91 t=20000 ttl=4600 "
          "fence=1010 if g=90 ttl=4600 [ACQUIRING]\n"
          "stop -> NOT_EXECUTED STOPPED V3 [ORPHANED]\n"
          "put conflict g=91 t=20000 ttl=9 n=other -> [FINISHED]\n");
}

TEST(an_older_item_of_ours_with_no_next_generation_ends_the_guard)
{
    TRACE("put absent\n" LOCKING
          "put conflict g=18446744073709551615 n=us -> NOT_EXECUTED UNREADABLE_RECORD R4 [FINISHED]\n");
}

/* R4: a ledger that does not return the item is asked for it. */
TEST(a_blind_conflict_is_read)
{
    TRACE("put absent\n" LOCKING "put blind -> GET [ACQUIRE_READING]\n"
          "get found sent -> SEND 20000 [SENDING]\n");
    TRACE("put absent\n" LOCKING "put blind -> GET [ACQUIRE_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n");
    TRACE("put absent\n" LOCKING "put blind -> GET [ACQUIRE_READING]\n"
          "get found g=90 t=20000 ttl=4600 n=us fence=1009 -> PUT g=91 t=20000 ttl=4600 fence=1010 if g=90 ttl=4600 "
          "[ACQUIRING]\n");
    TRACE("put absent\n" LOCKING "put blind -> GET [ACQUIRE_READING]\n"
          "get none -> NOT_EXECUTED RECORD_GONE R4 again [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put blind -> GET [ACQUIRE_READING]\n"
          "get refused -> NOT_EXECUTED LEDGER_REFUSED R4, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put blind -> GET [ACQUIRE_READING]\n"
          "get unreadable -> NOT_EXECUTED UNREADABLE_RECORD R4, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent\n" LOCKING "put blind -> GET [ACQUIRE_READING]\n"
          "get throttled -> WAIT 25 [ACQUIRE_READING]\n"
          "timer +25 -> GET [ACQUIRE_READING]\n"
          "get ambiguous +20000 -> NOT_EXECUTED TOO_LATE R4 again, RELEASE g=101 t=0 ttl=4600 fence=1010 if "
          "g=100 [FINISHED]\n");
}

/* V5, R4: any layer may have sent the PutItem twice, so that the item that was in its way is perhaps our own. */
TEST(a_blind_conflict_that_was_never_read_is_released)
{
    TRACE("put absent\n" LOCKING "put blind -> GET [ACQUIRE_READING]\n"
          "stop -> NOT_EXECUTED STOPPED V3, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER "put blind -> GET [ACQUIRE_READING]\n"
          "head E @1000 -> CONFLICT EXPECTATION R1 E, RELEASE g=101 t=0 ttl=4600 fence=1000 if g=100 [FINISHED]\n");
}

/* R4: still undecided at the end of the lease, nothing sent. */
TEST(the_end_of_the_lease_ends_the_guard)
{
    TRACE("put absent\n" LOCKING "put ambiguous +20000 -> NOT_EXECUTED TOO_LATE R4 again, RELEASE g=101 t=0 "
          "ttl=4600 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put ambiguous +19999 -> WAIT 25 [ACQUIRING]\n"
          "timer +1 -> NOT_EXECUTED TOO_LATE R4 again, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent\n" LOCKING "put throttled +19999 -> WAIT 25 [ACQUIRING]\n"
          "timer +1 -> NOT_EXECUTED TOO_LATE R4 again [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER "put ok -> [ACQUIRING]\n"
          "head failed +19999 -> WAIT 25 [ACQUIRING]\n"
          "timer +1 -> NOT_EXECUTED TOO_LATE R4 again, RELEASE g=101 t=0 ttl=4590 fence=1000 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER "head failed +19999 -> WAIT 25 [ACQUIRING]\n"
          "timer +1 -> NOT_EXECUTED TOO_LATE R4 again [ORPHANED]\n"
          "put ok -> RELEASE g=101 t=0 ttl=4590 fence=1000 if g=100 [FINISHED]\n");
}

/* R3: a continued older item has a lease of its own; a recognised one the lease of the first send. */
TEST(the_lease_starts_before_the_first_send)
{
    TRACE("put absent\n" LOCKING "put ambiguous +19000 -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put conflict g=90 n=us -> PUT g=91 t=20000 ttl=4600 fence=1010 if g=90 ttl=0 [ACQUIRING]\n"
          "put ambiguous +19000 -> WAIT 50 [ACQUIRING]\n"
          "timer +999 -> PUT g=91 t=20000 ttl=4600 fence=1010 if g=90 ttl=0 [ACQUIRING]\n"
          "put ambiguous +1 -> NOT_EXECUTED TOO_LATE R4 again, RELEASE g=92 t=0 ttl=4600 fence=1010 if g=91 "
          "[FINISHED]\n");
    TRACE("put absent length=60 timeout=67000 recheck=90000\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/60 [SIGNING]\n"
          "signed -> PUT g=100 t=67000 ttl=4600 fence=1065 if absent [ACQUIRING]\n"
          "put ambiguous +3000 -> WAIT 25 [ACQUIRING]\n"
          "timer +1000 -> PUT g=100 t=67000 ttl=4600 fence=1065 if absent [ACQUIRING]\n"
          "put conflict sent -> SEND 63000 [SENDING]\n");
}

/* ------------------------------------------------------------------------------------------------ R5 */

TEST(a_slow_lock_is_followed_by_another_check)
{
    TRACE("put absent length=20\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 +2000 -> SIGN 1000/20 [SIGNING]\n"
          "signed -> PUT g=100 t=27000 ttl=4600 fence=1025 if absent [ACQUIRING]\n"
          "put ok +3000 -> SEND 24000 [SENDING]\n");
    TRACE("put absent length=20\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 +2000 -> SIGN 1000/20 [SIGNING]\n"
          "signed -> PUT g=100 t=27000 ttl=4600 fence=1025 if absent [ACQUIRING]\n"
          "put ok +3001 -> HEAD [RECHECKING]\n"
          "head none @1005 -> SEND 23999 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("put absent length=20\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 +2000 -> SIGN 1000/20 [SIGNING]\n"
          "signed -> PUT g=100 t=27000 ttl=4600 fence=1025 if absent [ACQUIRING]\n"
          "put ok +3001 -> HEAD [RECHECKING]\n"
          "head E @1005 -> CONFLICT EXPECTATION R5 E, RELEASE g=101 t=0 ttl=4605 fence=1025 if g=100 [FINISHED]\n");
    TRACE("put absent length=20\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 +2000 -> SIGN 1000/20 [SIGNING]\n"
          "signed -> PUT g=100 t=27000 ttl=4600 fence=1025 if absent [ACQUIRING]\n"
          "put ok +3001 -> HEAD [RECHECKING]\n"
          "head refused -> NOT_EXECUTED HEAD_REFUSED R5, RELEASE g=101 t=0 ttl=4600 fence=1025 if g=100 [FINISHED]\n");
    TRACE("put E recent=990 length=20 known=-\n"
          "start -> SIGN 990/20 [SIGNING]\n"
          "signed -> PUT g=100 t=27000 ttl=4590 fence=1015 if absent, HEAD [ACQUIRING]\n"
          "put ok -> [ACQUIRING]\n"
          "head E @1000 +5001 -> HEAD [RECHECKING]\n"
          "head E @1005 -> SEND 21999 [SENDING]\n");
}

/* Time is counted by the clock that says most. */
TEST(a_clock_that_jumps_calls_for_another_check)
{
    TRACE("put absent length=20\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/20 [SIGNING]\n"
          "signed -> PUT g=100 t=27000 ttl=4600 fence=1025 if absent [ACQUIRING]\n"
          "put ok b+5001 -> HEAD [RECHECKING]\n");
    TRACE("put absent length=20\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/20 [SIGNING]\n"
          "signed -> PUT g=100 t=27000 ttl=4600 fence=1025 if absent [ACQUIRING]\n"
          "put ok r+5001 -> HEAD [RECHECKING]\n");
    TRACE("put absent length=20\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/20 [SIGNING]\n"
          "signed -> PUT g=100 t=27000 ttl=4600 fence=1025 if absent [ACQUIRING]\n"
          "put ok r-5001 -> SEND 27000 [SENDING]\n");
}

TEST(another_check_that_fails_is_sent_again_within_the_lease)
{
    TRACE("put absent length=60\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/60 [SIGNING]\n"
          "signed -> PUT g=100 t=67000 ttl=4600 fence=1065 if absent [ACQUIRING]\n"
          "put ok +5001 -> HEAD [RECHECKING]\n"
          "head failed -> WAIT 25 [RECHECKING]\n"
          "timer +25 -> HEAD [RECHECKING]\n"
          "head none -> SEND 61974 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("put absent length=60\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/60 [SIGNING]\n"
          "signed -> PUT g=100 t=67000 ttl=4600 fence=1065 if absent [ACQUIRING]\n"
          "put ok +5001 -> HEAD [RECHECKING]\n"
          "head failed +61999 -> NOT_EXECUTED TOO_LATE R4 again, RELEASE g=101 t=0 ttl=4600 fence=1065 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent length=60\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/60 [SIGNING]\n"
          "signed -> PUT g=100 t=67000 ttl=4600 fence=1065 if absent [ACQUIRING]\n"
          "put ok +5001 -> HEAD [RECHECKING]\n"
          "head failed -> WAIT 25 [RECHECKING]\n"
          "timer +61999 -> NOT_EXECUTED TOO_LATE R4 again, RELEASE g=101 t=0 ttl=4600 fence=1065 if g=100 "
          "[FINISHED]\n");
}

/* R13: "the very version" is that of the last HEAD before we sent. */
TEST(the_version_to_compare_with_is_the_last_that_was_seen)
{
    TRACE("put E length=20\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 nonce=a @1000 -> SIGN 1000/20 [SIGNING]\n"
          "signed -> PUT g=100 t=27000 ttl=4600 fence=1025 saw=a if absent [ACQUIRING]\n"
          "put ok +5001 -> HEAD [RECHECKING]\n"
          "head E lm=6 nonce=a vid=v @1005 -> SEND 21999 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n");
    assert_int_equal(guard_trace.guard.check.base.last_modified_s, 6);
    assert_string_equal(guard_trace.guard.check.base.version_id, "v");
}

/* R3.6: then `saw` is not what is there. */
TEST(another_version_under_the_record_sends_nothing)
{
    TRACE(
        "put E length=20\n"
        "start -> HEAD [CHECKING]\n"
        "head E nonce=a @1000 -> SIGN 1000/20 [SIGNING]\n"
        "signed -> PUT g=100 t=27000 ttl=4600 fence=1025 saw=a if absent [ACQUIRING]\n"
        "put ok +5001 -> HEAD [RECHECKING]\n"
        "head E nonce=b @1005 -> NOT_EXECUTED MISTAKEN R5 again, RELEASE g=101 t=0 ttl=4605 fence=1025 saw=a if g=100 "
        "[FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ V3: stop */

TEST(before_anything_was_sent_a_stop_is_not_executed)
{
    TRACE("put absent\n"
          "stop -> NOT_EXECUTED STOPPED V3 [FINISHED]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "stop -> NOT_EXECUTED STOPPED V3 [FINISHED]\n"
          "head none @1000 -> [FINISHED]\n"
          "timer -> [FINISHED]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "stop -> NOT_EXECUTED STOPPED V3 [FINISHED]\n"
          "signed -> [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put throttled -> WAIT 25 [ACQUIRING]\n"
          "stop -> NOT_EXECUTED STOPPED V3 [FINISHED]\n");
    TRACE("put absent\n" LOCKING "put ambiguous -> WAIT 25 [ACQUIRING]\n"
          "stop -> NOT_EXECUTED STOPPED V3, RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent\n" LOCKING "stop -> NOT_EXECUTED STOPPED V3 [ORPHANED]\n"
          "put ok -> RELEASE g=101 t=0 ttl=4600 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent length=20\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/20 [SIGNING]\n"
          "signed -> PUT g=100 t=27000 ttl=4600 fence=1025 if absent [ACQUIRING]\n"
          "put ok +5001 -> HEAD [RECHECKING]\n"
          "stop -> NOT_EXECUTED STOPPED V3, RELEASE g=101 t=0 ttl=4600 fence=1025 if g=100 [FINISHED]\n"
          "stop -> [FINISHED]\n");
    TRACE("put absent recent=990\n" TOGETHER "put ok -> [ACQUIRING]\n"
          "stop -> NOT_EXECUTED STOPPED V3, RELEASE g=101 t=0 ttl=4590 fence=1000 if g=100 [FINISHED]\n");
}
