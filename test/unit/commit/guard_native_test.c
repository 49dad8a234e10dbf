/* SPDX-License-Identifier: Apache-2.0 */
/* Native mode: one request under the store's condition, and N1 to N3 after an ambiguous answer (M5).
 */
#include "support/guard_trace.h"

/* A Date at hand: D0 1000, fence 1010, dead from 1013 on. Or a HEAD first, which shows E with a nonce. */
#define ONE_REQUEST                    \
    "start -> SIGN 1000/5 [SIGNING]\n" \
    "signed -> SEND 12000 [SENDING]\n"
#define LOOKED                                                  \
    "start -> HEAD [CHECKING]\n"                                \
    "head E lm=5 nonce=before @1000 -> SIGN 1000/5 [SIGNING]\n" \
    "signed -> SEND 12000 [SENDING]\n"
#define LOST               "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
#define TOLD_DEAD(version) "head " version " @1013 -> HEAD [RESOLVE_AGAIN]\n"
#define HEX                "00112233445566778899aabbccddeeff"

/* ------------------------------------------------------------------------------------------------ the way there */

TEST(a_recent_date_makes_it_one_request)
{
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("delete E native recent=1000\n" ONE_REQUEST "attempt ok -> COMMITTED WRITTEN R9 none [FINISHED]\n");
    TRACE("complete absent parts=7 native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 13000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
}

/* Its signature ends at a fixed S3 time: signed at an older Date it lives longer, and so does its fence. */
TEST(an_older_date_lengthens_the_signature)
{
    TRACE("put absent native recent=1000\n"
          "start +599999 -> SIGN 1000/604 [SIGNING]\n"
          "signed -> SEND 11001 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1611 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1612 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1612 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put absent native recent=1000\n"
          "start r+600000 -> SIGN 1000/605 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n");
    TRACE("put absent native recent=1000\n"
          "start +600001 -> HEAD [CHECKING]\n"
          "head none @1601 -> SIGN 1601/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n");
}

TEST(without_a_date_a_head_comes_first)
{
    TRACE("put absent native\n"
          "start -> HEAD [CHECKING]\n"
          "head failed -> WAIT 25 [CHECKING]\n"
          "timer +25 -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("put absent native\n"
          "start -> HEAD [CHECKING]\n"
          "head F @1000 -> CONFLICT EXPECTATION R1 F [FINISHED]\n");
    TRACE("put absent native\n"
          "start -> HEAD [CHECKING]\n"
          "head X nonce=us @1000 -> COMMITTED PROVEN V4 X [FINISHED]\n");
}

/* The source's ETag is pinned, and its size decides the allowance. */
TEST(a_copy_looks_at_its_source_first)
{
    TRACE("copy absent native recent=1000\n"
          "start -> SOURCE [CHECKING]\n"
          "source failed -> WAIT 25 [CHECKING]\n"
          "timer +1000 -> SOURCE [CHECKING]\n"
          "source 4194304000 -> SIGN 1000/6 [SIGNING]\n"
          "signed -> SEND 112000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
    TRACE("copy absent native\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "source 5 -> [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n");
    TRACE("copy absent native recent=1000\n"
          "start -> SOURCE [CHECKING]\n"
          "source 5 +600001 -> HEAD [CHECKING]\n"
          "head none @1601 -> SIGN 1601/5 [SIGNING]\n");
    TRACE("copy absent native recent=1000\n"
          "start -> SOURCE [CHECKING]\n"
          "source refused -> NOT_EXECUTED SOURCE R1 [FINISHED]\n");
}

/* R6: only while the signature has enough left by all clocks. */
TEST(what_is_signed_too_late_is_not_sent)
{
    TRACE("put absent native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed b+3000 -> NOT_EXECUTED TOO_LATE R6 again longer [FINISHED]\n");
    TRACE("put absent native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed failed -> NOT_EXECUTED SIGN_FAILED R2 [FINISHED]\n");
    TRACE("put absent native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "stop -> NOT_EXECUTED STOPPED V3 [FINISHED]\n");
}

/* R8, E2: as ever. */
TEST(a_definite_refusal_is_not_executed)
{
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt refused -> NOT_EXECUTED REFUSED R8 [FINISHED]\n");
    TRACE("put absent native recent=1000\n" ONE_REQUEST
          "attempt not-sent -> NOT_EXECUTED NOT_SENT R6 again [FINISHED]\n");
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt skewed -> NOT_EXECUTED SKEWED E2 again [FINISHED]\n");
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt denied +1999 -> NOT_EXECUTED REFUSED R8 [FINISHED]\n");
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt denied +2000 -> HEAD [RESOLVE_AGAIN]\n");
    TRACE("put absent native recent=1000\n"
          "start +9000 -> SIGN 1000/14 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt token -> SIGN 1000/14 renewed [SIGNING_AGAIN]\n"
          "signed +1000 -> SEND 11000 [SENDING]\n"
          "attempt ok X -> COMMITTED WRITTEN R9 X [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ R7 */

TEST(a_412_is_a_conflict_where_the_expectation_is_broken)
{
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1001 -> CONFLICT OVERTAKEN R7 F [FINISHED]\n");
    TRACE("put E native recent=1000\n" ONE_REQUEST "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
          "head failed -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1001 -> CONFLICT OVERTAKEN R7 none [FINISHED]\n");
    TRACE("complete absent parts=7 native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 13000 [SENDING]\n"
          "attempt precondition @1020 -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1020 -> CONFLICT OVERTAKEN R7 F [FINISHED]\n");
}

/* V4: somewhere below it was sent twice after all. */
TEST(a_412_about_our_own_write_is_committed)
{
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
          "head X nonce=us @1001 -> COMMITTED PROVEN V4 X [FINISHED]\n");
}

TEST(a_412_although_the_expectation_holds_is_not_executed)
{
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1001 -> NOT_EXECUTED UNMET R7 [FINISHED]\n");
    TRACE("put E native\n" LOOKED "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
          "head E @1001 -> NOT_EXECUTED UNMET R7 [FINISHED]\n");
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
          "head refused -> NOT_EXECUTED HEAD_REFUSED R7 [FINISHED]\n");
}

/* E10.1: nothing tells when it was. */
TEST(a_head_without_a_date_judges_nothing)
{
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
          "head F -> WAIT 25 [RESOLVE_WAITING]\n");
    TRACE("put E native\n" LOOKED LOST TOLD_DEAD(
        "E lm=5 nonce=before") "head E lm=5 nonce=before -> WAIT 25 [RESOLVE_WAITING]\n");
}

TEST(a_409_means_what_the_profile_says)
{
    TRACE("put absent native recent=1000 409=final\n" ONE_REQUEST "attempt 409 -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1001 -> CONFLICT OVERTAKEN R7 F [FINISHED]\n");
    TRACE("put absent native recent=1000 409=again\n" ONE_REQUEST "attempt 409 -> WAIT 25 [SEND_WAITING]\n"
          "timer +25 -> SEND 11975 [SENDING]\n"
          "attempt 409 +5000 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1006 -> NOT_EXECUTED EXPIRED R7 again longer [FINISHED]\n");
    TRACE("put absent native recent=1000 409=again\n" ONE_REQUEST "attempt 409 +5000 -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1006 -> CONFLICT OVERTAKEN R7 F [FINISHED]\n");
    TRACE("complete absent native recent=1000 409=again\n" ONE_REQUEST "attempt 409 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1001 -> NOT_EXECUTED STAGE_AGAIN R7 [FINISHED]\n");
    TRACE("complete absent native recent=1000 409=again\n" ONE_REQUEST "attempt 409 -> HEAD [RESOLVE_AGAIN]\n"
          "head X nonce=us @1001 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt 409 -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1001 -> WAIT 25 [RESOLVE_WAITING]\n");
}

/* ------------------------------------------------------------------------------------------------ rounds */

TEST(our_nonce_is_committed)
{
    TRACE("put absent native recent=1000\n" ONE_REQUEST LOST
          "head X nonce=us @1001 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE("put E native\n" LOOKED LOST "head X nonce=us @1099 -> COMMITTED PROVEN V4 X [FINISHED]\n");
}

/* Dead: by a Date that came before the HEAD was sent, later than fence + margin. */
TEST(while_it_may_be_applied_it_waits)
{
    TRACE("put E native\n" LOOKED LOST "head E lm=5 nonce=before @1012 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
          "head refused -> WAIT 50 [RESOLVE_WAITING]\n"
          "timer +50 -> HEAD [RESOLVE_AGAIN]\n"
          "head E lm=5 nonce=before @1013 -> HEAD [RESOLVE_AGAIN]\n"
          "head X nonce=us @1013 -> COMMITTED PROVEN V4 X [FINISHED]\n");
}

/* E7: without a fence nothing is ever dead. */
TEST(without_a_fence_it_waits_until_it_is_stopped)
{
    TRACE("put E native no-fences\n" LOOKED LOST "head E lm=5 nonce=before @99999 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
          "head E lm=5 nonce=before @99999 -> WAIT 50 [RESOLVE_WAITING]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ N1 */

/* Seen before, and one of a kind: by its nonce, or the id of a version. */
TEST(n1_the_version_that_was_seen_before_still_stands)
{
    TRACE("put E native\n" LOOKED LOST TOLD_DEAD(
        "E lm=5 nonce=before") "head E lm=5 nonce=before @1013 -> NOT_EXECUTED EXPIRED N1 again [FINISHED]\n");
    TRACE("put E native\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=999 vid=v7 @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n" LOST TOLD_DEAD(
              "E lm=999 vid=v7") "head E lm=999 vid=v7 @1013 -> NOT_EXECUTED EXPIRED N1 again [FINISHED]\n");
}

/* Any difference: what was there may have been replaced twice. */
TEST(n1_needs_the_very_version)
{
    TRACE("put E native\n" LOOKED LOST TOLD_DEAD(
        "E lm=6 nonce=before") "head E lm=6 nonce=before @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put E native\n" LOOKED LOST TOLD_DEAD(
        "E lm=5 nonce=after") "head E lm=5 nonce=after @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
}

/* The same bytes written twice within a second, without a nonce; "null" is the id of one version after another. */
TEST(n1_needs_a_version_that_is_one_of_a_kind)
{
    TRACE("put E native\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=999 @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n" LOST TOLD_DEAD(
              "E lm=999") "head E lm=999 @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put E native\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=999 vid=null @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n" LOST TOLD_DEAD(
              "E lm=999 vid=null") "head E lm=999 vid=null @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
}

/* Never seen before, but too old to have come after us: D0 - margin - 300 s is 698. */
TEST(n1_a_version_from_long_before_has_stood_there)
{
    TRACE("put absent native tells recent=1000\n" ONE_REQUEST LOST TOLD_DEAD(
        HEX " lm=697") "head " HEX " lm=697 @1013 -> CONFLICT OVERTAKEN N1 " HEX " [FINISHED]\n");
    TRACE("put " HEX " native tells recent=1000\n" ONE_REQUEST LOST TOLD_DEAD(
        HEX " lm=697") "head " HEX " lm=697 @1013 -> NOT_EXECUTED EXPIRED N1 again [FINISHED]\n");
    TRACE("put absent native tells recent=1000\n" ONE_REQUEST LOST TOLD_DEAD(
        HEX " lm=698") "head " HEX " lm=698 @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
}

/* A slow PUT may have the date of its beginning, an upload that of its creation, days before; and RenameObject keeps
 * whatever date there was. */
TEST(n1_does_not_trust_every_date)
{
    TRACE("put absent native tells recent=1000\n" ONE_REQUEST LOST TOLD_DEAD(
        HEX "-2 lm=5") "head " HEX "-2 lm=5 @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put absent native tells recent=1000\n" ONE_REQUEST LOST TOLD_DEAD(
        "0011223344556677-899aabbccddeeff lm=5") "head 0011223344556677-899aabbccddeeff lm=5 @1013 -> UNKNOWN "
                                                 "NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put absent native recent=1000\n" ONE_REQUEST LOST TOLD_DEAD(
        HEX " lm=5") "head " HEX " lm=5 @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    /* A date that is missing, or cannot be read, is not an old one. */
    TRACE("put absent native tells recent=1000\n" ONE_REQUEST LOST TOLD_DEAD(
        HEX " lm=0") "head " HEX " lm=0 @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put " HEX " native tells recent=1000\n" ONE_REQUEST LOST TOLD_DEAD(
        HEX " lm=0") "head " HEX " lm=0 @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ N2 */

#define COMPLETE_LOST                  \
    "start -> SIGN 1000/5 [SIGNING]\n" \
    "signed -> SEND 13000 [SENDING]\n" LOST
#define ASKED "head none @1014 -> PARTS u=9 [RESOLVE_PARTS]\n"

/* V4.8: what was there before, or is there now, says nothing then. */
TEST(a_part_of_our_write_stays_a_doubt)
{
    TRACE("put E native\n" LOOKED LOST "head part X nonce=us @1013 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
          "head part E lm=5 nonce=before @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put E native\n" LOOKED LOST "head part X nonce=us @1001 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
          "head X nonce=us @1002 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE("put E native\n" LOOKED "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
          "head part X nonce=us @1013 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
          "head part F @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("complete absent parts=7 native recent=1000\n" COMPLETE_LOST
          "head part X nonce=us @1014 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> PARTS u=9 [RESOLVE_PARTS]\n"
          "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head part E lm=5 @1014 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    /* while it stands the rest may follow */
    TRACE("put E native\n" LOOKED LOST "head part X nonce=us @1013 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
          "head X nonce=us @1014 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    /* a refusal to look does not make it unseen */
    TRACE("put E native\n" LOOKED "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
          "head refused-part -> WAIT 25 [RESOLVE_WAITING]\n");
}

TEST(n2_an_open_upload_was_not_completed)
{
    TRACE("complete absent parts=7 native recent=1000\n" COMPLETE_LOST "head none @1013 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n" ASKED "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1014 -> NOT_EXECUTED EXPIRED N2 again [FINISHED]\n");
    TRACE("complete absent parts=7 native recent=1000\n" COMPLETE_LOST ASKED "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head X nonce=us @1014 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE("complete absent parts=7 native recent=1000\n" COMPLETE_LOST ASKED "parts unclear -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1014 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> PARTS u=9 [RESOLVE_PARTS]\n"
          "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head failed -> WAIT 50 [RESOLVE_WAITING]\n"
          "timer +50 -> PARTS u=9 [RESOLVE_PARTS]\n");
    TRACE("complete absent parts=7 native recent=1000\n" COMPLETE_LOST ASKED "parts unclear -> HEAD [RESOLVE_AGAIN]\n"
          "head X nonce=us @1014 -> COMMITTED PROVEN V4 X [FINISHED]\n");
}

/* A late copy of a part may have opened it again. */
TEST(n2_open_where_a_part_may_come_late_says_nothing)
{
    TRACE("complete absent parts=7 doubt native recent=1000\n" COMPLETE_LOST ASKED
          "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1014 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("complete absent parts=7 doubt native recent=1000\n" COMPLETE_LOST ASKED
          "parts open -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1014 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
}

TEST(n2_gone_or_refused_says_nothing)
{
    TRACE("complete absent parts=7 native recent=1000\n" COMPLETE_LOST ASKED "parts gone -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1014 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("complete absent parts=7 native recent=1000\n" COMPLETE_LOST ASKED "parts refused -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1014 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("complete E parts=7 native\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=before @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 13000 [SENDING]\n" LOST "head E nonce=before @1014 -> PARTS u=9 [RESOLVE_PARTS]\n"
          "parts gone -> HEAD [RESOLVE_AGAIN]\n"
          "head E nonce=before @1014 -> NOT_EXECUTED STAGE_AGAIN N1 [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ N3 */

/* It may have been applied, and then replaced or deleted: nobody kept the evidence. */
TEST(n3_absent_or_a_newer_version_is_unknown)
{
    TRACE("put absent native recent=1000\n" ONE_REQUEST LOST TOLD_DEAD(
        "none") "head none @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put E native\n" LOOKED LOST TOLD_DEAD(
        "F nonce=third") "head F nonce=third @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("delete E native\n" LOOKED LOST TOLD_DEAD("none") "head none @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ the ticket */

TEST(a_ticket_is_resolved_without_a_record)
{
    TRACE("put E native\n" LOOKED LOST "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "resolve -> native E d0=1000 g=100 t=20000 ttl=4600 fence=1010 saw=before base=E\n"
          "start -> HEAD [RESOLVE_AGAIN]\n" TOLD_DEAD(
              "E lm=5 nonce=before") "head E lm=5 nonce=before @1013 -> NOT_EXECUTED EXPIRED N1 [FINISHED]\n");
    TRACE("put absent native recent=1000\n" ONE_REQUEST "attempt precondition -> HEAD [RESOLVE_AGAIN]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "resolve -> native * d0=1000 g=100 t=20000 ttl=4600 fence=1010 base=none not-applied\n"
          "start -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1001 -> CONFLICT OVERTAKEN R7 F [FINISHED]\n");
}
