/* SPDX-License-Identifier: Apache-2.0 */
/* Which uploads there are, which of them are abandoned, and their end. */
#include "gc/gc.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------- collect */

void gc_free_uploads(struct gc *gc)
{
    for (size_t i = 0; i < gc->upload_count; i++) {
        free(gc->uploads[i].key);
        free(gc->uploads[i].id);
    }
    free(gc->uploads);
}

static bool gc_uploads_is_known(const struct gc *gc, const char *key, const char *id)
{
    for (size_t i = 0; i < gc->upload_count; i++)
        if (strcmp(gc->uploads[i].id, id) == 0 && strcmp(gc->uploads[i].key, key) == 0)
            return true;
    return false;
}

static bool gc_uploads_add(struct gc *gc, const struct s3_listed_upload *upload)
{
    if (gc->upload_count == gc->upload_cap) {
        size_t cap = gc->upload_cap ? gc->upload_cap * 2 : 64;
        struct gc_upload *list = realloc(gc->uploads, cap * sizeof(*list));
        if (list == NULL)
            return false;
        gc->uploads = list;
        gc->upload_cap = cap;
    }
    struct gc_upload *kept = &gc->uploads[gc->upload_count];
    *kept = (struct gc_upload){
        .key = strdup(upload->key), .id = strdup(upload->id.text), .initiated_s = upload->initiated_s};
    if (kept->key == NULL || kept->id == NULL) {
        free(kept->key);
        free(kept->id);
        return false;
    }
    gc->upload_count++;
    return true;
}

struct collecting {
    struct gc *gc;
    const char *only_key; /* NULL: everything under the prefix */
};

static bool gc_uploads_on_each(void *context, const struct s3_listed_upload *upload)
{
    struct collecting *collecting = context;
    struct gc *gc = collecting->gc;
    const char *wanted = collecting->only_key ? collecting->only_key : gc->prefix;
    bool fits =
        collecting->only_key ? strcmp(upload->key, wanted) == 0 : strncmp(upload->key, wanted, strlen(wanted)) == 0;
    if (!fits || (collecting->only_key && gc_uploads_is_known(gc, upload->key, upload->id.text)))
        return true;
    bool unproven = gc->result.listing == OS_GC_LISTING_UNPROVEN;
    if (unproven && strlen(upload->key) > strlen(gc->prefix) && !collecting->only_key)
        gc->result.listing = OS_GC_LISTING_WHOLE;
    gc->no_memory = !gc_uploads_add(gc, upload);
    return !gc->no_memory;
}

/* `id_marker` may be NULL: behind all uploads of the marker's key. */
static os_code list_page(struct collecting *collecting, const char *prefix, const char *key_marker,
                         const char *id_marker, struct s3_uploads_page *ret)
{
    struct gc *gc = collecting->gc;
    struct s3_list_uploads_options options = {
        .prefix = prefix, .key_marker = key_marker, .upload_id_marker = id_marker};
    *ret = (struct s3_uploads_page){.truncated = false};
    struct store_call store_call = {.may_repeat = true,
                                    .request = {.verb = STORE_LIST_UPLOADS,
                                                .upload = {.listed = &options,
                                                           .each_upload = gc_uploads_on_each,
                                                           .each_context = collecting,
                                                           .uploads_page = ret}}};
    os_code code = store_call_run(&store_call, gc->client, gc_call(gc), gc->err);
    return gc->no_memory ? error_no_memory(gc->err) : code;
}

static void free_page(struct s3_uploads_page *page)
{
    free(page->next_key_marker);
    free(page->next_upload_id_marker);
    *page = (struct s3_uploads_page){.truncated = false};
}

/* versitygw 1.8.0 does not take the upload id that it gave for a marker itself. */
static bool is_marker_refused(const struct gc *gc, os_code code, const char *id_marker)
{
    return code != OS_OK && id_marker && id_marker[0] && gc->err->http_status == 400 &&
           strcmp(gc->err->service_code, "InvalidArgument") == 0;
}

/* What there is behind the uploads of the marker's key. */
static os_code pass_key(struct collecting *collecting, const char *prefix, const char *key, struct s3_uploads_page *ret)
{
    os_code code = list_page(collecting, prefix, key, NULL, ret);
    if (code == OS_OK && ret->truncated && strcmp(ret->next_key_marker, key) == 0)
        return error_set(
            collecting->gc->err, OS_ERR_PROTOCOL,
            "The store's list of uploads below %.300s never ends: it continues at the key %.300s again and again.",
            prefix, key);
    return code;
}

/* Page after page; the markers of each are the store's own. Where it does not take them, the key that a page ended in
 * is asked for on its own, and the list goes on behind it: only of a key with more than a page some are not seen. */
static os_code collect(struct gc *gc, const char *prefix, const char *only_key)
{
    struct collecting collecting = {.gc = gc, .only_key = only_key};
    struct s3_uploads_page page = {.truncated = true};
    os_code code = OS_OK;
    while (code == OS_OK && page.truncated) {
        struct s3_uploads_page from = page;
        code = list_page(&collecting, prefix, from.next_key_marker, from.next_upload_id_marker, &page);
        if (is_marker_refused(gc, code, from.next_upload_id_marker)) {
            free_page(&page);
            if (only_key) {
                gc->result.listing = OS_GC_LISTING_PARTIAL;
                code = OS_OK;
            } else {
                code = collect(gc, from.next_key_marker, from.next_key_marker);
                if (code == OS_OK)
                    code = pass_key(&collecting, prefix, from.next_key_marker, &page);
            }
        }
        free_page(&from);
    }
    free_page(&page);
    return code;
}

