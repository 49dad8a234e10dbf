/* SPDX-License-Identifier: Apache-2.0 */
/* R13: how a round is made, what a ticket carries, and where it can be stopped (V3). */
#include "support/guard_trace.h"

#define SENDING                                                               \
    "start -> HEAD [CHECKING]\n"                                              \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n"                              \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"
#define AMBIGUOUS   SENDING "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
#define REFUSED_412 SENDING "attempt precondition -> HEAD [RESOLVE_HEAD]\n"
#define DEAD        "head none @1013 -> HEAD [RESOLVE_HEAD]\nhead none @1013 -> GET [RESOLVE_OWN]\n"
#define DEAD_OTHER  "head F @1013 -> HEAD [RESOLVE_HEAD]\nhead F @1013 -> GET [RESOLVE_OWN]\n"
#define STILL_DEAD  "head none @1013 -> GET [RESOLVE_OWN]\n" /* a round that begins with that Date known */
#define OURS        "get found sent -> QUERY [RESOLVE_OTHERS]\n"
#define FOREIGN     "get found g=101 t=20000 ttl=4620 n=other fence=1030 -> QUERY [RESOLVE_OTHERS]\n"
#define UNLOCKED    "query -> HEAD [RESOLVE_AGAIN]\n"
#define PART_DEAD   "head part X nonce=us @1013 -> HEAD [RESOLVE_HEAD]\nhead part X nonce=us @1013 -> GET [RESOLVE_OWN]\n"
#define STOPPED     "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
#define TICKET      "resolve -> ticket * d0=1000 g=100 t=20000 ttl=4600 fence=1010 ours=X base=none\n"

/* ------------------------------------------------------------------------------------------------ rounds */

/* Rows are judged only on a round in which every read was answered. */
TEST(a_round_with_an_unanswered_read_is_made_again)
{
    TRACE("put absent ours=X\n" AMBIGUOUS "head failed -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n" DEAD OURS UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS "head none -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS "head refused -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD "get throttled -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD "get unreadable -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS "query ambiguous -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n");
    TRACE("put absent\n" AMBIGUOUS DEAD "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query throttled -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS UNLOCKED "head failed -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS UNLOCKED "head none -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n");
}

/* R13.18: only row A could decide. So it is in the first second, and in the last: from a Date of 1012 on. */
#define FIRST(date) \
    "head none @" date " -> GET [RESOLVE_OWN]\n" OURS UNLOCKED "head none @" date " -> WAIT 25 [RESOLVE_WAITING]\n"
TEST(where_rounds_follow_fast_they_end_with_a_head_that_shows_the_very_version)
{
    TRACE("put absent ours=X\n" AMBIGUOUS FIRST("1001") "timer +25 -> HEAD [RESOLVE_HEAD]\n"
                                                        "head none @1001 -> WAIT 50 [RESOLVE_WAITING]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS FIRST("1001") "timer +25 -> HEAD [RESOLVE_HEAD]\n"
                                                        "head F @1001 -> GET [RESOLVE_OWN]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS FIRST("1001") "timer +999 -> HEAD [RESOLVE_HEAD]\n"
                                                        "head none @1011 -> WAIT 50 [RESOLVE_WAITING]\n"
                                                        "timer +1 -> HEAD [RESOLVE_HEAD]\n"
                                                        "head none @1011 -> GET [RESOLVE_OWN]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS FIRST("1001") "timer +2000 -> HEAD [RESOLVE_HEAD]\n"
                                                        "head none @1012 -> WAIT 50 [RESOLVE_WAITING]\n"
                                                        "timer +25 -> HEAD [RESOLVE_HEAD]\n" DEAD);
}

/* Row B and C need no more than one. */
TEST(until_a_round_was_whole_each_reads_the_records)
{
    TRACE("put absent ours=X\n" REFUSED_412 "head none @1001 -> GET [RESOLVE_OWN]\n"
          "get throttled -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head none @1001 -> GET [RESOLVE_OWN]\n" OURS UNLOCKED
          "head none @1001 -> NOT_EXECUTED UNMET R13.B, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 [FINISHED]\n");
}

/* A clock of the store that has only begun. */
TEST(a_date_before_the_margin_is_not_near_the_end)
{
    TRACE("put absent ours=X\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1 -> SIGN 1/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=3601 fence=11 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n" FIRST("1") "timer +1000 -> HEAD [RESOLVE_HEAD]\n"
                                                                  "head none @1 -> GET [RESOLVE_OWN]\n");
}

