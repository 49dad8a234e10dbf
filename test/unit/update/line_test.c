/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a process: who has the turn, who is next, and what a forked child knows of them. */
#include "update/line.h"

#include "support/test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each stands for a thread of its own. Static, as a test that fails leaves them in line. */
static struct line_member *member_of(unsigned number, const char *bucket, const char *key)
{
    static struct line_member members[16];
    static size_t used;
    assert_true(used < sizeof(members) / sizeof(members[0]));
    struct line_member *member = &members[used++];
    *member = (struct line_member){.place = {"s3", "127.0.0.1:9000", bucket, key}};
    memcpy(&member->thread, &number, sizeof(number));
    return member;
}

TEST(the_next_is_called_in_order_of_arrival)
{
    struct line_member *a = member_of(1, "bucket", "key");
    struct line_member *b = member_of(2, "bucket", "key");
    struct line_member *c = member_of(3, "bucket", "key");
    assert_int_equal(line_arrive(a), LINE_FIRST);
    assert_int_equal(line_arrive(b), LINE_BEHIND);
    assert_int_equal(line_arrive(c), LINE_BEHIND);
    assert_ptr_equal(line_leave(a), b);
    assert_ptr_equal(line_leave(b), c);
    assert_null(line_leave(c));
}

TEST(other_objects_have_other_lines)
{
    struct line_member *a = member_of(1, "bucket", "key");
    struct line_member *b = member_of(2, "bucket", "another");
    struct line_member *c = member_of(3, "elsewhere", "key");
    assert_int_equal(line_arrive(a), LINE_FIRST);
    assert_int_equal(line_arrive(b), LINE_FIRST);
    assert_int_equal(line_arrive(c), LINE_FIRST);
    assert_null(line_leave(a));
    assert_null(line_leave(b));
    assert_null(line_leave(c));
}

TEST(who_gives_up_is_not_called_but_who_was_called_stays)
{
    struct line_member *a = member_of(1, "bucket", "key");
    struct line_member *b = member_of(2, "bucket", "key");
    struct line_member *c = member_of(3, "bucket", "key");
    (void)line_arrive(a);
    (void)line_arrive(b);
    (void)line_arrive(c);
    assert_true(line_give_up(b));
    assert_ptr_equal(line_leave(a), c);
    assert_false(line_give_up(c));
    assert_null(line_leave(c));
}

TEST(a_thread_does_not_wait_for_itself)
{
    struct line_member *a = member_of(1, "bucket", "key");
    struct line_member *again = member_of(1, "bucket", "key");
    assert_int_equal(line_arrive(a), LINE_FIRST);
    assert_int_equal(line_arrive(again), LINE_OWN);
    assert_null(line_leave(a));
}

TEST(a_forked_child_waits_for_nobody)
{
    struct line_member *a = member_of(1, "bucket", "key");
    struct line_member *b = member_of(2, "bucket", "key");
    int status = -1;
    assert_int_equal(line_arrive(a), LINE_FIRST);
    pid_t child = fork();
    if (child == 0)
        _exit(line_arrive(b) == LINE_FIRST && line_leave(b) == NULL && line_leave(a) == NULL ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(line_arrive(b), LINE_BEHIND);
    assert_ptr_equal(line_leave(a), b);
    assert_null(line_leave(b));
}
