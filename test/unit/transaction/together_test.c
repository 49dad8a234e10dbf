/* SPDX-License-Identifier: Apache-2.0 */
/* X4, X5, X7, X8: several parts, as one transaction of the service. */
#include "transaction_trace.h"

#define LOST "start -> TOGETHER\nambiguous -> WAIT 100\ntimer +100 -> TOGETHER\n"

TEST(X4_a_hundred_parts_fit)
{
    TRACE("100*write\nstart -> TOGETHER\nfailed 99:other/read -> CONFLICT\n");
    TRACE("100*write\n" LOST "failed 99:other/none -> CONFLICT\n");
}

TEST(X7_while_the_token_is_remembered_what_failed_was_not_applied)
{
    TRACE("write write\n" LOST "failed 0:other/other -> CONFLICT\n");
    TRACE("write create\n" LOST "failed 0:absent 1:absent -> CONFLICT\n");
    TRACE("write write\n" LOST "failed 0:other/ours -> COMMITTED\n");
}

/* X7: the request went out in time, and its answer is of a time when the service may have forgotten. */
TEST(X7_an_answer_that_comes_late_proves_nothing)
{
    TRACE("write check\nstart -> TOGETHER\nambiguous -> WAIT 100\ntimer +479000 -> TOGETHER\n"
          "failed +999 0:other/other -> CONFLICT\n");
    TRACE("write check\nstart -> TOGETHER\nambiguous -> WAIT 100\ntimer +479000 -> TOGETHER\n"
          "failed +1000 0:other/other -> UNKNOWN\n");
    TRACE("write check\nstart -> TOGETHER\nambiguous -> WAIT 100\ntimer +479000 -> TOGETHER\n"
          "failed +1000 0:other/read -> CONFLICT\n");
}

TEST(X7_the_clock_that_advanced_most_counts)
{
    TRACE("write check\n" LOST "failed r+480000 0:other/other -> UNKNOWN\n");
    TRACE("write check\n" LOST "failed b+480000 0:other/other -> UNKNOWN\n");
    TRACE("write check\n" LOST "failed m+480000 0:other/other -> UNKNOWN\n");
}

/* X7: it counts from the first copy that may be applied. */
TEST(X7_what_was_throttled_is_not_remembered)
{
    TRACE("write check\nstart -> TOGETHER\nthrottled -> WAIT 100\ntimer +400000 -> TOGETHER\nambiguous -> WAIT 200\n"
          "timer +400000 -> TOGETHER\nfailed 0:absent -> CONFLICT\n");
}

TEST(X7_a_service_that_forgets_proves_nothing)
{
    TRACE("write check forgets\n" LOST "failed 0:other/other -> UNKNOWN\n");
    TRACE("write check forgets\n" LOST "failed 0:other/read -> CONFLICT\n");
}

/* X7: a CREATE holds again when the row is deleted. */
TEST(X7_a_row_that_exists_is_no_evidence_after_a_lost_answer)
{
    TRACE("create create\n" LOST "failed 0:other/none -> WAIT 200\ntimer +200 -> TOGETHER\nok -> COMMITTED\n");
    TRACE("create create\n" LOST "failed 0:other/none -> WAIT 200\nstop -> UNKNOWN\n");
}

TEST(X5_after_the_memory_the_rows_are_looked_at)
{
    TRACE("write check\nstart -> TOGETHER\nambiguous -> WAIT 100\ntimer +480000 -> LOOK\nok 0:read/other -> FENCE 0\n"
          "ok -> CONFLICT\n");
    TRACE("write check\nstart -> TOGETHER\nambiguous -> WAIT 100\ntimer +480000 -> LOOK\nok 0:absent -> UNKNOWN\n");
}

/* X5: the last copy must be through before the service forgets that the first one was applied. */
TEST(X5_creates_are_sent_again_for_three_minutes)
{
    TRACE("create create\nstart -> TOGETHER\nambiguous -> WAIT 100\ntimer +179999 -> TOGETHER\nok -> COMMITTED\n");
    TRACE("create create\nstart -> TOGETHER\nambiguous -> WAIT 100\ntimer +180000 -> LOOK\nok 0:absent 1:absent -> "
          "WAIT 200\n"
          "timer +200 -> LOOK\nok 1:ours/none -> COMMITTED\n");
    TRACE("create create forgets\nstart -> TOGETHER\nambiguous -> WAIT 100\ntimer +100 -> LOOK\n");
    TRACE("create together\n" LOST "ok -> COMMITTED\n");
}

