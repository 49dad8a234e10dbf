/* SPDX-License-Identifier: Apache-2.0 */
/* Ledgers that an earlier release made: version 1 had no uploads. */
#include "ledger_state.h"

#include <sys/wait.h>
#include <unistd.h>

static const char version_1[] =
    "PRAGMA journal_mode=WAL;"
    "CREATE TABLE records ("
    "path TEXT NOT NULL, etag TEXT NOT NULL, generation INTEGER NOT NULL, timeout_ms INTEGER NOT NULL, "
    "ttl_s INTEGER NOT NULL, fence_s INTEGER, nonce TEXT, saw TEXT, PRIMARY KEY (path, etag)) WITHOUT ROWID;"
    "CREATE INDEX records_by_ttl ON records (ttl_s);"
    "INSERT INTO records VALUES ('k', '*', 7, 20000, 4000000000, NULL, 'aa', NULL);"
    "PRAGMA application_id=1869833036;"
    "PRAGMA user_version=1";
/* as the release of version 1 writes */
static const char old_writer[] =
    "INSERT OR REPLACE INTO records (path, etag, generation, timeout_ms, ttl_s, fence_s, nonce, saw) "
    "VALUES ('new', '*', 8, 20000, 4000000000, NULL, 'bb', NULL)";

static const char *old_file(struct state *state)
{
    static char file[1100];
    (void)snprintf(file, sizeof(file), "%s/old.db", state->folder);
    execute(file, version_1);
    return file;
}

static void use(struct state *state, const char *file)
{
    sqlite_tables_close(state->ledger);
    state->ledger = NULL;
    CHECK_OK(sqlite_tables_open(file, NULL, &state->ledger, &error));
}

TEST_WITH(state, an_old_ledger_keeps_its_records_and_takes_uploads)
{
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    struct record old = make_record(7, "aa");
    struct record held = make_record(1, "bb");
    held.upload = record_upload_number("an-id");
    use(state, old_file(state));
    check_stored(state, "k", &old);
    assert_int_equal(
        records_put(
            state->ledger,
            &(struct record_row){
                .path = "l", .etag = "*", .record = &held, .upload = "an-id", .condition = &absent, .now_s = 1000},
            sqlite_patience_ms(PATIENT_MS), NULL, NULL, &error),
        TABLE_OK);
    check_stored(state, "l", &held);
}

TEST_WITH(state, a_writer_of_the_old_release_that_is_running_goes_on)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *prepared = NULL;
    struct record written = make_record(8, "bb");
    const char *file = old_file(state);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, old_writer, -1, &prepared, NULL), SQLITE_OK);
    use(state, file);
    assert_int_equal(sqlite3_step(prepared), SQLITE_DONE);
    assert_int_equal(sqlite3_finalize(prepared), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    check_stored(state, "new", &written);
}

TEST_WITH(state, eight_processes_may_open_the_same_old_ledger)
{
    const char *file = old_file(state);
    pid_t children[PROCESSES];
    int borrow[2];
    assert_int_equal(pipe(borrow), 0);
    sqlite_tables_close(state->ledger);
    state->ledger = NULL;
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            struct sqlite_tables *ledger = NULL;
            char byte;
            close(borrow[1]);
            bool done = read(borrow[0], &byte, 1) == 0 && sqlite_tables_open(file, NULL, &ledger, &error) == OS_OK;
            if (!done)
                (void)fprintf(stderr, "child: %s\n", error.message);
            sqlite_tables_close(ledger);
            _exit(done ? 0 : 1);
        }
    }
    close(borrow[0]);
    close(borrow[1]);
    for (int i = 0; i < PROCESSES; i++)
        join(children[i]);
    struct record old = make_record(7, "aa");
    use(state, file);
    check_stored(state, "k", &old);
}

TEST_WITH(state, a_busy_old_ledger_is_left_as_it_is_after_the_given_time)
{
    const char *file = old_file(state);
    struct sqlite_patience short_patience = sqlite_patience_ms(20);
    struct sqlite_tables *ledger = NULL;
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    CHECK_IS(sqlite_tables_open(file, &short_patience, &ledger, &error), OS_ERR_THROTTLED);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    use(state, file);
}

/* Opened by a process that is not root's, which may read and write anything. */
static void check_refused_to_others(struct state *state, const char *file, os_code code, const char *words)
{
    struct sqlite_tables *ledger = NULL;
    sqlite_tables_close(state->ledger);
    state->ledger = NULL;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        bool said = sqlite_tables_open(file, NULL, &ledger, &error) == code && strstr(error.message, words) != NULL;
        if (!said)
            (void)fprintf(stderr, "child: %s\n", error.message);
        _exit(said ? 0 : 1);
    }
    join(child);
}

TEST_WITH(state, one_that_may_not_be_read_is_named)
{
    const char *file = old_file(state);
    assert_int_equal(chmod(file, 0), 0);
    assert_int_equal(chmod(state->folder, 0755), 0);
    check_refused_to_others(state, file, OS_ERR_DENIED, file);
}

TEST_WITH(state, an_old_ledger_that_cannot_be_written_says_what_to_do)
{
    const char *file = old_file(state);
    assert_int_equal(chmod(file, 0444), 0);
    assert_int_equal(chmod(state->folder, 0555), 0);
    check_refused_to_others(state, file, OS_ERR_TABLE, "read-only");
    assert_int_equal(chmod(state->folder, 0755), 0);
}
