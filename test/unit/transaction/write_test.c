/* SPDX-License-Identifier: Apache-2.0 */
/* X3 to X6, X8, X9: one part, as a plain write. */
#include "transaction_trace.h"

TEST(X3_an_answer_ok_is_a_commit)
{
    TRACE("write\nstart -> PLAIN\nok -> COMMITTED\n");
    TRACE("write\nstart -> PLAIN\nambiguous -> WAIT 100\ntimer +100 -> PLAIN\nok -> COMMITTED\n");
}

TEST(X4_while_nothing_was_lost_a_condition_that_failed_is_a_conflict)
{
    TRACE("write\nstart -> PLAIN\nfailed 0:other/other -> CONFLICT\n");
    TRACE("write\nstart -> PLAIN\nfailed 0:read/none -> CONFLICT\n");
    TRACE("write\nstart -> PLAIN\nthrottled -> WAIT 100\ntimer +100 -> PLAIN\nfailed 0:absent -> CONFLICT\n");
    TRACE("blind\nstart -> PLAIN\nfailed 0:unseen -> CONFLICT\n");
}

TEST(X4_a_row_that_should_be_created_exists)
{
    TRACE("create\nstart -> PLAIN\nfailed 0:other/none -> EXISTS\n");
    TRACE("create create\nstart -> TOGETHER\nfailed 1:none/none -> EXISTS\n");
    TRACE("create write\nstart -> TOGETHER\nfailed 0:other/none 1:other/read -> CONFLICT\n");
    TRACE("create\nstart -> PLAIN\nfailed -> CONFLICT\n");
}

TEST(X4_a_refusal_is_definite)
{
    TRACE("write\nstart -> PLAIN\nrefused -> NOT_EXECUTED\n");
}

/* Something below has sent it twice. */
TEST(X6_our_own_token_is_no_conflict)
{
    TRACE("create\nstart -> PLAIN\nfailed 0:ours/none -> COMMITTED\n");
}

TEST(X6_after_a_lost_answer_the_tokens_decide)
{
#define LOST "start -> PLAIN\nambiguous -> WAIT 100\ntimer +100 -> PLAIN\n"
    TRACE("write\n" LOST "failed 0:ours/read -> COMMITTED\n");
    TRACE("write\n" LOST "failed 0:other/ours -> COMMITTED\n");
    TRACE("write\n" LOST "failed 0:other/read -> CONFLICT\n");
    TRACE("write\n" LOST "failed 0:other/other -> UNKNOWN\n");
    TRACE("write\n" LOST "failed 0:absent -> UNKNOWN\n");
}

/* A foreign writer has changed a field, and may change it back: then the lost copy is applied. */
TEST(X8_what_may_be_applied_yet_is_fenced)
{
    TRACE("write\n" LOST "failed 0:read/none -> FENCE 0\nok -> CONFLICT\n");
    TRACE("write\n" LOST "failed 0:read/none -> FENCE 0\nfailed 0:ours/read -> COMMITTED\n");
    TRACE("write\n" LOST "failed 0:read/none -> FENCE 0\nfailed 0:fence/read -> CONFLICT\n");
    TRACE("write\n" LOST "failed 0:read/none -> FENCE 0\nfailed 0:other/other -> UNKNOWN\n");
}

TEST(X8_a_lost_fence_is_sent_again)
{
    TRACE("write\n" LOST "failed 0:read/none -> FENCE 0\nambiguous -> WAIT 200\ntimer +200 -> FENCE 0\n"
          "throttled -> WAIT 400\ntimer +400 -> FENCE 0\nfailed 0:other/fence -> CONFLICT\n");
    TRACE("write\n" LOST "failed 0:read/none -> FENCE 0\nrefused -> UNKNOWN\n");
}

/* X8: the service shows no items with conditions that failed. */
TEST(X8_a_row_that_is_not_shown_is_looked_at)
{
    TRACE("write\n" LOST "failed 0:unseen -> LOOK\nok 0:read/other -> FENCE 0\nfailed 0:unseen -> WAIT 200\n"
          "timer +200 -> LOOK\nok 0:other/read -> CONFLICT\n");
    TRACE("write\n" LOST "failed 0:unseen -> LOOK\nrefused -> UNKNOWN\n");
}

