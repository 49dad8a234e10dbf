/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Database files that somebody else has made to harm whoever opens them. Nothing of them runs, nothing else is touched,
 * and what would never end ends. Without the care that is tested here most of these would hang.
 */
#include "ledger_state.h"

#include "sqlite/trust.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { AT_MOST_MS = 60000, LONG_MS = 240000, PAGE = 512, CHAIN = 16, ROWS_AT_LEAST = 100 };

static uint64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The ledger of `state` after `sql` was done to it. */
static void tamper(struct state *state, const char *sql)
{
    sqlite_tables_close(state->ledger);
    state->ledger = NULL;
    execute(state->file, sql);
}

static void check_refused(struct state *state, const char *words)
{
    uint64_t start_ms = now_ms();
    CHECK_IS(sqlite_tables_open(state->file, NULL, &state->ledger, &error), OS_ERR_TABLE);
    assert_null(state->ledger);
    assert_in_range(now_ms() - start_ms, 0, AT_MOST_MS);
    if (strstr(error.message, words) == NULL || strstr(error.message, state->file) == NULL)
        fail_msg("\"%s\" is not in: %s", words, error.message);
}

/* ---------------------------------------------------------------------------------------------------- the schema */

#define ENDLESS "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "

TEST_WITH(state, a_view_in_place_of_the_table_is_refused)
{
    tamper(state, "DROP TABLE records; CREATE VIEW records AS " ENDLESS
                  "SELECT 'p' AS path, 'e' AS etag, x AS generation, 1 AS timeout_ms, 1 AS ttl_s, 1 AS fence_s, "
                  "'n' AS nonce, 's' AS saw, NULL AS upload FROM c WHERE x < 0");
    check_refused(state, "tables");
}

TEST_WITH(state, a_trigger_is_refused)
{
    tamper(state, "CREATE TRIGGER t BEFORE INSERT ON records BEGIN SELECT count(*) FROM "
                  "(" ENDLESS "SELECT x FROM c); END");
    check_refused(state, "tables");
}

#define OTHER_TABLE                                                                                              \
    "DROP TABLE records; CREATE TABLE records (path, etag, generation, timeout_ms, ttl_s, fence_s, nonce, saw, " \
    "upload, "                                                                                                   \
    "CHECK (length(hex(zeroblob(400000000))) > 0), PRIMARY KEY (path, etag))"

TEST_WITH(state, a_table_with_other_columns_is_refused)
{
    static const char *const changes[] = {
        "ALTER TABLE records ADD COLUMN more TEXT",
        "ALTER TABLE records ADD COLUMN more INTEGER AS (length(hex(zeroblob(400000000))))",
        "ALTER TABLE records RENAME COLUMN saw TO seen",
        OTHER_TABLE,
    };
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        tamper(state, changes[i]);
        check_refused(state, "tables");
        assert_int_equal(unlink(state->file), 0);
        CHECK_OK(sqlite_tables_create(state->file, NULL, &error));
    }
}

TEST_WITH(state, an_index_of_an_expression_is_refused)
{
    tamper(state, "CREATE INDEX i ON records (length(hex(zeroblob(generation))))");
    check_refused(state, "tables");
}

TEST_WITH(state, an_index_that_is_missing_is_refused)
{
    tamper(state, "DROP INDEX records_by_ttl");
    check_refused(state, "tables");
}

TEST_WITH(state, a_virtual_table_is_refused)
{
    sqlite3 *db = NULL;
    tamper(state, "SELECT 1");
    assert_int_equal(sqlite3_open(state->file, &db), SQLITE_OK);
    int rc = sqlite3_exec(db, "CREATE VIRTUAL TABLE v USING fts5(text)", NULL, NULL, NULL);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    if (rc != SQLITE_OK) {
        print_message("SKIPPED: this SQLite has no virtual tables to make\n");
        return;
    }
    check_refused(state, "tables");
}

/* The text in sqlite_schema need not be of the object that stands beside it. */
TEST_WITH(state, a_schema_that_lies_is_refused)
{
    static const char *const lies[] = {
        "UPDATE sqlite_schema SET sql = 'CREATE TABLE records (path, etag, generation, timeout_ms, ttl_s, fence_s, "
        "nonce, saw, upload, CHECK (1))' WHERE name = 'records'",
        "INSERT INTO sqlite_schema VALUES ('table', 'harmless', 'harmless', 0, "
        "'CREATE TRIGGER t AFTER INSERT ON records BEGIN SELECT 1; END')",
        "INSERT INTO sqlite_schema VALUES ('table', 'harmless', 'harmless', 2, 'CREATE INDEX i ON records (hex(saw))')",
        "INSERT INTO sqlite_schema VALUES ('table', 'harmless', 'harmless', 2, 'CREATE TABLE records (x)')",
    };
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        char sql[512];
        (void)snprintf(sql, sizeof(sql), "PRAGMA writable_schema = ON; %s; PRAGMA writable_schema = OFF", lies[i]);
        tamper(state, sql);
        CHECK_IS(sqlite_tables_open(state->file, NULL, &state->ledger, &error), OS_ERR_TABLE);
        assert_int_equal(unlink(state->file), 0);
        CHECK_OK(sqlite_tables_create(state->file, NULL, &error));
    }
}

