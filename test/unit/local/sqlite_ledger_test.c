/* SPDX-License-Identifier: Apache-2.0 */
#include "local/sqlite_ledger.h"

#include "scratch.h"

#include <sqlite3.h>
#include <time.h>

enum { PATIENT_MS = 60000, PROCESSES = 8, KEYS = 50 };

struct state {
    char *folder;
    char file[1024];
    struct sqlite_ledger *ledger;
};

static os_error error;

static int set_up(void **context)
{
    struct state *state = calloc(1, sizeof(*state));
    assert_non_null(state);
    state->folder = scratch_make();
    (void)snprintf(state->file, sizeof(state->file), "%s/ledger.db", state->folder);
    CHECK_OK(sqlite_ledger_create(state->file, &error));
    CHECK_OK(sqlite_ledger_open(state->file, &state->ledger, &error));
    *context = state;
    return 0;
}

static int tear_down(void **context)
{
    struct state *state = *context;
    sqlite_ledger_close(state->ledger);
    scratch_remove(state->folder);
    free(state);
    return 0;
}

static void execute(const char *file, const char *sql)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s: %s", sql, message);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static struct record make_record(uint64_t generation, const char *nonce)
{
    struct record record;
    memset(&record, 0, sizeof(record));
    record.generation = generation;
    record.timeout_ms = 20000;
    record.ttl_s = 4000000000;
    (void)snprintf(record.nonce, sizeof(record.nonce), "%s", nonce);
    return record;
}

static enum ledger_outcome put_if(struct state *state, const char *path, const struct record *record,
                                  enum record_condition_kind kind, const struct record *seen, struct record *found)
{
    struct record_condition condition = {.kind = kind};
    if (seen != NULL) {
        condition.seen = *seen;
    }
    return sqlite_ledger_put(state->ledger, path, "*", record, &condition, 1000, PATIENT_MS, found, &error);
}

static void check_stored(struct state *state, const char *path, const struct record *expected)
{
    struct record found;
    bool is_there = false;
    memset(&found, 0xff, sizeof(found));
    assert_int_equal(sqlite_ledger_get(state->ledger, path, "*", PATIENT_MS, &is_there, &found, &error), LEDGER_OK);
    assert_int_equal(is_there, expected != NULL);
    if (expected != NULL) {
        assert_memory_equal(&found, expected, sizeof(found));
    }
}

/* ---------------------------------------------------------------------------------------------- conditions */

static void a_record_is_written_only_where_none_is(void **context)
{
    struct state *state = *context;
    struct record first = make_record(7, "aa");
    struct record second = make_record(8, "bb");
    struct record found;
    check_stored(state, "k", NULL);
    assert_int_equal(put_if(state, "k", &first, RECORD_IF_ABSENT, NULL, &found), LEDGER_OK);
    check_stored(state, "k", &first);
    assert_int_equal(put_if(state, "k", &second, RECORD_IF_ABSENT, NULL, &found), LEDGER_CONFLICT);
    assert_memory_equal(&found, &first, sizeof(found));
    check_stored(state, "k", &first);
}

static void a_takeover_needs_generation_ttl_and_nonce_as_seen(void **context)
{
    struct state *state = *context;
    struct record held = make_record(7, "aa");
    struct record next = make_record(8, "bb");
    struct record found;
    assert_int_equal(put_if(state, "k", &next, RECORD_IF_SEEN, &held, &found), LEDGER_CONFLICT_BLIND);
    assert_int_equal(put_if(state, "k", &held, RECORD_IF_ABSENT, NULL, &found), LEDGER_OK);
    for (int field = 0; field < 4; field++) {
        struct record seen = held;
        seen.generation += field == 0;
        seen.ttl_s += field == 1;
        seen.nonce[0] = field == 2 ? 'x' : field == 3 ? '\0' : seen.nonce[0];
        assert_int_equal(put_if(state, "k", &next, RECORD_IF_SEEN, &seen, &found), LEDGER_CONFLICT);
        assert_memory_equal(&found, &held, sizeof(found));
    }
    struct record seen = held;
    seen.timeout_ms = 1; /* not compared */
    assert_int_equal(put_if(state, "k", &next, RECORD_IF_SEEN, &seen, &found), LEDGER_OK);
    check_stored(state, "k", &next);
}

