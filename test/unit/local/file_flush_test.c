/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is on the disk before what: a write of the embedded store is reported when a power failure cannot take it back,
 * and at no instant is there a name without its bytes and its row. And what is said where a flush fails. What flushes
 * and what renames stands in front of libc here, for SQLite too. (test/powerloss lets the power fail at each of these
 * instants, and reads what is left.)
 */
#include "file_state.h"

#include "local/file_upload.h"

#include <sys/syscall.h>

#define SEEN_BY_LIBRARIES __attribute__((visibility("default")))

/* ----------------------------------------------------------------------------------------- what is led here */

/* One letter for each: d bytes of an object or a part, i the index, l the ledger, u the folder of uploads, f a folder
 * of the key, r the root, o others; R a rename to the key, D its removal. */
static struct {
    struct state *state; /* NULL: nobody listens */
    char letters[256];
    size_t rows_at_rename;
    char fails;           /* the letter whose flush fails; 0: none does */
    const char *aborting; /* the upload that is aborted in the flush of a part; NULL: none */
} seen;

static void note(char letter)
{
    size_t len = strlen(seen.letters);
    if (seen.state != NULL && len < sizeof(seen.letters) - 1)
        seen.letters[len] = letter;
}

static bool ends_in(const char *path, const char *end)
{
    size_t len = strlen(path);
    return len >= strlen(end) && strcmp(path + len - strlen(end), end) == 0;
}

static char letter_of(const char *path)
{
    if (ends_in(path, "objects.db-wal"))
        return 'i';
    if (ends_in(path, "ledger.db-wal"))
        return 'l';
    if (ends_in(path, "/uploads"))
        return 'u';
    bool staged = strstr(path, "/.oscommit/tmp/") != NULL || strstr(path, "/.oscommit/uploads/") != NULL;
    if (staged && !ends_in(path, ".about"))
        return 'd';
    return ends_in(path, "/f") ? 'f' : strcmp(path, seen.state->root) == 0 ? 'r' : 'o';
}

static void abort_upload(void)
{
    struct state *state = seen.state;
    seen.state = NULL;
    CHECK_OK(file_upload_abort(state->store, "f/k", seen.aborting, &error));
    seen.state = state;
}

/* False: it is to fail. */
static bool note_flush(int fd)
{
    char link[64];
    char path[4096];
    if (seen.state == NULL)
        return true;
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof(path) - 1);
    assert_true(len > 0);
    path[len] = '\0';
    char letter = letter_of(path);
    note(letter);
    if (letter == 'd' && seen.aborting != NULL)
        abort_upload();
    errno = EIO;
    return letter != seen.fails;
}

SEEN_BY_LIBRARIES int fsync(int fd)
{
    return note_flush(fd) ? (int)syscall(SYS_fsync, fd) : -1;
}

SEEN_BY_LIBRARIES int fdatasync(int fd)
{
    return note_flush(fd) ? (int)syscall(SYS_fdatasync, fd) : -1;
}

SEEN_BY_LIBRARIES int renameat(int from, const char *old, int to, const char *name)
{
    if (seen.state != NULL && strcmp(name, "k") == 0) {
        struct state *state = seen.state;
        note('R');
        seen.state = NULL; /* looking is no part of it */
        seen.rows_at_rename = rows(state, "f/k");
        seen.state = state;
    }
    return (int)syscall(SYS_renameat2, from, old, to, name, 0);
}

SEEN_BY_LIBRARIES int unlinkat(int folder, const char *name, int flags)
{
    if (strcmp(name, "k") == 0)
        note('D');
    return (int)syscall(SYS_unlinkat, folder, name, flags);
}

static const char *overwritten; /* the file that is written over in the midst of its copy; NULL: none */

SEEN_BY_LIBRARIES ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t length,
                                          unsigned flags)
{
    if (overwritten != NULL) {
        write_plain(overwritten, "two");
        overwritten = NULL;
    }
    return syscall(SYS_copy_file_range, from, from_offset, to, to_offset, length, flags);
}

/* ------------------------------------------------------------------------------------------------- helpers */