TEST_WITH(state, what_a_person_adds_beside_our_tables_is_left_alone)
{
    struct record record = make_record(3, "aa");
    tamper(state, "CREATE VIEW stuck AS SELECT path FROM records WHERE ttl_s > 0; "
                  "CREATE TABLE notes (path TEXT PRIMARY KEY, note TEXT UNIQUE); ANALYZE");
    CHECK_OK(sqlite_tables_open(state->file, NULL, &state->ledger, &error));
    assert_int_equal(put_if(state, "k", &record, RECORD_IF_ABSENT, NULL, NULL), TABLE_OK);
    check_stored(state, "k", &record);
}

/* ------------------------------------------------------------------------------------------------------ the pages */

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* SQLite, "Database File Format", 1.6: an interior page of an index has its cells' and its own last child here. */
static void point_all_children_at(unsigned char *page, uint32_t child)
{
    uint32_t cells = (uint32_t)page[3] << 8 | page[4];
    assert_int_equal(page[0], 2);
    assert_in_range(cells, 2, 100);
    put_u32(page + 8, child);
    for (uint32_t i = 0; i < cells; i++) {
        uint32_t cell = (uint32_t)page[12 + 2 * i] << 8 | page[13 + 2 * i];
        put_u32(page + cell, child);
    }
}

static uint32_t root_of(const char *file)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema WHERE name = 'records'", -1, &statement, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int root = sqlite3_column_int(statement, 0);
    (void)sqlite3_finalize(statement);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return (uint32_t)root;
}

/* A tree of CHAIN levels in which all children of a page are one and the same: more rows than anybody lives to see, in
 * a file of some kilobytes. */
static void make_endless_tree(const char *file)
{
    execute(file, "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; "
                  "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 2000) INSERT INTO records "
                  "SELECT printf('path-%08d', x), '*', 1, 1, -1, NULL, NULL, NULL, NULL FROM c");
    uint32_t root = root_of(file);
    int fd = open(file, O_RDWR | O_CLOEXEC);
    unsigned char top[PAGE];
    unsigned char page[PAGE];
    uint32_t chain[CHAIN];
    struct stat st;
    size_t count = 0;
    assert_true(fd >= 0 && fstat(fd, &st) == 0);
    assert_int_equal(pread(fd, top, PAGE, (off_t)(root - 1) * PAGE), PAGE);
    for (uint32_t number = 3; count < CHAIN && number <= st.st_size / PAGE; number++) {
        assert_int_equal(pread(fd, page, PAGE, (off_t)(number - 1) * PAGE), PAGE);
        if (page[0] == 10 && number != root) /* a leaf */
            chain[count++] = number;
    }
    assert_int_equal(count, CHAIN);
    for (size_t i = 0; i + 1 < CHAIN; i++) {
        memcpy(page, top, PAGE);
        point_all_children_at(page, chain[i + 1]);
        assert_int_equal(pwrite(fd, page, PAGE, (off_t)(chain[i] - 1) * PAGE), PAGE);
    }
    point_all_children_at(top, chain[0]);
    assert_int_equal(pwrite(fd, top, PAGE, (off_t)(root - 1) * PAGE), PAGE);
    assert_int_equal(close(fd), 0);
}

static bool count_row(void *context, const struct item *item, bool readable)
{
    (void)item;
    (void)readable;
    atomic_fetch_add((_Atomic uint64_t *)context, 1);
    return true;
}

static _Atomic uint64_t rows; /* of the list that is read */

static void *cancel_in_the_midst(void *cancelled)
{
    struct timespec nap = {.tv_nsec = 1000000};
    while (atomic_load(&rows) <= ROWS_AT_LEAST)
        (void)nanosleep(&nap, NULL);
    atomic_store((_Atomic int *)cancelled, 1);
    return NULL;
}

