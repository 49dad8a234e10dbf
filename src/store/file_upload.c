/* SPDX-License-Identifier: Apache-2.0 */
#include "store/file_upload.h"

#include "base/error.h"
#include "base/text.h"
#include "store/answer.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_DEFAULT = 1000 }; /* as on S3 */

struct file_content local_content_of(const struct store_request *request, const struct s3_content *content)
{
    struct file_content ret = {.nonce = request->nonce, .replaced = request->replaced};
    if (content) {
        ret.content_type = content->content_type;
        ret.content_encoding = content->content_encoding;
        ret.content_language = content->content_language;
        ret.content_disposition = content->content_disposition;
        ret.cache_control = content->cache_control;
        ret.metadata = content->metadata;
        ret.metadata_count = content->metadata_count;
        ret.fencing = content->fencing;
        ret.nonce = content->nonce ? content->nonce : request->nonce;
    }
    return ret;
}

bool local_is_upload_verb(enum store_verb verb)
{
    return verb >= STORE_CREATE_UPLOAD && verb <= STORE_LIST_UPLOADS;
}

static os_code create(struct file_store *files, struct store_op *op, os_error *err)
{
    const struct s3_creation *creation = op->request.upload.creation;
    char id[FILE_ID_SIZE];
    if (creation && (creation->tag_count > 0 || creation->storage_class || creation->encryption))
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The embedded store keeps no tags, storage classes or encryption; write %.300s without them.",
                         op->request.key);
    struct file_content content = local_content_of(&op->request, creation ? creation->content : NULL);
    os_code code = file_upload_create(files, op->request.key, &content, id, err);
    if (code == OS_OK)
        TEXT_COPY_STR(id, op->answer.upload_id.text);
    return code;
}

static void take_part(const struct file_part *part, struct s3_part *ret)
{
    *ret = (struct s3_part){.number = part->number, .length = part->length, .last_modified_s = part->modified_s};
    TEXT_COPY_STR(part->etag, ret->etag);
}

static os_code part(struct file_store *files, struct store_op *op, os_error *err)
{
    const struct store_upload *upload = &op->request.upload;
    struct file_part_place place = {upload->id, upload->part_number, upload->part_offset};
    struct file_part written;
    os_code code;
    if (op->request.verb == STORE_UPLOAD_PART) {
        code = file_upload_part(files, op->request.key, &place, &op->request.body, &written, err);
    } else {
        const struct s3_part_source *from = upload->part_source;
        struct file_part_source source = {from->key, from->etag, from->offset, from->count};
        code = file_upload_part_copy(files, op->request.key, &place, &source, &written, err);
    }
    if (code == OS_OK) {
        take_part(&written, &op->answer.part);
        if (op->request.progress)
            op->request.progress(op->request.progress_context, op->request.body.length, op->request.body.length);
    }
    return code;
}

os_code local_upload_check(struct file_store *files, const struct store_request *request, struct file_completion **ret,
                           os_error *err)
{
    const struct store_upload *upload = &request->upload;
    struct file_part_name *names = calloc(upload->part_count ? upload->part_count : 1, sizeof(*names));
    if (names == NULL)
        return error_no_memory(err);
    for (size_t i = 0; i < upload->part_count; i++)
        names[i] = (struct file_part_name){upload->parts[i].number, upload->parts[i].etag};
    os_code code = file_upload_check(files, request->key, upload->id, names, upload->part_count, ret, err);
    free(names);
    return code;
}

/* ------------------------------------------------------------------------------------------------------- lists */

struct page {
    struct store_op *op;
    uint32_t last_part;
    char *last_key;
    char last_id[FILE_ID_SIZE];
    bool no_memory;
};

static bool each_part(void *context, const struct file_part *part)
{
    struct page *page = context;
    const struct store_upload *upload = &page->op->request.upload;
    struct s3_part listed;
    take_part(part, &listed);
    page->last_part = part->number;
    return !borrow_is_cancelled(&page->op->borrow) &&
           (!upload->each_part || upload->each_part(upload->each_context, &listed));
}

static os_code list_parts(struct file_store *files, struct store_op *op, os_error *err)
{
    const struct store_upload *upload = &op->request.upload;
    struct page page = {.op = op};
    bool more = false;
    os_code code =
        file_upload_parts(files,
                          &(struct file_part_range){.key = op->request.key,
                                                    .id = upload->id,
                                                    .after = upload->after_part,
                                                    .most = upload->max_parts ? upload->max_parts : LIST_DEFAULT},
                          each_part, &page, &more, err);
    if (code == OS_OK && upload->parts_page)
        *upload->parts_page = (struct s3_parts_page){more, more ? page.last_part : 0};
    return code;
}

static bool each_upload(void *context, const char *key, const char *id, int64_t initiated_s)
{
    struct page *page = context;
    const struct store_upload *upload = &page->op->request.upload;
    struct s3_listed_upload listed = {.key = key, .initiated_s = initiated_s};
    TEXT_COPY_STR(id, listed.id.text);
    TEXT_COPY_STR(id, page->last_id);
    free(page->last_key);
    page->last_key = strdup(key);
    page->no_memory = page->last_key == NULL;
    return !page->no_memory && !borrow_is_cancelled(&page->op->borrow) &&
           (!upload->each_upload || upload->each_upload(upload->each_context, &listed));
}

static os_code list_uploads(struct file_store *files, struct store_op *op, os_error *err)
{
    static const struct s3_list_uploads_options none;
    const struct store_upload *upload = &op->request.upload;
    const struct s3_list_uploads_options *options = upload->listed ? upload->listed : &none;
    struct file_upload_range range = {
        .prefix = options->prefix,
        .after_key = options->key_marker,
        .after_id = options->upload_id_marker,
        .most = options->max_uploads ? options->max_uploads : LIST_DEFAULT,
    };
    struct page page = {.op = op};
    bool more = false;
    os_code code = file_upload_list(files, &range, each_upload, &page, &more, err);
    if (page.no_memory)
        code = error_no_memory(err);
    struct s3_uploads_page ended = {.truncated = code == OS_OK && more};
    if (ended.truncated && upload->uploads_page) {
        ended.next_key_marker = page.last_key;
        ended.next_upload_id_marker = strdup(page.last_id);
        page.last_key = NULL;
        if (ended.next_upload_id_marker == NULL) {
            free(ended.next_key_marker);
            return error_no_memory(err);
        }
    }
    free(page.last_key);
    if (code == OS_OK && upload->uploads_page)
        *upload->uploads_page = ended;
    return code;
}

os_code local_upload_perform(struct file_store *files, struct store_op *op)
{
    os_error *err = &op->answer.error;
    switch (op->request.verb) {
    case STORE_CREATE_UPLOAD: return create(files, op, err);
    case STORE_UPLOAD_PART:
    case STORE_UPLOAD_PART_COPY: return part(files, op, err);
    case STORE_ABORT_UPLOAD: return file_upload_abort(files, op->request.key, op->request.upload.id, err);
    case STORE_LIST_PARTS: return list_parts(files, op, err);
    case STORE_LIST_UPLOADS: return list_uploads(files, op, err);
    default: break;
    }
    return error_set(err, OS_ERR_UNSUPPORTED, "The embedded store has no %s.", store_verb_name(op->request.verb));
}
