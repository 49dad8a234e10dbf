/* SPDX-License-Identifier: Apache-2.0 */
/* R11 and R12: a contender waits for another writer's record, and takes it over when its attempt is dead. */
#include "support/guard_trace.h"

#define LOCKING                                  \
    "start -> HEAD [CHECKING]\n"                 \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n" \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
/* Another's record with a fence; with none; and released. */
#define FENCED   "put conflict g=7 t=20000 ttl=9 n=other fence=1010 -> HEAD [CONTEND_CHECKING]\n"
#define UNFENCED "put conflict g=7 t=20000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
/* Too late for a PutItem that goes out beside the HEAD. */
#define RELEASED "put conflict g=7 t=0 ttl=9 n=other fence=1010 +2000 -> HEAD [CONTEND_CHECKING]\n"
#define WAITING  "head none @1001 -> WAIT 25 [CONTEND_WAITING]\n"
#define POLLING  "timer +25 -> GET [CONTEND_READING]\n"
/* R12: the HEAD that found the holder dead is R1 of what follows. */
#define TAKING_OVER                              \
    "head none @1020 -> SIGN 1020/5 [SIGNING]\n" \
    "signed -> PUT g=8 t=20000 ttl=4620 fence=1030 if g=7 ttl=9 n=other [ACQUIRING]\n"

/* ------------------------------------------------------------------------------------------------ R12 */

/* R12: timeout 0 is looked at before the fence; one HEAD after the release was seen. */
TEST(a_released_record_is_taken_over_after_one_head)
{
    TRACE("put absent\n" LOCKING RELEASED "head none @1001 -> SIGN 1001/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4601 fence=1011 if g=7 ttl=9 n=other [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    assert_true(guard_trace.guard.own.took_over);
    assert_int_equal(guard_trace.guard.own.record.generation, 8);
}

/* R12: later than fence + margin, by one second. */
TEST(a_fence_that_has_passed_frees_the_record)
{
    TRACE("put absent\n" LOCKING FENCED "head none @1012 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other fence=1010 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1013 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1013 -> SIGN 1013/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4613 fence=1023 if g=7 ttl=9 n=other [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n");
    TRACE("put absent margin=0\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" FENCED
          "head none @1010 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other fence=1010 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1011 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1011 -> SIGN 1011/5 [SIGNING]\n");
}

/*
 * R12: the HEAD of a takeover is sent after the bound. A Date is of an answer's end, and what it came with may be
 * older: here the holder's write is applied between the two.
 */
TEST(a_head_that_was_sent_before_the_fence_passed_takes_nothing_over)
{
    TRACE("put absent\n" LOCKING FENCED "head none @1013 +3000 -> HEAD [CONTEND_CHECKING]\n"
          "head X nonce=other @1013 -> CONFLICT EXPECTATION R11 X [FINISHED]\n");
    TRACE("put absent\n" LOCKING FENCED "head none @1013 +3000 -> HEAD [CONTEND_CHECKING]\n"
          "head failed @1014 -> WAIT 25 [CONTEND_WAITING]\n" POLLING
          "get found g=7 t=20000 ttl=9 n=other fence=1010 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1011 -> SIGN 1011/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=4611 fence=1021 if g=7 ttl=9 n=other [ACQUIRING]\n");
    TRACE("put absent\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1013 -> SIGN 1013/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4613 fence=1023 if absent [ACQUIRING]\n" FENCED
          "head none @1013 -> SIGN 1013/5 [SIGNING]\n");
}

TEST(a_margin_beyond_the_date_frees_nothing)
{
    TRACE("put absent margin=2000\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=2010000 ttl=61300 fence=1010 if absent [ACQUIRING]\n"
          "put conflict g=7 t=20000 ttl=9 n=other fence=5 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1001 -> WAIT 25 [CONTEND_WAITING]\n");
}

/* R12: no local clock frees a record that has a fence. */
TEST(a_fence_is_judged_by_the_stores_clock_only)
{
    TRACE("put absent\n" LOCKING FENCED "head none @1012 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +9000000 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other fence=1010 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1012 -> WAIT 50 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING
          "put conflict g=7 t=20000 ttl=9 n=other fence=18446744073709551615 -> HEAD [CONTEND_CHECKING]\n"
          "head none @253402300799 -> WAIT 25 [CONTEND_WAITING]\n");
}

/* R12: min(MONOTONIC, BOOTTIME) since it was first seen exceeds timeout x rate, 60 s here. */
TEST(without_a_fence_the_whole_bound_is_waited_for)
{
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer +60000 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 50 [CONTEND_WAITING]\n"
          "timer +1 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> SIGN 9999/5 [SIGNING]\n"
          "signed -> PUT g=8 t=20000 ttl=13599 fence=10009 if g=7 ttl=9 n=other [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n");
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer m+90000 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 50 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer b+90000 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 50 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer r+90000 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 50 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer m+60001 b+60001 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> SIGN 9999/5 [SIGNING]\n");
}