static void check_list_ends(struct state *state, struct sqlite_patience patience)
{
    uint64_t start_ms = now_ms();
    atomic_store(&rows, 0);
    enum table_outcome outcome =
        sqlite_tables_list(state->ledger, &record_schema, NULL, patience, count_row, &rows, &error);
    assert_in_range(now_ms() - start_ms, 0, AT_MOST_MS);
    assert_int_equal(error.code, OS_ERR_DEADLINE);
    assert_int_equal(outcome, TABLE_REFUSED);
    assert_true(atomic_load(&rows) > ROWS_AT_LEAST);
}

TEST_WITH(state, an_endless_list_ends_when_it_is_cancelled)
{
    _Atomic int cancelled = 0;
    pthread_t thread;
    tamper(state, "SELECT 1");
    make_endless_tree(state->file);
    CHECK_OK(sqlite_tables_open(state->file, NULL, &state->ledger, &error));
    assert_int_equal(pthread_create(&thread, NULL, cancel_in_the_midst, &cancelled), 0);
    struct sqlite_patience patience = sqlite_patience_ms(LONG_MS);
    patience.cancelled = &cancelled;
    check_list_ends(state, patience);
    pthread_join(thread, NULL);
}

TEST_WITH(state, an_endless_list_ends_in_time)
{
    tamper(state, "SELECT 1");
    make_endless_tree(state->file);
    CHECK_OK(sqlite_tables_open(state->file, NULL, &state->ledger, &error));
    check_list_ends(state, sqlite_patience_ms(0));
}

TEST_WITH(state, a_huge_row_is_refused)
{
    struct record found;
    bool is_there = false;
    tamper(state, "INSERT INTO records VALUES ('k', '*', 1, 1, 1, NULL, hex(zeroblob(30000000)), NULL, NULL)");
    CHECK_OK(sqlite_tables_open(state->file, NULL, &state->ledger, &error));
    assert_int_equal(records_get(state->ledger, &(struct record_row_key){"k", "*"}, sqlite_patience_ms(PATIENT_MS),
                                 &is_there, &found, NULL, &error),
                     TABLE_REFUSED);
    assert_non_null(strstr(error.message, "too big"));
}

TEST_WITH(state, a_ledger_of_an_earlier_version_is_looked_at_as_well)
{
    tamper(state, "ALTER TABLE records DROP COLUMN upload; PRAGMA user_version = 1");
    CHECK_OK(sqlite_tables_open(state->file, NULL, &state->ledger, &error));
    tamper(state, "ALTER TABLE records DROP COLUMN upload; PRAGMA user_version = 1; "
                  "CREATE TRIGGER t BEFORE INSERT ON records BEGIN SELECT 1; END");
    check_refused(state, "tables");
}

/* ------------------------------------------------------------------------------------------ one connection's limits */

static int sql_runs(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) & 0xff;
}

static void be_called(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    (void)values;
    ++*(int *)sqlite3_user_data(context);
    sqlite3_result_int(context, 1);
}

static sqlite3 *open_with_function(const char *file, int *calls)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_create_function(db, "called", 0, SQLITE_UTF8, calls, be_called, NULL, NULL), SQLITE_OK);
    return db;
}

/* What the schema could do if it were not compared, or by means that SQLite gets later. */
TEST_WITH(state, a_limited_connection_runs_nothing_of_the_schema)
{
    const char *file = below(state->folder, "other.db");
    int calls = 0;
    int trusted = 1;
    sqlite3 *db = open_with_function(file, &calls);
    assert_int_equal(sql_runs(db, "CREATE TABLE t (x); CREATE VIEW v AS SELECT 1; "
                                  "CREATE TRIGGER g BEFORE INSERT ON t BEGIN SELECT called(); END"),
                     SQLITE_OK);
    assert_int_equal(sql_runs(db, "INSERT INTO t VALUES (1)"), SQLITE_OK);
    assert_int_equal(calls, 1);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    db = open_with_function(file, &calls);
    sqlite_trust_limit(db);
    assert_int_equal(sql_runs(db, "SELECT * FROM t"), SQLITE_OK);
    assert_int_equal(sql_runs(db, "SELECT * FROM v"), SQLITE_ERROR);
    assert_int_equal(sql_runs(db, "INSERT INTO t VALUES (2)"), SQLITE_OK);
    assert_int_equal(calls, 1);
    assert_int_equal(sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &trusted), SQLITE_OK);
    assert_int_equal(trusted, 0);
    (void)sql_runs(db, "PRAGMA writable_schema = ON");
    assert_int_equal(sql_runs(db, "UPDATE sqlite_schema SET sql = 'CREATE TABLE t (y)' WHERE name = 't'"),
                     SQLITE_ERROR);
    assert_int_equal(sql_runs(db, "SELECT zeroblob(1 << 21)"), SQLITE_TOOBIG);
    assert_int_equal(sql_runs(db, "ATTACH ':memory:' AS other"), SQLITE_ERROR);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ------------------------------------------------------------------------------------------------- the file itself */

