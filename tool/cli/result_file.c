/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/result_file.h"

#include "cli/verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool result_file_fail(const char *name, int number, os_error *err)
{
    err->code = code_of_errno(number);
    (void)snprintf(err->message, sizeof(err->message), "%.300s cannot be written: %s.", name, strerror(number));
    return false;
}

static char *name_beside(const char *name)
{
    static const char ending[] = ".XXXXXX";
    size_t len = strlen(name);
    char *temporary = malloc(len + sizeof(ending));

    if (temporary != NULL) {
        memcpy(temporary, name, len);
        memcpy(temporary + len, ending, sizeof(ending));
    }
    return temporary;
}

/* The access that a new file would have had: mkostemp gives it to the owner only. */
static void give_usual_access(int fd)
{
    mode_t mask = umask(0);

    (void)umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
}

static int open_beside(struct result_file *file)
{
    file->temporary = name_beside(file->name);
    if (file->temporary == NULL)
        return -1;
    int fd = mkostemp(file->temporary, O_CLOEXEC);
    if (fd >= 0) {
        give_usual_access(fd);
        return fd;
    }
    free(file->temporary);
    file->temporary = NULL;
    return -1;
}

/* What is written to directly: devices, FIFOs, and open files by their number, which have no name to give to another.
 */
static bool is_special(const char *name)
{
    static const char *const open_files[] = {"/dev/std", "/dev/fd/", "/proc/"};
    struct stat found;

    for (size_t i = 0; i < sizeof(open_files) / sizeof(open_files[0]); i++)
        if (strncmp(name, open_files[i], strlen(open_files[i])) == 0)
            return true;
    return stat(name, &found) == 0 && !S_ISREG(found.st_mode);
}

/* A FIFO that nobody reads is ENXIO at once: waiting for a reader, the program could not be stopped. */
static int open_special(const char *name)
{
    int fd = open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd >= 0 && fcntl(fd, F_SETFL, 0) != 0) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

/* The name that a regular file takes: where `name` is a link, that of what it leads to. */
static char *target_of(const char *name)
{
    char *target = realpath(name, NULL);

    return target == NULL && errno == ENOENT ? strdup(name) : target;
}

static void result_file_forget(struct result_file *file)
{
    free(file->temporary);
    free(file->name);
    *file = (struct result_file){0};
}

bool result_file_open(const char *name, struct result_file *ret, os_error *err)
{
    bool special = is_special(name);
    struct result_file file = {.name = special ? strdup(name) : target_of(name)};
    int fd = -1;

    if (file.name != NULL)
        fd = special ? open_special(name) : open_beside(&file);
    if (fd >= 0)
        file.stream = fdopen(fd, "w");
    if (file.stream == NULL) {
        (void)result_file_fail(name, errno, err);
        if (fd >= 0)
            (void)close(fd);
        if (file.temporary != NULL)
            (void)unlink(file.temporary);
        result_file_forget(&file);
        return false;
    }
    *ret = file;
    return true;
}

bool result_file_close(struct result_file *file, bool good, os_error *err)
{
    bool kept = good;

    if (file->stream == NULL)
        return true;
    errno = 0;
    bool broken = ferror(file->stream) != 0;
    if ((fclose(file->stream) != 0 || broken) && kept)
        kept = result_file_fail(file->name, errno != 0 ? errno : EIO, err);
    if (file->temporary != NULL && kept && rename(file->temporary, file->name) != 0)
        kept = result_file_fail(file->name, errno, err);
    if (file->temporary != NULL && !kept)
        (void)unlink(file->temporary);
    result_file_forget(file);
    return kept || !good;
}
