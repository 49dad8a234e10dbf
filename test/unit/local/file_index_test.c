/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_index.h"

#include "scratch.h"

#include <sqlite3.h>

struct state {
    char *folder;
    char file[1024];
    struct sqlite_pool index;
};

static os_error error;

static void state_set_up(struct state *state)
{
    state->folder = scratch_make();
    (void)snprintf(state->file, sizeof(state->file), "%s/objects.db", state->folder);
    error = (os_error){.code = OS_OK};
    CHECK_OK(file_index_create(state->file, &error));
    CHECK_OK(file_index_open(&state->index, state->file, &error));
}

static void state_tear_down(struct state *state)
{
    file_index_close(&state->index);
    scratch_remove(state->folder);
}

static const struct file_stamp stamp_1 = {
    .mtime_ns = 1700000000123456789, .size = 5, .inode = UINT64_MAX, .btime_ns = 17, .ctime_ns = 99};

static struct file_row make_row(char id, const char *nonce)
{
    struct file_row row;
    file_row_init(&row);
    memset(row.id, id, id == '\0' ? 0 : FILE_ID_SIZE - 1);
    row.stamp = stamp_1;
    row.modified_s = 1700000001;
    (void)snprintf(row.etag, sizeof(row.etag), "\"%032d\"", 7);
    (void)snprintf(row.nonce, sizeof(row.nonce), "%s", nonce);
    return row;
}

static void add(struct state *state, const char *key, const struct file_row *row)
{
    CHECK_OK(file_index_add(&state->index, key, row, &error));
}

static enum file_match find(struct state *state, const char *key, const struct file_stamp *stamp, char *ret_nonce)
{
    struct file_row row;
    enum file_match match = FILE_NONE;
    file_row_init(&row);
    CHECK_OK(file_index_find(&state->index, key, stamp, &row, &match, &error));
    (void)snprintf(ret_nonce, 65, "%s", row.nonce);
    file_row_free(&row);
    return match;
}

TEST_WITH(state, a_row_comes_back_as_it_was_written)
{
    struct file_row back;
    enum file_match match = FILE_NONE;
    struct file_row row = make_row('1', "0123456789012345678901234567890123456789012345678901234567890123");
    assert_true(buf_add(&row.headers, "a\0b", 4));
    row.stamp.size = (uint64_t)INT64_MAX + 5;
    row.stamp.mtime_ns = INT64_MIN;
    row.modified_s = -1;
    add(state, "k", &row);
    file_row_init(&back);
    CHECK_OK(file_index_find(&state->index, "k", &row.stamp, &back, &match, &error));
    assert_int_equal(match, FILE_EXACT);
    assert_string_equal(back.id, row.id);
    assert_string_equal(back.etag, row.etag);
    assert_string_equal(back.nonce, row.nonce);
    assert_int_equal(back.modified_s, row.modified_s);
    assert_memory_equal(&back.stamp, &row.stamp, sizeof(row.stamp));
    assert_string_equal(back.replaced, "");
    assert_int_equal(back.headers.len, 4);
    assert_memory_equal(back.headers.data, "a\0b", 4);
    file_row_free(&row);
    file_row_free(&back);
}

/* `back` is made by this function. */
static void check_replaced(struct state *state, const struct file_row *row, const char *replaced, struct file_row *back)
{
    enum file_match match = FILE_NONE;
    file_row_init(back);
    CHECK_OK(file_index_find(&state->index, "k", &row->stamp, back, &match, &error));
    assert_int_equal(match, FILE_EXACT);
    assert_string_equal(back->replaced, replaced);
    assert_int_equal(back->headers.len, row->headers.len);
    assert_memory_equal(buf_str(&back->headers), buf_str(&row->headers), row->headers.len);
}