TEST_WITH(state, a_link_in_place_of_the_file_is_refused)
{
    char other[1024];
    (void)snprintf(other, sizeof(other), "%s", below(state->folder, "other.db"));
    sqlite_tables_close(state->ledger);
    state->ledger = NULL;
    assert_int_equal(rename(state->file, other), 0);
    assert_int_equal(symlink("other.db", state->file), 0);
    check_refused(state, "symbolic link");
    CHECK_IS(sqlite_tables_create(state->file, NULL, &error), OS_ERR_TABLE);
    CHECK_OK(sqlite_tables_open(other, NULL, &state->ledger, &error));
}

TEST_WITH(state, a_link_on_the_way_to_the_file_is_followed)
{
    char file[1024];
    struct sqlite_tables *ledger = NULL;
    struct record record = make_record(3, "aa");
    assert_int_equal(symlink(".", below(state->folder, "link")), 0);
    (void)snprintf(file, sizeof(file), "%s", below(state->folder, "link/ledger.db"));
    CHECK_OK(sqlite_tables_open(file, NULL, &ledger, &error));
    assert_int_equal(put_if(state, "k", &record, RECORD_IF_ABSENT, NULL, NULL), TABLE_OK);
    sqlite_tables_close(ledger);
    CHECK_OK(sqlite_tables_create(file, NULL, &error));
}

TEST_WITH(state, what_is_no_file_is_refused_and_not_waited_for)
{
    sqlite_tables_close(state->ledger);
    state->ledger = NULL;
    assert_int_equal(unlink(state->file), 0);
    assert_int_equal(mkfifo(state->file, 0600), 0);
    check_refused(state, "not a regular file");
    CHECK_IS(sqlite_tables_create(state->file, NULL, &error), OS_ERR_TABLE);
}

/* A journal that names a super-journal makes SQLite delete that file when it has been played back ("Atomic Commit In
 * SQLite", 5.6): any file of whoever opens the database. */
TEST_WITH(state, a_journal_that_names_another_file_does_not_delete_it)
{
    static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char page[4096];
    unsigned char journal[512 + 4 + 4096 + 4] = {0};
    unsigned char tail[2048] = {0};
    char victim[1024];
    uint32_t checksum = 0;
    tamper(state, "PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM");
    (void)snprintf(victim, sizeof(victim), "%s", below(state->folder, "victim"));
    write_plain(victim, "precious");
    int fd = open(state->file, O_RDONLY | O_CLOEXEC);
    struct stat st;
    assert_true(fd >= 0 && fstat(fd, &st) == 0);
    assert_int_equal(pread(fd, page, sizeof(page), 0), sizeof(page));
    assert_int_equal(close(fd), 0);
    memcpy(journal, magic, sizeof(magic)); /* 3.1: magic, count, nonce, pages, sector, page size */
    put_u32(journal + 8, 1);
    put_u32(journal + 16, (uint32_t)(st.st_size / 4096));
    put_u32(journal + 20, 512);
    put_u32(journal + 24, 4096);
    put_u32(journal + 512, 1);
    memcpy(journal + 516, page, sizeof(page));
    for (int at = 4096 - 200; at > 0; at -= 200)
        checksum += page[at];
    put_u32(journal + 516 + 4096, checksum);
    uint32_t length = (uint32_t)strlen(victim);
    put_u32(tail, 0x40000000 / 4096 + 1); /* the page of the locks, which is never journalled */
    memcpy(tail + 4, victim, length);
    checksum = 0;
    for (uint32_t i = 0; i < length; i++)
        checksum += (unsigned char)victim[i];
    put_u32(tail + 4 + length, length);
    put_u32(tail + 8 + length, checksum);
    memcpy(tail + 12 + length, magic, sizeof(magic));
    FILE *out = fopen(below(state->folder, "ledger.db-journal"), "w");
    assert_non_null(out);
    assert_int_equal(fwrite(journal, sizeof(journal), 1, out), 1);
    assert_int_equal(fwrite(tail, 20 + length, 1, out), 1);
    assert_int_equal(fclose(out), 0);
    os_code code = sqlite_tables_open(state->file, NULL, &state->ledger, &error);
    assert_true(exists(victim));
    CHECK_IS(code, OS_ERR_TABLE);
    check_refused(state, "journal");
    CHECK_IS(sqlite_tables_create(state->file, NULL, &error), OS_ERR_TABLE);
    assert_true(exists(victim));
}

enum { ENDLESS_S = 1500 }; /* what has no end ends the program */

int main(int argc, char **argv)
{
    (void)alarm(ENDLESS_S);
    return test_main(argc, argv);
}
