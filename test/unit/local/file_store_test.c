/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_store.h"

#include "local/file_internal.h"
#include "local/sqlite_ledger.h"
#include "scratch.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

static const char nonce_a[] = "a0000000000000000000000000000000";
static const char nonce_b[] = "b0000000000000000000000000000000";

struct state {
    char *root;
    struct file_store *store;
};

static os_error error;

static int set_up(void **context)
{
    struct state *state = calloc(1, sizeof(*state));
    assert_non_null(state);
    state->root = scratch_make();
    CHECK_OK(file_store_init(state->root, &error));
    CHECK_OK(file_store_open(state->root, &state->store, &error));
    *context = state;
    return 0;
}

static int tear_down(void **context)
{
    struct state *state = *context;
    file_store_close(state->store);
    scratch_remove(state->root);
    free(state);
    return 0;
}

static struct http_body memory_body(const void *data, size_t len)
{
    return (struct http_body){.kind = HTTP_BODY_MEMORY, .data = data, .length = len};
}

static os_code put_text(struct state *state, const char *key, const char *text, const char *nonce,
                        struct file_object *ret)
{
    struct file_object object;
    struct http_body body = memory_body(text, strlen(text));
    struct file_content content = {.nonce = nonce};
    os_code code = file_store_put(state->store, key, &body, &content, &object, &error);
    if (code == OS_OK && ret != NULL) {
        *ret = object;
    }
    return code;
}

static void check_head(struct state *state, const char *key, const char *text, const char *nonce)
{
    struct file_object object;
    char etag[MD5_ETAG_SIZE];
    CHECK_OK(file_store_head(state->store, key, &object, &error));
    etag_of(text, strlen(text), etag);
    assert_string_equal(object.etag, etag);
    assert_string_equal(object.nonce, nonce);
    assert_int_equal(object.length, strlen(text));
    struct gathered gathered = {.len = 0};
    CHECK_OK(file_store_get(state->store, key, 0, 0, gather, &gathered, &object, &error));
    assert_string_equal(gathered.data, text);
    assert_string_equal(object.etag, etag);
    assert_string_equal(object.nonce, nonce);
}

static void check_absent(struct state *state, const char *key)
{
    struct file_object object;
    CHECK_IS(file_store_head(state->store, key, &object, &error), OS_ERR_NOT_FOUND);
}

static size_t temps(struct state *state)
{
    return entries_of(below(state->root, ".oscommit/tmp"));
}

static bool count_row(void *context, const struct file_row *row)
{
    (void)row;
    ++*(size_t *)context;
    return true;
}

static size_t rows(struct state *state, const char *key)
{
    size_t count = 0;
    error = (os_error){.code = OS_OK};
    CHECK_OK(file_index_rows(&state->store->place.index, key, count_row, &count, &error));
    return count;
}

/* Lets a file look as if it had been left alone for a while. Its ctime stays young. */
static void set_mtime(const char *path, int64_t seconds, long ns)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = ns}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

/* ------------------------------------------------------------------------------------------- put, head, get, delete */