TEST_WITH(state, what_was_replaced_stands_beside_any_headers)
{
    static const char replaced[] = "a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4";
    enum { ENTRY_BYTES = sizeof("x-amz-meta-oscommit-replaced") + sizeof(replaced) };
    static const struct {
        size_t headers_bytes;
        bool fits;
    } cases[] = {{0, true},
                 {4, true},
                 {FILE_HEADERS_MAX - ENTRY_BYTES, true},
                 {FILE_HEADERS_MAX - ENTRY_BYTES + 1, false},
                 {FILE_HEADERS_MAX, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct file_row back;
        struct file_row row = make_row('1', "n");
        memcpy(row.replaced, replaced, sizeof(replaced));
        for (size_t j = 0; j < cases[i].headers_bytes; j++)
            assert_true(buf_add_char(&row.headers, j % 2 == 0 ? 'h' : '\0'));
        add(state, "k", &row);
        check_replaced(state, &row, cases[i].fits ? replaced : "", &back);
        file_row_free(&row);
        file_row_free(&back);
    }
}

/* What another put there is a header of no file of ours, and nothing worse. */
TEST_WITH(state, what_is_no_nonce_is_not_taken_for_what_was_replaced)
{
    static const struct {
        const char *bytes;
        size_t len;
    } blobs[] = {
        {"x-amz-meta-oscommit-replaced", 28},
        {"x-amz-meta-oscommit-replaced", 29},
        {"x-amz-meta-oscommit-replaced\0open", 33},
        {"x-amz-meta-oscommit-replaced-not\0n", 35},
        {"x-amz-meta-a\0x-amz-meta-oscommit-replaced\0n", 44},
        {"x-amz-meta-oscommit-replaced\0"
         "01234567890123456789012345678901234567890123456789012345678901234",
         95},
    };
    for (size_t i = 0; i < sizeof(blobs) / sizeof(blobs[0]); i++) {
        struct file_row back;
        struct file_row row = make_row('1', "n");
        assert_true(buf_add(&row.headers, blobs[i].bytes, blobs[i].len));
        add(state, "k", &row);
        check_replaced(state, &row, "", &back);
        file_row_free(&row);
        file_row_free(&back);
    }
}

TEST_WITH(state, the_stamp_decides_whether_a_row_belongs_to_a_file)
{
    char nonce[65];
    struct file_row row = make_row('1', "one");
    struct file_stamp stamp = stamp_1;
    assert_int_equal(find(state, "k", &stamp, nonce), FILE_NONE);
    add(state, "k", &row);
    stamp.ctime_ns++; /* the rename changes it */
    assert_int_equal(find(state, "k", &stamp, nonce), FILE_EXACT);
    assert_string_equal(nonce, "one");
    stamp.inode--;
    assert_int_equal(find(state, "k", &stamp, nonce), FILE_LIKELY);
    stamp.inode++;
    stamp.btime_ns++;
    assert_int_equal(find(state, "k", &stamp, nonce), FILE_LIKELY);
    stamp.mtime_ns++;
    assert_int_equal(find(state, "k", &stamp, nonce), FILE_NONE);
    assert_string_equal(nonce, "");
    stamp = stamp_1;
    stamp.size++;
    assert_int_equal(find(state, "k", &stamp, nonce), FILE_NONE);
    assert_int_equal(find(state, "K", &stamp_1, nonce), FILE_NONE);
    assert_int_equal(find(state, "k/", &stamp_1, nonce), FILE_NONE);
}

TEST_WITH(state, a_cached_row_needs_the_change_time_too_and_is_never_a_hint)
{
    char nonce[65];
    struct file_row row = make_row('\0', "");
    struct file_stamp stamp = stamp_1;
    file_index_add_lightly(&state->index, "k", &row);
    assert_int_equal(find(state, "k", &stamp, nonce), FILE_EXACT);
    stamp.ctime_ns++;
    assert_int_equal(find(state, "k", &stamp, nonce), FILE_NONE);
    stamp = stamp_1;
    stamp.inode--;
    assert_int_equal(find(state, "k", &stamp, nonce), FILE_NONE);
}

TEST_WITH(state, the_exact_row_wins_over_a_hint)
{
    char nonce[65];
    for (char id = '1'; id <= '3'; id++) {
        struct file_row row = make_row(id, id == '2' ? "exact" : "hint");
        row.stamp.inode -= id != '2';
        add(state, "k", &row);
    }
    assert_int_equal(find(state, "k", &stamp_1, nonce), FILE_EXACT);
    assert_string_equal(nonce, "exact");
}

static bool gather_ids(void *context, const struct file_row *row)
{
    char *text = context;
    (void)snprintf(text + strlen(text), 64 - strlen(text), "%c", row->id[0] == '\0' ? '0' : row->id[0]);
    return strlen(text) < 5;
}

static const char *ids_of(struct state *state, const char *key)
{
    static char text[64];
    text[0] = '\0';
    CHECK_OK(file_index_rows(&state->index, key, gather_ids, text, &error));
    return text;
}

TEST_WITH(state, rows_are_given_and_removed_by_key_and_id)
{
    char ids[2][FILE_ID_SIZE] = {{0}};
    for (char id = '1'; id <= '6'; id++) {
        struct file_row row = make_row(id, "n");
        add(state, "k", &row);
        add(state, "l", &row);
    }
    struct file_row cached = make_row('\0', "");
    add(state, "k", &cached);
    assert_string_equal(ids_of(state, "k"), "01234");
    memset(ids[0], '2', FILE_ID_SIZE - 1);
    file_index_remove(&state->index, "k", (const char(*)[FILE_ID_SIZE])ids, 2, 0); /* '2' and the cached one */
    assert_string_equal(ids_of(state, "k"), "13456");
    memset(ids[1], '5', FILE_ID_SIZE - 1);
    file_index_forget(&state->index, (const char(*)[FILE_ID_SIZE])ids, 2); /* of every key */
    assert_string_equal(ids_of(state, "k"), "1346");
    assert_string_equal(ids_of(state, "l"), "1346");
    file_index_remove(&state->index, "k", (const char(*)[FILE_ID_SIZE])ids, 0, 0);
    assert_string_equal(ids_of(state, "k"), "1346");
}

TEST_WITH(state, housekeeping_gives_up_when_the_index_is_busy_and_full_flushes_come_back)
{
    sqlite3 *other = NULL;
    char nonce[65];
    struct file_row row = make_row('1', "n");
    add(state, "k", &row);
    assert_int_equal(sqlite3_open(state->file, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    file_index_remove(&state->index, "k", (const char(*)[FILE_ID_SIZE])row.id, 1, 0);
    struct file_row cached = make_row('\0', "");
    file_index_add_lightly(&state->index, "l", &cached);
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    assert_int_equal(find(state, "k", &stamp_1, nonce), FILE_EXACT);
    assert_int_equal(find(state, "l", &stamp_1, nonce), FILE_NONE);
    file_index_add_lightly(&state->index, "l", &cached);
    assert_int_equal(find(state, "l", &stamp_1, nonce), FILE_EXACT);

    struct sqlite_conn *conn = NULL;
    CHECK_OK(sqlite_take(&state->index, sqlite_patience_ms(0), &conn, &error));
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(conn->db, "PRAGMA synchronous", -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(statement, 0), 2);
    sqlite3_finalize(statement);
    sqlite_give(&state->index, conn);
}

TEST_WITH(state, a_row_that_is_not_ours_belongs_to_no_file)
{
    sqlite3 *other = NULL;
    char nonce[65];
    struct file_row row = make_row('1', "n");
    add(state, "k", &row);
    assert_int_equal(sqlite3_open(state->file, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other,
                                  "UPDATE objects SET etag = 'far too long for an ETag of this store, whatever it is'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(find(state, "k", &stamp_1, nonce), FILE_NONE);
    assert_int_equal(sqlite3_exec(other, "UPDATE objects SET etag = '\"1\"', nonce = x'31'", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(find(state, "k", &stamp_1, nonce), FILE_NONE);
    assert_int_equal(
        sqlite3_exec(other, "UPDATE objects SET nonce = 'n', headers = zeroblob(100000)", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
}

TEST_WITH(state, a_strangers_trigger_in_an_index_is_refused)
{
    struct sqlite_pool index;
    execute(state->file, "CREATE TRIGGER t AFTER INSERT ON objects BEGIN DELETE FROM objects; END");
    CHECK_IS(file_index_open(&index, state->file, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "tables"));
}
