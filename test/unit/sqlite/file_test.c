/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded ledger: its file, damage, a full disk, races between processes. */
#include "ledger_state.h"

/* ---------------------------------------------------------------------------------------------------- files */

static void check_not_opened(const char *file, os_code expected)
{
    struct sqlite_tables *ledger = NULL;
    CHECK_IS(sqlite_tables_open(file, NULL, &ledger, &error), expected);
    assert_null(ledger);
}

TEST_WITH(state, a_ledger_is_private_and_made_only_once)
{
    struct stat st;
    struct record record = make_record(3, "aa");
    assert_int_equal(stat(state->file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(put_if(state, "k", &record, RECORD_IF_ABSENT, NULL, NULL), TABLE_OK);
    assert_int_equal(stat(below(state->folder, "ledger.db-wal"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    CHECK_OK(sqlite_tables_create(state->file, NULL, &error));
    check_stored(state, "k", &record);
}

TEST_WITH(state, a_missing_or_unfinished_file_is_no_table)
{
    check_not_opened(below(state->folder, "absent.db"), OS_ERR_NO_TABLE);
    assert_false(exists(below(state->folder, "absent.db")));
    const char *empty = below(state->folder, "empty.db");
    write_plain(empty, "");
    check_not_opened(empty, OS_ERR_NO_TABLE);
    CHECK_OK(sqlite_tables_create(empty, NULL, &error));
    struct sqlite_tables *ledger = NULL;
    CHECK_OK(sqlite_tables_open(empty, NULL, &ledger, &error));
    sqlite_tables_close(ledger);
    CHECK_IS(sqlite_tables_create(below(state->folder, "no/such/folder.db"), NULL, &error), OS_ERR_IO);
    assert_null(strstr(error.message, "root folder"));
}

/* Who writes sqlite:///ledger.db has mostly meant the working directory. */
TEST(a_file_in_the_root_folder_is_called_that)
{
    check_not_opened("/oscommit-absent.db", OS_ERR_NO_TABLE);
    assert_non_null(strstr(error.message, "at /oscommit-absent.db. That is in the root folder: a sqlite:// URL has"));
}

TEST_WITH(state, the_database_of_another_program_is_refused_and_not_touched)
{
    char file[700];
    (void)snprintf(file, sizeof(file), "%s", below(state->folder, "other.db"));
    execute(file, "CREATE TABLE t (x); PRAGMA application_id = 42");
    struct stat before;
    struct stat after;
    assert_int_equal(stat(file, &before), 0);
    check_not_opened(file, OS_ERR_TABLE);
    CHECK_IS(sqlite_tables_create(file, NULL, &error), OS_ERR_TABLE);
    assert_int_equal(stat(file, &after), 0);
    assert_true(before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    execute(file, "PRAGMA application_id = 0"); /* ours has none before it is made: but this has a table */
    check_not_opened(file, OS_ERR_TABLE);
    assert_non_null(strstr(error.message, "another program (application id 0), not a ledger of oscommit."));
    CHECK_IS(sqlite_tables_create(file, NULL, &error), OS_ERR_TABLE);
    execute(file, "DROP TABLE t; PRAGMA application_id = 1869833036; PRAGMA user_version = 3");
    check_not_opened(file, OS_ERR_TABLE);
    assert_non_null(strstr(error.message, "version 3"));
}

TEST_WITH(state, a_file_that_is_no_database_is_refused)
{
    char text[] =
        "this is certainly no database, but it is long enough to be taken for the header of one, if one did not "
        "look closely at it";
    const char *file = below(state->folder, "text.db");
    write_plain(file, text);
    check_not_opened(file, OS_ERR_TABLE);
    assert_non_null(strstr(error.message, "file is not a database"));
    assert_non_null(strstr(error.message, "move it away"));
    CHECK_IS(sqlite_tables_create(file, NULL, &error), OS_ERR_TABLE);
    assert_non_null(strstr(error.message, "file is not a database"));
    check_not_opened(state->folder, OS_ERR_IO);
}

TEST_WITH(state, a_damaged_file_is_refused_with_a_sentence)
{
    for (int i = 0; i < 200; i++) {
        char path[32];
        struct record record = make_record((uint64_t)i, "aa");
        (void)snprintf(path, sizeof(path), "key-%d", i);
        assert_int_equal(put_if(state, path, &record, RECORD_IF_ABSENT, NULL, NULL), TABLE_OK);
    }
    sqlite_tables_close(state->ledger);
    state->ledger = NULL;
    int fd = open(state->file, O_RDWR);
    char junk[4096];
    memset(junk, 0x5a, sizeof(junk));
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    for (off_t at = 4096; at < st.st_size; at += 4096)
        assert_int_equal(pwrite(fd, junk, sizeof(junk), at), 4096);
    assert_int_equal(close(fd), 0);
    CHECK_OK(sqlite_tables_open(state->file, NULL, &state->ledger, &error)); /* its first page is whole */
    struct record found;
    bool is_there = false;
    assert_int_equal(records_get(state->ledger, &(struct record_row_key){"key-7", "*"}, sqlite_patience_ms(PATIENT_MS),
                                 &is_there, &found, NULL, &error),
                     TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_TABLE);
    struct record record = make_record(1, "bb");
    assert_int_equal(put_if(state, "key-7", &record, RECORD_IF_ABSENT, NULL, &found), TABLE_REFUSED);
    assert_non_null(strstr(error.message, "damaged"));
}

TEST_WITH(state, a_ledger_that_is_replaced_under_an_open_one_is_opened_anew)
{
    struct record record = make_record(3, "aa");
    char fresh[700];
    (void)snprintf(fresh, sizeof(fresh), "%s", below(state->folder, "fresh.db"));
    assert_int_equal(put_if(state, "k", &record, RECORD_IF_ABSENT, NULL, NULL), TABLE_OK);
    CHECK_OK(sqlite_tables_create(fresh, NULL, &error));
    assert_int_equal(rename(fresh, state->file), 0);
    (void)unlink(below(state->folder, "ledger.db-wal"));
    (void)unlink(below(state->folder, "ledger.db-shm"));
    check_stored(state, "k", NULL);
    assert_int_equal(unlink(state->file), 0);
    struct record found;
    bool is_there = false;
    assert_int_equal(records_get(state->ledger, &(struct record_row_key){"k", "*"}, sqlite_patience_ms(PATIENT_MS),
                                 &is_there, &found, NULL, &error),
                     TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_NO_TABLE);
}

TEST_WITH(state, a_busy_ledger_is_throttled_after_the_given_time)
{
    sqlite3 *other = NULL;
    struct record record = make_record(3, "aa");
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    struct timespec start;
    struct timespec end;
    assert_int_equal(sqlite3_open(state->file, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(records_put(state->ledger,
                                 &(struct record_row){
                                     .path = "k", .etag = "*", .record = &record, .condition = &absent, .now_s = 1000},
                                 sqlite_patience_ms(0), NULL, NULL, &error),
                     TABLE_THROTTLED);
    assert_int_equal(error.code, OS_ERR_THROTTLED);
    clock_gettime(CLOCK_MONOTONIC, &start);
    assert_int_equal(records_put(state->ledger,
                                 &(struct record_row){
                                     .path = "k", .etag = "*", .record = &record, .condition = &absent, .now_s = 1000},
                                 sqlite_patience_ms(60), NULL, NULL, &error),
                     TABLE_THROTTLED);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true((end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000 >= 59);
    check_stored(state, "k", NULL); /* readers do not wait for writers */
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    assert_int_equal(records_put(state->ledger,
                                 &(struct record_row){
                                     .path = "k", .etag = "*", .record = &record, .condition = &absent, .now_s = 1000},
                                 sqlite_patience_ms(0), NULL, NULL, &error),
                     TABLE_OK);
}

TEST_WITH(state, a_full_disk_refuses_and_keeps_what_was)
{
    char folder[700];
    (void)snprintf(folder, sizeof(folder), "%s", below(state->folder, "small"));
    assert_int_equal(mkdir(folder, 0700), 0);
    if (!mount_small(folder, "size=256k"))
        skip();
    struct state small = {.folder = folder};
    (void)snprintf(small.file, sizeof(small.file), "%s/ledger.db", folder);
    CHECK_OK(sqlite_tables_create(small.file, NULL, &error));
    CHECK_OK(sqlite_tables_open(small.file, NULL, &small.ledger, &error));
    struct record record = make_record(3, "aa");
    char path[1100];
    memset(path, 'x', sizeof(path));
    path[1000] = '\0';
    enum table_outcome outcome = TABLE_OK;
    int written = 0;
    while (outcome == TABLE_OK && written < 10000) {
        (void)snprintf(path + 990, 20, "%010d", written);
        outcome = put_if(&small, path, &record, RECORD_IF_ABSENT, NULL, NULL);
        written += outcome == TABLE_OK;
    }
    assert_int_equal(outcome, TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_NO_SPACE);
    check_stored(&small, path, NULL); /* definitely not applied */
    (void)snprintf(path + 990, 20, "%010d", written - 1);
    check_stored(&small, path, &record);
    sqlite_tables_close(small.ledger);
    assert_int_equal(umount(folder), 0);
}

/* ----------------------------------------------------------------------------------------------------- races */

/* Each process tries the same step on every key; gives how many it won. */
static int race_child(const char *file, int process, enum record_condition_kind kind, uint64_t generation)
{
    struct sqlite_tables *ledger = NULL;
    int won = 0;
    if (sqlite_tables_open(file, NULL, &ledger, NULL) != OS_OK)
        return 255;
    for (int key = 0; key < KEYS; key++) {
        char path[32];
        char nonce[33];
        struct record_condition condition = {.kind = kind, .seen = make_record(generation - 1, "")};
        struct record found;
        bool is_there = false;
        (void)snprintf(path, sizeof(path), "key-%d", key);
        (void)snprintf(nonce, sizeof(nonce), "%d", process);
        struct record record = make_record(generation, nonce);
        if (kind != RECORD_IF_ABSENT) {
            if (records_get(ledger, &(struct record_row_key){path, "*"}, sqlite_patience_ms(PATIENT_MS), &is_there,
                            &found, NULL, NULL) != TABLE_OK ||
                !is_there)
                return 255;
            memcpy(condition.seen.nonce, found.nonce, sizeof(found.nonce));
        }
        enum table_outcome outcome = records_put(
            ledger,
            &(struct record_row){.path = path, .etag = "*", .record = &record, .condition = &condition, .now_s = 1000},
            sqlite_patience_ms(PATIENT_MS), &found, NULL, NULL);
        if (outcome != TABLE_OK && outcome != TABLE_CONFLICT)
            return 255;
        won += outcome == TABLE_OK;
    }
    sqlite_tables_close(ledger);
    return won;
}

static void race(const char *file, enum record_condition_kind kind, uint64_t generation)
{
    pid_t children[PROCESSES];
    int borrow[2];
    assert_int_equal(pipe(borrow), 0);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            char byte;
            close(borrow[1]);
            _exit(read(borrow[0], &byte, 1) == 0 ? race_child(file, i, kind, generation) : 255); /* all at once */
        }
    }
    close(borrow[0]);
    close(borrow[1]);
    int won = 0;
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        assert_int_not_equal(WEXITSTATUS(status), 255);
        won += WEXITSTATUS(status);
    }
    assert_int_equal(won, KEYS);
}

TEST_WITH(state, of_eight_processes_exactly_one_wins_each_key)
{
    sqlite_tables_close(state->ledger);
    race(state->file, RECORD_IF_ABSENT, 1);
    race(state->file, RECORD_IF_SEEN, 2);
    race(state->file, RECORD_IF_HELD, 3);
    CHECK_OK(sqlite_tables_open(state->file, NULL, &state->ledger, &error));
    for (int key = 0; key < KEYS; key++) {
        char path[32];
        struct record found;
        bool is_there = false;
        (void)snprintf(path, sizeof(path), "key-%d", key);
        assert_int_equal(records_get(state->ledger, &(struct record_row_key){path, "*"}, sqlite_patience_ms(PATIENT_MS),
                                     &is_there, &found, NULL, &error),
                         TABLE_OK);
        assert_true(is_there);
        assert_int_equal(found.generation, 3);
    }
}

TEST_WITH(state, eight_processes_may_make_the_same_ledger)
{
    pid_t children[PROCESSES];
    char file[1024];
    sqlite_tables_close(state->ledger);
    state->ledger = NULL;
    for (int round = 0; round < 20; round++) {
        (void)snprintf(file, sizeof(file), "%s/shared-%d.db", state->folder, round);
        for (int i = 0; i < PROCESSES; i++) {
            children[i] = fork();
            assert_true(children[i] >= 0);
            if (children[i] == 0) {
                struct sqlite_tables *ledger = NULL;
                bool done = sqlite_tables_create(file, NULL, &error) == OS_OK &&
                            sqlite_tables_open(file, NULL, &ledger, &error) == OS_OK;
                sqlite_tables_close(ledger);
                if (!done)
                    (void)fprintf(stderr, "child: %s\n", error.message);
                _exit(done ? 0 : 1);
            }
        }
        for (int i = 0; i < PROCESSES; i++)
            join(children[i]);
    }
}
