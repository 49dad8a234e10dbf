/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded store: files that somebody edits, replaces, restores or moves behind its back. */
#include "file_state.h"

/* --------------------------------------------------------------------------------------------- behind our back */

TEST_WITH(state, an_edit_in_place_shows_new_bytes_and_no_nonce)
{
    CHECK_OK(put_text(state, "k", "hello", nonce_a, NULL));
    write_plain(below(state->root, "k"), "HELLO"); /* the same length, at once */
    check_head(state, "k", "HELLO", "");
    write_plain(below(state->root, "k"), "Hello");
    check_head(state, "k", "Hello", "");
    CHECK_OK(put_text(state, "k", "again", nonce_b, NULL));
    check_head(state, "k", "again", nonce_b);
    assert_int_equal(rows(state, "k"), 1);
}

TEST_WITH(state, a_replaced_file_never_shows_the_nonce_of_the_old_one)
{
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

TEST_WITH(state, a_file_restored_with_its_time_has_its_nonce_and_headers_again)
{
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

TEST_WITH(state, a_nonce_belongs_to_its_key)
{
    CHECK_OK(put_text(state, "k", "hello", nonce_a, NULL));
    assert_int_equal(link(below(state->root, "k"), below(state->root, "linked")), 0);
    check_head(state, "linked", "hello", "");
    check_head(state, "k", "hello", nonce_a);
    assert_int_equal(rename(below(state->root, "k"), below(state->root, "moved")), 0);
    check_head(state, "moved", "hello", "");
    check_absent(state, "k");
}

TEST_WITH(state, the_etag_of_a_rested_file_is_kept_until_the_file_changes)
{
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

TEST_WITH(state, a_row_that_was_lost_costs_the_nonce_only)
{
    CHECK_OK(put_text(state, "k", "hello", nonce_a, NULL));
    file_store_close(state->store);
    state->store = NULL;
    assert_int_equal(unlink(below(state->root, ".oscommit/objects.db")), 0);
    CHECK_IS(file_store_open(state->root, &state->store, &error), OS_ERR_CONFIG);
    CHECK_OK(file_store_init(state->root, &error));
    CHECK_OK(file_store_open(state->root, &state->store, &error));
    check_head(state, "k", "hello", "");
}

TEST_WITH(state, links_and_special_files_are_refused)
{
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
        CHECK_IS(file_store_copy(state->store,
                                 &(struct file_copy_request){.source_key = keys[i], .key = "to", .nonce = nonce_a},
                                 &object, &error),
                 OS_ERR_ARGUMENT);
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

TEST_WITH(state, a_file_edited_while_it_is_read_is_an_error_a_replaced_one_is_read_on)
{
    struct file_object object;
    char *data = calloc(1, 2 * FILE_BLOCK);
    assert_non_null(data);
    struct http_body body = memory_body(data, 2 * FILE_BLOCK);
    struct file_content content = {.nonce = nonce_a};
    CHECK_OK(file_store_put(state->store, "k", &body, &content, &object, &error));
    struct meddler meddler = {below(state->root, "k"), "x"};
    CHECK_IS(file_store_get(state->store, "k", NULL, edit_while_read, &meddler, &object, &error), OS_ERR_IO);
    CHECK_OK(file_store_put(state->store, "k", &body, &content, &object, &error));
    CHECK_OK(file_store_get(state->store, "k", NULL, replace_while_read, state, &object, &error));
    assert_string_equal(object.nonce, nonce_a);
    check_head(state, "k", "new", nonce_b);
    free(data);
}
