/* SPDX-License-Identifier: Apache-2.0 */
/* L10: a version with a larger fencing token than the write's breaks its expectation, whatever the ETag is. */
#include "support/guard_trace.h"

TEST(the_first_head_refuses_an_older_holder)
{
    TRACE("put E fencing=6\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 token=7 @1000 -> CONFLICT EXPECTATION R1 E [FINISHED]\n");
}

TEST(the_same_token_and_an_older_one_are_written_over)
{
    TRACE("put E fencing=6 native\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 token=6 @1000 -> SIGN 1000/5 [SIGNING]\n");
    TRACE("put E fencing=6 native\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 @1000 -> SIGN 1000/5 [SIGNING]\n");
}

/* A recent Date is enough for a native write without a token, and for a creation. */
TEST(a_native_write_with_a_token_looks_first)
{
    TRACE("put E fencing=6 native recent=1000\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 token=7 @1000 -> CONFLICT EXPECTATION R1 E [FINISHED]\n");
    TRACE("put absent fencing=6 native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n");
    TRACE("put E native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n");
}

TEST(without_a_token_none_is_asked_for)
{
    TRACE("put E native\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 token=7 @1000 -> SIGN 1000/5 [SIGNING]\n");
}

/* A copy by one request, whose source is asked for beside. */
TEST(a_copy_is_held_against_the_token_that_is_there)
{
    TRACE("copy E fencing=6\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "source 1 -> [CHECKING]\n"
          "head E lm=5 token=7 @1000 -> CONFLICT EXPECTATION R1 E [FINISHED]\n");
    TRACE("copy E fencing=6 native recent=1000\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "source 1 -> [CHECKING]\n"
          "head E lm=5 token=7 @1000 -> CONFLICT EXPECTATION R1 E [FINISHED]\n");
    TRACE("copy E fencing=6 native recent=1000\n"
          "start -> HEAD, SOURCE [CHECKING]\n"
          "head E lm=5 token=6 @1000 -> [CHECKING]\n"
          "source 1 -> SIGN 1000/5 [SIGNING]\n");
    TRACE("copy absent fencing=6 native recent=1000\n"
          "start -> SOURCE [CHECKING]\n"
          "source 1 -> SIGN 1000/5 [SIGNING]\n");
}

/* R3.7: its record may be written before the answer to the HEAD. */
TEST(a_copy_whose_record_went_out_beside_is_held_against_it_too)
{
    TRACE("copy E fencing=6 recent=1000 known=bb\n"
          "start -> PUT g=100 t=20000 ttl=4600 fence=1012 saw=bb if absent, HEAD, SOURCE [ACQUIRING]\n"
          "put ok -> [ACQUIRING]\n"
          "source 1 -> [ACQUIRING]\n"
          "head E lm=5 token=7 nonce=bb @1001 -> CONFLICT EXPECTATION R1 E, "
          "RELEASE g=101 t=0 ttl=4601 fence=1012 saw=bb if g=100 [FINISHED]\n");
}

/* R5: what came between the first HEAD and the record. */
TEST(the_head_under_the_record_refuses_an_older_holder)
{
    TRACE("put E fencing=6\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 token=6 @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n"
          "put ok +5001 -> HEAD [RECHECKING]\n"
          "head E lm=6 token=7 @1005 -> CONFLICT EXPECTATION R5 E, RELEASE g=101 t=0 ttl=4605 "
          "fence=1010 if g=100 [FINISHED]\n");
}
