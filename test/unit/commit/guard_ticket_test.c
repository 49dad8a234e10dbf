/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R17: whoever can read the table can write a ticket for another's record. Nothing is released, and no upload is called
 * the ticket's, unless the stored record is the ticket's in every attribute and is dead by its own fence.
 */
#include "support/guard_trace.h"

#include <stdio.h>
#include <string.h>

#define BEFORE                                                                \
    "start -> HEAD [CHECKING]\n"                                              \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n"                              \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"
#define STOPPED                                  \
    "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n" \
    "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
#define TICKET                                                                         \
    "resolve -> ticket * d0=1000 g=100 t=20000 ttl=4600 fence=1010 ours=X base=none\n" \
    "start -> HEAD [RESOLVE_HEAD]\n"
#define CREATE "put absent ours=X\n" BEFORE STOPPED TICKET
/* Its fence is 1010, the margin 2: dead from 1013 on. */
#define ALIVE  "head none @1012 -> GET [RESOLVE_OWN]\n"
#define DEAD   "head none @1013 -> HEAD [RESOLVE_HEAD]\nhead none @1013 -> GET [RESOLVE_OWN]\n"
#define OTHERS "query -> HEAD [RESOLVE_AGAIN]\n"

/* What the writer of a ticket would gain by an earlier fence: the record of a live attempt released. */
TEST(a_record_that_says_otherwise_makes_the_ticket_false)
{
    static const char *const stored[] = {"fence=1020", "t=20001", "ttl=4601", "saw=a", "u=9"};
    for (size_t i = 0; i < sizeof(stored) / sizeof(stored[0]); i++) {
        char trace[1024];
        snprintf(trace, sizeof(trace), "%sget found sent %s -> UNKNOWN FALSE_TICKET R17 [FINISHED]\n", CREATE DEAD,
                 stored[i]);
        TRACE(trace);
    }
    TRACE(CREATE DEAD "get found g=100 t=20000 ttl=4600 n=us -> UNKNOWN FALSE_TICKET R17 [FINISHED]\n");
    TRACE(CREATE ALIVE "get found sent fence=1020 -> UNKNOWN FALSE_TICKET R17 [FINISHED]\n");
}

TEST(a_ticket_without_a_fence_that_is_stored_is_false)
{
    TRACE("put absent ours=X no-fences\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n" STOPPED
          "resolve -> ticket * d0=1000 g=100 t=20000 ttl=4600 ours=X base=none\n"
          "start -> HEAD [RESOLVE_HEAD]\n"
          "head none @1013 -> GET [RESOLVE_OWN]\n"
          "get found sent fence=1010 -> UNKNOWN FALSE_TICKET R17 [FINISHED]\n");
}