/* V4.8: it forbids row A. */
TEST(while_the_attempt_may_live_nothing_is_read_beside_a_part)
{
    TRACE("put absent ours=X\n" AMBIGUOUS "head part X nonce=us @1001 +5000 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head X nonce=us @1002 -> COMMITTED PROVEN V4 X [FINISHED]\n");
}

/* R13.19. */
#define LOOK(ms, date, next)                 \
    "timer +" ms " -> HEAD [RESOLVE_HEAD]\n" \
    "head none @" date " -> WAIT " next " [RESOLVE_WAITING]\n"
#define WHOLE(ms, date, next)                                                                      \
    "timer +" ms " -> HEAD [RESOLVE_HEAD]\n"                                                       \
    "head none @" date " -> GET [RESOLVE_OWN]\n" OURS UNLOCKED "head none @" date " -> WAIT " next \
    " [RESOLVE_WAITING]\n"
#define FAST                                                                                              \
    AMBIGUOUS FIRST("1001") LOOK("25", "1001", "50") LOOK("50", "1001", "100") LOOK("100", "1001", "200") \
        LOOK("200", "1001", "400") LOOK("400", "1001", "800") WHOLE("800", "1002", "1575")
TEST(rounds_become_rare_and_the_end_of_the_attempt_is_not_slept_through)
{
    TRACE("put absent ours=X\n" FAST WHOLE("1600", "1003", "2000") WHOLE("2000", "1009", "2000")
              WHOLE("2000", "1011", "1000") LOOK("1000", "1012", "250") LOOK("250", "1012", "250")
                  LOOK("250", "1011", "250") "timer +200 -> HEAD [RESOLVE_HEAD]\n" DEAD);
}

/* A part that stands, contents that change back: time alone decides nothing any more. */
TEST(what_is_dead_and_not_decided_is_read_about_every_second)
{
    TRACE("put absent ours=X\n" FAST "timer +1600 -> HEAD [RESOLVE_HEAD]\n"
          "head part X nonce=us @1013 -> HEAD [RESOLVE_HEAD]\n"
          "head part X nonce=us @1013 -> GET [RESOLVE_OWN]\n" OURS UNLOCKED
          "head part X nonce=us @1013 -> WAIT 1000 [RESOLVE_WAITING]\n");
}

/* V4.8: another may have replaced the part, or locked what it was. Row F, once the attempt is dead. */
TEST(a_part_of_our_write_is_evidence_of_nothing_but_a_doubt)
{
    TRACE("put absent ours=X\n" AMBIGUOUS PART_DEAD OURS UNLOCKED
          "head part X nonce=us @1013 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head part F @1013 -> GET [RESOLVE_OWN]\n" OURS UNLOCKED
          "head part F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS PART_DEAD "get found g=101 t=20000 ttl=4620 n=other fence=1030 saw=us "
          "-> QUERY [RESOLVE_OTHERS]\n" UNLOCKED "head part F rep=us @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS PART_DEAD FOREIGN "query row X g=1 n=x saw=us -> HEAD [RESOLVE_AGAIN]\n"
          "head part F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS PART_DEAD FOREIGN UNLOCKED
          "head part none @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS PART_DEAD OURS UNLOCKED "head part X nonce=us -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head X nonce=us @1013 -> COMMITTED PROVEN V4 X [FINISHED]\n");
}

/* Another may have deleted it meanwhile, and said that he saw it. */
TEST(a_round_that_has_left_row_a_out_is_made_again)
{
    TRACE("put absent ours=X\n" AMBIGUOUS PART_DEAD FOREIGN "query row Y g=1 n=x saw=us -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1013 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head F @1013 -> GET [RESOLVE_OWN]\n" FOREIGN
          "query row Y g=1 n=x saw=us -> COMMITTED PROVEN R13.A none [FINISHED]\n");
}

/* Each round looks for itself: what an earlier one saw does not count. */
TEST(a_round_forgets_the_round_before)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD_OTHER FOREIGN UNLOCKED "head failed -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head F @1013 -> GET [RESOLVE_OWN]\n" OURS UNLOCKED "head F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD_OTHER FOREIGN "query row X g=1 n=x -> HEAD [RESOLVE_AGAIN]\n"
          "head failed -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head F @1013 -> GET [RESOLVE_OWN]\n" FOREIGN UNLOCKED
          "head F @1013 -> CONFLICT OVERTAKEN R13.E F [FINISHED]\n");
}