TEST(X5_a_refusal_after_a_lost_answer_is_looked_into)
{
    TRACE("write\n" LOST "refused -> LOOK\nok 0:read/other -> FENCE 0\nok -> CONFLICT\n");
    TRACE("write\n" LOST "refused -> LOOK\nok 0:ours/read -> COMMITTED\n");
}

/* X5: somebody deletes what one copy has made, and the other makes it once more. */
TEST(X5_a_write_that_may_be_applied_twice_is_sent_once)
{
    TRACE("create\nstart -> PLAIN\nambiguous -> WAIT 100\ntimer +100 -> LOOK\nok 0:absent -> WAIT 200\n"
          "timer +200 -> LOOK\nok 0:ours/none -> COMMITTED\n");
    TRACE("bare\nstart -> PLAIN\nambiguous -> WAIT 100\ntimer +100 -> LOOK\nok 0:other/none -> WAIT 200\n"
          "timer +200 -> LOOK\nstop -> UNKNOWN\n");
    TRACE("blind\nstart -> PLAIN\nambiguous -> WAIT 100\ntimer +100 -> LOOK\nok 0:other/ours -> COMMITTED\n");
    TRACE("create\nstart -> PLAIN\nthrottled -> WAIT 100\ntimer +100 -> PLAIN\n");
}

TEST(X5_pauses_double_up_to_five_seconds)
{
    TRACE("write\nstart -> PLAIN\nambiguous -> WAIT 100\ntimer +99 -> WAIT 1\ntimer +1 -> PLAIN\n"
          "ambiguous -> WAIT 200\ntimer +200 -> PLAIN\nambiguous -> WAIT 400\ntimer +400 -> PLAIN\n"
          "ambiguous -> WAIT 800\ntimer +800 -> PLAIN\nambiguous -> WAIT 1600\ntimer +1600 -> PLAIN\n"
          "ambiguous -> WAIT 3200\ntimer +3200 -> PLAIN\nambiguous -> WAIT 5000\n");
}

TEST(X9_the_end_is_not_executed_while_nothing_was_lost)
{
    TRACE("write\nstop -> NOT_EXECUTED\n");
    TRACE("write\nstart -> PLAIN\nthrottled -> WAIT 100\nstop -> NOT_EXECUTED\n");
}

TEST(X9_the_end_is_unknown_once_something_was_lost)
{
    TRACE("write\nstart -> PLAIN\nstop -> UNKNOWN\n");
    TRACE("write\nstart -> PLAIN\nambiguous -> WAIT 100\nstop -> UNKNOWN\n");
    TRACE("write\n" LOST "throttled -> WAIT 200\nstop -> UNKNOWN\n");
    TRACE("write\n" LOST "failed 0:read/none -> FENCE 0\nstop -> UNKNOWN\n");
}

TEST(an_attempt_starts_once)
{
    TRACE("write\nstart -> PLAIN\nstart -> nothing\nok -> COMMITTED\n");
    TRACE("write\nstart -> PLAIN\nambiguous -> WAIT 100\nstart +10 -> WAIT 90\ntimer +90 -> PLAIN\n");
    TRACE("write\n" LOST "failed 0:unseen -> LOOK\nstart -> nothing\nok 0:ours/read -> COMMITTED\n");
}

TEST(an_answer_that_nobody_awaits_changes_nothing)
{
    TRACE("write\nok -> nothing\nstart -> PLAIN\nok -> COMMITTED\n");
    TRACE("write\nstart -> PLAIN\nthrottled -> WAIT 100\nok -> WAIT 100\ntimer +100 -> PLAIN\n"
          "failed 0:other/other -> CONFLICT\n");
    TRACE("write\nstart -> PLAIN\nthrottled -> WAIT 100\nambiguous -> WAIT 100\nstop -> NOT_EXECUTED\n");
}

TEST(X9_nothing_follows_a_verdict)
{
    TRACE("write\nstart -> PLAIN\nok -> COMMITTED\nfailed 0:absent -> COMMITTED\nstop -> COMMITTED\nstart -> "
          "COMMITTED\n");
}
