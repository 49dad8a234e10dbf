/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_upload.h"

#include "base/error.h"
#include "base/fd.h"
#include "local/file_internal.h"
#include "local/file_staging.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_END_MAX ((uint64_t)INT64_MAX)
enum { SLOTS_AT_ONCE = 512 };

/* ------------------------------------------------------------------------------------------------------- create */

os_code file_upload_create(struct file_store *store, const char *key, const struct file_content *content, char *ret_id,
                           os_error *err)
{
    error_clear(err);
    struct staging_about about = {.initiated_s = file_now_ns() / INT64_C(1000000000)};
    os_code code = file_store_check_key(key, err);
    if (code != OS_OK)
        return code;
    memcpy(about.key, key, strlen(key) + 1); /* its length was checked */
    file_row_init(&about.row);
    if (content != NULL)
        code = file_row_set_content(&about.row, content, err);
    if (code == OS_OK)
        code = staging_create(&store->place, &about, ret_id, err);
    file_row_free(&about.row);
    return code;
}

/* -------------------------------------------------------------------------------------------------------- parts */

static os_code no_part(uint32_t number, os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT, "An upload has no part number %u; parts are numbered from 1 to %d.", number,
                     STAGING_PART_MAX);
}

/* Opens the upload and gets its bytes ready for a part of `length`: nobody else writes there, and nothing says any more
 * that something is. */
static os_code begin_part(struct file_store *store, const char *key, const struct file_part_place *place,
                          uint64_t length, struct staging *ret, os_error *err)
{
    struct staging staging;
    if (place->number < 1 || place->number > STAGING_PART_MAX)
        return no_part(place->number, err);
    if (place->offset > PART_END_MAX || length > PART_END_MAX - place->offset) {
        return error_set(err, OS_ERR_TOO_LARGE, "Part %u of the upload would end beyond the largest possible file.",
                         place->number);
    }
    os_code code = staging_open(&store->place, key, place->id, &staging, NULL, err);
    if (code != OS_OK)
        return code;
    code = staging_lock(&store->place, &staging, key, place->offset, length == 0 ? 1 : length, err);
    if (code == OS_OK) {
        int error = staging_clear(&staging, place->number, place->offset, length);
        if (error == 0 && lseek(staging.data, (off_t)place->offset, SEEK_SET) < 0)
            error = errno;
        code = error == 0 ? OS_OK : file_failed(err, error, "write a part of", key);
    }
    if (code != OS_OK) {
        staging_close(&staging);
        return code;
    }
    *ret = staging;
    return OS_OK;
}

/* The bytes are written: flushes them, and says that they are there. Closes the staging. */
static os_code end_part(struct file_store *store, const char *key, const struct file_part_place *place,
                        struct staging *staging, os_code code, struct file_part *ret, os_error *err)
{
    if (code == OS_OK) {
        struct staged_part slot = {
            .number = place->number,
            .offset = place->offset,
            .length = ret->length,
            .modified_s = file_now_ns() / INT64_C(1000000000),
        };
        memcpy(slot.md5, ret->etag + 1, sizeof(slot.md5));
        ret->number = place->number;
        ret->modified_s = slot.modified_s;
        int error = fdatasync(staging->data) != 0 ? errno : staging_enter(staging, &slot);
        code = error == 0 ? OS_OK : file_failed(err, error, "flush to disk a part of", key);
    }
    if (code == OS_OK && !staging_is_open(&store->place, place->id))
        code = staging_none(key, place->id, err);
    staging_close(staging);
    return code;
}

os_code file_upload_part(struct file_store *store, const char *key, const struct file_part_place *place,
                         const struct http_body *body, struct file_part *ret, os_error *err)
{
    error_clear(err);
    struct staging staging;
    struct file_part part = {.length = body == NULL ? 0 : body->length};
    os_code code = begin_part(store, key, place, part.length, &staging, err);
    if (code != OS_OK)
        return code;
    code = file_write_body(store, staging.data, body, key, part.etag, err);
    code = end_part(store, key, place, &staging, code, &part, err);
    if (code == OS_OK)
        *ret = part;
    return code;
}

