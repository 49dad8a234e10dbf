/* SPDX-License-Identifier: Apache-2.0 */
/* What is said to be written is on the disk by then: SQLite's flushes are counted in front of libc. */
#include "rows_state.h"

#include <sys/syscall.h>

static atomic_int flushes;

__attribute__((visibility("default"))) int fsync(int fd)
{
    atomic_fetch_add(&flushes, 1);
    return (int)syscall(SYS_fsync, fd);
}

__attribute__((visibility("default"))) int fdatasync(int fd)
{
    atomic_fetch_add(&flushes, 1);
    return (int)syscall(SYS_fdatasync, fd);
}

TEST_WITH(state, a_write_is_flushed_before_it_is_told_alone_or_with_others)
{
    static const char *const tokens[] = {"a", "b", "c"};
    json_t *item = NULL;
    struct rows_answer answers[2];
    const struct asked both[] = {{.kind = ROWS_PUT, .item = "{'p':{'S':'a'},'s':{'N':'1'}}"},
                                 {.kind = ROWS_PUT, .item = "{'p':{'S':'b'},'s':{'N':'1'}}"}};
    for (int i = 0; i < 3; i++) {
        atomic_store(&flushes, 0);
        CHECK_OUTCOME(write_alone(state, &both[0], NOW_S, &item), TABLE_OK);
        assert_true(atomic_load(&flushes) > 0);
        atomic_store(&flushes, 0);
        CHECK_OUTCOME(transact_at(state, both, 2, tokens[i], NOW_S, answers), TABLE_OK);
        assert_true(atomic_load(&flushes) > 0);
        rows_answers_free(answers, 2);
    }
}