static void listen_to(struct state *state)
{
    memset(&seen, 0, sizeof(seen));
    seen.state = state;
}

/* `letters` come in this order, with anything between them. */
static void check_order(const char *letters)
{
    const char *at = seen.letters;
    seen.state = NULL;
    for (const char *letter = letters; *letter != '\0'; letter++) {
        at = strchr(at, *letter);
        if (at == NULL)
            fail_msg("\"%s\" is not in \"%s\" in this order", letters, seen.letters);
        at++;
    }
}

static os_code put(struct state *state)
{
    return put_text(state, "f/k", "new", nonce_b, NULL);
}

static os_code copy(struct state *state)
{
    struct file_object object;
    return file_store_copy(state->store,
                           &(struct file_copy_request){.source_key = "source", .key = "f/k", .nonce = nonce_b}, &object,
                           &error);
}

static os_code complete(struct state *state)
{
    char id[FILE_ID_SIZE];
    struct file_part part;
    struct file_object object;
    struct file_content content = {.nonce = nonce_b};
    struct http_body body = memory_body("new", 3);
    struct file_completion *completion = NULL;
    CHECK_OK(file_upload_create(state->store, "f/k", &content, id, &error));
    struct file_part_place place = {id, 1, 0};
    listen_to(state);
    CHECK_OK(file_upload_part(state->store, "f/k", &place, &body, &part, &error));
    check_order("d");
    struct file_part_name name = {1, part.etag};
    listen_to(state);
    CHECK_OK(file_upload_check(state->store, "f/k", id, &name, 1, &completion, &error));
    check_order("d");
    listen_to(state);
    os_code code = file_upload_complete(completion, &object, &error);
    file_completion_free(completion);
    return code;
}

static void check_write(struct state *state, os_code (*write)(struct state *), const char *order)
{
    struct file_object object;
    CHECK_OK(put_text(state, "source", "new", nonce_a, NULL));
    for (int i = 0; i < 2; i++) { /* a create, and an update, whose old row goes behind it */
        listen_to(state);
        CHECK_OK(write(state));
        check_order(order);
        assert_int_equal(seen.rows_at_rename, 1 + i);
        CHECK_OK(file_store_head(state->store, "f/k", &object, &error));
        assert_string_equal(object.nonce, nonce_b);
    }
}

/* --------------------------------------------------------------------------------------------------- tests */

TEST_WITH(state, V2_a_put_is_on_the_disk_before_it_is_reported)
{
    check_write(state, put, "diRfr");
}

TEST_WITH(state, V2_a_copy_is_on_the_disk_before_it_is_reported)
{
    check_write(state, copy, "diRfr");
}

TEST_WITH(state, V2_an_upload_is_on_the_disk_before_it_is_reported)
{
    check_write(state, complete, "iRfru");
}

TEST_WITH(state, V2_a_deletion_is_on_the_disk_before_it_is_reported)
{
    CHECK_OK(put_text(state, "f/other", "new", nonce_a, NULL));
    CHECK_OK(put(state));
    listen_to(state);
    CHECK_OK(file_store_delete(state->store, "f/k", &error));
    check_order("Dfr");
    listen_to(state);
    CHECK_OK(file_store_delete(state->store, "f/k", &error)); /* whoever removed it may have died before this */
    check_order("fr");
}

/* Rows that are superseded go without a flush, on a connection that the next write finds in the pool. */
TEST_WITH(state, V2_a_flush_that_was_left_out_is_not_left_out_again)
{
    for (int i = 0; i < 3; i++) {
        CHECK_OK(put(state));
        CHECK_OK(file_store_delete(state->store, "f/k", &error));
        listen_to(state);
        CHECK_OK(put(state));
        check_order("diRfr");
    }
}

TEST_WITH(state, V2_a_record_is_on_the_disk_before_it_is_reported)
{
    struct sqlite_tables *ledger = NULL;
    const struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    const struct record record = {.generation = 7, .timeout_ms = 20000, .ttl_s = 4000000000, .nonce = "ab"};
    struct record found;
    CHECK_OK(sqlite_tables_open(below(state->root, ".oscommit/ledger.db"), NULL, &ledger, &error));
    for (const char *path = "abc"; *path != '\0'; path++) {
        listen_to(state);
        assert_int_equal(
            records_put(
                ledger,
                &(struct record_row){.path = path, .etag = "*", .record = &record, .condition = &absent, .now_s = 1000},
                sqlite_patience_ms(60000), &found, NULL, &error),
            TABLE_OK);
        check_order("l");
    }
    sqlite_tables_close(ledger);
}

