/* SPDX-License-Identifier: Apache-2.0 */
/* X2, X6, X10: what the tokens of rows tell, for an attempt as for its ticket. */
#include "transaction_trace.h"

TEST(X6_our_token_is_a_commit)
{
    JUDGED("write 0:ours/read", APPLIED);
    JUDGED("write 0:other/ours", APPLIED);
    JUDGED("create 0:ours/none", APPLIED);
    JUDGED("create 0:other/ours", APPLIED);
    JUDGED("bare 0:ours/none", APPLIED);
    JUDGED("blind 0:other/ours", APPLIED);
    JUDGED("write create 0:absent 1:ours/none", APPLIED);
}

TEST(X6_who_follows_what_was_read_says_that_ours_was_not_applied)
{
    JUDGED("write 0:other/read", NEVER);
    JUDGED("write 0:fence/read", NEVER);
    JUDGED("write 0:other/fence", NEVER);
    JUDGED("write write 0:read/other 1:other/read", NEVER);
}

/* X2: what was read can be replaced once. Whether we did is not told by what is two writes on, or gone. */
TEST(X2_a_row_that_moved_further_decides_nothing)
{
    JUDGED("write 0:other/other", MOVED);
    JUDGED("write 0:other/none", MOVED);
    JUDGED("write 0:none/none", MOVED);
    JUDGED("write 0:absent", MOVED);
    JUDGED("write create 0:absent 1:absent", MOVED);
}

TEST(X8_what_was_read_is_still_there)
{
    JUDGED("write 0:read/other", OPEN);
    JUDGED("write write 0:absent 1:read/none", OPEN);
}

/* X2: no token is no evidence: a row that somebody writes whole has none again. */
TEST(X2_a_row_without_a_token_proves_nothing)
{
    JUDGED("bare 0:other/none", UNDECIDED);
    JUDGED("bare 0:none/none", UNDECIDED);
    JUDGED("bare 0:absent", UNDECIDED);
    JUDGED("create 0:other/none", UNDECIDED);
    JUDGED("create 0:absent", UNDECIDED);
    JUDGED("blind 0:other/none", UNDECIDED);
}

TEST(X10_rows_that_were_only_read_prove_nothing)
{
    JUDGED("check write 0:ours/none 1:read/none", OPEN);
}
