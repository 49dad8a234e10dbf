/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_path.h"

#include "scratch.h"

struct state {
    char *folder;
    struct file_root root;
};

static os_error error;

static void open_root(struct state *state, bool stepwise)
{
    state->folder = scratch_make();
    assert_int_equal(file_root_open(&state->root, state->folder), 0);
    if (!stepwise && state->root.stepwise)
        print_message("SKIPPED in part: no openat2 here, every step is taken by hand\n");
    state->root.stepwise = state->root.stepwise || stepwise;
}

static void state_set_up(struct state *state)
{
    open_root(state, false);
}

static void stepwise_root(struct state *state)
{
    open_root(state, true);
}

static void state_tear_down(struct state *state)
{
    file_root_close(&state->root);
    scratch_remove(state->folder);
}

/* ------------------------------------------------------------------------------------------------------- keys */

static void check_key(const char *key, bool allowed)
{
    CHECK_IS(file_store_check_key(key, &error), allowed ? OS_OK : OS_ERR_ARGUMENT);
    assert_int_equal(file_store_check_key(key, NULL) == OS_OK, allowed);
}

TEST(keys_that_are_file_names_are_allowed)
{
    static const char *const keys[] = {
        "a",    "a/b/c", "a b+c%20", "\xc3\xa4/\xe2\x82\xac", "...",          "..a/a..", "-rf", "~",
        "a\\b", "\n",    ".oscommi", "a/.oscommit_",          ".oscommit2/x", "*"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        check_key(keys[i], true);
}

TEST(keys_that_cannot_be_file_names_are_refused)
{
    static const char *const keys[] = {
        NULL,    "",       "/",    "/a",   "a/",        "a//b",       ".",           "..",   "./a",   "a/.",
        "a/./b", "a/../b", "../a", "a/..", ".oscommit", ".oscommit/", ".oscommit/x", "\xff", "a\xc3", "\xed\xa0\x80"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        check_key(keys[i], false);
}

TEST(keys_have_1024_bytes_and_segments_255_at_most)
{
    char key[2000];
    memset(key, 'x', sizeof(key));
    key[255] = '\0';
    check_key(key, true);
    key[255] = 'x';
    key[256] = '\0';
    check_key(key, false);
    key[256] = 'x';
    for (size_t i = 255; i < 1024; i += 256)
        key[i] = '/';
    key[1023] = 'x';
    key[1024] = '\0';
    key[1022] = '/';
    check_key(key, true);
    key[1024] = 'x';
    key[1025] = '\0';
    check_key(key, false);
    assert_true(strlen(error.message) < 600); /* the reason stands behind a short form of the key */
    assert_non_null(strstr(error.message, "1,024"));
    memset(key + 1, '/', 1);
    for (size_t i = 0; i < 1024; i++)
        key[i] = i % 2 == 0 ? 'x' : '/';
    key[1023] = '\0';
    check_key(key, true); /* 512 segments */
}

/* ---------------------------------------------------------------------------------------------------- opening */

static void check_open(struct state *state, const char *path, int flags, int expected)
{
    int fd = file_open_below(&state->root, path, flags);
    assert_int_equal(fd >= 0 ? 0 : errno, expected);
    if (fd >= 0) {
        assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
        close(fd);
    }
}

TEST_WITH(state, no_link_is_followed)
{
    assert_int_equal(mkdir(below(state->folder, "in"), 0700), 0);
    write_plain(below(state->folder, "in/file"), "x");
    assert_int_equal(symlink("/etc", below(state->folder, "out")), 0);
    assert_int_equal(symlink("in", below(state->folder, "inner")), 0);
    assert_int_equal(symlink("/etc/passwd", below(state->folder, "in/passwd")), 0);
    assert_int_equal(symlink("nowhere", below(state->folder, "dangling")), 0);
    check_open(state, "", O_RDONLY | O_DIRECTORY, 0);
    check_open(state, "in", O_RDONLY | O_DIRECTORY, 0);
    check_open(state, "in/file", O_RDONLY, 0);
    check_open(state, "in/none", O_RDONLY, ENOENT);
    check_open(state, "in/file/x", O_RDONLY, ENOTDIR);
    static const char *const links[] = {"out/passwd", "inner/file", "in/passwd", "out",
                                        "inner",      "dangling",   "dangling/x"};
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        check_open(state, links[i], O_RDONLY, ELOOP);
        check_open(state, links[i], O_PATH, ELOOP);
        check_open(state, links[i], O_RDONLY | O_DIRECTORY, ELOOP);
    }
    const char *name = NULL;
    assert_int_equal(file_open_parent(&state->root, "out/new/file", true, &name), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(file_open_parent(&state->root, "dangling/file", true, &name), -1);
    assert_int_equal(errno, ELOOP);
    assert_false(exists(below(state->folder, "nowhere")));
}
TEST_AGAIN_AS(state, stepwise_root, no_link_is_followed)

TEST_WITH(state, another_file_system_is_refused)
{
    char mounted[1024];
    (void)snprintf(mounted, sizeof(mounted), "%s/mounted", state->folder);
    assert_int_equal(mkdir(mounted, 0700), 0);
    if (!mount_small(mounted, "size=64k"))
        skip();
    write_plain(below(mounted, "file"), "x");
    check_open(state, "mounted/file", O_RDONLY, EXDEV);
    const char *name = NULL;
    assert_int_equal(file_open_parent(&state->root, "mounted/a/b", true, &name), -1);
    assert_int_equal(errno, EXDEV);
    assert_int_equal(umount(mounted), 0);
}
TEST_AGAIN_AS(state, stepwise_root, another_file_system_is_refused)

TEST_WITH(state, missing_folders_are_made_private)
{
    struct stat st;
    const char *name = NULL;
    mode_t mask = umask(0);
    assert_int_equal(file_open_parent(&state->root, "a/b/c/file", false, &name), -1);
    assert_int_equal(errno, ENOENT);
    int fd = file_open_parent(&state->root, "a/b/c/file", true, &name);
    assert_true(fd >= 0);
    assert_string_equal(name, "file");
    assert_int_equal(file_sync_folders(fd, "a/b/c/file"), 0);
    close(fd);
    assert_int_equal(stat(below(state->folder, "a/b/c"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(stat(below(state->folder, "a"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    umask(mask);
    fd = file_open_parent(&state->root, "top", true, &name);
    assert_true(fd >= 0);
    assert_string_equal(name, "top");
    assert_int_equal(file_sync_folders(fd, "top"), 0);
    close(fd);
    write_plain(below(state->folder, "a/file"), "x");
    assert_int_equal(file_open_parent(&state->root, "a/file/b", true, &name), -1);
    assert_int_equal(errno, ENOTDIR);
}
TEST_AGAIN_AS(state, stepwise_root, missing_folders_are_made_private)

TEST_WITH(state, the_deepest_key_can_be_made_and_removed)
{
    char key[1025];
    for (size_t i = 0; i < 1024; i++)
        key[i] = i % 2 == 0 ? 'x' : '/';
    key[1023] = '\0';
    const char *name = NULL;
    int fd = file_open_parent(&state->root, key, true, &name);
    assert_true(fd >= 0);
    assert_int_equal(file_sync_folders(fd, key), 0);
    file_prune_above(&state->root, key);
    assert_int_equal(file_sync_folders(fd, key), 0); /* its folders are gone by now */
    close(fd);
    assert_int_equal(entries_of(state->folder), 0);
    fd = file_open_parent(&state->root, key, true, &name);
    assert_true(fd >= 0);
    close(fd);
    assert_true(file_prune_below(&state->root, "x"));
    assert_int_equal(entries_of(state->folder), 0);
}
TEST_AGAIN_AS(state, stepwise_root, the_deepest_key_can_be_made_and_removed)

TEST_WITH(state, only_empty_folders_are_removed)
{
    const char *name = NULL;
    close(file_open_parent(&state->root, "a/b/c/x", true, &name));
    close(file_open_parent(&state->root, "a/d/e/x", true, &name));
    file_prune_above(&state->root, "a/b/c/x");
    assert_false(exists(below(state->folder, "a/b")));
    assert_true(exists(below(state->folder, "a/d/e")));
    write_plain(below(state->folder, "a/d/file"), "x");
    assert_false(file_prune_below(&state->root, "a"));
    assert_true(exists(below(state->folder, "a/d/file")));
    assert_int_equal(unlink(below(state->folder, "a/d/file")), 0);
    file_prune_above(&state->root, "a/zz/y"); /* what was never there is no hindrance */
    close(file_open_parent(&state->root, "a/f/g/x", true, &name));
    assert_true(file_prune_below(&state->root, "a"));
    assert_false(exists(below(state->folder, "a")));
    assert_true(exists(state->folder));
}
TEST_AGAIN_AS(state, stepwise_root, only_empty_folders_are_removed)

TEST(a_failed_system_call_becomes_a_code_and_a_sentence)
{
    static const struct {
        int error;
        os_code code;
    } cases[] = {{ENOSPC, OS_ERR_NO_SPACE}, {EDQUOT, OS_ERR_NO_SPACE}, {EROFS, OS_ERR_DENIED},
                 {EACCES, OS_ERR_DENIED},   {EFBIG, OS_ERR_TOO_LARGE}, {ENOMEM, OS_ERR_NO_MEMORY},
                 {ELOOP, OS_ERR_ARGUMENT},  {EIO, OS_ERR_IO}};
    char key[1025];
    memset(key, 'k', 1024);
    key[1024] = '\0';
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CHECK_IS(file_failed(&error, cases[i].error, "write", key), cases[i].code);
        assert_int_equal(error.message[strlen(error.message) - 1], '.');
        assert_true(strlen(error.message) < 500);
    }
}

TEST(a_long_key_is_shown_short_and_whole_in_its_characters)
{
    char shown[FILE_SHOWN_SIZE];
    char key[1025];
    for (size_t i = 0; i < 1024; i += 2)
        memcpy(key + i, "\xc3\xa4", 2);
    key[1024] = '\0';
    assert_string_equal(file_shown("short", shown), "short");
    assert_true(strlen(file_shown(key, shown)) < FILE_SHOWN_SIZE);
    assert_string_equal(shown + strlen(shown) - 5, "\xc3\xa4...");
}