/* R11: the clocks are read before the HEAD: what passes until its answer does not count. */
TEST(time_that_passes_during_a_head_does_not_count)
{
    TRACE("put absent\n" LOCKING UNFENCED "head none @1001 +90000 -> WAIT 25 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer +50000 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other +10000 -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 +90000 -> WAIT 50 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer +50000 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other +10001 -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> SIGN 9999/5 [SIGNING]\n");
}

/* A peer's record has neither nonce nor fence; its absence is part of the condition. */
TEST(a_peers_record_is_taken_over_on_the_absence_of_a_nonce)
{
    TRACE("put absent\n" LOCKING "put conflict g=0 t=20000 ttl=9 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1001 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +60001 -> GET [CONTEND_READING]\n"
          "get found g=0 t=20000 ttl=9 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1061 -> SIGN 1061/5 [SIGNING]\n"
          "signed -> PUT g=1 t=20000 ttl=4661 fence=1071 if g=0 ttl=9 n=- [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n");
}

TEST(a_bound_beyond_64_bits_is_never_over)
{
    TRACE("put absent\n" LOCKING
          "put conflict g=7 t=18446744073709551615 ttl=9 n=other -> HEAD, REPORT [CONTEND_CHECKING]\n"
          "head none @1001 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +900000000000 -> GET [CONTEND_READING]\n"
          "get found g=7 t=18446744073709551615 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 50 [CONTEND_WAITING]\n");
}

/* R12: a timeout over an hour is waited for, and reported, once. */
TEST(a_very_long_lease_is_reported_once)
{
    TRACE("put absent\n" LOCKING "put conflict g=7 t=3600000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @1001 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n"
          "get found g=8 t=3600001 ttl=9 n=other -> HEAD, REPORT [CONTEND_CHECKING]\n"
          "head none @1001 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n"
          "get found g=9 t=3600001 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n");
    TRACE("put absent\n" LOCKING "put conflict g=7 t=3600001 ttl=9 n=other -> HEAD, REPORT [CONTEND_CHECKING]\n");
}

/* There is no generation after 2^64 - 1. */
TEST(the_last_generation_cannot_be_taken_over)
{
    TRACE("put absent\n" LOCKING
          "put conflict g=18446744073709551615 t=0 ttl=9 n=other +2000 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1001 -> NOT_EXECUTED UNREADABLE_RECORD R11 [FINISHED]\n");
    TRACE("put absent\n" LOCKING
          "put conflict g=18446744073709551615 t=0 ttl=9 n=other -> NOT_EXECUTED UNREADABLE_RECORD R11 [FINISHED]\n");
    TRACE("put absent\n" LOCKING
          "put conflict g=18446744073709551614 t=0 ttl=9 n=other +2000 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1001 -> SIGN 1001/5 [SIGNING]\n"
          "signed -> PUT g=18446744073709551615 t=20000 ttl=4601 fence=1011 if g=18446744073709551614 ttl=9 n=other "
          "[ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt refused -> NOT_EXECUTED REFUSED R8 [FINISHED]\n");
}

/* R12, R1: D0, fence, version seen and lease are those of the HEAD that found the holder dead; R5 and R6 follow. */
TEST(a_takeover_starts_from_its_own_head)
{
    TRACE("put E length=30\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=a lm=5 @1000 -> SIGN 1000/30 [SIGNING]\n"
          "signed -> PUT g=100 t=37000 ttl=4600 fence=1035 saw=a if absent [ACQUIRING]\n"
          "put conflict g=7 t=0 ttl=9 n=other fence=900 saw=b +2000 -> HEAD [CONTEND_CHECKING]\n"
          "head E nonce=b lm=6 @1040 +4000 -> SIGN 1040/30 [SIGNING]\n"
          "signed -> PUT g=8 t=37000 ttl=4640 fence=1075 saw=b if g=7 ttl=9 n=other [ACQUIRING]\n"
          "put ok +1 -> SEND 36999 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n");
    assert_string_equal(guard_trace.guard.check.base.nonce, "b");
    TRACE("put absent length=30\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/30 [SIGNING]\n"
          "signed -> PUT g=100 t=37000 ttl=4600 fence=1035 if absent [ACQUIRING]\n" RELEASED
          "head none @1020 -> SIGN 1020/30 [SIGNING]\n"
          "signed -> PUT g=8 t=37000 ttl=4620 fence=1055 if g=7 ttl=9 n=other [ACQUIRING]\n"
          "put ok +5001 -> HEAD [RECHECKING]\n"
          "head none @1025 -> SEND 31999 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("put absent\n" LOCKING RELEASED TAKING_OVER "put ok +3000 -> NOT_EXECUTED TOO_LATE R6 again longer, RELEASE "
          "g=9 t=0 ttl=4620 fence=1030 if g=8 [FINISHED]\n");
}

