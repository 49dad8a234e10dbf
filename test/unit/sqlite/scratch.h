/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of SQLite and of the embedded store share: a folder of their own, codes, children. Header only: every
 * test is one program. */
#ifndef OSCOMMIT_TEST_UNIT_SQLITE_SCRATCH_H
#define OSCOMMIT_TEST_UNIT_SQLITE_SCRATCH_H

#include "oscommit.h"
#include "support/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAYBE_UNUSED __attribute__((unused))

#define CHECK_OK(expression)         check_code((expression), OS_OK, &error, __LINE__)
#define CHECK_IS(expression, wanted) check_code((expression), (wanted), &error, __LINE__)
MAYBE_UNUSED static void check_code(os_code code, os_code wanted, const os_error *error, int line)
{
    if (code != wanted)
        fail_msg("line %d: %s instead of %s: %s", line, os_code_name(code), os_code_name(wanted), error->message);
    assert_true(code == OS_OK || error->message[0] != '\0');
    assert_int_equal(error->code, code);
}

/* As _Fork, and as runtimes that make their own: no handler of any library runs. */
MAYBE_UNUSED static pid_t fork_silently(void)
{
    return (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
}

/* ---------------------------------------------------------------------------------------------------- folders */

MAYBE_UNUSED static char *scratch_make(void)
{
    const char *base = getenv("TMPDIR");
    char *path = NULL;
    assert_true(asprintf(&path, "%s/oscommit-local-XXXXXX", base == NULL ? "/tmp" : base) > 0);
    assert_non_null(mkdtemp(path));
    return path;
}

MAYBE_UNUSED static int scratch_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static char scratch_mounted[1024]; /* the file system that a failed test left there, or "" */

MAYBE_UNUSED static void scratch_remove(char *path)
{
    if (scratch_mounted[0] != '\0') {
        (void)umount2(scratch_mounted, MNT_DETACH);
        scratch_mounted[0] = '\0';
    }
    assert_int_equal(nftw(path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(path);
}

/* PATH of `name` below a folder, in one of a few static blocks. */
MAYBE_UNUSED static const char *below(const char *folder, const char *name)
{
    static char blocks[8][2048];
    static unsigned next;
    char *block = blocks[next++ % 8];
    assert_true(snprintf(block, sizeof(blocks[0]), "%s/%s", folder, name) < (int)sizeof(blocks[0]));
    return block;
}

MAYBE_UNUSED static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

MAYBE_UNUSED static void write_plain(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

/* How many entries a folder has, without dots. */
MAYBE_UNUSED static size_t entries_of(const char *path)
{
    DIR *folder = opendir(path);
    size_t count = 0;
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count - 2;
}

/* A small file system of its own at `path`; false, and said aloud, where mounting is not allowed. */
MAYBE_UNUSED static bool mount_small(const char *path, const char *options)
{
    if (mount("tmpfs", path, "tmpfs", 0, options) == 0) {
        (void)snprintf(scratch_mounted, sizeof(scratch_mounted), "%s", path);
        return true;
    }
    print_message("SKIPPED in part: no tmpfs can be mounted here (%s)\n", strerror(errno));
    return false;
}

/* Runs SQL on a database file as a stranger would. */
MAYBE_UNUSED static void execute(const char *file, const char *sql)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Waits for a child, and fails unless it ended with 0. */
MAYBE_UNUSED static void join(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#endif
