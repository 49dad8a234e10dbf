/* SPDX-License-Identifier: Apache-2.0 */
/* R13: each row of its table, and each fact that forbids a row. The fence is 1010, the margin 2: dead from 1013 on. */
#include "support/guard_trace.h"

/* Ambiguous, with our ETag known: X; and of an update. */
#define AMBIGUOUS                                                             \
    "start -> HEAD [CHECKING]\n"                                              \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n"                              \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"                                        \
    "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
#define AMBIGUOUS_UPDATE                                                                 \
    "start -> HEAD [CHECKING]\n"                                                         \
    "head E lm=5 vid=v nonce=before @1000 -> SIGN 1000/5 [SIGNING]\n"                    \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=before if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"                                                   \
    "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
/* As above, of a version without a nonce. */
#define AMBIGUOUS_PLAIN                                                       \
    "start -> HEAD [CHECKING]\n"                                              \
    "head E @1000 -> SIGN 1000/5 [SIGNING]\n"                                 \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"                                        \
    "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
#define REFUSED_412                                                           \
    "start -> HEAD [CHECKING]\n"                                              \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n"                              \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"                                        \
    "attempt precondition -> HEAD [RESOLVE_HEAD]\n"
/* Rounds: what the first HEAD says, our record, (path, our ETag). */
#define ALIVE      "head none @1012 -> GET [RESOLVE_OWN]\n"
#define DEAD       "head none @1013 -> HEAD [RESOLVE_HEAD]\nhead none @1013 -> GET [RESOLVE_OWN]\n"
#define DEAD_E     "head E @1013 -> HEAD [RESOLVE_HEAD]\nhead E @1013 -> GET [RESOLVE_OWN]\n"
#define DEAD_OTHER "head F @1013 -> HEAD [RESOLVE_HEAD]\nhead F @1013 -> GET [RESOLVE_OWN]\n"
#define OURS       "get found sent -> QUERY [RESOLVE_OTHERS]\n"
#define FOREIGN    "get found g=101 t=20000 ttl=4620 n=other fence=1030 -> QUERY [RESOLVE_OTHERS]\n"
#define UNLOCKED   "query -> HEAD [RESOLVE_AGAIN]\n"
/* A DELETE's own ETag is "*". */
#define OURS_STAR     "get found sent -> GET ours [RESOLVE_OTHERS]\n"
#define FOREIGN_STAR  "get found g=101 t=20000 ttl=4620 n=other fence=1030 -> GET ours [RESOLVE_OTHERS]\n"
#define UNLOCKED_STAR "get none -> HEAD [RESOLVE_AGAIN]\n"

/* ------------------------------------------------------------------------------------------------ A, V4 */

TEST(row_a_our_nonce_in_either_head_is_committed)
{
    TRACE("put absent ours=X\n" AMBIGUOUS "head X nonce=us @1001 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS ALIVE OURS UNLOCKED
          "head X nonce=us @1001 -> COMMITTED PROVEN V4 X [FINISHED]\n");
    TRACE(
        "put absent ours=X always\n" AMBIGUOUS
        "head X nonce=us @1001 -> COMMITTED PROVEN V4 X, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 [FINISHED]\n");
}

TEST(row_a_a_record_of_our_etag_that_saw_our_nonce_is_committed)
{
    TRACE("put absent ours=X\n" AMBIGUOUS ALIVE OURS
          "query row X g=5 t=9 ttl=9 n=other fence=1020 saw=us -> COMMITTED PROVEN R13.A none [FINISHED]\n");
    TRACE("put absent\n" AMBIGUOUS ALIVE "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query row X g=5 n=other fence=1020 saw=us -> COMMITTED PROVEN R13.A none [FINISHED]\n");
    TRACE("put absent\n" AMBIGUOUS ALIVE "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query row W g=1 n=third fence=9 row X g=5 n=other fence=1020 saw=us row Z g=5 n=other -> "
          "COMMITTED PROVEN R13.A none [FINISHED]\n");
}