os_code gc_collect_uploads(struct gc *gc)
{
    const struct store *store = gc->client->store;
    if (!store->has_uploads) {
        gc->result.listing = OS_GC_LISTING_NONE;
        return OS_OK;
    }
    gc->result.listing = store->is_local ? OS_GC_LISTING_WHOLE : OS_GC_LISTING_UNPROVEN;
    os_code code = collect(gc, gc->prefix, NULL);
    for (size_t i = 0; i < gc->result.records && code == OS_OK; i++) {
        const struct kept_row *row = &gc->rows.list[i];
        const char *key = row->path + gc->record_length;
        if (row->upload[0] != '\0' && !gc_uploads_is_known(gc, key, row->upload))
            code = collect(gc, key, key);
    }
    gc->result.uploads = gc->upload_count;
    return code;
}

/* ------------------------------------------------------------------------------------------------------- judge */

/* R14: until then the holder's Complete may be applied. */
static bool may_complete(const struct gc *gc, const struct record *record)
{
    uint64_t margin_s = gc->client->settings.guard.margin_s;
    if (!record->has_fence)
        return gc->date_s <= record->ttl_s;
    return gc->date_s < margin_s || gc->date_s - margin_s <= record->fence_s;
}

/* Read anew, right before the upload is aborted. *ret_reason: why it must stay; NULL: nobody needs it. */
static os_code find_holder(struct gc *gc, const struct gc_upload *upload, const char **ret_reason, os_error *err)
{
    *ret_reason = NULL;
    if (gc->client->ledger == NULL)
        return OS_OK;
    struct kept_rows rows = {0};
    char *path = client_record_path(gc->client, upload->key);
    os_code code = path ? ledger_rows_read(gc->client, path, gc_call(gc), &rows, err) : error_no_memory(err);
    for (size_t i = 0; i < rows.count && code == OS_OK; i++) {
        const struct kept_row *row = &rows.list[i];
        if (!row->readable)
            *ret_reason = "A record of its key cannot be read; it may name this upload.";
        else if (strcmp(row->upload, upload->id) == 0 && may_complete(gc, &row->record))
            *ret_reason = "The writer whose record names it may still complete it.";
    }
    ledger_rows_free(&rows);
    free(path);
    return code;
}

static os_code abort_upload(struct gc *gc, const struct gc_upload *upload, os_error *err)
{
    struct store_call store_call = {
        .may_repeat = true, .request = {.verb = STORE_ABORT_UPLOAD, .key = upload->key, .upload = {.id = upload->id}}};
    os_code code = store_call_run(&store_call, gc->client, gc_call(gc), err);
    return code == OS_ERR_NOT_FOUND && store_call.no_upload ? OS_OK : code;
}

/* Whether the call itself is at its end: then there is no use in going on with the next one. */
static bool ends_call(os_code code)
{
    return code == OS_ERR_CANCELLED || code == OS_ERR_DEADLINE || code == OS_ERR_NO_MEMORY;
}

static os_code gc_uploads_classify(struct gc *gc, struct gc_upload *upload)
{
    os_error failure;
    const char *reason = NULL;
    error_clear(&failure);
    os_garbage garbage = {
        .kind = OS_GARBAGE_UPLOAD,
        .fate = OS_GARBAGE_SPARED,
        .key = upload->key,
        .etag = "",
        .upload = upload->id,
        .since_s = upload->initiated_s,
        .reason = "The store did not say when this upload was begun.",
    };
    if (upload->initiated_s <= 0)
        return gc_tell(gc, &garbage);
    uint64_t initiated_s = (uint64_t)upload->initiated_s;
    if (gc->date_s < initiated_s || gc->date_s - initiated_s < gc->options.older_than_s)
        return OS_OK;
    os_code code = find_holder(gc, upload, &reason, &failure);
    if (code == OS_OK && reason) {
        garbage.reason = reason;
        return gc_tell(gc, &garbage);
    }
    garbage.fate = gc->options.remove ? OS_GARBAGE_REMOVED : OS_GARBAGE_FOUND;
    if (code == OS_OK && gc->options.remove)
        code = abort_upload(gc, upload, &failure);
    if (ends_call(code)) {
        *gc->err = failure;
        return code;
    }
    upload->doomed = code == OS_OK;
    garbage.reason = failure.message;
    if (code == OS_OK)
        garbage.reason = "";
    else
        garbage.fate = OS_GARBAGE_FAILED;
    return gc_tell(gc, &garbage);
}

os_code gc_judge_uploads(struct gc *gc)
{
    os_code code = OS_OK;
    for (size_t i = 0; i < gc->upload_count && code == OS_OK; i++)
        code = gc_uploads_classify(gc, &gc->uploads[i]);
    return code;
}