/* R12, T6: the source's size still counts. */
TEST(a_copy_that_takes_over_keeps_its_allowance)
{
    TRACE("copy absent\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "head none @1000 -> [CHECKING]\n"
          "source 4194304000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=112000 ttl=4600 fence=1110 if absent [ACQUIRING]\n"
          "put conflict g=7 t=0 ttl=9 n=other fence=900 +2000 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1020 -> SIGN 1020/5 [SIGNING]\n"
          "signed -> PUT g=8 t=112000 ttl=4620 fence=1130 if g=7 ttl=9 n=other [ACQUIRING]\n");
}

/* ------------------------------------------------------------------------------------------------ R11 */

TEST(a_broken_expectation_ends_the_wait)
{
    TRACE("put absent\n" LOCKING FENCED "head E @1001 -> CONFLICT EXPECTATION R11 E [FINISHED]\n");
    TRACE("put absent\n" LOCKING RELEASED "head E -> CONFLICT EXPECTATION R11 E [FINISHED]\n");
    TRACE("put E\n"
          "start -> HEAD [CHECKING]\n"
          "head E @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" FENCED
          "head E @1001 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other fence=1010 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1013 -> CONFLICT EXPECTATION R11 none [FINISHED]\n");
}

TEST(a_record_that_is_gone_calls_for_a_new_guard)
{
    TRACE("put absent\n" LOCKING FENCED WAITING POLLING "get none -> NOT_EXECUTED RECORD_GONE R11 again [FINISHED]\n");
}

TEST(polls_back_off_from_25_ms_to_one_second)
{
    TRACE("put absent\n" LOCKING FENCED "head none @1001 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n"
          "get throttled -> WAIT 50 [CONTEND_WAITING]\n"
          "timer +50 -> GET [CONTEND_READING]\n"
          "get ambiguous -> WAIT 100 [CONTEND_WAITING]\n"
          "timer +100 -> GET [CONTEND_READING]\n"
          "get throttled -> WAIT 200 [CONTEND_WAITING]\n"
          "timer +200 -> GET [CONTEND_READING]\n"
          "get throttled -> WAIT 400 [CONTEND_WAITING]\n"
          "timer +400 -> GET [CONTEND_READING]\n"
          "get throttled -> WAIT 800 [CONTEND_WAITING]\n"
          "timer +800 -> GET [CONTEND_READING]\n"
          "get throttled -> WAIT 1000 [CONTEND_WAITING]\n"
          "timer +1000 -> GET [CONTEND_READING]\n"
          "get throttled -> WAIT 1000 [CONTEND_WAITING]\n");
}

TEST(a_failed_head_is_no_poll)
{
    TRACE("put absent\n" LOCKING RELEASED "head failed -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n"
          "get found g=7 t=0 ttl=9 n=other fence=1010 -> HEAD [CONTEND_CHECKING]\n"
          "head none -> WAIT 50 [CONTEND_WAITING]\n"
          "timer +50 -> GET [CONTEND_READING]\n"
          "get found g=7 t=0 ttl=9 n=other fence=1010 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1001 -> SIGN 1001/5 [SIGNING]\n");
    TRACE("put absent\n" LOCKING RELEASED "head refused -> NOT_EXECUTED HEAD_REFUSED R11 [FINISHED]\n");
}

TEST(a_ledger_that_refuses_ends_the_wait)
{
    TRACE("put absent\n" LOCKING FENCED WAITING POLLING "get refused -> NOT_EXECUTED LEDGER_REFUSED R11 [FINISHED]\n");
    TRACE("put absent\n" LOCKING FENCED WAITING POLLING
          "get unreadable -> NOT_EXECUTED UNREADABLE_RECORD R11 [FINISHED]\n");
}

/* R11.2. */
#define POLL(fence, ms, date, next)                                             \
    "timer +" ms " -> GET [CONTEND_READING]\n"                                  \
    "get found g=7 t=20000 ttl=9 n=other" fence " -> HEAD [CONTEND_CHECKING]\n" \
    "head none @" date " -> WAIT " next " [CONTEND_WAITING]\n"
