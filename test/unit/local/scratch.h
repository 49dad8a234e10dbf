/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the embedded store share: a folder of their own, bodies that are told by their nonce, children.
 * Header only: every test is one program. */
#ifndef OSCOMMIT_TEST_LOCAL_SCRATCH_H
#define OSCOMMIT_TEST_LOCAL_SCRATCH_H

#include "local/file_store.h"
#include "local/md5.h"
#include "support/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
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

/* --------------------------------------------------------------------------------- bodies that tell their nonce */

enum { TELLING_MAX = 9000 };

MAYBE_UNUSED static void etag_of(const void *data, size_t len, char *ret)
{
    struct md5 md5;
    EVP_MD *algorithm = md5_fetch();
    assert_non_null(algorithm);
    assert_true(md5_start(&md5, algorithm) && md5_add(&md5, data, len) && md5_etag(&md5, ret));
    md5_free(&md5);
    EVP_MD_free(algorithm);
}

/* The body that belongs to a nonce: it begins with it; one of two lengths, so that most versions have the same. */
MAYBE_UNUSED static size_t telling_body(const char *nonce, char *ret)
{
    size_t len = nonce[31] % 2 == 0 ? 5000 : TELLING_MAX;
    for (size_t i = 0; i < len; i++)
        ret[i] = i < 32 ? nonce[i] : (char)(nonce[i % 32] ^ (char)(i % 61));
    return len;
}

MAYBE_UNUSED static os_code put_telling(struct file_store *store, const char *key, const char *nonce, os_error *error)
{
    char data[TELLING_MAX];
    struct file_object object;
    struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = data, .length = telling_body(nonce, data)};
    struct file_content content = {.content_type = nonce, .nonce = nonce};
    return file_store_put(store, key, &body, &content, &object, error);
}

struct gathered {
    char data[TELLING_MAX + 1];
    size_t len;
};

MAYBE_UNUSED static int gather(void *context, const void *data, size_t length)
{
    struct gathered *gathered = context;
    if (length > TELLING_MAX - gathered->len)
        return 1;
    memcpy(gathered->data + gathered->len, data, length);
    gathered->len += length;
    gathered->data[gathered->len] = '\0';
    return 0;
}

/* A put's nonce is its body's first 32 bytes; a copy's nonce is 'c' and the source's nonce from its second digit on.
 * Empty if all is well. */
MAYBE_UNUSED static const char *telling_fault(const struct file_object *object, const char *data, size_t len)
{
    char etag[MD5_ETAG_SIZE];
    char expected[TELLING_MAX];
    char nonce[33];
    if (len < 32 || object->length != len)
        return "length";
    etag_of(data, len, etag);
    if (strcmp(etag, object->etag) != 0)
        return "ETag";
    memcpy(nonce, data, 32);
    nonce[32] = '\0';
    if (telling_body(nonce, expected) != len || memcmp(expected, data, len) != 0)
        return "bytes of two versions";
    if (object->nonce[0] == '\0')
        return "no nonce";
    bool nonce_fits =
        object->nonce[0] == 'c' ? strcmp(object->nonce + 1, nonce + 1) == 0 : strcmp(object->nonce, nonce) == 0;
    if (!nonce_fits)
        return "nonce of other bytes";
    return strcmp(object->content_type, nonce) == 0 ? "" : "content type of other bytes";
}

/* GET, and HEAD, each in itself; the object may be absent. Empty if all is well. */
MAYBE_UNUSED static const char *telling_check(struct file_store *store, const char *key, os_error *error)
{
    struct gathered gathered = {.len = 0};
    struct file_object object;
    os_code code = file_store_get(store, key, NULL, gather, &gathered, &object, error);
    if (code != OS_OK)
        return code == OS_ERR_NOT_FOUND ? "" : error->message;
    const char *fault = telling_fault(&object, gathered.data, gathered.len);
    if (fault[0] != '\0')
        return fault;
    code = file_store_head(store, key, &object, error);
    if (code != OS_OK)
        return code == OS_ERR_NOT_FOUND ? "" : error->message;
    char data[TELLING_MAX];
    size_t len = telling_body(object.content_type, data); /* the nonce that the bytes began with */
    return telling_fault(&object, data, len);
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