TEST(X8_a_check_that_failed_is_fenced_on_a_row_that_is_written)
{
    TRACE("check write\n" LOST "failed 0:other/none -> FENCE 1\nok -> CONFLICT\n");
    TRACE("check blind bare write\n" LOST "failed 0:absent -> FENCE 3\nfailed 3:ours/read -> COMMITTED\n");
    TRACE("check bare\n" LOST "failed 0:absent -> WAIT 200\ntimer +200 -> TOGETHER\n");
}

/* X8: a row that another has created, or that is checked, is not needed to decide. */
TEST(X8_a_row_that_is_not_shown_is_looked_at_where_it_is_a_write_alone)
{
    TRACE("create write\n" LOST "failed 0:unseen -> FENCE 1\nok -> CONFLICT\n");
    TRACE("check write\n" LOST "failed 0:unseen -> FENCE 1\nfailed 1:ours/read -> COMMITTED\n");
    TRACE("create write\n" LOST "failed 0:unseen 1:unseen -> LOOK\nok 0:absent 1:other/read -> CONFLICT\n");
}

/* X8: the fence says that the row has moved; the same request again, while it is remembered, says whether by us. */
TEST(X8_a_fence_that_comes_too_late_is_followed_by_the_request)
{
    TRACE("check write\n" LOST "failed 0:other/none -> FENCE 1\nfailed 1:absent -> WAIT 200\ntimer +200 -> TOGETHER\n"
          "failed 1:absent -> CONFLICT\n");
    TRACE("check write\n" LOST "failed 0:other/none -> FENCE 1\nfailed 1:absent -> WAIT 200\ntimer +200 -> TOGETHER\n"
          "ok -> COMMITTED\n");
}

/* X7: with the condition of a row that is gone no item comes. */
TEST(X7_a_row_that_is_gone_is_looked_at_once)
{
    TRACE("write check\n" LOST "failed 0:unseen -> LOOK\nok 0:absent -> WAIT 200\ntimer +200 -> TOGETHER\n"
          "failed 0:unseen -> CONFLICT\n");
    TRACE("write check\n" LOST "failed 0:unseen -> LOOK\nok 0:absent -> WAIT 200\ntimer +200 -> TOGETHER\n"
          "ok -> COMMITTED\n");
    TRACE("write check\n" LOST "failed 0:unseen -> LOOK\nok 0:absent -> WAIT 200\ntimer +479000 -> TOGETHER\n"
          "failed +1000 0:unseen -> LOOK\nok 0:absent -> UNKNOWN\n");
    TRACE("check write\n" LOST "failed 0:other/none -> FENCE 1\nfailed 1:unseen -> WAIT 200\ntimer +200 -> LOOK\n"
          "ok 1:absent -> WAIT 400\ntimer +400 -> TOGETHER\nfailed 0:other/none -> CONFLICT\n");
}

/* A fence that failed tells of one row. */
TEST(X8_the_other_rows_are_looked_at)
{
    TRACE("check write write\n" LOST "failed 0:other/none -> FENCE 1\nfailed 1:absent -> WAIT 200\ntimer +200 -> LOOK\n"
          "ok 1:absent 2:read/none -> FENCE 2\nok -> CONFLICT\n");
}

TEST(X4_checks_alone_can_be_lost_and_repeated)
{
    TRACE("check\nstart -> COMMITTED\n");
    TRACE("check check\nstart -> TOGETHER\nambiguous -> WAIT 100\ntimer +900000 -> TOGETHER\nfailed 0:absent -> "
          "CONFLICT\n");
    TRACE("check check\nstart -> TOGETHER\nambiguous -> WAIT 100\nstop -> NOT_EXECUTED\n");
    TRACE("check check\nstart -> TOGETHER\nstop -> NOT_EXECUTED\n");
}