static void a_takeover_from_a_writer_without_nonce_needs_its_absence(void **context)
{
    struct state *state = *context;
    struct record peer = make_record(0, "");
    struct record next = make_record(1, "bb");
    struct record seen = make_record(0, "cc");
    struct record found;
    assert_int_equal(put_if(state, "k", &peer, RECORD_IF_ABSENT, NULL, &found), LEDGER_OK);
    assert_int_equal(put_if(state, "k", &next, RECORD_IF_SEEN, &seen, &found), LEDGER_CONFLICT);
    assert_int_equal(put_if(state, "k", &next, RECORD_IF_SEEN, &peer, &found), LEDGER_OK);
}

static void a_release_needs_generation_and_nonce_but_not_ttl(void **context)
{
    struct state *state = *context;
    struct record held = make_record(7, "aa");
    struct record released;
    struct record found;
    record_released(&held, 4000000009, &released);
    assert_int_equal(put_if(state, "k", &released, RECORD_IF_HELD, &held, &found), LEDGER_CONFLICT_BLIND);
    assert_int_equal(put_if(state, "k", &held, RECORD_IF_ABSENT, NULL, &found), LEDGER_OK);
    struct record other = held;
    other.generation = 6;
    assert_int_equal(put_if(state, "k", &released, RECORD_IF_HELD, &other, &found), LEDGER_CONFLICT);
    other = make_record(7, "ab");
    assert_int_equal(put_if(state, "k", &released, RECORD_IF_HELD, &other, NULL), LEDGER_CONFLICT);
    other = held;
    other.ttl_s = 5;
    assert_int_equal(put_if(state, "k", &released, RECORD_IF_HELD, &other, &found), LEDGER_OK);
    check_stored(state, "k", &released);
}

/* -------------------------------------------------------------------------------------------------- values */

static void every_unsigned_value_survives(void **context)
{
    struct state *state = *context;
    static const uint64_t values[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char path[32];
        struct record found;
        struct record record = make_record(values[i], "0123456789abcdef0123456789abcdef");
        record.timeout_ms = values[i];
        record.ttl_s = values[i] == 0 ? UINT64_MAX : values[i];
        record.has_fence = true;
        record.fence_s = values[i];
        (void)snprintf(record.saw, sizeof(record.saw), "fedcba9876543210fedcba9876543210");
        (void)snprintf(path, sizeof(path), "k%zu", i);
        assert_int_equal(put_if(state, path, &record, RECORD_IF_ABSENT, NULL, &found), LEDGER_OK);
        check_stored(state, path, &record);
        assert_int_equal(put_if(state, path, &record, RECORD_IF_SEEN, &record, &found), LEDGER_OK);
    }
}

static void paths_and_etags_are_compared_as_bytes(void **context)
{
    struct state *state = *context;
    char longest[1025];
    memset(longest, 'x', 1024);
    longest[1024] = '\0';
    const char *paths[] = {"K", "k", "k ", "\xc3\xa4", "a\xcc\x88", longest, "'; DROP TABLE records; --"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct record record = make_record(i, "");
        struct record found;
        assert_int_equal(put_if(state, paths[i], &record, RECORD_IF_ABSENT, NULL, &found), LEDGER_OK);
    }
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct record record = make_record(i, "");
        check_stored(state, paths[i], &record);
    }
    struct record record = make_record(99, "");
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    assert_int_equal(sqlite_ledger_put(state->ledger, "k", "\"e\"", &record, &absent, 1000, PATIENT_MS, NULL, &error),
                     LEDGER_OK);
}

struct listed {
    size_t count;
    size_t stop_at;
    char text[4096];
};

static bool list_one(void *context, const char *path, const char *etag, const struct record *record)
{
    struct listed *listed = context;
    size_t len = strlen(listed->text);
    (void)snprintf(listed->text + len, sizeof(listed->text) - len, "%s %s %llu %s;", path, etag,
                   (unsigned long long)record->generation, record->nonce);
    return ++listed->count != listed->stop_at;
}

static enum ledger_outcome list(struct state *state, const char *path, struct listed *listed)
{
    size_t stop_at = listed->stop_at;
    *listed = (struct listed){.stop_at = stop_at};
    return sqlite_ledger_list(state->ledger, path, PATIENT_MS, list_one, listed, &error);
}

