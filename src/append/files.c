/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parquet files of this machine, uploaded and committed. A data file has a name of random bytes that is written with its
 * bytes alone: so it needs no guard, and may be written twice. What is not committed is removed again.
 */
#include "append/append.h"

#include "base/error.h"
#include "base/fd.h"
#include "base/named_file.h"
#include "delta/parquet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MOST = 1000, DATA_NAME_SIZE = 96 /* with a number as long as there are */ };

struct files {
    struct append *append;
    const char *const *paths;
    size_t count;
    os_delta_add *adds; /* own; their paths are `names` */
    char (*names)[DATA_NAME_SIZE];
    struct stat *stats; /* as their footers were read */
    size_t uploaded;    /* of the first so many at least something may be there */
    json_t *schema;     /* of the first */
};

/* --------------------------------------------------------------------------------------------------------- footers */

static os_code no_parquet(struct files *files, const char *path, const char *why)
{
    return error_set(&files->append->error, OS_ERR_ARGUMENT, "%.300s is no Parquet file that can be read: %s.", path,
                     why);
}

static bool read_at(int fd, void *ret, size_t length, uint64_t offset)
{
    return fd_read_at(fd, ret, length, offset) == (int64_t)length;
}

/* Whoever reads bytes knows no file. */
static void name_file(struct files *files, const char *path)
{
    os_error why = files->append->error;
    (void)error_set(&files->append->error, why.code, "%.300s cannot be appended: %.600s", path, why.message);
}

static os_code take_schema(struct files *files, const char *path, const struct parquet *parquet)
{
    os_error *err = &files->append->error;
    json_t *schema = NULL;
    os_code code = parquet_delta_schema(parquet, &schema, err);
    if (code != OS_OK && code != OS_ERR_NO_MEMORY)
        name_file(files, path);
    if (code == OS_OK && files->schema != NULL) {
        code = delta_schema_accepts(files->schema, schema, err);
        if (code != OS_OK) {
            os_error why = *err;
            (void)error_set(err, code, "%.300s has another schema than %.300s: %.300s", path, files->paths[0],
                            why.message);
        }
    }
    if (files->schema == NULL)
        files->schema = schema;
    else
        json_decref(schema);
    return code;
}

static os_code read_footer(struct files *files, size_t number, int fd, uint64_t size)
{
    const char *path = files->paths[number];
    unsigned char tail[PARQUET_TAIL];
    uint64_t length = 0;
    struct parquet parquet = {0};
    if (size < 4 + PARQUET_TAIL || !read_at(fd, tail, sizeof(tail), size - PARQUET_TAIL) ||
        !parquet_footer_length(tail, &length))
        return no_parquet(files, path, "it does not end as one (an encrypted footer is not read)");
    if (length > PARQUET_FOOTER_MAX || length > size - 4 - PARQUET_TAIL)
        return no_parquet(files, path, "its footer is longer than the file, or than 64 MiB");
    char *footer = malloc(length > 0 ? (size_t)length : 1);
    if (footer == NULL)
        return error_no_memory(&files->append->error);
    os_code code = read_at(fd, footer, (size_t)length, size - PARQUET_TAIL - length)
                       ? parquet_read(footer, (size_t)length, &parquet, &files->append->error)
                       : no_parquet(files, path, "its footer could not be read");
    if (code == OS_OK)
        code = take_schema(files, path, &parquet);
    else if (code != OS_ERR_NO_MEMORY)
        name_file(files, path);
    files->adds[number].records = parquet.rows;
    parquet_free(&parquet);
    free(footer);
    return code;
}