/* A later guard of one upload, or a release, has the nonce and another generation. */
TEST(under_another_generation_both_fences_must_have_passed)
{
    TRACE(CREATE DEAD "get found sent g=101 fence=1020 -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                      "head none @1022 -> WAIT 25 [RESOLVE_WAITING]\n"
                      "timer -> HEAD [RESOLVE_HEAD]\n"
                      "head none @1023 -> GET [RESOLVE_OWN]\n"
                      "get found sent g=101 fence=1020 -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                      "head none @1023 -> WAIT 50 [RESOLVE_WAITING]\n"
                      "timer -> HEAD [RESOLVE_HEAD]\n"
                      "head none @1023 -> GET [RESOLVE_OWN]\n"
                      "get found sent g=101 fence=1020 -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                      "head none @1023 -> NOT_EXECUTED EXPIRED R13.D [FINISHED]\n");
    TRACE(CREATE DEAD "get found g=101 t=20000 ttl=4600 n=us -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                      "head none @1023 -> WAIT 25 [RESOLVE_WAITING]\n");
}

TEST(a_record_that_is_gone_or_anothers_is_not_released)
{
    TRACE(CREATE DEAD "get none -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                      "head none @1013 -> NOT_EXECUTED EXPIRED R13.D [FINISHED]\n");
    TRACE(CREATE DEAD "get found sent g=101 n=other fence=1030 -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                      "head none @1013 -> NOT_EXECUTED EXPIRED R13.D [FINISHED]\n");
    TRACE(CREATE DEAD "get found sent g=101 t=0 ttl=4613 -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                      "head none @1013 -> NOT_EXECUTED EXPIRED R13.D [FINISHED]\n");
}

/* What an earlier round has shown is gone. */
TEST(the_last_round_counts)
{
    TRACE(CREATE DEAD "get found sent -> QUERY [RESOLVE_OTHERS]\n"
                      "query throttled -> WAIT 25 [RESOLVE_WAITING]\n"
                      "timer -> HEAD [RESOLVE_HEAD]\n"
                      "head none @1013 -> GET [RESOLVE_OWN]\n"
                      "get none -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                      "head none @1013 -> NOT_EXECUTED EXPIRED R13.D [FINISHED]\n");
}

/* "It was refused" is what the ticket says: believed once what is stored is dead. */
TEST(a_refusal_that_only_the_ticket_tells_of_waits_for_the_stored_fence)
{
#define REFUSED                                                                                    \
    "put absent ours=X\n" BEFORE "attempt precondition -> HEAD [RESOLVE_HEAD]\n"                   \
    "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"                                                      \
    "resolve -> ticket * d0=1000 g=100 t=20000 ttl=4600 fence=1010 ours=X base=none not-applied\n" \
    "start -> HEAD [RESOLVE_HEAD]\n"
    TRACE(REFUSED ALIVE "get found sent -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                        "head none @1013 -> WAIT 25 [RESOLVE_WAITING]\n");
    TRACE(REFUSED ALIVE "get found sent g=101 t=0 -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                        "head none @1013 -> WAIT 25 [RESOLVE_WAITING]\n");
    TRACE(REFUSED ALIVE "get none -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                        "head none @1013 -> NOT_EXECUTED UNMET R13.B [FINISHED]\n");
    TRACE(REFUSED ALIVE "get found g=101 t=20000 ttl=4600 n=us -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                        "head none @1013 -> NOT_EXECUTED UNMET R13.B [FINISHED]\n");
    TRACE(REFUSED DEAD
          "get found sent -> QUERY [RESOLVE_OTHERS]\n" OTHERS
          "head F @1013 -> CONFLICT OVERTAKEN R13.C F, RELEASE g=101 t=0 ttl=4613 fence=1010 if same g=100 "
          "[FINISHED]\n");
}

TEST(a_larger_margin_in_the_ticket_is_kept)
{
    TRACE("put absent ours=X margin=9\n" BEFORE STOPPED
          "resolve margin=2 -> ticket * d0=1000 g=100 t=20000 ttl=4600 fence=1010 ours=X base=none\n"
          "start -> HEAD [RESOLVE_HEAD]\n"
          "head none @1019 -> GET [RESOLVE_OWN]\n"
          "get found sent -> QUERY [RESOLVE_OTHERS]\n" OTHERS "head none @1019 -> WAIT 25 [RESOLVE_WAITING]\n");
    TRACE("put absent ours=X\n" BEFORE STOPPED
          "resolve margin=9 -> ticket * d0=1000 g=100 t=20000 ttl=4600 fence=1010 ours=X base=none\n"
          "start -> HEAD [RESOLVE_HEAD]\n"
          "head none @1019 -> GET [RESOLVE_OWN]\n"
          "get found sent -> QUERY [RESOLVE_OTHERS]\n" OTHERS "head none @1019 -> WAIT 25 [RESOLVE_WAITING]\n");
}

/* D0 is what the ticket says, no Date of the store. */
TEST(a_ticket_gives_no_date)
{
    const struct guard_settings settings = guard_trace_settings();
    struct guard_ticket ticket = {.operation = GUARD_PUT,
                                  .expected_etag = "*",
                                  .record = {.generation = 1, .has_fence = true, .fence_s = 1010, .nonce = "n"},
                                  .d0_s = 5000};
    struct guard_event event = {.kind = GUARD_EVENT_START};
    struct guard guard;
    struct guard_actions todo;
    guard_init_resolve(&guard, &settings, &ticket, 1);
    guard_step(&guard, &event, &todo);
    event = (struct guard_event){.kind = GUARD_EVENT_HEAD, .head = HEAD_ANSWERED, .has_date = true, .date_s = 1001};
    guard_step(&guard, &event, &todo);
    assert_int_equal(todo.what, GUARD_DO_RECORD_GET);
    assert_int_equal(guard.round.life, GUARD_LIFE_LEFT);
}

/* Section 7: whoever says that native writers may be about, ticket or client, is believed. */
TEST(native_writers_of_ticket_or_client_count)
{
    for (int which = 0; which < 4; which++) {
        struct guard_settings settings = guard_trace_settings();
        struct guard_ticket ticket = {.operation = GUARD_PUT, .expected_etag = "*"};
        struct guard guard;
        settings.native_writers = (which & 1) != 0;
        ticket.native_writers = (which & 2) != 0;
        guard_init_resolve(&guard, &settings, &ticket, 1);
        assert_int_equal(guard.settings.native_writers, which != 0);
    }
}

TEST(a_commit_releases_only_what_is_dead)
{
    TRACE("put absent ours=X always\n" BEFORE STOPPED TICKET "head X nonce=us @1013 -> COMMITTED PROVEN V4 X "
          "[FINISHED]\n");
    TRACE("put absent ours=X always\n" BEFORE STOPPED TICKET ALIVE "get found sent -> QUERY [RESOLVE_OTHERS]\n" OTHERS
          "head X nonce=us @1013 -> COMMITTED PROVEN V4 X [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ uploads */

#define COMPLETE                                                                  \
    "complete absent\n"                                                           \
    "start -> HEAD [CHECKING]\n"                                                  \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n"                                  \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 u=9 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"
#define COMPLETE_TICKET                                                             \
    "resolve -> ticket * d0=1000 g=100 t=20000 ttl=4600 fence=1010 u=9 base=none\n" \
    "start -> HEAD [RESOLVE_HEAD]\n"
#define PARTS        OTHERS_ASKED "parts open -> HEAD [RESOLVE_AGAIN]\n"
#define OTHERS_ASKED "query -> PARTS u=9 [RESOLVE_PARTS]\n"

TEST(an_upload_is_the_tickets_where_the_record_is_and_both_are_dead)
{
    TRACE(COMPLETE STOPPED COMPLETE_TICKET DEAD "get found sent -> QUERY [RESOLVE_OTHERS]\n" PARTS
                                                "head none @1013 -> NOT_EXECUTED EXPIRED R14 [FINISHED]\n");
    assert_true(guard_owns_upload(&guard_trace.guard));
    TRACE(COMPLETE STOPPED COMPLETE_TICKET DEAD "get none -> QUERY [RESOLVE_OTHERS]\n" PARTS
                                                "head none @1013 -> NOT_EXECUTED EXPIRED R14 [FINISHED]\n");
    assert_false(guard_owns_upload(&guard_trace.guard));
    TRACE(COMPLETE STOPPED COMPLETE_TICKET DEAD "get found sent g=101 -> QUERY [RESOLVE_OTHERS]\n" PARTS
                                                "head none @1013 -> NOT_EXECUTED EXPIRED R14 [FINISHED]\n");
    assert_false(guard_owns_upload(&guard_trace.guard));
    TRACE(COMPLETE STOPPED COMPLETE_TICKET DEAD "get found sent u=8 -> UNKNOWN FALSE_TICKET R17 [FINISHED]\n");
    assert_false(guard_owns_upload(&guard_trace.guard));
}

TEST(an_upload_of_a_live_complete_is_not_the_tickets)
{
    TRACE(COMPLETE "attempt precondition -> HEAD [RESOLVE_HEAD]\n"
                   "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
                   "resolve -> ticket * d0=1000 g=100 t=20000 ttl=4600 fence=1010 u=9 base=none not-applied\n"
                   "start -> HEAD [RESOLVE_HEAD]\n" ALIVE "get found sent -> QUERY [RESOLVE_OTHERS]\n" OTHERS
                   "head F @1013 -> WAIT 25 [RESOLVE_WAITING]\n");
    assert_false(guard_owns_upload(&guard_trace.guard));
}

/* Nobody wrote down that a native writer's upload is its own. */
TEST(without_a_record_no_upload_is_the_tickets)
{
    TRACE("complete absent native\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "resolve -> native * d0=1000 g=100 t=20000 ttl=4600 fence=1010 u=9 base=none\n"
          "start -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> PARTS u=9 [RESOLVE_PARTS]\n"
          "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> NOT_EXECUTED EXPIRED N2 [FINISHED]\n");
    assert_false(guard_owns_upload(&guard_trace.guard));
}