static void records_are_listed_by_path_and_etag(void **context)
{
    struct state *state = *context;
    struct listed listed = {.stop_at = 0};
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    const char *keys[][2] = {{"b", "*"}, {"a", "\"2\""}, {"a", "*"}, {"a", "\"1\""}};
    for (size_t i = 0; i < 4; i++) {
        struct record record = make_record(i == 0 ? UINT64_MAX : i, "n");
        assert_int_equal(
            sqlite_ledger_put(state->ledger, keys[i][0], keys[i][1], &record, &absent, 1000, PATIENT_MS, NULL, &error),
            LEDGER_OK);
    }
    assert_int_equal(list(state, NULL, &listed), LEDGER_OK);
    assert_string_equal(listed.text, "a \"1\" 3 n;a \"2\" 1 n;a * 2 n;b * 18446744073709551615 n;");
    assert_int_equal(list(state, "b", &listed), LEDGER_OK);
    assert_int_equal(listed.count, 1);
    assert_int_equal(list(state, "c", &listed), LEDGER_OK);
    assert_int_equal(listed.count, 0);
    listed.stop_at = 2;
    assert_int_equal(list(state, NULL, &listed), LEDGER_OK);
    assert_int_equal(listed.count, 2);
}

static void a_row_that_is_no_record_is_unreadable_and_never_overwritten(void **context)
{
    struct state *state = *context;
    static const char *const rows[] = {
        "('k', '*', 'seven', 1, 4000000000, NULL, NULL, NULL)",
        "('k', '*', 7, 1.5, 4000000000, NULL, NULL, NULL)",
        "('k', '*', 7, 1, 4000000000, 'soon', NULL, NULL)",
        "('k', '*', 7, 1, 4000000000, NULL, '0123456789abcdef0123456789abcdef0', NULL)",
        "('k', '*', 7, 1, 4000000000, NULL, NULL, x'00')",
        "('k', '*', 7, 1, 4000000000, NULL, CAST(x'610062' AS TEXT), NULL)",
    };
    struct record record = make_record(1, "aa");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char sql[256];
        bool is_there = false;
        struct record found;
        (void)snprintf(sql, sizeof(sql), "INSERT OR REPLACE INTO records VALUES %s", rows[i]);
        execute(state->file, sql);
        assert_int_equal(sqlite_ledger_get(state->ledger, "k", "*", PATIENT_MS, &is_there, &found, &error),
                         LEDGER_UNREADABLE);
        assert_int_equal(error.code, OS_ERR_TABLE);
        assert_int_equal(put_if(state, "k", &record, RECORD_IF_ABSENT, NULL, &found), LEDGER_UNREADABLE);
        assert_int_equal(put_if(state, "k", &record, RECORD_IF_HELD, &record, &found), LEDGER_UNREADABLE);
    }
    struct listed listed = {.stop_at = 0};
    assert_int_equal(put_if(state, "l", &record, RECORD_IF_ABSENT, NULL, NULL), LEDGER_OK);
    assert_int_equal(list(state, NULL, &listed), LEDGER_UNREADABLE);
    assert_string_equal(listed.text, "l * 1 aa;");
}

/* ------------------------------------------------------------------------------------------------- expiry */

static void expired_records_go_with_later_writes_a_few_at_a_time(void **context)
{
    struct state *state = *context;
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    struct listed listed = {.stop_at = 0};
    const int64_t now = 1000000;
    for (int i = 0; i < 10; i++) {
        char path[32];
        struct record record = make_record(1, "aa");
        record.ttl_s = (uint64_t)(now - 61 - i);
        (void)snprintf(path, sizeof(path), "old%d", i);
        /* written long before they expire */
        assert_int_equal(sqlite_ledger_put(state->ledger, path, "*", &record, &absent, 1, PATIENT_MS, NULL, &error),
                         LEDGER_OK);
    }
    static const uint64_t living[] = {1000000 - 60, 1000000, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        char path[32];
        struct record record = make_record(1, "aa");
        record.ttl_s = living[i];
        (void)snprintf(path, sizeof(path), "live%zu", i);
        assert_int_equal(sqlite_ledger_put(state->ledger, path, "*", &record, &absent, now, PATIENT_MS, NULL, &error),
                         LEDGER_OK);
        assert_int_equal(list(state, NULL, &listed), LEDGER_OK);
        assert_int_equal(listed.count, i == 0 ? 7 : i == 1 ? 4 : i + 1);
    }
    assert_null(strstr(listed.text, "old"));
}

