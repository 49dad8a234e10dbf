/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded store: making and opening it, left-overs, full and read-only disks. */
#include "file_state.h"

/* --------------------------------------------------------------------------------------- init, open, left-overs */

TEST_WITH(state, a_store_is_private_and_made_only_once)
{
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
    struct sqlite_tables *ledger = NULL;
    CHECK_OK(sqlite_tables_open(below(state->root, files[1]), NULL, &ledger, &error));
    sqlite_tables_close(ledger);
    const char *fresh = below(state->apart, "a new one %41?#");
    CHECK_OK(file_store_init(fresh, &error));
    assert_int_equal(stat(fresh, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    struct file_store *store = NULL;
    CHECK_OK(file_store_open(fresh, &store, &error)); /* a path that an URI would take for something else */
    file_store_close(store);
    CHECK_IS(file_store_init("", &error), OS_ERR_ARGUMENT);
    CHECK_IS(file_store_init(below(state->apart, "no/such"), &error), OS_ERR_IO);
    CHECK_IS(file_store_init(below(state->root, "k"), &error), OS_ERR_IO);
}

TEST_WITH(state, a_root_without_a_store_is_refused_with_the_mend)
{
    struct file_store *store = NULL;
    assert_int_equal(mkdir(below(state->apart, "plain"), 0700), 0);
    write_plain(below(state->apart, "file"), "hello");
    static const char *const roots[] = {"plain", "absent", "file"};
    for (size_t i = 0; i < 3; i++) {
        CHECK_IS(file_store_open(below(state->apart, roots[i]), &store, &error), OS_ERR_CONFIG);
        assert_non_null(strstr(error.message, "oscommit init"));
        assert_null(store);
    }
    assert_int_equal(symlink("/tmp", below(state->apart, "plain/.oscommit")), 0);
    CHECK_IS(file_store_init(below(state->apart, "plain"), &error), OS_ERR_IO);
    file_store_close(NULL);
}

TEST_WITH(state, an_index_that_is_something_else_is_refused)
{
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

TEST_WITH(state, left_overs_of_the_dead_go_after_a_day_those_of_the_living_stay)
{
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

TEST_WITH(state, rows_of_pending_writes_survive_the_writes_of_others)
{
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
    file_temp_close(&temp);
    check_head(state, "k", "slow", nonce_b);
    CHECK_OK(put_text(state, "k", "fast", nonce_a, NULL));
    assert_int_equal(rows(state, "k"), 1);
}

TEST_WITH(state, a_put_whose_temporary_file_is_taken_away_says_so)
{
    struct file_temp temp;
    int parent = -1;
    CHECK_OK(file_temp_create(&state->store->place, "k", &temp, &error));
    assert_int_equal(unlinkat(state->store->place.temp_folder, temp.id, 0), 0);
    CHECK_IS(file_temp_rename(&state->store->place, &temp, "k", &parent, &error), OS_ERR_UNDECIDED);
    assert_true(parent >= 0);
    close(parent);
    file_temp_close(&temp);
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

TEST_WITH(state, a_full_disk_leaves_the_old_object_and_no_temporary_file)
{
    char root[1024];
    (void)snprintf(root, sizeof(root), "%s", below(state->apart, "small"));
    assert_int_equal(mkdir(root, 0700), 0);
    if (!mount_small(root, "size=600k"))
        skip();
    struct state small = {.root = root};
    CHECK_OK(file_store_init(root, &error));
    CHECK_OK(file_store_open(root, &small.store, &error));
    CHECK_OK(put_text(&small, "k", "hello", nonce_a, NULL));
    check_full(&small, "hello");
    /* Now so full that the index has no room either. */
    int fd = open(below(root, "filler"), O_WRONLY | O_CREAT, 0600);
    char block[4096] = {0};
    while (write(fd, block, sizeof(block)) > 0) {
    }
    assert_int_equal(errno, ENOSPC);
    close(fd);
    os_code code = OS_OK;
    for (int i = 0; i < 2000 && code == OS_OK; i++) /* a WAL that was longer once has room for some rows */
        code = put_text(&small, "k", "", nonce_a, NULL);
    CHECK_IS(code, OS_ERR_NO_SPACE);
    struct file_object object;
    CHECK_OK(file_store_head(small.store, "k", &object, &error));
    assert_string_equal(object.nonce, nonce_a);
    assert_int_equal(temps(&small), 0);
    assert_int_equal(unlink(below(root, "filler")), 0);
    CHECK_OK(put_text(&small, "k", "again", nonce_b, NULL));
    check_head(&small, "k", "again", nonce_b);
    file_store_close(small.store);
    assert_int_equal(umount(root), 0);
}

TEST_WITH(state, a_file_over_the_limit_of_the_process_is_too_large)
{
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
    os_code copy =
        file_store_copy(state->store, &(struct file_copy_request){.source_key = "big", .key = "k"}, &object, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    (void)signal(SIGXFSZ, SIG_DFL);
    CHECK_IS(copy, OS_ERR_TOO_LARGE);
    assert_int_equal(put, OS_ERR_TOO_LARGE);
    assert_int_equal(temps(state), 0);
    check_head(state, "k", "hello", nonce_a);
    free(data);
}

TEST_WITH(state, a_read_only_root_can_be_read_but_not_written)
{
    char root[1024];
    struct file_object object;
    (void)snprintf(root, sizeof(root), "%s", below(state->apart, "small"));
    assert_int_equal(mkdir(root, 0700), 0);
    if (!mount_small(root, "size=4m"))
        skip();
    struct state small = {.root = root};
    CHECK_OK(file_store_init(root, &error));
    CHECK_OK(file_store_open(root, &small.store, &error));
    CHECK_OK(put_text(&small, "d/k", "hello", nonce_a, NULL));
    file_store_close(small.store);
    write_plain(below(root, "by-hand"), "x");
    assert_int_equal(mount("tmpfs", root, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
    small.store = NULL;
    CHECK_OK(file_store_open(root, &small.store, &error));
    check_head(&small, "d/k", "hello", nonce_a);
    check_head(&small, "by-hand", "x", "");
    CHECK_IS(put_text(&small, "d/k", "x", nonce_b, NULL), OS_ERR_DENIED);
    assert_non_null(strstr(error.message, "read-only"));
    CHECK_IS(file_store_copy(small.store,
                             &(struct file_copy_request){.source_key = "d/k", .key = "l", .nonce = nonce_b}, &object,
                             &error),
             OS_ERR_DENIED);
    CHECK_IS(file_store_delete(small.store, "d/k", &error), OS_ERR_DENIED);
    check_head(&small, "d/k", "hello", nonce_a);
    file_store_close(small.store);
    CHECK_IS(file_store_init(below(root, "sub"), &error), OS_ERR_DENIED);
    assert_int_equal(umount(root), 0);
}