static os_code read_file(struct files *files, size_t number)
{
    const char *path = files->paths[number];
    struct stat *stat = &files->stats[number];
    const char *why = NULL;
    int fd = named_file_open(path, &why);
    if (fd < 0)
        return error_set(&files->append->error, error_code_of(errno), "%.300s cannot be opened: %s.", path,
                         why != NULL ? why : strerror(errno));
    os_code code = OS_OK;
    if (fstat(fd, stat) != 0 || !S_ISREG(stat->st_mode))
        code = no_parquet(files, path, "it is no regular file");
    if (code == OS_OK)
        code = read_footer(files, number, fd, (uint64_t)stat->st_size);
    (void)close(fd);
    if (code != OS_OK)
        return code;
    files->adds[number].path = files->names[number];
    files->adds[number].length = (uint64_t)stat->st_size;
    char uuid[DELTA_UUID_SIZE];
    if (!delta_uuid(uuid))
        return error_set(&files->append->error, OS_ERR_IO, "The system has no random bytes; nothing was written.");
    (void)snprintf(files->names[number], DATA_NAME_SIZE, "part-%05zu-%s.parquet", number, uuid);
    return OS_OK;
}

/* ---------------------------------------------------------------------------------------------------------- upload */

static os_code check_unchanged(struct files *files, size_t number)
{
    struct stat now;
    const struct stat *then = &files->stats[number];
    const char *path = files->paths[number];
    if (stat(path, &now) == 0 && now.st_size == then->st_size && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == then->st_mtim.tv_nsec && now.st_ino == then->st_ino)
        return OS_OK;
    return error_set(&files->append->error, OS_ERR_BODY, "%.300s was changed while it was uploaded: nothing was added.",
                     path);
}

static os_code upload(void *context)
{
    struct files *files = context;
    os_code code = OS_OK;
    for (size_t i = 0; i < files->count && code == OS_OK; i++) {
        const os_body body = OS_BODY_FILE(files->paths[i]);
        files->uploaded = i + 1;
        code = append_put(files->append, "", files->names[i], &body);
        if (code == OS_OK)
            code = check_unchanged(files, i);
        files->adds[i].modified_ms = (int64_t)append_now_s() * 1000;
    }
    return code;
}

/* --------------------------------------------------------------------------------------------------------------- all */

static os_code files_take(struct files *files, const char *const *paths)
{
    os_code code = OS_OK;
    files->paths = paths;
    while (paths != NULL && paths[files->count] != NULL && files->count <= FILES_MOST)
        files->count++;
    if (files->count == 0 || files->count > FILES_MOST)
        return error_set(&files->append->error, OS_ERR_ARGUMENT, "1 to %d files can be appended at once.", FILES_MOST);
    files->adds = calloc(files->count, sizeof(*files->adds));
    files->names = calloc(files->count, sizeof(*files->names));
    files->stats = calloc(files->count, sizeof(*files->stats));
    if (files->adds == NULL || files->names == NULL || files->stats == NULL)
        return error_no_memory(&files->append->error);
    for (size_t i = 0; i < files->count && code == OS_OK; i++)
        code = read_file(files, i);
    return code;
}

static void files_free(struct files *files)
{
    free(files->adds);
    free(files->names);
    free(files->stats);
    json_decref(files->schema);
}

static os_verdict append_files(struct append *append, const char *const *paths)
{
    struct files files = {.append = append};
    os_code code = files_take(&files, paths);
    const struct commit_arguments arguments = {.schema = files.schema,
                                               .adds = files.adds,
                                               .count = files.count,
                                               .partition = append_partition(append),
                                               .upload = upload,
                                               .context = &files};
    os_verdict verdict = code == OS_OK ? append_commit(append, &arguments) : append_verdict_of(code);
    bool is_final = verdict == OS_CONFLICT || verdict == OS_NOT_EXECUTED;
    for (size_t i = 0; i < files.uploaded && is_final; i++)
        append_delete(append, "", files.names[i]);
    for (size_t i = 0; i < files.count && verdict == OS_COMMITTED; i++)
        append->result.records += files.adds[i].records;
    files_free(&files);
    return verdict;
}

os_verdict append_run_files(os_client *client, const struct append_arguments *arguments, os_delta_result *ret,
                            os_error *err)
{
    struct append append;
    os_verdict verdict = append_verdict_of(append_begin(&append, client, arguments));
    if (append.error.code == OS_OK) {
        verdict = append_files(&append, arguments->files);
        append_end(&append);
    }
    return append_give(&append, verdict, ret, err);
}