/*
 * R13, "dead": the attempt must be dead when the round's reads begin. Here it is applied after our ETag was looked at,
 * and another writer deletes its object (record (path, X), fence 1015) before the last HEAD, whose Date is past our
 * fence: absent, not locked and fresh, and yet our write was applied.
 */
TEST(what_was_read_before_the_death_proves_nothing)
{
    TRACE("put absent ours=X\n" AMBIGUOUS "head none @1001 -> GET [RESOLVE_OWN]\n" OURS UNLOCKED
          "head none @1013 +12000 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n" STILL_DEAD OURS
          "query row X g=1 t=20000 ttl=4605 n=other fence=1015 saw=us -> COMMITTED PROVEN R13.A none [FINISHED]\n");
}

/*
 * R13.D: what the first HEAD shows may be ours, where the nonce was left out (a COPY whose metadata has no room for
 * it). Another writer locks and deletes it after our ETag was looked at, and the last HEAD shows the key absent again.
 */
TEST(a_version_that_came_back_during_the_round_proves_nothing)
{
    TRACE("put absent ours=X\n" AMBIGUOUS "head X @1013 -> HEAD [RESOLVE_HEAD]\n"
          "head X @1013 -> GET [RESOLVE_OWN]\n" OURS UNLOCKED "head none @1013 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n" STILL_DEAD OURS
          "query row X g=1 t=20000 ttl=4613 n=other fence=1023 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS "head F @1013 -> HEAD [RESOLVE_HEAD]\n"
          "head F @1013 -> GET [RESOLVE_OWN]\n" OURS UNLOCKED "head none @1013 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n" STILL_DEAD OURS UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/*
 * R13, "dead": a Date is of an answer's end, and what it came with may be older. Here the first HEAD reads the object
 * before our write is applied, and is answered past our fence; another writer deletes our object (record (path, X))
 * after our ETag was looked at and before the last HEAD. The round begins anew with a HEAD that was sent past the
 * fence.
 */
TEST(a_head_that_was_sent_before_the_fence_begins_no_round_of_the_dead)
{
    TRACE("put absent ours=X\n" AMBIGUOUS "head none @1013 +12000 -> HEAD [RESOLVE_HEAD]\n"
          "head X nonce=us @1013 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS "head none @1013 +12000 -> HEAD [RESOLVE_HEAD]\n"
          "head none @1010 -> GET [RESOLVE_OWN]\n" OURS
          "query row X g=1 t=20000 ttl=4613 n=other fence=1023 saw=us -> COMMITTED PROVEN R13.A none [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS "head failed @1013 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n" STILL_DEAD OURS UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/* A Date that went back takes no death back. */
TEST(the_first_head_says_whether_it_is_dead)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS UNLOCKED
          "head none @1012 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
}

TEST(rounds_back_off)
{
    TRACE("put absent ours=X\n" AMBIGUOUS "head failed -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head failed -> WAIT 50 [RESOLVE_WAITING]\n"
          "timer +50 -> HEAD [RESOLVE_HEAD]\n"
          "head failed -> WAIT 100 [RESOLVE_WAITING]\n"
          "timer +100 -> HEAD [RESOLVE_HEAD]\n"
          "head failed -> WAIT 200 [RESOLVE_WAITING]\n");
}

/*
 * Row E with an ETag that cannot be predicted, and an update that leaves the ETag as it was: ours is applied, another
 * writer sees it and does the same under our key, and a third one saw only that. Our key's record may be a lock on
 * our ETag too.
 */
TEST(an_update_to_the_same_bytes_is_not_called_a_conflict)
{
    TRACE("put E\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=a @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=a if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
          "head E nonce=c lm=9 @1030 -> HEAD [RESOLVE_HEAD]\n"
          "head E nonce=c lm=9 @1030 -> GET [RESOLVE_OWN]\n"
          "get found g=102 t=20000 ttl=4640 n=third fence=1040 saw=other -> QUERY [RESOLVE_OTHERS]\n"
          "query row E g=102 t=20000 ttl=4640 n=third fence=1040 saw=other -> HEAD [RESOLVE_AGAIN]\n"
          "head E nonce=c lm=9 @1030 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put E ours=E\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=a @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=a if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
          "head E nonce=c lm=9 @1030 -> HEAD [RESOLVE_HEAD]\n"
          "head E nonce=c lm=9 @1030 -> GET [RESOLVE_OWN]\n"
          "get found g=102 t=20000 ttl=4640 n=third fence=1040 saw=other -> QUERY [RESOLVE_OTHERS]\n"
          "query row E g=102 t=20000 ttl=4640 n=third fence=1040 saw=other -> HEAD [RESOLVE_AGAIN]\n"
          "head E nonce=c lm=9 @1030 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

/* Our own record is no lock, wherever it is met. */
TEST(our_own_record_does_not_lock_our_etag)
{
    TRACE("put E\n"
          "start -> HEAD [CHECKING]\n"
          "head E @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
          "head E @1013 -> HEAD [RESOLVE_HEAD]\n"
          "head E @1013 -> GET [RESOLVE_OWN]\n"
          "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query row E sent -> HEAD [RESOLVE_AGAIN]\n"
          "head E @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put E ours=E\n"
          "start -> HEAD [CHECKING]\n"
          "head E @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
          "head E @1013 -> HEAD [RESOLVE_HEAD]\n"
          "head E @1013 -> GET [RESOLVE_OWN]\n"
          "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query row E sent -> HEAD [RESOLVE_AGAIN]\n"
          "head E @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/* V5: a record that another writer holds by now is not ours to release, nor is the older item that came before it. */
TEST(what_another_writer_holds_is_not_released)
{
    TRACE("put absent ours=X\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put conflict g=90 n=us -> PUT g=91 t=20000 ttl=4600 fence=1010 if g=90 ttl=0 [ACQUIRING]\n"
          "put ok -> HEAD [RECHECKING]\n"
          "head none @1000 -> SEND 20000 [SENDING]\n"
          "attempt precondition -> HEAD [RESOLVE_HEAD]\n"
          "head none @1001 -> GET [RESOLVE_OWN]\n"
          "get found g=92 n=other -> QUERY [RESOLVE_OTHERS]\n"
          "query -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1001 -> CONFLICT OVERTAKEN R13.C F [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ V3: stop */

TEST(a_stop_in_any_part_of_a_round_is_unknown)
{
    TRACE("put absent ours=X\n" AMBIGUOUS "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "head X nonce=us @1013 -> [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "get none -> [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "get none -> [FINISHED]\n");
    TRACE("put absent\n" AMBIGUOUS DEAD "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "query -> [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS UNLOCKED "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "head none @1013 -> [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS "head failed -> WAIT 25 [RESOLVE_WAITING]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "timer -> [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ tickets */

/* V5: the record that the ticket speaks of is released when it is settled. */
TEST(a_ticket_is_settled_by_the_same_table)
{
    TRACE("put absent ours=X\n" AMBIGUOUS STOPPED TICKET "start -> HEAD [RESOLVE_HEAD]\n"
          "head X nonce=us @1013 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS STOPPED TICKET "start -> HEAD [RESOLVE_HEAD]\n" DEAD OURS UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D, RELEASE g=101 t=0 ttl=4613 fence=1010 if same g=100 "
          "[FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS STOPPED TICKET "start -> HEAD [RESOLVE_HEAD]\n" DEAD_OTHER FOREIGN UNLOCKED
          "head F @1013 -> CONFLICT OVERTAKEN R13.E F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS STOPPED TICKET "start -> HEAD [RESOLVE_HEAD]\n" DEAD_OTHER OURS UNLOCKED
          "head F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent\n" AMBIGUOUS STOPPED "resolve -> ticket * d0=1000 g=100 t=20000 ttl=4600 fence=1010 base=none\n"
          "start -> HEAD [RESOLVE_HEAD]\n" DEAD "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D, RELEASE g=101 t=0 ttl=4613 fence=1010 if same g=100 "
          "[FINISHED]\n");
}

/* "Resolving never makes an attempt": nor a new guard that would. */
TEST(a_resolution_is_not_tried_again)
{
    TRACE("put absent ours=X\n" AMBIGUOUS STOPPED TICKET "start -> HEAD [RESOLVE_HEAD]\n" DEAD OURS UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D, RELEASE g=101 t=0 ttl=4613 fence=1010 if same g=100 "
          "[FINISHED]\n");
    assert_false(guard_try_again(&guard_trace.guard));
}

TEST(a_ticket_keeps_the_version_that_was_seen)
{
    TRACE("put E ours=X\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 vid=v nonce=a @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=a if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "resolve -> ticket E d0=1000 g=100 t=20000 ttl=4600 fence=1010 saw=a ours=X base=E versioned\n"
          "start -> HEAD [RESOLVE_HEAD]\n"
          "head E lm=5 vid=v nonce=a @1013 -> HEAD [RESOLVE_HEAD]\n"
          "head E lm=5 vid=v nonce=a @1013 -> GET [RESOLVE_OWN]\n"
          "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query -> HEAD [RESOLVE_AGAIN]\n"
          "head E lm=5 vid=v nonce=a @1013 -> NOT_EXECUTED EXPIRED R13.D, RELEASE g=101 t=0 ttl=4613 fence=1010 "
          "saw=a if same g=100 [FINISHED]\n");
}

TEST(a_ticket_keeps_that_nothing_was_applied)
{
    TRACE("put absent ours=X\n" REFUSED_412 "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "resolve -> ticket * d0=1000 g=100 t=20000 ttl=4600 fence=1010 ours=X base=none not-applied\n"
          "start -> HEAD [RESOLVE_HEAD]\n"
          "head none @1001 -> GET [RESOLVE_OWN]\n"
          "get none -> QUERY [RESOLVE_OTHERS]\n"
          "query -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1001 -> CONFLICT OVERTAKEN R13.C F [FINISHED]\n");
}

TEST(a_ticket_keeps_its_margin)
{
    TRACE("put absent ours=X\n" AMBIGUOUS "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "resolve margin=1 -> ticket * d0=1000 g=100 t=20000 ttl=4600 fence=1010 ours=X base=none\n"
          "start -> HEAD [RESOLVE_HEAD]\n" DEAD OURS UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D, RELEASE g=101 t=0 ttl=4613 fence=1010 if same g=100 "
          "[FINISHED]\n");
}

/* Without a fence (E7) only row A, and rows B and C, settle a ticket. */
TEST(a_ticket_without_a_fence_waits_until_it_is_stopped)
{
    TRACE("delete E ours=* no-fences\n"
          "start -> HEAD [CHECKING]\n"
          "head E @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "resolve -> ticket E d0=1000 g=100 t=20000 ttl=4600 ours=* base=E\n"
          "start -> HEAD [RESOLVE_HEAD]\n"
          "head none @9999 -> GET [RESOLVE_OWN]\n"
          "get none -> GET ours [RESOLVE_OTHERS]\n"
          "get none -> HEAD [RESOLVE_AGAIN]\n"
          "head none @9999 -> WAIT 25 [RESOLVE_WAITING]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
}

/* V1: the attempt is out, whether or not the resolution has begun. */
TEST(a_resolution_that_is_stopped_before_it_began_is_unknown)
{
    TRACE("put absent ours=X\n" AMBIGUOUS STOPPED TICKET "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
}

/* Without a prediction it is as if none could be made. */
TEST(an_etag_that_was_not_given_is_not_known)
{
    struct guard guard;
    struct guard_settings settings = guard_trace_settings();
    struct guard_start start = {.operation = GUARD_PUT, .nonce = GUARD_TRACE_NONCE};
    settings.etag_known = true;
    guard_init(&guard, &settings, &start);
    assert_string_equal(guard.write.our_etag, "");
}

/* A driver of tomorrow may know more events. */
TEST(an_event_of_no_kind_changes_nothing)
{
    TRACE("put absent\n" AMBIGUOUS);
    struct guard before = guard_trace.guard;
    struct guard_event event = {.now = guard_trace.now};
    struct guard_actions todo;
    guard_step(&guard_trace.guard, &event, &todo);
    assert_memory_equal(&before, &guard_trace.guard, sizeof(before));
    assert_int_equal(todo.what, 0);
    assert_false(todo.has_timer);
}

TEST(every_rule_that_gives_a_verdict_has_a_name)
{
    static const char *const names[] = {"",    "R1", "R2", "R3", "R4",    "R5",    "R6",    "R7",    "R8",    "R9",
                                        "R11", "V3", "V4", "E2", "R13.A", "R13.B", "R13.C", "R13.D", "R13.E", "R13.F"};
    struct guard guard = {.outcome.rule = GUARD_RULE_NONE};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        guard.outcome.rule = (enum guard_rule)i;
        assert_string_equal(guard_rule_name(&guard), names[i]);
    }
}