#define SHORT_POLLS(fence)                                                                                     \
    WAITING POLL(fence, "25", "1001", "50") POLL(fence, "50", "1001", "100") POLL(fence, "100", "1001", "200") \
        POLL(fence, "200", "1001", "400") POLL(fence, "400", "1001", "800")
TEST(the_longer_a_holder_takes_the_fewer_are_the_polls)
{
    TRACE("put absent\n" LOCKING FENCED SHORT_POLLS(" fence=1010") POLL(" fence=1010", "800", "1001", "1575")
              POLL(" fence=1010", "1600", "1003", "3175") POLL(" fence=1010", "3200", "1006", "4000")
                  POLL(" fence=1010", "4000", "1010", "3150") POLL(" fence=1010", "2000", "1012", "1192"));
    TRACE("put absent\n" LOCKING UNFENCED SHORT_POLLS("") POLL("", "800", "1001", "1575")
              POLL("", "55000", "1057", "3554"));
}

/* R11: whatever of the record changed, it is another one: the bound starts anew, and so does the back-off. */
TEST(a_record_that_changed_is_waited_for_from_the_start)
{
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer +60001 -> GET [CONTEND_READING]\n"
          "get found g=8 t=20000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +60000 -> GET [CONTEND_READING]\n"
          "get found g=8 t=20000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 50 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer +60001 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=8 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 25 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer +60001 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=third -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 25 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer +60001 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20001 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 25 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING UNFENCED WAITING "timer +60001 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other fence=9998 -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 25 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING FENCED WAITING "timer +60001 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other fence=9998 -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 25 [CONTEND_WAITING]\n");
    TRACE("put absent\n" LOCKING FENCED WAITING "timer +60001 -> GET [CONTEND_READING]\n"
          "get found g=7 t=20000 ttl=9 n=other -> HEAD [CONTEND_CHECKING]\n"
          "head none @9999 -> WAIT 25 [CONTEND_WAITING]\n");
}

