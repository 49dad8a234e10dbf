/* SPDX-License-Identifier: Apache-2.0 */
/* T3.10: a deletion releases the record under which what it deleted was made. */
#include "support/guard_trace.h"

#define SENDING                                                                         \
    "start -> HEAD [CHECKING]\n"                                                        \
    "head E nonce=whole @1000 -> SIGN 1000/5 [SIGNING]\n"                               \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=whole if absent [ACQUIRING]\n" \
    "put ok -> GET ours, SEND 20000 [SENDING]\n"
#define DELETING    SENDING "attempt ok -> COMMITTED WRITTEN R9 none [CLEARING]\n"
#define OWN_RELEASE "RELEASE g=101 t=0 ttl=4600 fence=1010 saw=whole if g=100 [FINISHED]\n"

/* The record under which the deleted object was made, and then its own, are in nobody's way any more. */
TEST(a_deletion_releases_the_record_of_what_it_deleted)
{
    TRACE("delete E\n" DELETING "get found g=5 t=20000 ttl=9 n=whole fence=1009 saw=a -> RELEASE * g=6 t=0 ttl=4600 "
          "n=whole fence=1009 saw=a if g=5 n=whole, " OWN_RELEASE);
    TRACE("delete E\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=a rep=whole @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=a if absent [ACQUIRING]\n"
          "put ok -> GET ours, SEND 20000 [SENDING]\n"
          "attempt ok -> COMMITTED WRITTEN R9 none [CLEARING]\n"
          "get found g=5 t=20000 ttl=9 n=whole -> RELEASE * g=6 t=0 ttl=4600 n=whole if g=5 n=whole, RELEASE g=101 t=0 "
          "ttl=4600 fence=1010 saw=a if g=100 [FINISHED]\n");
}

/* The next creation waits for the releases alone. */
TEST(a_creation_record_that_was_read_in_time_is_released_with_the_answer)
{
    TRACE("delete E\n" SENDING "get found g=5 t=20000 ttl=9 n=whole fence=1009 saw=a -> [SENDING]\n"
          "attempt ok -> COMMITTED WRITTEN R9 none, RELEASE * g=6 t=0 ttl=4600 n=whole fence=1009 saw=a if g=5 "
          "n=whole, " OWN_RELEASE);
    TRACE("delete E\n" SENDING "get none -> [SENDING]\n"
          "attempt ok -> COMMITTED WRITTEN R9 none, " OWN_RELEASE);
    TRACE("delete E\n" SENDING "get throttled -> [SENDING]\n"
          "attempt ok -> COMMITTED WRITTEN R9 none, " OWN_RELEASE);
}

/* Nobody knows then whether the object is gone. */
TEST(a_deletion_without_a_good_answer_releases_no_creation)
{
    TRACE("delete E\n" SENDING "attempt ambiguous -> DROP GET, HEAD [RESOLVE_HEAD]\n");
    TRACE("delete E\n" SENDING "get found g=5 t=20000 ttl=9 n=whole fence=1009 saw=a -> [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n");
    TRACE("delete E\n" SENDING "attempt refused -> DROP GET, NOT_EXECUTED REFUSED R8, " OWN_RELEASE);
    TRACE("delete E\n" SENDING "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
}

/* What was found stays; what was not is asked for beside the next copy. */
TEST(a_deletion_that_is_sent_again_reads_the_creation_until_it_is_found)
{
    TRACE("delete E 409=again\n" SENDING "attempt 409 @1001 -> DROP GET, WAIT 25 [SEND_WAITING]\n"
          "timer -> GET ours, SEND 20000 [SENDING]\n"
          "get found g=5 t=20000 ttl=9 n=whole -> [SENDING]\n"
          "attempt 409 @1001 -> WAIT 50 [SEND_WAITING]\n"
          "timer -> SEND 20000 [SENDING]\n"
          "attempt ok -> COMMITTED WRITTEN R9 none, RELEASE * g=6 t=0 ttl=4601 n=whole if g=5 n=whole, "
          "RELEASE g=101 t=0 ttl=4601 fence=1010 saw=whole if g=100 [FINISHED]\n");
    TRACE("delete E\n" SENDING "get throttled -> [SENDING]\n"
          "attempt token -> SIGN 1000/5 renewed [SIGNING_AGAIN]\n"
          "signed -> GET ours, SEND 20000 [SENDING]\n"
          "attempt ok -> COMMITTED WRITTEN R9 none [CLEARING]\n"
          "get none -> " OWN_RELEASE);
}

TEST(a_native_deletion_reads_nothing)
{
    TRACE("delete E native\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=whole @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt ok -> COMMITTED WRITTEN R9 none [FINISHED]\n");
}

/* A creator that this deletion has not seen may be alive; an upload's nonce is that of several Completes. */
TEST(a_deletion_leaves_the_record_of_another_creator_alone)
{
    TRACE("delete E\n" DELETING "get found g=5 t=20000 ttl=9 n=other fence=1009 -> " OWN_RELEASE);
    TRACE("delete E\n" DELETING "get found g=5 t=20000 ttl=9 n=- -> " OWN_RELEASE);
    TRACE("delete E\n" DELETING "get found g=5 t=20000 ttl=9 n=whole u=5 -> " OWN_RELEASE);
    TRACE("delete E\n" DELETING "get found g=5 t=0 ttl=9 n=whole -> " OWN_RELEASE);
    TRACE("delete E\n" DELETING "get found g=18446744073709551615 t=20000 ttl=9 n=whole -> " OWN_RELEASE);
    TRACE("delete E\n" DELETING "get none -> " OWN_RELEASE);
    TRACE("delete E\n" DELETING "get throttled -> " OWN_RELEASE);
}

/* Then nothing tells whose record stands there. */
TEST(a_deletion_of_what_carries_no_nonce_reads_nothing)
{
    TRACE("delete E\n"
          "start -> HEAD [CHECKING]\n"
          "head E nonce=before @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 saw=before if absent [ACQUIRING]\n"
          "put ok -> SEND 20000 [SENDING]\n"
          "attempt ok -> COMMITTED WRITTEN R9 none [FINISHED]\n");
}
