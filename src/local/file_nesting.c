/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_nesting.h"

#include "base/error.h"
#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------------------------- above */

/* The mark of a store in the folder `path`, no link. False: there is none, or it cannot be seen. */
static bool find_mark(const char *path, struct stat *ret)
{
    char mark[PATH_MAX + sizeof("/" FILE_PRIVATE_FOLDER)];
    (void)snprintf(mark, sizeof(mark), "%s/" FILE_PRIVATE_FOLDER, strcmp(path, "/") == 0 ? "" : path);
    return lstat(mark, ret) == 0 && S_ISDIR(ret->st_mode);
}

/* Made by whoever could have made everything below it, too. */
static bool is_trusted(const char *path, const struct stat *mark)
{
    struct stat folder;
    return mark->st_uid == 0 || mark->st_uid == geteuid() ||
           (lstat(path, &folder) == 0 && folder.st_uid == mark->st_uid);
}

/* Cuts the last part off. False at the root of the file system. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || path[1] == '\0')
        return false;
    slash[slash == path ? 1 : 0] = '\0';
    return true;
}

/* The outermost store above `path`, which becomes its root. */
static bool find_above(char path[PATH_MAX], bool any)
{
    char found[PATH_MAX] = "";
    while (go_up(path)) {
        struct stat mark;
        if (find_mark(path, &mark) && (any || is_trusted(path, &mark)))
            memcpy(found, path, strlen(path) + 1);
    }
    memcpy(path, found, strlen(found) + 1);
    return found[0] != '\0';
}

os_code nesting_check_above(const char *root, enum nesting_marks marks, os_error *err)
{
    char resolved[PATH_MAX];
    if (realpath(root, resolved) == NULL || !find_above(resolved, marks == NESTING_ANY_MARK))
        return OS_OK; /* where there is no such folder, opening it will say so */
    return error_set(err, OS_ERR_CONFIG,
                     "%.300s lies inside the embedded store %.300s: use that one, and put the path between the two in "
                     "front of the keys. Two stores over the same files would not see each other's records.",
                     root, resolved);
}

/* ---------------------------------------------------------------------------------------------------- below */

static bool is_folder(int folder, const struct dirent *entry)
{
    struct stat status;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

static DIR *open_folder(const char *path)
{
    int fd = fd_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    if (stream == NULL && fd >= 0)
        (void)close(fd);
    return stream;
}

/* `path` is of a folder below the new root, or the root itself. Left at a store when one was found, else as it was.
 * What cannot be read is passed over. */
static bool find_below(char path[PATH_MAX], bool is_root)
{
    struct stat mark;
    size_t len = strlen(path);
    if (!is_root && find_mark(path, &mark))
        return true;
    bool found = false;
    DIR *stream = open_folder(path);
    struct dirent *entry = stream != NULL ? readdir(stream) : NULL;
    for (; entry != NULL && !found; entry = found ? NULL : readdir(stream)) {
        const char *name = entry->d_name;
        bool skipped = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, FILE_PRIVATE_FOLDER) == 0;
        if (skipped || !is_folder(dirfd(stream), entry) || len + strlen(name) + 2 > PATH_MAX)
            continue;
        (void)snprintf(path + len, PATH_MAX - len, "%s%s", path[len - 1] == '/' ? "" : "/", name);
        found = find_below(path, false);
        if (!found)
            path[len] = '\0';
    }
    if (stream != NULL)
        (void)closedir(stream);
    return found;
}

os_code nesting_check_below(const char *root, os_error *err)
{
    char path[PATH_MAX];
    if (realpath(root, path) == NULL || !find_below(path, true))
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG,
                     "%.300s cannot become a store, because it contains one at %.300s. Two stores over the same files "
                     "would not see each other's records.",
                     root, path);
}

/* ---------------------------------------------------------------------------------------------------- names */

/* A small and a capital letter, and one that has two forms in Unicode ("Ä"). */
#define PROBE "name-Aa\xc3\x84"

os_code nesting_check_names(const struct file_root *root, const char *path, os_error *err)
{
    static const char *const others[] = {"NAME-AA\xc3\x84", "name-aa\xc3\xa4", "name-AaA\xcc\x88", PROBE ".",
                                         PROBE " "};
    int folder = file_open_below(root, path, O_RDONLY | O_DIRECTORY);
    if (folder < 0)
        return OS_OK;
    bool there = faccessat(folder, PROBE, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    int made = there ? -1 : fd_openat(folder, PROBE, O_WRONLY | O_CREAT | O_NOFOLLOW, 0600);
    if (made >= 0)
        (void)close(made);
    bool same = false;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && !same; i++)
        same = faccessat(folder, others[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    if (same && made >= 0)
        (void)unlinkat(folder, PROBE, 0);
    (void)close(folder);
    if (!same)
        return OS_OK;
    return error_set(
        err, OS_ERR_CONFIG,
        "The file system of the store treats different names as one (upper and lower case, two forms of one letter, or "
        "a dot at the end): two keys would be one object. Put the store on another file system.");
}