static os_code copy_range(struct file_store *store, const struct file_view *view, const struct file_part_source *source,
                          uint64_t count, int to, char *ret_etag, os_error *err)
{
    struct digest_stream md5;
    char *block = malloc(FILE_BLOCK);
    os_code code = digest_stream_begin(&md5, "MD5") && block != NULL ? OS_OK : error_no_memory(err);
    for (uint64_t done = 0; code == OS_OK && done < count;) {
        size_t want = count - done < FILE_BLOCK ? (size_t)(count - done) : FILE_BLOCK;
        int64_t got = fd_read_at(view->fd, block, want, source->offset + done);
        if (got < 0) {
            code = file_failed(err, errno, "read", source->key);
        } else if (got == 0) {
            code = file_source_changed(source->key, err);
        } else {
            code = file_write_block(store, to, &md5, block, (size_t)got, source->key, err);
            done += (uint64_t)got;
        }
    }
    if (code == OS_OK && !digest_stream_etag(&md5, ret_etag))
        code = error_no_memory(err);
    if (code == OS_OK && !file_view_is_intact(view))
        code = file_source_changed(source->key, err);
    digest_stream_free(&md5);
    free(block);
    return code;
}

/* How many bytes are meant. */
static os_code count_range(const struct file_view *view, const struct file_part_source *source, uint64_t *ret,
                           os_error *err)
{
    uint64_t size = view->stamp.size;
    if (source->offset > size || source->count > size - source->offset) {
        char shown[FILE_SHOWN_SIZE];
        return error_set(err, OS_ERR_SOURCE, "The range to copy ends behind the last of the %llu bytes of \"%s\".",
                         (unsigned long long)size, file_shown(source->key, shown));
    }
    *ret = source->count == 0 ? size - source->offset : source->count;
    return OS_OK;
}

os_code file_upload_part_copy(struct file_store *store, const char *key, const struct file_part_place *place,
                              const struct file_part_source *source, struct file_part *ret, os_error *err)
{
    error_clear(err);
    struct file_view view;
    struct staging staging;
    struct file_part part = {.number = 0};
    os_code code = file_store_check_key(source->key, err);
    if (code == OS_OK)
        code = file_open_source(store, source->key, source->etag, &view, err);
    if (code != OS_OK)
        return code;
    code = count_range(&view, source, &part.length, err);
    if (code == OS_OK)
        code = begin_part(store, key, place, part.length, &staging, err);
    if (code == OS_OK) {
        code = copy_range(store, &view, source, part.length, staging.data, part.etag, err);
        code = end_part(store, key, place, &staging, code, &part, err);
    }
    file_view_close(&view);
    if (code == OS_OK)
        *ret = part;
    return code;
}

/* -------------------------------------------------------------------------------------------------- abort, lists */

os_code file_upload_abort(struct file_store *store, const char *key, const char *id, os_error *err)
{
    error_clear(err);
    struct staging staging;
    os_code code = staging_open(&store->place, key, id, &staging, NULL, err);
    if (code != OS_OK)
        return code;
    staging_close(&staging);
    int error = staging_abort(&store->place, id);
    if (error == ENOENT)
        return staging_none(key, id, err);
    return error == 0 ? OS_OK : file_failed(err, error, "abort the upload of", key);
}

static void describe_part(const struct staged_part *slot, struct file_part *ret)
{
    *ret = (struct file_part){.number = slot->number, .length = slot->length, .modified_s = slot->modified_s};
    (void)snprintf(ret->etag, sizeof(ret->etag), "\"%.32s\"", slot->md5);
}