static void a_write_never_removes_its_own_record_and_a_refused_one_removes_nothing(void **context)
{
    struct state *state = *context;
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    struct record expired = make_record(1, "aa");
    struct record found;
    expired.ttl_s = 5;
    assert_int_equal(sqlite_ledger_put(state->ledger, "k", "*", &expired, &absent, 1000000, PATIENT_MS, NULL, &error),
                     LEDGER_OK);
    check_stored(state, "k", &expired);
    assert_int_equal(sqlite_ledger_put(state->ledger, "k", "*", &expired, &absent, 1000000, PATIENT_MS, &found, &error),
                     LEDGER_CONFLICT);
    check_stored(state, "k", &expired);
    struct record fresh = make_record(1, "bb");
    assert_int_equal(sqlite_ledger_put(state->ledger, "l", "*", &fresh, &absent, 1000000, PATIENT_MS, &found, &error),
                     LEDGER_OK);
    check_stored(state, "k", NULL);
}

/* ---------------------------------------------------------------------------------------------------- files */

static void check_not_opened(const char *file, os_code expected)
{
    struct sqlite_ledger *ledger = NULL;
    CHECK_IS(sqlite_ledger_open(file, &ledger, &error), expected);
    assert_null(ledger);
}

static void a_ledger_is_private_and_made_only_once(void **context)
{
    struct state *state = *context;
    struct stat st;
    struct record record = make_record(3, "aa");
    assert_int_equal(stat(state->file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(put_if(state, "k", &record, RECORD_IF_ABSENT, NULL, NULL), LEDGER_OK);
    assert_int_equal(stat(below(state->folder, "ledger.db-wal"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    CHECK_OK(sqlite_ledger_create(state->file, &error));
    check_stored(state, "k", &record);
}

static void a_missing_or_unfinished_file_is_no_table(void **context)
{
    struct state *state = *context;
    check_not_opened(below(state->folder, "absent.db"), OS_ERR_NO_TABLE);
    assert_false(exists(below(state->folder, "absent.db")));
    const char *empty = below(state->folder, "empty.db");
    write_plain(empty, "");
    check_not_opened(empty, OS_ERR_NO_TABLE);
    CHECK_OK(sqlite_ledger_create(empty, &error));
    struct sqlite_ledger *ledger = NULL;
    CHECK_OK(sqlite_ledger_open(empty, &ledger, &error));
    sqlite_ledger_close(ledger);
    CHECK_IS(sqlite_ledger_create(below(state->folder, "no/such/folder.db"), &error), OS_ERR_IO);
}

static void the_database_of_another_program_is_refused_and_not_touched(void **context)
{
    struct state *state = *context;
    char file[700];
    (void)snprintf(file, sizeof(file), "%s", below(state->folder, "other.db"));
    execute(file, "CREATE TABLE t (x); PRAGMA application_id = 42");
    struct stat before;
    struct stat after;
    assert_int_equal(stat(file, &before), 0);
    check_not_opened(file, OS_ERR_TABLE);
    CHECK_IS(sqlite_ledger_create(file, &error), OS_ERR_TABLE);
    assert_int_equal(stat(file, &after), 0);
    assert_true(before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    execute(file, "PRAGMA application_id = 0"); /* ours has none before it is made: but this has a table */
    check_not_opened(file, OS_ERR_TABLE);
    CHECK_IS(sqlite_ledger_create(file, &error), OS_ERR_TABLE);
    execute(file, "DROP TABLE t; PRAGMA application_id = 1869833036; PRAGMA user_version = 2");
    check_not_opened(file, OS_ERR_TABLE);
    assert_non_null(strstr(error.message, "version 2"));
}

static void a_file_that_is_no_database_is_refused(void **context)
{
    struct state *state = *context;
    char text[] =
        "this is certainly no database, but it is long enough to be taken for the header of one, if one did not "
        "look closely at it";
    const char *file = below(state->folder, "text.db");
    write_plain(file, text);
    check_not_opened(file, OS_ERR_TABLE);
    CHECK_IS(sqlite_ledger_create(file, &error), OS_ERR_TABLE);
    check_not_opened(state->folder, OS_ERR_IO);
}

static void a_damaged_file_is_refused_with_a_sentence(void **context)
{
    struct state *state = *context;
    for (int i = 0; i < 200; i++) {
        char path[32];
        struct record record = make_record((uint64_t)i, "aa");
        (void)snprintf(path, sizeof(path), "key-%d", i);
        assert_int_equal(put_if(state, path, &record, RECORD_IF_ABSENT, NULL, NULL), LEDGER_OK);
    }
    sqlite_ledger_close(state->ledger);
    state->ledger = NULL;
    int fd = open(state->file, O_RDWR);
    char junk[4096];
    memset(junk, 0x5a, sizeof(junk));
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    for (off_t at = 4096; at < st.st_size; at += 4096) {
        assert_int_equal(pwrite(fd, junk, sizeof(junk), at), 4096);
    }
    assert_int_equal(close(fd), 0);
    CHECK_OK(sqlite_ledger_open(state->file, &state->ledger, &error)); /* its first page is whole */
    struct record found;
    bool is_there = false;
    assert_int_equal(sqlite_ledger_get(state->ledger, "key-7", "*", PATIENT_MS, &is_there, &found, &error),
                     LEDGER_REFUSED);
    assert_int_equal(error.code, OS_ERR_TABLE);
    struct record record = make_record(1, "bb");
    assert_int_equal(put_if(state, "key-7", &record, RECORD_IF_ABSENT, NULL, &found), LEDGER_REFUSED);
    assert_non_null(strstr(error.message, "damaged"));
}

static void a_ledger_that_is_replaced_under_an_open_one_is_opened_anew(void **context)
{
    struct state *state = *context;
    struct record record = make_record(3, "aa");
    char fresh[700];
    (void)snprintf(fresh, sizeof(fresh), "%s", below(state->folder, "fresh.db"));
    assert_int_equal(put_if(state, "k", &record, RECORD_IF_ABSENT, NULL, NULL), LEDGER_OK);
    CHECK_OK(sqlite_ledger_create(fresh, &error));
    assert_int_equal(rename(fresh, state->file), 0);
    (void)unlink(below(state->folder, "ledger.db-wal"));
    (void)unlink(below(state->folder, "ledger.db-shm"));
    check_stored(state, "k", NULL);
    assert_int_equal(unlink(state->file), 0);
    struct record found;
    bool is_there = false;
    assert_int_equal(sqlite_ledger_get(state->ledger, "k", "*", PATIENT_MS, &is_there, &found, &error), LEDGER_REFUSED);
    assert_int_equal(error.code, OS_ERR_NO_TABLE);
}

static void a_busy_ledger_is_throttled_after_the_given_time(void **context)
{
    struct state *state = *context;
    sqlite3 *other = NULL;
    struct record record = make_record(3, "aa");
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    struct timespec start;
    struct timespec end;
    assert_int_equal(sqlite3_open(state->file, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite_ledger_put(state->ledger, "k", "*", &record, &absent, 1000, 0, NULL, &error),
                     LEDGER_THROTTLED);
    assert_int_equal(error.code, OS_ERR_THROTTLED);
    clock_gettime(CLOCK_MONOTONIC, &start);
    assert_int_equal(sqlite_ledger_put(state->ledger, "k", "*", &record, &absent, 1000, 60, NULL, &error),
                     LEDGER_THROTTLED);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true((end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000 >= 59);
    check_stored(state, "k", NULL); /* readers do not wait for writers */
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    assert_int_equal(sqlite_ledger_put(state->ledger, "k", "*", &record, &absent, 1000, 0, NULL, &error), LEDGER_OK);
}

static void a_full_disk_refuses_and_keeps_what_was(void **context)
{
    struct state *state = *context;
    char folder[700];
    (void)snprintf(folder, sizeof(folder), "%s", below(state->folder, "small"));
    assert_int_equal(mkdir(folder, 0700), 0);
    if (!mount_small(folder, "size=256k")) {
        skip();
    }
    struct state small = {.folder = folder};
    (void)snprintf(small.file, sizeof(small.file), "%s/ledger.db", folder);
    CHECK_OK(sqlite_ledger_create(small.file, &error));
    CHECK_OK(sqlite_ledger_open(small.file, &small.ledger, &error));
    struct record record = make_record(3, "aa");
    char path[1100];
    memset(path, 'x', sizeof(path));
    path[1000] = '\0';
    enum ledger_outcome outcome = LEDGER_OK;
    int written = 0;
    while (outcome == LEDGER_OK && written < 10000) {
        (void)snprintf(path + 990, 20, "%010d", written);
        outcome = put_if(&small, path, &record, RECORD_IF_ABSENT, NULL, NULL);
        written += outcome == LEDGER_OK;
    }
    assert_int_equal(outcome, LEDGER_REFUSED);
    assert_int_equal(error.code, OS_ERR_NO_SPACE);
    check_stored(&small, path, NULL); /* definitely not applied */
    (void)snprintf(path + 990, 20, "%010d", written - 1);
    check_stored(&small, path, &record);
    sqlite_ledger_close(small.ledger);
    assert_int_equal(umount(folder), 0);
}

/* ----------------------------------------------------------------------------------------------------- races */

/* Each process tries the same step on every key; gives how many it won. */
static int race_child(const char *file, int process, enum record_condition_kind kind, uint64_t generation)
{
    struct sqlite_ledger *ledger = NULL;
    int won = 0;
    if (sqlite_ledger_open(file, &ledger, NULL) != OS_OK) {
        return 255;
    }
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
            if (sqlite_ledger_get(ledger, path, "*", PATIENT_MS, &is_there, &found, NULL) != LEDGER_OK || !is_there) {
                return 255;
            }
            memcpy(condition.seen.nonce, found.nonce, sizeof(found.nonce));
        }
        enum ledger_outcome outcome =
            sqlite_ledger_put(ledger, path, "*", &record, &condition, 1000, PATIENT_MS, &found, NULL);
        if (outcome != LEDGER_OK && outcome != LEDGER_CONFLICT) {
            return 255;
        }
        won += outcome == LEDGER_OK;
    }
    sqlite_ledger_close(ledger);
    return won;
}

static void race(const char *file, enum record_condition_kind kind, uint64_t generation)
{
    pid_t children[PROCESSES];
    int gate[2];
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            char byte;
            close(gate[1]);
            _exit(read(gate[0], &byte, 1) == 0 ? race_child(file, i, kind, generation) : 255); /* all at once */
        }
    }
    close(gate[0]);
    close(gate[1]);
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

static void of_eight_processes_exactly_one_wins_each_key(void **context)
{
    struct state *state = *context;
    sqlite_ledger_close(state->ledger);
    race(state->file, RECORD_IF_ABSENT, 1);
    race(state->file, RECORD_IF_SEEN, 2);
    race(state->file, RECORD_IF_HELD, 3);
    CHECK_OK(sqlite_ledger_open(state->file, &state->ledger, &error));
    for (int key = 0; key < KEYS; key++) {
        char path[32];
        struct record found;
        bool is_there = false;
        (void)snprintf(path, sizeof(path), "key-%d", key);
        assert_int_equal(sqlite_ledger_get(state->ledger, path, "*", PATIENT_MS, &is_there, &found, &error), LEDGER_OK);
        assert_true(is_there);
        assert_int_equal(found.generation, 3);
    }
}

static void eight_processes_may_make_the_same_ledger(void **context)
{
    struct state *state = *context;
    pid_t children[PROCESSES];
    char file[1024];
    for (int round = 0; round < 20; round++) {
        (void)snprintf(file, sizeof(file), "%s/shared-%d.db", state->folder, round);
        for (int i = 0; i < PROCESSES; i++) {
            children[i] = fork();
            assert_true(children[i] >= 0);
            if (children[i] == 0) {
                struct sqlite_ledger *ledger = NULL;
                bool done =
                    sqlite_ledger_create(file, &error) == OS_OK && sqlite_ledger_open(file, &ledger, &error) == OS_OK;
                sqlite_ledger_close(ledger);
                if (!done) {
                    (void)fprintf(stderr, "child: %s\n", error.message);
                }
                _exit(done ? 0 : 1);
            }
        }
        for (int i = 0; i < PROCESSES; i++) {
            join(children[i]);
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_record_is_written_only_where_none_is),
        TEST(a_takeover_needs_generation_ttl_and_nonce_as_seen),
        TEST(a_takeover_from_a_writer_without_nonce_needs_its_absence),
        TEST(a_release_needs_generation_and_nonce_but_not_ttl),
        TEST(every_unsigned_value_survives),
        TEST(paths_and_etags_are_compared_as_bytes),
        TEST(records_are_listed_by_path_and_etag),
        TEST(a_row_that_is_no_record_is_unreadable_and_never_overwritten),
        TEST(expired_records_go_with_later_writes_a_few_at_a_time),
        TEST(a_write_never_removes_its_own_record_and_a_refused_one_removes_nothing),
        TEST(a_ledger_is_private_and_made_only_once),
        TEST(a_missing_or_unfinished_file_is_no_table),
        TEST(the_database_of_another_program_is_refused_and_not_touched),
        TEST(a_file_that_is_no_database_is_refused),
        TEST(a_damaged_file_is_refused_with_a_sentence),
        TEST(a_ledger_that_is_replaced_under_an_open_one_is_opened_anew),
        TEST(a_busy_ledger_is_throttled_after_the_given_time),
        TEST(a_full_disk_refuses_and_keeps_what_was),
        TEST(of_eight_processes_exactly_one_wins_each_key),
        TEST(eight_processes_may_make_the_same_ledger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
