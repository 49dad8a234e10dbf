/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child that was forked beside an open database has SQLite's memory of the locks and none of the locks. It must open
 * no database: it and another process were both granted one record.
 */
#include "ledger_state.h"

/* By exec: what the parent had open is not reachable in the child's memory, and is no leak. */
static void end_child(bool passed)
{
    if (!passed)
        (void)fprintf(stderr, "child: %s\n", error.message);
    execlp(passed ? "true" : "false", "child", (char *)NULL);
    _exit(127);
}

static void join_passed(pid_t child)
{
    int status = -1;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool is_refused(os_code code)
{
    return code == OS_ERR_ARGUMENT && strstr(error.message, "fork") != NULL;
}

TEST_WITH(state, a_child_forked_beside_an_open_ledger_opens_none)
{
    pid_t (*const ways[])(void) = {fork, fork_silently};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        pid_t child = ways[i]();
        if (child == 0) {
            struct sqlite_tables *ledger = NULL;
            char other[1024];
            (void)snprintf(other, sizeof(other), "%s/other.db", state->folder);
            end_child(is_refused(sqlite_tables_open(state->file, NULL, &ledger, &error)) &&
                      is_refused(sqlite_tables_create(other, NULL, &error)));
        }
        join_passed(child);
    }
}

TEST_WITH(state, so_does_a_grandchild)
{
    pid_t child = fork();
    if (child == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0) {
            struct sqlite_tables *ledger = NULL;
            end_child(is_refused(sqlite_tables_open(state->file, NULL, &ledger, &error)));
        }
        int status = -1;
        end_child(waitpid(grandchild, &status, 0) == grandchild && status == 0);
    }
    join_passed(child);
}

TEST_WITH(state, a_child_forked_when_all_were_closed_opens_what_it_likes)
{
    sqlite_tables_close(state->ledger);
    pid_t child = fork();
    if (child == 0) {
        struct sqlite_tables *ledger = NULL;
        bool opened = sqlite_tables_open(state->file, NULL, &ledger, &error) == OS_OK;
        sqlite_tables_close(ledger);
        end_child(opened);
    }
    join_passed(child);
    CHECK_OK(sqlite_tables_open(state->file, NULL, &state->ledger, &error));
}

/* What was not opened is not counted for open. */
TEST_WITH(state, a_ledger_that_could_not_be_opened_is_none_that_is_open)
{
    struct sqlite_tables *ledger = NULL;
    char missing[1024];
    (void)snprintf(missing, sizeof(missing), "%s/missing.db", state->folder);
    sqlite_tables_close(state->ledger);
    assert_int_not_equal(sqlite_tables_open(missing, NULL, &ledger, &error), OS_OK);
    assert_int_not_equal(sqlite_tables_open(state->folder, NULL, &ledger, &error), OS_OK);
    pid_t child = fork();
    if (child == 0) {
        bool opened = sqlite_tables_open(state->file, NULL, &ledger, &error) == OS_OK;
        sqlite_tables_close(ledger);
        end_child(opened);
    }
    join_passed(child);
    CHECK_OK(sqlite_tables_open(state->file, NULL, &state->ledger, &error));
}
