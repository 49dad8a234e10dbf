/* SPDX-License-Identifier: Apache-2.0 */
/* The end of an upload: what its parts must be, and the rename that makes them an object. */
#include "local/file_upload.h"

#include "base/error.h"
#include "local/file_internal.h"
#include "local/file_staging.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct file_completion {
    struct file_store *store;
    struct staging staging;
    struct staging_about about;
};

static os_code wrong_part(const char *key, uint32_t number, const char *what, os_error *err)
{
    char shown[FILE_SHOWN_SIZE];
    return error_set(err, OS_ERR_ARGUMENT, "The upload of \"%s\" cannot be completed: part %u %s.",
                     file_shown(key, shown), number, what);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c - 'a' + 10; /* of text_hex */
}

static void add_part(struct digest_stream *md5, const struct staged_part *part)
{
    unsigned char digest[STAGING_MD5_SIZE / 2];
    for (size_t i = 0; i < sizeof(digest); i++)
        digest[i] = (unsigned char)(digit_of(part->md5[2 * i]) * 16 + digit_of(part->md5[2 * i + 1]));
    digest_stream_add(md5, digest, sizeof(digest));
}

static bool has_etag(const struct staged_part *part, const char *etag)
{
    return strlen(etag) == MD5_ETAG_SIZE - 1 && memcmp(etag + 1, part->md5, sizeof(part->md5)) == 0;
}

/* The length of the object, and the MD5 of the parts' MD5s. */
static os_code check_parts(const struct staging *staging, const char *key, const struct file_part_name *parts,
                           size_t count, struct digest_stream *md5, uint64_t *ret_length, os_error *err)
{
    uint64_t length = 0;
    uint32_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = parts[i].number;
        struct staged_part part;
        if (number <= before || number > STAGING_PART_MAX)
            return wrong_part(key, number, "is out of order: the parts must be named by rising number", err);
        int error = staging_slots(staging, number, 1, &part);
        if (error != 0)
            return file_failed(err, error, "read the upload of", key);
        if (part.number == 0)
            return wrong_part(key, number, "was not uploaded", err);
        if (parts[i].etag == NULL || !has_etag(&part, parts[i].etag))
            return wrong_part(key, number, "was uploaded with another ETag", err);
        if (part.offset != length)
            return wrong_part(key, number, "does not follow on the one before it", err);
        add_part(md5, &part);
        length += part.length;
        before = number;
    }
    *ret_length = length;
    return OS_OK;
}

static os_code name_object(struct file_completion *completion, const struct file_part_name *parts, size_t count,
                           uint64_t *ret_length, os_error *err)
{
    struct digest_stream md5;
    char etag[MD5_ETAG_SIZE];
    os_code code = digest_stream_begin(&md5, "MD5") ? OS_OK : error_no_memory(err);
    if (code == OS_OK)
        code = check_parts(&completion->staging, completion->about.key, parts, count, &md5, ret_length, err);
    if (code == OS_OK && !digest_stream_etag(&md5, etag))
        code = error_no_memory(err);
    digest_stream_free(&md5);
    if (code == OS_OK) /* the last of its bytes is the closing quote */
        (void)snprintf(completion->about.row.etag, sizeof(completion->about.row.etag), "%.33s-%zu\"", etag, count);
    return code;
}

os_code file_upload_check(struct file_store *store, const char *key, const char *id, const struct file_part_name *parts,
                          size_t count, struct file_completion **ret, os_error *err)
{
    error_clear(err);
    if (count < 1 || count > STAGING_PART_MAX) {
        return error_set(err, OS_ERR_ARGUMENT, "An upload is completed with 1 to %d parts, not with %zu.",
                         STAGING_PART_MAX, count);
    }
    struct file_completion *completion = calloc(1, sizeof(*completion));
    if (completion == NULL)
        return error_no_memory(err);
    completion->store = store;
    uint64_t length = 0;
    os_code code = staging_open(&store->place, key, id, &completion->staging, &completion->about, err);
    if (code != OS_OK) {
        free(completion);
        return code;
    }
    code = staging_lock(&store->place, &completion->staging, key, 0, 0, err);
    if (code == OS_OK)
        code = name_object(completion, parts, count, &length, err);
    int data = completion->staging.data;
    if (code == OS_OK && (ftruncate(data, (off_t)length) != 0 || fsync(data) != 0))
        code = file_failed(err, errno, "flush to disk", key);
    if (code != OS_OK) {
        file_completion_free(completion);
        return code;
    }
    *ret = completion;
    return OS_OK;
}

os_code file_upload_complete(struct file_completion *completion, struct file_object *ret, os_error *err)
{
    error_clear(err);
    struct file_place *place = &completion->store->place;
    const char *key = completion->about.key;
    struct file_temp temp = {.fd = completion->staging.data, .folder = place->upload_folder, .kept = true};
    memcpy(temp.id, completion->staging.id, sizeof(temp.id));
    os_code code = file_publish(completion->store, key, &temp, &completion->about.row, err);
    if (code != OS_OK && code != OS_ERR_UNDECIDED)
        return staging_is_open(place, temp.id) ? code : staging_none(key, temp.id, err);
    if (fsync(place->upload_folder) != 0 && code == OS_OK)
        code = file_undecided(err, errno, "written", key);
    if (code == OS_OK) {
        staging_forget(place, temp.id);
        file_row_describe(&completion->about.row, ret);
    }
    return code;
}

void file_completion_free(struct file_completion *completion)
{
    if (completion != NULL) {
        staging_close(&completion->staging);
        file_row_free(&completion->about.row);
        free(completion);
    }
}