TEST(row_a_a_later_holder_of_our_key_that_saw_our_nonce_is_committed)
{
    TRACE("put E ours=E\n" AMBIGUOUS_UPDATE "head E nonce=other @1013 -> HEAD [RESOLVE_HEAD]\n"
          "head E nonce=other @1013 -> GET [RESOLVE_OWN]\n"
          "get found g=101 n=other fence=1030 saw=us -> COMMITTED PROVEN R13.A none [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD
          "get found g=101 n=other fence=1030 saw=us -> COMMITTED PROVEN R13.A none [FINISHED]\n");
}

TEST(row_a_what_somebody_else_saw_proves_nothing)
{
    TRACE("put absent ours=X\n" AMBIGUOUS ALIVE OURS
          "query row X g=5 n=other fence=900 saw=third -> HEAD [RESOLVE_AGAIN]\n"
          "head Y @1003 -> WAIT 25 [RESOLVE_WAITING]\n");
}

/* ------------------------------------------------------------------------------------------------ B, C */

TEST(row_b_not_applied_and_the_very_version_is_not_executed)
{
    TRACE("put absent ours=X\n" REFUSED_412 ALIVE OURS UNLOCKED
          "head none @1012 -> NOT_EXECUTED UNMET R13.B, RELEASE g=101 t=0 ttl=4612 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent ours=X\n" REFUSED_412 ALIVE FOREIGN "query row X g=1 n=other -> HEAD [RESOLVE_AGAIN]\n"
          "head none @9999 -> NOT_EXECUTED UNMET R13.B [FINISHED]\n");
}