/* R12: a release that a poll shows needs a HEAD that was sent after it, as its holder may have committed. */
TEST(a_release_seen_in_a_poll_is_followed_by_a_head)
{
    TRACE("put absent\n" LOCKING UNFENCED WAITING POLLING
          "get found g=8 t=0 ttl=9 n=other +2000 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1002 -> SIGN 1002/5 [SIGNING]\n"
          "signed -> PUT g=9 t=20000 ttl=4602 fence=1012 if g=8 ttl=9 n=other [ACQUIRING]\n");
    TRACE("put absent\n" LOCKING UNFENCED WAITING POLLING
          "get found g=8 t=0 ttl=9 n=other +2000 -> HEAD [CONTEND_CHECKING]\n"
          "head X @1002 -> CONFLICT EXPECTATION R11 X [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ its lock */

TEST(a_takeover_that_fails_is_a_new_conflict)
{
    TRACE("put absent\n" LOCKING RELEASED TAKING_OVER
          "put conflict g=8 t=20000 ttl=9 n=third fence=1030 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1031 -> WAIT 25 [CONTEND_WAITING]\n"
          "timer +25 -> GET [CONTEND_READING]\n"
          "get found g=8 t=20000 ttl=9 n=third fence=1030 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1033 -> HEAD [CONTEND_CHECKING]\n"
          "head none @1033 -> SIGN 1033/5 [SIGNING]\n"
          "signed -> PUT g=9 t=20000 ttl=4633 fence=1043 if g=8 ttl=9 n=third [ACQUIRING]\n");
}

/* R4: also for the PutItem of a takeover. */
TEST(a_takeover_recognises_its_own_record)
{
    TRACE("put absent\n" LOCKING RELEASED TAKING_OVER "put ambiguous -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> PUT g=8 t=20000 ttl=4620 fence=1030 if g=7 ttl=9 n=other [ACQUIRING]\n"
          "put conflict sent -> SEND 19975 [SENDING]\n");
    assert_true(guard_trace.guard.own.took_over);
    TRACE("put absent\n" LOCKING RELEASED TAKING_OVER "put blind -> GET [ACQUIRE_READING]\n"
          "get found sent -> SEND 20000 [SENDING]\n");
    TRACE("put absent\n" LOCKING RELEASED TAKING_OVER "put blind -> GET [ACQUIRE_READING]\n"
          "get none -> NOT_EXECUTED RECORD_GONE R4 again [FINISHED]\n");
}

/* R4: a late copy of R3's PutItem, after TTL has removed the record that was in its way. */
TEST(our_own_record_found_in_a_poll_is_continued)
{
    TRACE("put absent\n" LOCKING FENCED WAITING POLLING "get found g=100 t=20000 ttl=4600 n=us fence=1010 -> PUT g=101 "
          "t=20000 ttl=4600 fence=1010 if g=100 ttl=4600 [ACQUIRING]\n"
          "put ok -> HEAD [RECHECKING]\n"
          "head none @1002 -> SEND 20000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("put absent\n" LOCKING FENCED WAITING POLLING "get found g=100 t=20000 ttl=4600 n=us fence=1010 -> PUT g=101 "
          "t=20000 ttl=4600 fence=1010 if g=100 ttl=4600 [ACQUIRING]\n"
          "put conflict g=8 t=20000 ttl=9 n=third fence=1030 -> HEAD [CONTEND_CHECKING]\n"
          "stop -> NOT_EXECUTED BUSY R11 [FINISHED]\n");
    TRACE("put absent\n" LOCKING RELEASED TAKING_OVER
          "put conflict g=100 t=20000 ttl=4600 n=us fence=1010 -> PUT g=101 t=20000 ttl=4620 fence=1030 if g=100 "
          "ttl=4600 [ACQUIRING]\n"
          "put ok -> HEAD [RECHECKING]\n"
          "head none @1021 -> SEND 20000 [SENDING]\n");
}

/* R5: what was ordered for the older item does not outlive it. */
TEST(a_takeover_after_an_older_item_of_ours_needs_no_other_check)
{
    TRACE("put absent\n" LOCKING FENCED WAITING POLLING "get found g=100 t=20000 ttl=4600 n=us fence=1010 -> PUT g=101 "
          "t=20000 ttl=4600 fence=1010 if g=100 ttl=4600 [ACQUIRING]\n"
          "put conflict g=7 t=0 ttl=9 n=other +2000 -> HEAD [CONTEND_CHECKING]\n" TAKING_OVER
          "put ok -> SEND 20000 [SENDING]\n");
}

/* V5: a contender holds nothing. A lost PutItem of its own that met another's item was not applied before it. */
TEST(a_contender_has_nothing_to_release)
{
    TRACE("put absent\n" LOCKING "put ambiguous -> WAIT 25 [ACQUIRING]\n"
          "timer +25 -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" FENCED
          "head E @1001 -> CONFLICT EXPECTATION R11 E [FINISHED]\n");
}

/* V4: at any step. */
TEST(our_nonce_on_the_object_is_committed)
{
    TRACE("put absent\n" LOCKING FENCED "head X nonce=us @1001 -> COMMITTED PROVEN V4 X [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ V3: stop */

TEST(a_stop_while_waiting_says_that_another_holds_the_record)
{
    TRACE("put absent\n" LOCKING FENCED "stop -> NOT_EXECUTED BUSY R11 [FINISHED]\n");
    TRACE("put absent\n" LOCKING FENCED WAITING "stop -> NOT_EXECUTED BUSY R11 [FINISHED]\n"
          "timer +25 -> [FINISHED]\n");
    TRACE("put absent\n" LOCKING FENCED WAITING POLLING "stop -> NOT_EXECUTED BUSY R11 [FINISHED]\n"
          "get none -> [FINISHED]\n");
    TRACE("put absent\n" LOCKING RELEASED "head none @1020 -> SIGN 1020/5 [SIGNING]\n"
          "stop -> NOT_EXECUTED STOPPED V3 [FINISHED]\n");
    TRACE("put absent\n" LOCKING RELEASED TAKING_OVER "stop -> NOT_EXECUTED STOPPED V3 [ORPHANED]\n"
          "put ok -> RELEASE g=9 t=0 ttl=4620 fence=1030 if g=8 [FINISHED]\n");
    TRACE("put absent recent=990\n"
          "start -> SIGN 990/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4590 fence=1000 if absent, HEAD [ACQUIRING]\n"
          "put conflict g=7 t=20000 ttl=9 n=other fence=900 -> [CONTEND_FIRST]\n"
          "stop -> NOT_EXECUTED BUSY R11 [FINISHED]\n");
    TRACE("put absent recent=990\n"
          "start -> SIGN 990/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4590 fence=1000 if absent, HEAD [ACQUIRING]\n"
          "put conflict g=7 t=0 ttl=9 n=other -> [CONTEND_FIRST]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "stop -> NOT_EXECUTED STOPPED V3 [FINISHED]\n");
}