static os_code give_parts(const struct staging *staging, const struct file_part_range *range, file_part_fn each,
                          void *context, bool *ret_more, os_error *err)
{
    struct staged_part slots[SLOTS_AT_ONCE];
    uint32_t given = 0;
    *ret_more = false;
    for (uint32_t first = range->after + 1; first <= STAGING_PART_MAX; first += SLOTS_AT_ONCE) {
        uint32_t left = STAGING_PART_MAX + 1 - first;
        uint32_t count = left < SLOTS_AT_ONCE ? left : SLOTS_AT_ONCE;
        int error = staging_slots(staging, first, count, slots);
        if (error != 0)
            return file_failed(err, error, "read the upload of", range->key);
        for (uint32_t i = 0; i < count; i++) {
            struct file_part part;
            if (slots[i].number == 0)
                continue;
            if (given++ == range->most) {
                *ret_more = true;
                return OS_OK;
            }
            describe_part(&slots[i], &part);
            if (!each(context, &part))
                return error_set(err, OS_ERR_STOPPED, "The receiver of the list stopped the call.");
        }
    }
    return OS_OK;
}

os_code file_upload_parts(struct file_store *store, const struct file_part_range *range, file_part_fn each,
                          void *context, bool *ret_more, os_error *err)
{
    error_clear(err);
    struct staging staging;
    os_code code = staging_open(&store->place, range->key, range->id, &staging, NULL, err);
    if (code == OS_OK) {
        code = give_parts(&staging, range, each, context, ret_more, err);
        if (code == OS_OK && !staging_is_open(&store->place, range->id))
            code = staging_none(range->key, range->id, err);
        staging_close(&staging);
    }
    return code;
}

struct listed {
    char *key;
    char id[FILE_ID_SIZE];
    int64_t initiated_s;
};

struct listing {
    const struct file_upload_range *range;
    struct listed *list;
    size_t count;
    bool no_memory;
};

static int compare(const char *key, const char *id, const char *other_key, const char *other_id)
{
    int by_key = strcmp(key, other_key);
    return by_key != 0 ? by_key : strcmp(id, other_id);
}

static int compare_listed(const void *a, const void *b)
{
    const struct listed *x = a;
    const struct listed *y = b;
    return compare(x->key, x->id, y->key, y->id);
}

static bool note_upload(void *context, const char *id, const struct staging_about *about)
{
    struct listing *listing = context;
    const struct file_upload_range *range = listing->range;
    const char *prefix = range->prefix == NULL ? "" : range->prefix;
    /* Without an id the marker stands for all uploads of its key. */
    const char *after_id = range->after_id == NULL || range->after_id[0] == '\0' ? "~" : range->after_id;
    if (strncmp(about->key, prefix, strlen(prefix)) != 0 ||
        (range->after_key != NULL && compare(about->key, id, range->after_key, after_id) <= 0))
        return true;
    struct listed *list = realloc(listing->list, (listing->count + 1) * sizeof(*list));
    if (list == NULL) {
        listing->no_memory = true;
        return false;
    }
    listing->list = list;
    struct listed *entry = &list[listing->count];
    *entry = (struct listed){.key = strdup(about->key), .initiated_s = about->initiated_s};
    memcpy(entry->id, id, sizeof(entry->id));
    listing->no_memory = entry->key == NULL;
    listing->count += entry->key != NULL;
    return entry->key != NULL;
}

os_code file_upload_list(struct file_store *store, const struct file_upload_range *range, file_upload_fn each,
                         void *context, bool *ret_more, os_error *err)
{
    error_clear(err);
    struct listing listing = {.range = range};
    int error = staging_each(&store->place, note_upload, &listing);
    os_code code = listing.no_memory ? error_no_memory(err) : OS_OK;
    if (error != 0)
        code = file_failed(err, error, "list the uploads of", range->prefix == NULL ? "" : range->prefix);
    if (listing.count > 0)
        qsort(listing.list, listing.count, sizeof(*listing.list), compare_listed);
    *ret_more = listing.count > range->most;
    for (size_t i = 0; i < listing.count && i < range->most && code == OS_OK; i++) {
        const struct listed *entry = &listing.list[i];
        if (!each(context, entry->key, entry->id, entry->initiated_s))
            code = error_set(err, OS_ERR_STOPPED, "The receiver of the list stopped the call.");
    }
    for (size_t i = 0; i < listing.count; i++)
        free(listing.list[i].key);
    free(listing.list);
    return code;
}