/* ------------------------------------------------------------------------------------------ flushes that fail */

static os_code fail_in(struct state *state, char letter, os_code (*write)(struct state *))
{
    listen_to(state);
    seen.fails = letter;
    error.code = OS_OK;
    os_code code = write(state);
    seen.state = NULL;
    return code;
}

static os_code remove_it(struct state *state)
{
    return file_store_delete(state->store, "f/k", &error);
}

TEST_WITH(state, R10_what_is_done_and_could_not_be_flushed_is_undecided)
{
    CHECK_OK(put_text(state, "source", "new", nonce_a, NULL));
    CHECK_IS(fail_in(state, 'f', put), OS_ERR_UNDECIDED);
    check_head(state, "f/k", "new", nonce_b);
    CHECK_IS(fail_in(state, 'r', copy), OS_ERR_UNDECIDED);
    CHECK_IS(fail_in(state, 'f', remove_it), OS_ERR_UNDECIDED);
    check_absent(state, "f/k");
}

TEST_WITH(state, R8_what_could_not_be_flushed_before_it_was_done_is_refused)
{
    CHECK_OK(put_text(state, "source", "new", nonce_b, NULL));
    CHECK_OK(put_text(state, "f/k", "old", nonce_a, NULL));
    CHECK_IS(fail_in(state, 'd', put), OS_ERR_IO);
    CHECK_IS(fail_in(state, 'd', copy), OS_ERR_IO);
    CHECK_IS(fail_in(state, 'i', put), OS_ERR_IO);
    check_head(state, "f/k", "old", nonce_a);
}

/* R4: it may be found there by the next process. */
TEST_WITH(state, R4_a_record_that_could_not_be_flushed_may_be_there)
{
    struct sqlite_tables *ledger = NULL;
    const struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    const struct record record = {.generation = 7, .timeout_ms = 20000, .ttl_s = 4000000000, .nonce = "ab"};
    struct record found;
    CHECK_OK(sqlite_tables_open(below(state->root, ".oscommit/ledger.db"), NULL, &ledger, &error));
    listen_to(state);
    seen.fails = 'l';
    enum table_outcome outcome = records_put(
        ledger, &(struct record_row){.path = "k", .etag = "*", .record = &record, .condition = &absent, .now_s = 1000},
        sqlite_patience_ms(60000), &found, NULL, &error);
    seen.state = NULL;
    assert_int_equal(outcome, TABLE_AMBIGUOUS);
    sqlite_tables_close(ledger);
}

/* R14: else its writer would complete an upload of which a part is missing. */
TEST_WITH(state, R14_a_part_that_ends_behind_the_abort_of_its_upload_is_none)
{
    char id[FILE_ID_SIZE];
    struct file_part part;
    struct http_body body = memory_body("new", 3);
    CHECK_OK(file_upload_create(state->store, "f/k", NULL, id, &error));
    struct file_part_place place = {id, 1, 0};
    listen_to(state);
    seen.aborting = id;
    os_code code = file_upload_part(state->store, "f/k", &place, &body, &part, &error);
    seen.state = NULL;
    CHECK_IS(code, OS_ERR_NOT_FOUND);
}

/* R1: the copy would be of two versions, under the ETag of one. */
TEST_WITH(state, R1_a_source_that_is_written_over_in_the_midst_of_its_copy_is_not_copied)
{
    CHECK_OK(put_text(state, "source", "one", nonce_a, NULL));
    overwritten = below(state->root, "source");
    os_code code = copy(state);
    if (overwritten != NULL) {
        print_message("SKIPPED: this file system copies without reading\n");
        return;
    }
    CHECK_IS(code, OS_ERR_SOURCE);
    check_absent(state, "f/k");
}
