/* SPDX-License-Identifier: Apache-2.0 */
#include "common/beneath.h"
#include "common/tree.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
    char path[64];
    int folder;
    struct batch_items items;
};

static void place_set_up(struct place *place)
{
    (void)snprintf(place->path, sizeof(place->path), "/tmp/oscommit-tree-XXXXXX");
    assert_non_null(mkdtemp(place->path));
    place->folder = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(place->folder >= 0);
}

static void place_tear_down(struct place *place)
{
    char command[128];

    batch_items_clear(&place->items);
    (void)close(place->folder);
    (void)snprintf(command, sizeof(command), "rm -r '%s'", place->path);
    assert_int_equal(system(command), 0);
}

static void make_file(const struct place *place, const char *name)
{
    int fd = openat(place->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(close(fd), 0);
}

static const struct batch_item *find(const struct place *place, const char *name)
{
    for (size_t i = 0; i < place->items.count; i++)
        if (strcmp(place->items.list[i].name, name) == 0)
            return &place->items.list[i];
    fail_msg("%s is not listed", name);
    return NULL;
}

TEST_WITH(place, files_are_listed_and_what_is_none_is_refused)
{
    os_error err = {0};

    assert_int_equal(mkdirat(place->folder, "a", 0700), 0);
    assert_int_equal(mkdirat(place->folder, "a/b", 0700), 0);
    assert_int_equal(mkdirat(place->folder, "empty", 0700), 0);
    assert_int_equal(mkdirat(place->folder, ".OSCOMMIT", 0700), 0);
    make_file(place, "x");
    make_file(place, "a/b/y");
    make_file(place, "bad\xff");
    make_file(place, ".OSCOMMIT/z");
    assert_int_equal(symlinkat("x", place->folder, "link"), 0);
    assert_int_equal(symlinkat("/", place->folder, "root"), 0);
    assert_int_equal(mkfifoat(place->folder, "fifo", 0600), 0);
    assert_true(tree_read_folder(place->folder, "d", &place->items, &err));
    assert_int_equal(place->items.count, 7);
    assert_null(find(place, "x")->refusal);
    assert_int_equal(find(place, "x")->length, 3);
    assert_null(find(place, "a/b/y")->refusal);
    assert_string_equal(find(place, "link")->refusal, "is a symbolic link, which is not followed");
    assert_string_equal(find(place, "root")->refusal, "is a symbolic link, which is not followed");
    assert_string_equal(find(place, "fifo")->refusal, "is neither a file nor a folder");
    assert_string_equal(find(place, "bad\xff")->refusal, "is not UTF-8, as the name of an object is");
    assert_non_null(strstr(find(place, ".OSCOMMIT/z")->refusal, "mark of a store"));
}

TEST_WITH(place, folders_that_are_too_deep_are_an_error)
{
    os_error err = {0};
    int at = dup(place->folder);

    for (int depth = 0; depth <= TREE_DEPTH_MAX; depth++) {
        assert_int_equal(mkdirat(at, "d", 0700), 0);
        int next = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(next >= 0);
        (void)close(at);
        at = next;
    }
    (void)close(at);
    assert_false(tree_read_folder(place->folder, "d", &place->items, &err));
    assert_int_equal(err.code, OS_ERR_IO);
}

static const struct {
    const char *name;
    const char *about; /* NULL: it may be a file's name */
} names[] = {
    {"a", NULL},
    {"a/b.c", NULL},
    {"...", NULL},
    {"a/..b", NULL},
    {".oscommitted", NULL},
    {"", "empty"},
    {"/a", "empty"},
    {"a/", "empty"},
    {"a//b", "empty"},
    {".", ". or .."},
    {"..", ". or .."},
    {"a/../b", ". or .."},
    {"a/.", ". or .."},
    {"a/..", ". or .."},
    {".oscommit/x", "mark"},
    {"x/.OsCommit", "mark"},
};

TEST_ROWS(names, a_name_stays_beneath)
{
    const char *why = beneath_refuse(row->name);

    if ((why == NULL) != (row->about == NULL) || (why != NULL && strstr(why, row->about) == NULL))
        fail_msg("\"%s\": %s", row->name, why == NULL ? "taken" : why);
}

TEST(a_part_has_a_greatest_length)
{
    char name[300];

    memset(name, 'a', sizeof(name));
    name[255] = '\0';
    assert_null(beneath_refuse(name));
    name[255] = 'a';
    name[256] = '\0';
    assert_non_null(beneath_refuse(name));
}

TEST_WITH(place, no_link_is_followed_on_the_way)
{
    const char *last;

    assert_int_equal(symlinkat("/tmp", place->folder, "out"), 0);
    make_file(place, "file");
    assert_int_equal(beneath_folder(place->folder, "out/x", true, &last), -1);
    assert_true(errno == ELOOP || errno == ENOTDIR);
    assert_int_equal(beneath_folder(place->folder, "file/x", true, &last), -1);
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(beneath_folder(place->folder, "a/../x", true, &last), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(beneath_open(place->folder, "out"), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(beneath_open(place->folder, "missing"), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(beneath_open(place->folder, "missing/x"), -1);
    assert_int_equal(errno, ENOENT);
}

TEST_WITH(place, missing_folders_are_made)
{
    const char *last;
    int fd = beneath_folder(place->folder, "a/b/c", true, &last);

    assert_true(fd >= 0);
    assert_string_equal(last, "c");
    assert_int_equal(faccessat(place->folder, "a/b", F_OK, 0), 0);
    assert_int_equal(faccessat(place->folder, "a/b/c", F_OK, 0), -1);
    (void)close(fd);
    fd = beneath_folder(place->folder, "d", true, &last);
    assert_true(fd >= 0);
    (void)close(fd);
    make_file(place, "a/b/c");
    fd = beneath_open(place->folder, "a/b/c");
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(beneath_open(place->folder, "a/b"), -1);
    assert_int_equal(errno, EINVAL);
}