TEST(row_c_not_applied_and_anything_else_is_a_conflict)
{
    TRACE("put absent ours=X\n" REFUSED_412 ALIVE OURS UNLOCKED
          "head F @1012 -> CONFLICT OVERTAKEN R13.C F, RELEASE g=101 t=0 ttl=4612 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put absent ours=X\n" REFUSED_412 ALIVE OURS "query row X g=1 n=other -> HEAD [RESOLVE_AGAIN]\n"
          "head F @9999 -> CONFLICT OVERTAKEN R13.C F, RELEASE g=101 t=0 ttl=13599 fence=1010 if g=100 [FINISHED]\n");
    TRACE("put E ours=X\n"
          "start -> HEAD [CHECKING]\n"
          "head E @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt precondition -> HEAD [RESOLVE_HEAD]\n"
          "head none @1001 -> GET [RESOLVE_OWN]\n"
          "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1001 -> CONFLICT OVERTAKEN R13.C none, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE(
        "put E ours=X\n"
        "start -> HEAD [CHECKING]\n"
        "head E @1000 -> SIGN 1000/5 [SIGNING]\n"
        "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
        "put ok -> SEND 20000 [SENDING]\n"
        "attempt precondition -> HEAD [RESOLVE_HEAD]\n"
        "head E @1001 -> GET [RESOLVE_OWN]\n"
        "get found sent -> QUERY [RESOLVE_OTHERS]\n"
        "query -> HEAD [RESOLVE_AGAIN]\n"
        "head F lm=2 @1001 -> CONFLICT OVERTAKEN R13.C F, RELEASE g=101 t=0 ttl=4601 fence=1010 if g=100 [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ D */

TEST(row_d_dead_and_still_absent_is_not_executed)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD "get none -> QUERY [RESOLVE_OTHERS]\n" UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent\n" AMBIGUOUS DEAD "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query row W g=1 n=third fence=997 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
}

TEST(row_d_dead_and_the_very_version_without_a_nonce_is_not_executed)
{
    TRACE("put E ours=X\n" AMBIGUOUS_PLAIN DEAD_E OURS UNLOCKED
          "head E @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/* An update back to the same bytes has another nonce: neither lock nor age matters. */
TEST(row_d_dead_and_the_very_version_with_a_nonce_needs_no_more)
{
    TRACE("put E ours=X\n" AMBIGUOUS_UPDATE DEAD_E FOREIGN "query row X g=1 n=other -> HEAD [RESOLVE_AGAIN]\n"
          "head E lm=5 vid=v nonce=before @9999 -> NOT_EXECUTED EXPIRED R13.D again [FINISHED]\n");
}

TEST(row_d_is_forbidden_while_the_attempt_may_be_applied)
{
    TRACE("put absent ours=X\n" AMBIGUOUS ALIVE OURS UNLOCKED "head none @1012 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n" DEAD OURS UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/* Locked: a record of our ETag without a fence, or whose fence + margin reaches our D0 (1000). */
TEST(row_d_is_forbidden_by_a_lock_on_our_etag)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS "query row X g=1 t=9 ttl=9 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS "query row X g=1 n=other fence=998 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS "query row X g=1 n=other fence=997 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent\n" AMBIGUOUS DEAD "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query row W g=1 n=x fence=997 row Z g=1 n=other fence=998 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

/* The bucket's encryption was changed since ETags were seen to be MD5 sums: our write makes an ETag that was not
 * predicted (K). Who replaced it has left that he saw it, unless a peer did. */
TEST(a_wrong_prediction_does_not_hide_who_replaced_our_write)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS
          "query row K g=1 n=other fence=1030 saw=us -> COMMITTED PROVEN R13.A none [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS "query row K g=1 t=9 ttl=9 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS
          "query row K g=1 n=other fence=1030 saw=third -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/* A record that went out beside its writer's HEAD says nothing of what that saw: it may have been our write. */
TEST(a_record_without_what_it_saw_locks_every_etag_that_was_not_predicted)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS "query row K g=1 n=other fence=1030 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS "query row K g=1 n=other fence=997 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put E ours=X\n" AMBIGUOUS_PLAIN DEAD_E OURS
          "query row * g=1 n=other fence=1030 row E g=101 n=other fence=1030 -> HEAD [RESOLVE_AGAIN]\n"
          "head E @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
}

/* E6: a 5xx or a lost answer says nothing of the signature's length. A minute of 503s made the next create wait for as
 * long as its signature lived. */
TEST(only_what_came_too_late_is_signed_for_longer)
{
#define ANSWERED(answer)                                                      \
    "start -> HEAD [CHECKING]\n"                                              \
    "head none @1000 -> SIGN 1000/5 [SIGNING]\n"                              \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"                                        \
    "attempt " answer " -> HEAD [RESOLVE_HEAD]\n"
#define RELEASED ", RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 [FINISHED]\n"
    TRACE("put absent ours=X\n" ANSWERED("ambiguous") DEAD OURS UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again" RELEASED);
    TRACE("put absent ours=X\n" ANSWERED("expired") DEAD OURS UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again longer" RELEASED);
    TRACE("put absent ours=X\n" ANSWERED("denied +2000") DEAD OURS UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again longer" RELEASED);
}

/* A peer's records of "*", and of the version that we replace, lock nothing that we may have written. */
TEST(what_is_not_our_etag_for_certain_locks_nothing)
{
    TRACE("put E ours=X\n" AMBIGUOUS_PLAIN DEAD_E OURS
          "query row * g=1 t=9 ttl=9 row E g=101 t=9 ttl=9 -> HEAD [RESOLVE_AGAIN]\n"
          "head E @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put E ours=E\n" AMBIGUOUS_PLAIN DEAD_E OURS "query row E g=101 t=9 ttl=9 -> HEAD [RESOLVE_AGAIN]\n"
          "head E @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

/* The same bytes again in the same second, on a store that keeps no metadata: the very version may be ours. */
#define YOUNG(modified)                                                       \
    "start -> HEAD [CHECKING]\n"                                              \
    "head E " modified " @1000 -> SIGN 1000/5 [SIGNING]\n"                    \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"                                        \
    "attempt ambiguous @1014 -> HEAD [RESOLVE_HEAD]\n"                        \
    "head E " modified " @1014 -> GET [RESOLVE_OWN]\n"
#define NOT_EXECUTED_1014 \
    " @1014 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4614 fence=1010 if g=100 [FINISHED]\n"
TEST(row_d_is_forbidden_where_a_put_may_have_made_the_version)
{
    TRACE("put E ours=E\n" YOUNG("lm=998") OURS UNLOCKED
          "head E lm=998 @1014 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put E ours=E\n" YOUNG("lm=997") OURS UNLOCKED "head E lm=997" NOT_EXECUTED_1014);
    TRACE("put E ours=X\n" YOUNG("lm=999") OURS UNLOCKED "head E lm=999" NOT_EXECUTED_1014);
    TRACE("delete E\n" YOUNG("lm=999") OURS_STAR UNLOCKED_STAR "head E lm=999" NOT_EXECUTED_1014);
}

/* Writers in native mode leave no records: one may have deleted what we wrote, or replaced it. */
TEST(rows_d_and_e_trust_no_lock_where_others_write_without_a_record)
{
    TRACE("put absent ours=X mixed\n" AMBIGUOUS DEAD OURS UNLOCKED
          "head none @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X mixed\n" AMBIGUOUS DEAD FOREIGN UNLOCKED
          "head F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put E ours=X mixed\n" AMBIGUOUS_UPDATE DEAD_E OURS UNLOCKED
          "head E lm=5 vid=v nonce=before @1013 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4613 "
          "fence=1010 saw=before if g=100 [FINISHED]\n");
}

/* R13: what a COPY without room for its nonce makes of the same bytes in the same second is the very version. */
#define RECOPY(modified)                                                      \
    "copy E\n"                                                                \
    "start -> HEAD, SOURCE [CHECKING]\n"                                      \
    "source 5 -> [CHECKING]\n"                                                \
    "head E " modified " @1000 -> SIGN 1000/5 [SIGNING]\n"                    \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1011 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"                                        \
    "attempt ambiguous @1014 -> HEAD [RESOLVE_HEAD]\n"                        \
    "head E " modified " @1014 -> GET [RESOLVE_OWN]\n"                        \
    "get found sent -> QUERY [RESOLVE_OTHERS]\n"                              \
    "query -> HEAD [RESOLVE_AGAIN]\n"
TEST(row_d_is_forbidden_where_a_copy_without_a_nonce_may_have_made_the_version)
{
    TRACE(RECOPY("lm=998") "head E lm=998 @1014 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE(RECOPY("lm=997") "head E lm=997 @1014 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=4614 "
                           "fence=1011 if g=100 [FINISHED]\n");
    TRACE(RECOPY("lm=0") "head E lm=0 @1014 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n"); /* unread: it is any */
    TRACE(RECOPY("lm=998") "head F lm=1001 @1014 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

/* Fresh: the last Date + 60 s is at most D0 + 600 s. */
TEST(row_d_is_forbidden_when_the_evidence_is_old)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS UNLOCKED
          "head none @1540 -> NOT_EXECUTED EXPIRED R13.D again, RELEASE g=101 t=0 ttl=5140 fence=1010 if g=100 "
          "[FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD OURS UNLOCKED
          "head none @1541 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

/* The very version: ETag, Last-Modified, version id and nonce, each. */
TEST(row_d_is_forbidden_by_any_difference_of_the_version)
{
    TRACE("put E ours=X\n" AMBIGUOUS_UPDATE DEAD_E OURS UNLOCKED
          "head F lm=5 vid=v nonce=before @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions hidden @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put E ours=X\n" AMBIGUOUS_UPDATE DEAD_E OURS UNLOCKED
          "head E lm=6 vid=v nonce=before @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions hidden @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put E ours=X\n" AMBIGUOUS_UPDATE DEAD_E OURS UNLOCKED
          "head E lm=5 vid=w nonce=before @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions hidden @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put E ours=X\n" AMBIGUOUS_UPDATE DEAD_E OURS UNLOCKED
          "head E lm=5 vid=v nonce=after @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions hidden @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put E ours=X\n" AMBIGUOUS_UPDATE DEAD_E OURS UNLOCKED "head none @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions hidden @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ E */

TEST(row_e_dead_and_overtaken_is_a_conflict)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD_OTHER FOREIGN UNLOCKED
          "head F @1013 -> CONFLICT OVERTAKEN R13.E F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD_OTHER FOREIGN
          "query row X g=1 n=third fence=997 -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1540 -> CONFLICT OVERTAKEN R13.E F [FINISHED]\n");
    TRACE("put absent\n" AMBIGUOUS DEAD_OTHER "get found g=101 n=other fence=1030 -> QUERY [RESOLVE_OTHERS]\n"
          "query row * g=101 n=other -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1013 -> CONFLICT OVERTAKEN R13.E F [FINISHED]\n");
    TRACE("put E ours=X\n" AMBIGUOUS_UPDATE DEAD FOREIGN UNLOCKED
          "head none @1013 -> CONFLICT OVERTAKEN R13.E none [FINISHED]\n");
}

/* Another writer replaced the expected version by the same bytes: what the call expects is there. */
TEST(rows_c_and_e_are_no_conflict_where_the_expectation_holds)
{
    TRACE("put E ours=X\n" AMBIGUOUS_UPDATE DEAD_E FOREIGN UNLOCKED
          "head E lm=9 vid=w nonce=other @1013 -> NOT_EXECUTED EXPIRED R13.E again [FINISHED]\n");
    TRACE("put E ours=X\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt precondition -> HEAD [RESOLVE_HEAD]\n"
          "head E lm=9 @1001 -> GET [RESOLVE_OWN]\n" FOREIGN UNLOCKED
          "head E lm=9 @1001 -> NOT_EXECUTED EXPIRED R13.C again [FINISHED]\n");
}

TEST(row_e_is_forbidden_while_the_attempt_may_be_applied)
{
    TRACE("put absent ours=X\n" AMBIGUOUS "head F @1012 -> GET [RESOLVE_OWN]\n" FOREIGN UNLOCKED
          "head F @1012 -> WAIT 25 [RESOLVE_WAITING]\n");
}

TEST(row_e_is_forbidden_by_the_very_version)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD FOREIGN UNLOCKED
          "head none @1013 -> NOT_EXECUTED EXPIRED R13.D again [FINISHED]\n");
}

/* Ours, none, and a peer's without a nonce. */
TEST(row_e_is_forbidden_without_another_writers_nonce_in_our_record)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD_OTHER OURS UNLOCKED
          "head F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD_OTHER "get none -> QUERY [RESOLVE_OTHERS]\n" UNLOCKED
          "head F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD_OTHER
          "get found g=101 t=20000 ttl=9 -> QUERY [RESOLVE_OTHERS]\n" UNLOCKED
          "head F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

TEST(row_e_is_forbidden_by_a_lock_on_our_etag)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD_OTHER FOREIGN "query row X g=1 t=9 ttl=9 -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD_OTHER FOREIGN
          "query row X g=1 n=third fence=998 -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("put absent\n" AMBIGUOUS DEAD_OTHER "get found g=101 n=other fence=1030 -> QUERY [RESOLVE_OTHERS]\n"
          "query row X g=1 n=x fence=998 -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("delete E ours=*\n" AMBIGUOUS_PLAIN DEAD_OTHER FOREIGN_STAR
          "get found g=1 n=x fence=1030 -> HEAD [RESOLVE_AGAIN]\n"
          "head F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

TEST(row_e_is_forbidden_when_the_evidence_is_old)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD_OTHER FOREIGN UNLOCKED
          "head F @1541 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ F, none */

TEST(row_f_dead_and_anything_else_is_unknown)
{
    TRACE("put absent ours=X\n" AMBIGUOUS DEAD_OTHER OURS UNLOCKED
          "head F @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    TRACE("delete E ours=*\n" AMBIGUOUS_PLAIN DEAD OURS_STAR UNLOCKED_STAR
          "head none @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

/* E7: without a fence nothing is ever dead. */
TEST(without_a_fence_it_waits_until_it_is_stopped)
{
    TRACE("put absent ours=X no-fences\n"
          "start -> HEAD [CHECKING]\n"
          "head none @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"
          "head none @99999 -> GET [RESOLVE_OWN]\n"
          "get found g=101 n=other fence=1030 -> QUERY [RESOLVE_OTHERS]\n"
          "query -> HEAD [RESOLVE_AGAIN]\n"
          "head F @99999 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head none @99999 -> GET [RESOLVE_OWN]\n"
          "get found sent -> QUERY [RESOLVE_OTHERS]\n"
          "query -> HEAD [RESOLVE_AGAIN]\n"
          "head none @99999 -> WAIT 50 [RESOLVE_WAITING]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
}