static void an_object_is_a_plain_file_with_the_md5_as_its_etag(void **context)
{
    struct state *state = *context;
    struct file_object object;
    struct stat st;
    int64_t before = (int64_t)time(NULL);
    CHECK_OK(put_text(state, "dir/key", "hello", nonce_a, &object));
    assert_string_equal(object.etag, "\"5d41402abc4b2a76b9719d911017c592\"");
    assert_int_equal(object.length, 5);
    assert_string_equal(object.nonce, nonce_a);
    assert_in_range(object.last_modified_s, before, time(NULL));
    check_head(state, "dir/key", "hello", nonce_a);
    assert_int_equal(stat(below(state->root, "dir/key"), &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(st.st_size, 5);
    assert_true(st.st_mtim.tv_sec <= time(NULL));
    assert_int_equal(stat(below(state->root, "dir"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(temps(state), 0);
    struct file_object again;
    CHECK_OK(file_store_head(state->store, "dir/key", &again, &error));
    assert_int_equal(again.last_modified_s, object.last_modified_s);
}

static void an_object_may_be_empty_and_have_no_nonce(void **context)
{
    struct state *state = *context;
    struct file_object object;
    struct http_body none = {.kind = HTTP_BODY_NONE};
    CHECK_OK(file_store_put(state->store, "k", &none, NULL, &object, &error));
    assert_string_equal(object.etag, "\"d41d8cd98f00b204e9800998ecf8427e\"");
    check_head(state, "k", "", "");
    CHECK_OK(put_text(state, "k", "", NULL, NULL));
    check_head(state, "k", "", "");
}

static void a_second_put_replaces_the_first_with_all_it_had(void **context)
{
    struct state *state = *context;
    struct file_object object;
    struct http_body body = memory_body("one", 3);
    struct file_content content = {.content_type = "text/plain", .nonce = nonce_a};
    CHECK_OK(file_store_put(state->store, "k", &body, &content, &object, &error));
    assert_string_equal(object.content_type, "text/plain");
    CHECK_OK(put_text(state, "k", "two", nonce_b, &object));
    check_head(state, "k", "two", nonce_b);
    CHECK_OK(file_store_head(state->store, "k", &object, &error));
    assert_string_equal(object.content_type, "");
    assert_int_equal(rows(state, "k"), 1);
    CHECK_OK(put_text(state, "k", "two", nonce_a, NULL)); /* the same bytes, another version */
    check_head(state, "k", "two", nonce_a);
    assert_int_equal(rows(state, "k"), 1);
}

static void bodies_of_every_size_round_a_block_are_whole(void **context)
{
    struct state *state = *context;
    static const size_t sizes[] = {1, FILE_BLOCK - 1, FILE_BLOCK, FILE_BLOCK + 1, 3 * FILE_BLOCK + 17};
    char *data = malloc(4 * FILE_BLOCK);
    char *back = malloc(4 * FILE_BLOCK);
    assert_true(data != NULL && back != NULL);
    for (size_t i = 0; i < 4 * FILE_BLOCK; i++) {
        data[i] = (char)(i * 2654435761u >> 13);
    }
    int from = open(below(state->root, ".oscommit/body"), O_RDWR | O_CREAT, 0600);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        char etag[MD5_ETAG_SIZE];
        struct file_object object;
        etag_of(data, sizes[i], etag);
        struct http_body body = memory_body(data, sizes[i]);
        CHECK_OK(file_store_put(state->store, "memory", &body, NULL, &object, &error));
        assert_string_equal(object.etag, etag);
        assert_int_equal(ftruncate(from, 0), 0);
        assert_int_equal(pwrite(from, data, sizes[i], 0), sizes[i]);
        struct http_body file = {.kind = HTTP_BODY_FILE, .fd = from, .length = sizes[i]};
        CHECK_OK(file_store_put(state->store, "file", &file, NULL, &object, &error));
        assert_string_equal(object.etag, etag);
        CHECK_OK(file_store_copy(state->store, "file", etag, "copy", NULL, &object, &error));
        int fd = open(below(state->root, "copy"), O_RDONLY);
        assert_int_equal(read(fd, back, 4 * FILE_BLOCK), sizes[i]);
        assert_memory_equal(back, data, sizes[i]);
        close(fd);
        etag_of(back, sizes[i], etag);
        assert_string_equal(object.etag, etag);
    }
    close(from);
    free(data);
    free(back);
}

static void a_body_file_that_is_not_as_long_as_told_is_refused(void **context)
{
    struct state *state = *context;
    struct file_object object;
    const char *path = below(state->root, ".oscommit/body");
    write_plain(path, "12345");
    int fd = open(path, O_RDONLY);
    for (uint64_t length = 0; length < 9; length++) {
        struct http_body body = {.kind = HTTP_BODY_FILE, .fd = fd, .length = length};
        CHECK_IS(file_store_put(state->store, "k", &body, NULL, &object, &error), length == 5 ? OS_OK : OS_ERR_BODY);
        assert_int_equal(temps(state), 0);
        if (length < 5) {
            check_absent(state, "k");
        }
    }
    check_head(state, "k", "12345", "");
    close(fd);
}

static int stop_at_once(void *context, const void *data, size_t length)
{
    (void)data;
    (void)length;
    ++*(int *)context;
    return 1;
}

static void a_range_is_cut_at_the_end_and_refused_behind_it(void **context)
{
    struct state *state = *context;
    static const struct {
        uint64_t offset, count;
        const char *expected;
    } cases[] = {{0, 0, "0123456789"},
                 {0, 4, "0123"},
                 {3, 4, "3456"},
                 {9, 1, "9"},
                 {9, 5, "9"},
                 {3, 0, "3456789"},
                 {1, UINT64_MAX, "123456789"},
                 {10, 0, NULL},
                 {11, 1, NULL},
                 {UINT64_MAX, 2, NULL}};
    CHECK_OK(put_text(state, "k", "0123456789", nonce_a, NULL));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gathered gathered = {.len = 0};
        struct file_object object;
        os_code code =
            file_store_get(state->store, "k", cases[i].offset, cases[i].count, gather, &gathered, &object, &error);
        CHECK_IS(code, cases[i].expected == NULL ? OS_ERR_ARGUMENT : OS_OK);
        if (cases[i].expected != NULL) {
            assert_string_equal(gathered.data, cases[i].expected);
            assert_int_equal(object.length, 10);
        }
    }
    int calls = 0;
    struct file_object object;
    CHECK_IS(file_store_get(state->store, "k", 0, 0, stop_at_once, &calls, &object, &error), OS_ERR_STOPPED);
    assert_int_equal(calls, 1);
    CHECK_OK(put_text(state, "empty", "", NULL, NULL));
    CHECK_OK(file_store_get(state->store, "empty", 0, 7, stop_at_once, &calls, &object, &error));
    assert_int_equal(calls, 1);
}

static void a_delete_removes_the_file_its_row_and_empty_folders(void **context)
{
    struct state *state = *context;
    CHECK_OK(put_text(state, "a/b/c", "1", nonce_a, NULL));
    CHECK_OK(put_text(state, "a/d", "2", nonce_a, NULL));
    CHECK_OK(file_store_delete(state->store, "a/b/c", &error));
    check_absent(state, "a/b/c");
    assert_int_equal(rows(state, "a/b/c"), 0);
    assert_false(exists(below(state->root, "a/b")));
    check_head(state, "a/d", "2", nonce_a);
    CHECK_OK(file_store_delete(state->store, "a/d", &error));
    assert_int_equal(entries_of(state->root), 1);
    CHECK_OK(file_store_delete(state->store, "a/d", &error)); /* absent */
    CHECK_OK(file_store_delete(state->store, "never/was", &error));
    CHECK_OK(put_text(state, "f", "2", nonce_a, NULL));
    CHECK_OK(file_store_delete(state->store, "f/below", &error));
    check_head(state, "f", "2", nonce_a);
}

static void a_folder_is_no_object_and_no_object_is_a_folder(void **context)
{
    struct state *state = *context;
    CHECK_OK(put_text(state, "a/b", "1", nonce_a, NULL));
    check_absent(state, "a");
    check_absent(state, "a/b/c");
    CHECK_OK(file_store_delete(state->store, "a", &error));
    CHECK_IS(put_text(state, "a", "2", nonce_b, NULL), OS_ERR_ARGUMENT);
    CHECK_IS(put_text(state, "a/b/c", "2", nonce_b, NULL), OS_ERR_ARGUMENT);
    CHECK_IS(put_text(state, "a/b/c/d", "2", nonce_b, NULL), OS_ERR_ARGUMENT);
    check_head(state, "a/b", "1", nonce_a);
    assert_int_equal(temps(state), 0);
    assert_int_equal(rows(state, "a"), 0);
    assert_int_equal(rows(state, "a/b/c"), 0);
    assert_int_equal(mkdir(below(state->root, "e"), 0700), 0);
    assert_int_equal(mkdir(below(state->root, "e/f"), 0700), 0);
    assert_int_equal(mkdir(below(state->root, "e/g"), 0700), 0);
    CHECK_OK(put_text(state, "e", "empty folders are in nobody's way", nonce_a, NULL));
    check_head(state, "e", "empty folders are in nobody's way", nonce_a);
}

static void every_call_refuses_a_bad_key(void **context)
{
    struct state *state = *context;
    struct file_object object;
    struct gathered gathered = {.len = 0};
    const char *bad = "../x";
    CHECK_OK(put_text(state, "k", "1", nonce_a, NULL));
    CHECK_IS(file_store_head(state->store, bad, &object, &error), OS_ERR_ARGUMENT);
    CHECK_IS(file_store_get(state->store, bad, 0, 0, gather, &gathered, &object, &error), OS_ERR_ARGUMENT);
    CHECK_IS(put_text(state, bad, "x", nonce_a, NULL), OS_ERR_ARGUMENT);
    CHECK_IS(put_text(state, ".oscommit/objects.db", "x", nonce_a, NULL), OS_ERR_ARGUMENT);
    CHECK_IS(file_store_copy(state->store, bad, NULL, "l", nonce_a, &object, &error), OS_ERR_ARGUMENT);
    CHECK_IS(file_store_copy(state->store, "k", NULL, bad, nonce_a, &object, &error), OS_ERR_ARGUMENT);
    CHECK_IS(file_store_delete(state->store, bad, &error), OS_ERR_ARGUMENT);
}

static void the_longest_keys_are_stored_and_found(void **context)
{
    struct state *state = *context;
    char wide[256];
    char deep[1025];
    memset(wide, 'w', 255);
    wide[255] = '\0';
    for (size_t i = 0; i < 1024; i++) {
        deep[i] = i % 2 == 0 ? 'x' : '/';
    }
    memcpy(deep + 1020, "xyzw", 5);
    const char *keys[] = {wide, deep};
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(put_text(state, keys[i], "1", nonce_a, NULL));
        check_head(state, keys[i], "1", nonce_a);
        CHECK_OK(file_store_delete(state->store, keys[i], &error));
    }
    assert_int_equal(strlen(deep), 1024);
    assert_int_equal(entries_of(state->root), 1);
}

/* -------------------------------------------------------------------------------------------- headers and limits */

static void headers_and_metadata_have_the_limits_of_s3(void **context)
{
    struct state *state = *context;
    struct file_object object;
    struct http_body body = memory_body("x", 1);
    char text[2100];
    memset(text, 't', sizeof(text));
    text[255] = '\0';
    struct file_content content = {.content_type = text};
    CHECK_OK(file_store_put(state->store, "k", &body, &content, &object, &error));
    CHECK_OK(file_store_head(state->store, "k", &object, &error));
    assert_string_equal(object.content_type, text);
    text[255] = 't';
    text[256] = '\0';
    CHECK_IS(file_store_put(state->store, "k", &body, &content, &object, &error), OS_ERR_ARGUMENT);
    text[256] = 't';
    text[1024] = '\0';
    struct file_content four = {
        .content_encoding = text, .content_language = text, .content_disposition = text, .cache_control = text};
    os_metadata metadata[2] = {{"name", text + 1024 - 44}, {"other", text}};
    four.metadata = metadata;
    four.metadata_count = 1;
    CHECK_OK(file_store_put(state->store, "k", &body, &four, &object, &error));
    text[1024] = 't';
    text[1025] = '\0';
    CHECK_IS(file_store_put(state->store, "k", &body, &four, &object, &error), OS_ERR_ARGUMENT);
    text[1025] = 't';
    text[2048 - 4] = '\0';
    os_metadata most[1] = {{"name", text}};
    struct file_content big = {.metadata = most, .metadata_count = 1};
    CHECK_OK(file_store_put(state->store, "k", &body, &big, &object, &error));
    text[2048 - 4] = 't';
    text[2048 - 3] = '\0';
    CHECK_IS(file_store_put(state->store, "k", &body, &big, &object, &error), OS_ERR_ARGUMENT);
    os_metadata nameless[1] = {{"", "x"}};
    big.metadata = nameless;
    CHECK_IS(file_store_put(state->store, "k", &body, &big, &object, &error), OS_ERR_ARGUMENT);
    text[64] = '\0';
    struct file_content nonce = {.nonce = text};
    CHECK_OK(file_store_put(state->store, "k", &body, &nonce, &object, &error));
    check_head(state, "k", "x", text);
    text[64] = 't';
    text[65] = '\0';
    CHECK_IS(file_store_put(state->store, "k", &body, &nonce, &object, &error), OS_ERR_ARGUMENT);
    assert_int_equal(temps(state), 0);
}

static void a_copy_takes_headers_and_metadata_along_and_its_own_nonce(void **context)
{
    struct state *state = *context;
    struct file_object object;
    struct file_view from;
    struct file_view to;
    struct http_body body = memory_body("hello", 5);
    os_metadata metadata[2] = {{"colour", "red"}, {"note", ""}};
    struct file_content content = {.content_type = "text/x",
                                   .cache_control = "no-store",
                                   .metadata = metadata,
                                   .metadata_count = 2,
                                   .nonce = nonce_a};
    CHECK_OK(file_store_put(state->store, "from", &body, &content, &object, &error));
    CHECK_OK(file_store_copy(state->store, "from", object.etag, "d/to", nonce_b, &object, &error));
    assert_string_equal(object.nonce, nonce_b);
    assert_string_equal(object.content_type, "text/x");
    check_head(state, "d/to", "hello", nonce_b);
    check_head(state, "from", "hello", nonce_a);
    CHECK_OK(file_view_open(state->store, "from", &from, &error));
    CHECK_OK(file_view_open(state->store, "d/to", &to, &error));
    static const char packed[] =
        "content-type\0text/x\0cache-control\0no-store\0x-amz-meta-colour\0red\0x-amz-meta-note\0";
    assert_int_equal(from.row.headers.len, sizeof(packed));
    assert_memory_equal(from.row.headers.data, packed, sizeof(packed));
    assert_int_equal(to.row.headers.len, sizeof(packed));
    assert_memory_equal(to.row.headers.data, packed, sizeof(packed));
    file_view_close(&from);
    file_view_close(&to);
    CHECK_OK(file_store_copy(state->store, "from", NULL, "from", nonce_b, &object, &error)); /* onto itself */
    check_head(state, "from", "hello", nonce_b);
}

static void a_copy_of_a_missing_or_other_version_is_refused(void **context)
{
    struct state *state = *context;
    struct file_object object;
    char nonce[100];
    CHECK_OK(put_text(state, "from", "hello", nonce_a, NULL));
    CHECK_IS(file_store_copy(state->store, "none", NULL, "to", nonce_b, &object, &error), OS_ERR_SOURCE);
    CHECK_IS(
        file_store_copy(state->store, "from", "\"5d41402abc4b2a76b9719d911017c593\"", "to", nonce_b, &object, &error),
        OS_ERR_SOURCE);
    assert_non_null(strstr(error.message, "5d41402abc4b2a76b9719d911017c592"));
    memset(nonce, 'n', sizeof(nonce));
    nonce[65] = '\0';
    CHECK_IS(file_store_copy(state->store, "from", NULL, "to", nonce, &object, &error), OS_ERR_ARGUMENT);
    check_absent(state, "to");
    assert_int_equal(temps(state), 0);
}

/* --------------------------------------------------------------------------------------------- behind our back */

static void an_edit_in_place_shows_new_bytes_and_no_nonce(void **context)
{
    struct state *state = *context;
    CHECK_OK(put_text(state, "k", "hello", nonce_a, NULL));
    write_plain(below(state->root, "k"), "HELLO"); /* the same length, at once */
    check_head(state, "k", "HELLO", "");
    write_plain(below(state->root, "k"), "Hello");
    check_head(state, "k", "Hello", "");
    CHECK_OK(put_text(state, "k", "again", nonce_b, NULL));
    check_head(state, "k", "again", nonce_b);
    assert_int_equal(rows(state, "k"), 1);
}

static void a_replaced_file_never_shows_the_nonce_of_the_old_one(void **context)
{
    struct state *state = *context;
    for (int i = 0; i < 20; i++) { /* inode numbers come back soon */
        CHECK_OK(put_text(state, "k", "hello", nonce_a, NULL));
        assert_int_equal(unlink(below(state->root, "k")), 0);
        write_plain(below(state->root, "k"), "HELLO");
        check_head(state, "k", "HELLO", "");
    }
    CHECK_OK(put_text(state, "k", "hello", nonce_a, NULL));
    struct stat st;
    assert_int_equal(stat(below(state->root, "k"), &st), 0);
    assert_int_equal(unlink(below(state->root, "k")), 0);
    write_plain(below(state->root, "k"), "HELLO");
    set_mtime(below(state->root, "k"), st.st_mtim.tv_sec, st.st_mtim.tv_nsec); /* the very time, other bytes */
    check_head(state, "k", "HELLO", "");
    assert_int_equal(unlink(below(state->root, "k")), 0);
    check_absent(state, "k");
}

static void a_file_restored_with_its_time_has_its_nonce_and_headers_again(void **context)
{
    struct state *state = *context;
    struct stat st;
    struct file_object object;
    struct http_body body = memory_body("hello", 5);
    struct file_content content = {.content_type = "text/x", .nonce = nonce_a};
    CHECK_OK(file_store_put(state->store, "k", &body, &content, &object, &error));
    const char *path = below(state->root, "k");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(rename(path, below(state->root, "kept")), 0); /* keeps the inode from coming back */
    write_plain(path, "hello");
    set_mtime(path, st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    check_head(state, "k", "hello", nonce_a);
    CHECK_OK(file_store_head(state->store, "k", &object, &error));
    assert_string_equal(object.content_type, "text/x");
    set_mtime(path, st.st_mtim.tv_sec, st.st_mtim.tv_nsec + (st.st_mtim.tv_nsec < 500000000 ? 1 : -1));
    check_head(state, "k", "hello", "");
}

static void a_nonce_belongs_to_its_key(void **context)
{
    struct state *state = *context;
    CHECK_OK(put_text(state, "k", "hello", nonce_a, NULL));
    assert_int_equal(link(below(state->root, "k"), below(state->root, "linked")), 0);
    check_head(state, "linked", "hello", "");
    check_head(state, "k", "hello", nonce_a);
    assert_int_equal(rename(below(state->root, "k"), below(state->root, "moved")), 0);
    check_head(state, "moved", "hello", "");
    check_absent(state, "k");
}

static void the_etag_of_a_rested_file_is_kept_until_the_file_changes(void **context)
{
    struct state *state = *context;
    const char *path = below(state->root, "k");
    struct file_row row;
    struct file_stamp stamp;
    enum file_match match = FILE_NONE;
    write_plain(path, "hello");
    set_mtime(path, 1000000000, 0);
    check_head(state, "k", "hello", "");
    assert_int_equal(rows(state, "k"), 0); /* its ctime is young: a second edit could hide in the same tick */
    struct file_object object;
    CHECK_OK(file_store_head(state->store, "k", &object, &error));
    assert_int_equal(object.last_modified_s, 1000000000);

    int fd = open(path, O_RDONLY);
    assert_int_equal(file_stamp_read(fd, &stamp), 0);
    close(fd);
    file_row_init(&row);
    row.stamp = stamp;
    (void)snprintf(row.etag, sizeof(row.etag), "\"00000000000000000000000000000000\""); /* to see that it is used */
    file_index_add_lightly(&state->store->place.index, "k", &row);
    CHECK_OK(file_index_find(&state->store->place.index, "k", &stamp, &row, &match, &error));
    assert_int_equal(match, FILE_EXACT);
    CHECK_OK(file_store_head(state->store, "k", &object, &error));
    assert_string_equal(object.etag, "\"00000000000000000000000000000000\"");
    set_mtime(path, 1000000000, 0); /* only ctime tells */
    check_head(state, "k", "hello", "");
    file_row_free(&row);
}

static void a_row_that_was_lost_costs_the_nonce_only(void **context)
{
    struct state *state = *context;
    CHECK_OK(put_text(state, "k", "hello", nonce_a, NULL));
    file_store_close(state->store);
    state->store = NULL;
    assert_int_equal(unlink(below(state->root, ".oscommit/objects.db")), 0);
    CHECK_IS(file_store_open(state->root, &state->store, &error), OS_ERR_CONFIG);
    CHECK_OK(file_store_init(state->root, &error));
    CHECK_OK(file_store_open(state->root, &state->store, &error));
    check_head(state, "k", "hello", "");
}

static void links_and_special_files_are_refused(void **context)
{
    struct state *state = *context;
    struct file_object object;
    assert_int_equal(symlink("/etc/passwd", below(state->root, "link")), 0);
    assert_int_equal(symlink("/etc", below(state->root, "folder")), 0);
    assert_int_equal(mkfifo(below(state->root, "fifo"), 0600), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%.80s/socket", state->root);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    static const char *const keys[] = {"link", "folder/passwd", "fifo", "socket"};
    for (size_t i = 0; i < 4; i++) {
        CHECK_IS(file_store_head(state->store, keys[i], &object, &error), OS_ERR_ARGUMENT);
        CHECK_IS(put_text(state, keys[i], "x", nonce_a, NULL), OS_ERR_ARGUMENT);
        CHECK_IS(file_store_delete(state->store, keys[i], &error), OS_ERR_ARGUMENT);
        CHECK_IS(file_store_copy(state->store, keys[i], NULL, "to", nonce_a, &object, &error), OS_ERR_ARGUMENT);
    }
    assert_true(exists("/etc/passwd"));
    assert_int_equal(temps(state), 0);
    close(fd);
}

struct meddler {
    const char *path;
    const char *text;
};

static int edit_while_read(void *context, const void *data, size_t length)
{
    const struct meddler *meddler = context;
    (void)data;
    (void)length;
    int fd = open(meddler->path, O_WRONLY);
    assert_int_equal(pwrite(fd, meddler->text, 1, 0), 1);
    close(fd);
    return 0;
}

static int replace_while_read(void *context, const void *data, size_t length)
{
    struct state *state = context;
    (void)data;
    (void)length;
    CHECK_OK(put_text(state, "k", "new", nonce_b, NULL));
    return 0;
}

static void a_file_edited_while_it_is_read_is_an_error_a_replaced_one_is_read_on(void **context)
{
    struct state *state = *context;
    struct file_object object;
    char *data = calloc(1, 2 * FILE_BLOCK);
    assert_non_null(data);
    struct http_body body = memory_body(data, 2 * FILE_BLOCK);
    struct file_content content = {.nonce = nonce_a};
    CHECK_OK(file_store_put(state->store, "k", &body, &content, &object, &error));
    struct meddler meddler = {below(state->root, "k"), "x"};
    CHECK_IS(file_store_get(state->store, "k", 0, 0, edit_while_read, &meddler, &object, &error), OS_ERR_IO);
    CHECK_OK(file_store_put(state->store, "k", &body, &content, &object, &error));
    CHECK_OK(file_store_get(state->store, "k", 0, 0, replace_while_read, state, &object, &error));
    assert_string_equal(object.nonce, nonce_a);
    check_head(state, "k", "new", nonce_b);
    free(data);
}

/* --------------------------------------------------------------------------------------- init, open, left-overs */

static void a_store_is_private_and_made_only_once(void **context)
{
    struct state *state = *context;
    struct stat st;
    static const char *const folders[] = {".oscommit", ".oscommit/tmp"};
    static const char *const files[] = {".oscommit/objects.db", ".oscommit/ledger.db"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(stat(below(state->root, folders[i]), &st), 0);
        assert_int_equal(st.st_mode & 07777, 0700);
        assert_int_equal(stat(below(state->root, files[i]), &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
    }
    CHECK_OK(put_text(state, "k", "hello", nonce_a, NULL));
    CHECK_OK(file_store_init(state->root, &error));
    check_head(state, "k", "hello", nonce_a);
    struct sqlite_ledger *ledger = NULL;
    CHECK_OK(sqlite_ledger_open(below(state->root, files[1]), &ledger, &error));
    sqlite_ledger_close(ledger);
    const char *fresh = below(state->root, "a new one %41?#");
    CHECK_OK(file_store_init(fresh, &error));
    assert_int_equal(stat(fresh, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    struct file_store *store = NULL;
    CHECK_OK(file_store_open(fresh, &store, &error)); /* a path that an URI would take for something else */
    file_store_close(store);
    CHECK_IS(file_store_init("", &error), OS_ERR_ARGUMENT);
    CHECK_IS(file_store_init(below(state->root, "no/such"), &error), OS_ERR_IO);
    CHECK_IS(file_store_init(below(state->root, "k"), &error), OS_ERR_IO);
}

static void a_root_without_a_store_is_refused_with_the_mend(void **context)
{
    struct state *state = *context;
    struct file_store *store = NULL;
    assert_int_equal(mkdir(below(state->root, "plain"), 0700), 0);
    CHECK_OK(put_text(state, "file", "hello", nonce_a, NULL));
    static const char *const roots[] = {"plain", "absent", "file"};
    for (size_t i = 0; i < 3; i++) {
        CHECK_IS(file_store_open(below(state->root, roots[i]), &store, &error), OS_ERR_CONFIG);
        assert_non_null(strstr(error.message, "oscommit init"));
        assert_null(store);
    }
    assert_int_equal(symlink("/tmp", below(state->root, "plain/.oscommit")), 0);
    CHECK_IS(file_store_init(below(state->root, "plain"), &error), OS_ERR_IO);
    file_store_close(NULL);
}

static void an_index_that_is_something_else_is_refused(void **context)
{
    struct state *state = *context;
    struct file_store *store = NULL;
    CHECK_OK(put_text(state, "k", "hello", nonce_a, NULL));
    file_store_close(state->store);
    state->store = NULL;
    const char *index = below(state->root, ".oscommit/objects.db");
    write_plain(
        index,
        "no database at all, but long enough that it has the hundred bytes of a header, which it has not got right");
    CHECK_IS(file_store_open(state->root, &store, &error), OS_ERR_CONFIG);
    CHECK_IS(file_store_init(state->root, &error), OS_ERR_CONFIG);
    assert_int_equal(unlink(index), 0);
    assert_int_equal(rename(below(state->root, ".oscommit/ledger.db"), index), 0);
    CHECK_IS(file_store_open(state->root, &store, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "another program"));
}

static void left_overs_of_the_dead_go_after_a_day_those_of_the_living_stay(void **context)
{
    struct state *state = *context;
    static const char *const ids[] = {"00000000000000000000000000000001", "00000000000000000000000000000002",
                                      "00000000000000000000000000000003"};
    int64_t now = (int64_t)time(NULL);
    char path[3][1024];
    for (size_t i = 0; i < 3; i++) {
        struct file_row row;
        (void)snprintf(path[i], sizeof(path[i]), "%s/.oscommit/tmp/%s", state->root, ids[i]);
        write_plain(path[i], "left over");
        set_mtime(path[i], i == 1 ? now - FILE_TEMP_AGE_S + 60 : now - FILE_TEMP_AGE_S - 1, 0);
        file_row_init(&row);
        (void)snprintf(row.id, sizeof(row.id), "%s", ids[i]);
        CHECK_OK(file_index_add(&state->store->place.index, "k", &row, &error));
    }
    write_plain(below(state->root, ".oscommit/tmp/not-ours"), "x");
    set_mtime(below(state->root, ".oscommit/tmp/not-ours"), 1, 0);
    int living = open(path[2], O_RDWR);
    assert_int_equal(flock(living, LOCK_EX), 0);
    struct file_store *second = NULL;
    CHECK_OK(file_store_open(state->root, &second, &error));
    assert_false(exists(path[0]));
    assert_true(exists(path[1]));
    assert_true(exists(path[2]));
    assert_int_equal(rows(state, "k"), 2);
    close(living);
    file_temp_sweep(&second->place, now + FILE_TEMP_AGE_S + 60);
    assert_int_equal(rows(state, "k"), 0);
    assert_int_equal(temps(state), 1);
    file_store_close(second);
}

static void rows_of_pending_writes_survive_the_writes_of_others(void **context)
{
    struct state *state = *context;
    struct file_row row;
    struct file_temp temp;
    int parent = -1;
    struct file_place *place = &state->store->place;
    CHECK_OK(file_temp_create(place, "k", &temp, &error)); /* a put that has come as far as its row */
    assert_int_equal(write(temp.fd, "slow", 4), 4);
    file_row_init(&row);
    assert_int_equal(file_stamp_read(temp.fd, &row.stamp), 0);
    (void)snprintf(row.id, sizeof(row.id), "%s", temp.id);
    (void)snprintf(row.nonce, sizeof(row.nonce), "%s", nonce_b);
    etag_of("slow", 4, row.etag);
    CHECK_OK(file_index_add(&place->index, "k", &row, &error));
    for (int i = 0; i < 5; i++) {
        CHECK_OK(put_text(state, "k", "fast", nonce_a, NULL));
        check_head(state, "k", "fast", nonce_a);
        assert_int_equal(rows(state, "k"), 2);
    }
    CHECK_OK(file_store_delete(state->store, "k", &error));
    assert_int_equal(rows(state, "k"), 1);
    CHECK_OK(file_temp_rename(place, &temp, "k", &parent, &error));
    close(parent);
    file_temp_close(place, &temp);
    check_head(state, "k", "slow", nonce_b);
    CHECK_OK(put_text(state, "k", "fast", nonce_a, NULL));
    assert_int_equal(rows(state, "k"), 1);
}

static void a_put_whose_temporary_file_is_taken_away_says_so(void **context)
{
    struct state *state = *context;
    struct file_temp temp;
    int parent = -1;
    CHECK_OK(file_temp_create(&state->store->place, "k", &temp, &error));
    assert_int_equal(unlinkat(state->store->place.temp_folder, temp.id, 0), 0);
    CHECK_IS(file_temp_rename(&state->store->place, &temp, "k", &parent, &error), OS_ERR_IO);
    file_temp_close(&state->store->place, &temp);
    check_absent(state, "k");
}

/* ------------------------------------------------------------------------------------------- full, read-only, busy */

static void check_full(struct state *state, const char *text)
{
    struct file_object object;
    char *data = malloc(1 << 20);
    assert_non_null(data);
    memset(data, 'x', 1 << 20);
    struct http_body body = memory_body(data, 1 << 20);
    struct file_content content = {.nonce = nonce_b};
    CHECK_IS(file_store_put(state->store, "k", &body, &content, &object, &error), OS_ERR_NO_SPACE);
    CHECK_IS(file_store_put(state->store, "new/key", &body, &content, &object, &error), OS_ERR_NO_SPACE);
    assert_int_equal(temps(state), 0);
    assert_false(exists(below(state->root, "new")));
    check_head(state, "k", text, nonce_a);
    free(data);
}

static void a_full_disk_leaves_the_old_object_and_no_temporary_file(void **context)
{
    struct state *outer = *context;
    char root[1024];
    (void)snprintf(root, sizeof(root), "%s", below(outer->root, "small"));
    assert_int_equal(mkdir(root, 0700), 0);
    if (!mount_small(root, "size=600k")) {
        skip();
    }
    struct state state = {.root = root};
    CHECK_OK(file_store_init(root, &error));
    CHECK_OK(file_store_open(root, &state.store, &error));
    CHECK_OK(put_text(&state, "k", "hello", nonce_a, NULL));
    check_full(&state, "hello");
    /* Now so full that the index has no room either. */
    int fd = open(below(root, "filler"), O_WRONLY | O_CREAT, 0600);
    char block[4096] = {0};
    while (write(fd, block, sizeof(block)) > 0) {
    }
    assert_int_equal(errno, ENOSPC);
    close(fd);
    os_code code = OS_OK;
    for (int i = 0; i < 2000 && code == OS_OK; i++) { /* a WAL that was longer once has room for some rows */
        code = put_text(&state, "k", "", nonce_a, NULL);
    }
    CHECK_IS(code, OS_ERR_NO_SPACE);
    struct file_object object;
    CHECK_OK(file_store_head(state.store, "k", &object, &error));
    assert_string_equal(object.nonce, nonce_a);
    assert_int_equal(temps(&state), 0);
    assert_int_equal(unlink(below(root, "filler")), 0);
    CHECK_OK(put_text(&state, "k", "again", nonce_b, NULL));
    check_head(&state, "k", "again", nonce_b);
    file_store_close(state.store);
    assert_int_equal(umount(root), 0);
}

static void a_file_over_the_limit_of_the_process_is_too_large(void **context)
{
    struct state *state = *context;
    struct file_object object;
    struct rlimit old;
    char *data = calloc(1, 1 << 20);
    assert_non_null(data);
    struct http_body body = memory_body(data, 1 << 20);
    CHECK_OK(file_store_put(state->store, "big", &body, NULL, &object, &error));
    CHECK_OK(put_text(state, "k", "hello", nonce_a, NULL));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    struct rlimit small = {.rlim_cur = 512 * 1024, .rlim_max = old.rlim_max};
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    os_code put = file_store_put(state->store, "k", &body, NULL, &object, &error);
    os_code copy = file_store_copy(state->store, "big", NULL, "k", NULL, &object, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    (void)signal(SIGXFSZ, SIG_DFL);
    CHECK_IS(copy, OS_ERR_TOO_LARGE);
    assert_int_equal(put, OS_ERR_TOO_LARGE);
    assert_int_equal(temps(state), 0);
    check_head(state, "k", "hello", nonce_a);
    free(data);
}

static void a_read_only_root_can_be_read_but_not_written(void **context)
{
    struct state *outer = *context;
    char root[1024];
    struct file_object object;
    (void)snprintf(root, sizeof(root), "%s", below(outer->root, "small"));
    assert_int_equal(mkdir(root, 0700), 0);
    if (!mount_small(root, "size=4m")) {
        skip();
    }
    struct state state = {.root = root};
    CHECK_OK(file_store_init(root, &error));
    CHECK_OK(file_store_open(root, &state.store, &error));
    CHECK_OK(put_text(&state, "d/k", "hello", nonce_a, NULL));
    file_store_close(state.store);
    write_plain(below(root, "by-hand"), "x");
    assert_int_equal(mount("tmpfs", root, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
    state.store = NULL;
    CHECK_OK(file_store_open(root, &state.store, &error));
    check_head(&state, "d/k", "hello", nonce_a);
    check_head(&state, "by-hand", "x", "");
    CHECK_IS(put_text(&state, "d/k", "x", nonce_b, NULL), OS_ERR_DENIED);
    assert_non_null(strstr(error.message, "read-only"));
    CHECK_IS(file_store_copy(state.store, "d/k", NULL, "l", nonce_b, &object, &error), OS_ERR_DENIED);
    CHECK_IS(file_store_delete(state.store, "d/k", &error), OS_ERR_DENIED);
    check_head(&state, "d/k", "hello", nonce_a);
    file_store_close(state.store);
    CHECK_IS(file_store_init(below(root, "sub"), &error), OS_ERR_DENIED);
    assert_int_equal(umount(root), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_object_is_a_plain_file_with_the_md5_as_its_etag),
        TEST(an_object_may_be_empty_and_have_no_nonce),
        TEST(a_second_put_replaces_the_first_with_all_it_had),
        TEST(bodies_of_every_size_round_a_block_are_whole),
        TEST(a_body_file_that_is_not_as_long_as_told_is_refused),
        TEST(a_range_is_cut_at_the_end_and_refused_behind_it),
        TEST(a_delete_removes_the_file_its_row_and_empty_folders),
        TEST(a_folder_is_no_object_and_no_object_is_a_folder),
        TEST(every_call_refuses_a_bad_key),
        TEST(the_longest_keys_are_stored_and_found),
        TEST(headers_and_metadata_have_the_limits_of_s3),
        TEST(a_copy_takes_headers_and_metadata_along_and_its_own_nonce),
        TEST(a_copy_of_a_missing_or_other_version_is_refused),
        TEST(an_edit_in_place_shows_new_bytes_and_no_nonce),
        TEST(a_replaced_file_never_shows_the_nonce_of_the_old_one),
        TEST(a_file_restored_with_its_time_has_its_nonce_and_headers_again),
        TEST(a_nonce_belongs_to_its_key),
        TEST(the_etag_of_a_rested_file_is_kept_until_the_file_changes),
        TEST(a_row_that_was_lost_costs_the_nonce_only),
        TEST(links_and_special_files_are_refused),
        TEST(a_file_edited_while_it_is_read_is_an_error_a_replaced_one_is_read_on),
        TEST(a_store_is_private_and_made_only_once),
        TEST(a_root_without_a_store_is_refused_with_the_mend),
        TEST(an_index_that_is_something_else_is_refused),
        TEST(left_overs_of_the_dead_go_after_a_day_those_of_the_living_stay),
        TEST(rows_of_pending_writes_survive_the_writes_of_others),
        TEST(a_put_whose_temporary_file_is_taken_away_says_so),
        TEST(a_full_disk_leaves_the_old_object_and_no_temporary_file),
        TEST(a_file_over_the_limit_of_the_process_is_too_large),
        TEST(a_read_only_root_can_be_read_but_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
