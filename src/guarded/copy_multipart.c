/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A COPY in parts (R15). What one CopyObject takes along by itself is read from the source first: which version it is,
 * how long, its metadata, content headers and tags. Storage class and encryption are the bucket's, as CopyObject has
 * it.
 */
#include "base/error.h"
#include "client/store_call.h"
#include "guarded/call.h"

#include <stdlib.h>
#include <string.h>

struct source {
    struct source_metadata source_metadata;
    struct s3_object object;
    os_metadata tags[S3_TAGS_MAX]; /* own strings */
    size_t tag_count;
    bool no_memory;
    uint32_t requests;
};

static void source_free(struct source *source)
{
    if (source == NULL)
        return;
    for (size_t i = 0; i < source->tag_count; i++) {
        free((char *)source->tags[i].name);
        free((char *)source->tags[i].value);
    }
    source_metadata_free(&source->source_metadata);
    free(source);
}

static os_code copy_multipart_ask(struct guarded *guarded, struct store_call *store_call, struct source *source,
                                  os_error *err)
{
    const os_call call = guarded_rest_of_call(guarded);
    store_call->may_repeat = true;
    os_code code = store_call_run(store_call, guarded->client, &call, err);
    source->requests += store_call->requests;
    return code;
}

static os_code read_head(struct guarded *guarded, struct source *source, os_error *err)
{
    const struct driver_params *params = &guarded->params;
    struct store_call store_call = {
        .request = {.verb = STORE_HEAD, .key = params->source_key, .version_id = params->source_version_id},
        .source_metadata = &source->source_metadata};
    os_code code = copy_multipart_ask(guarded, &store_call, source, err);
    source->object = store_call.object;
    if (code == OS_ERR_NOT_FOUND) {
        error_set(err, OS_ERR_SOURCE, "The source %.300s of the copy does not exist.", params->source_key);
        error_service(err, 404, NULL, NULL);
        return OS_ERR_SOURCE;
    }
    if (code != OS_OK)
        return code;
    if (!driver_names_source(params->source_key, &source->object, err))
        return OS_ERR_PROTOCOL;
    if (params->source_etag && strcmp(params->source_etag, source->object.etag) != 0)
        return error_set(err, OS_ERR_SOURCE, "The source %.300s now has the ETag %s, not %s; it was not copied.",
                         params->source_key, source->object.etag, params->source_etag);
    if (params->forward_only && params->etag && strcmp(params->etag, source->object.etag) == 0) /* N4.4 */
        return error_set(
            err, OS_ERR_ARGUMENT,
            "The source %.300s has the bytes that are there; nothing was written. A forward-only key never "
            "takes earlier bytes again (N4).",
            params->source_key);
    char nonce[RECORD_NONCE_SIZE];
    memset(nonce, '0', sizeof(nonce) - 1);
    nonce[sizeof(nonce) - 1] = '\0';
    source->source_metadata.content.fencing = params->fencing_text;
    if (!s3_content_has_room(&source->source_metadata.content, nonce, NULL, NULL))
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The metadata of the source %.300s leaves no room for the entry that the guard adds. Without "
                         "it a copy in parts cannot be distinguished from another writer's; nothing was written.",
                         params->source_key);
    return OS_OK;
}

/* NULL: the current one; its ETag is pinned all the same. */
static const char *version_of(const struct guarded *guarded, const struct source *source)
{
    if (guarded->params.source_version_id)
        return guarded->params.source_version_id;
    const char *version_id = source->object.version_id;
    return version_id[0] && s3_is_version_id(version_id) ? version_id : NULL;
}

static bool take_tag(void *context, const char *name, const char *value)
{
    struct source *source = context;
    os_metadata *tag = &source->tags[source->tag_count];
    tag->name = strdup(name);
    tag->value = strdup(value);
    source->tag_count++;
    source->no_memory = tag->name == NULL || tag->value == NULL;
    return !source->no_memory;
}

/* An object without tags has an empty set, or none (NoSuchTagSet); a store without tags has none either. */
static os_code read_tags(struct guarded *guarded, struct source *source, os_error *err)
{
    struct store_call store_call = {.request = {.verb = STORE_GET_TAGS,
                                                .key = guarded->params.source_key,
                                                .version_id = version_of(guarded, source),
                                                .each_tag = take_tag,
                                                .each_context = source}};
    os_code code = copy_multipart_ask(guarded, &store_call, source, err);
    if (source->no_memory)
        return error_no_memory(err);
    return code == OS_ERR_NOT_FOUND || code == OS_ERR_UNSUPPORTED ? OS_OK : code;
}

static void copy_multipart_put(struct guarded *guarded, struct source *source)
{
    const struct upload_source from = {
        .key = guarded->params.source_key,
        .etag = source->object.etag,
        .version_id = version_of(guarded, source),
        .length = source->object.length,
    };
    struct multipart_params uploaded = {
        .creation = {.content = &source->source_metadata.content, .tags = source->tags, .tag_count = source->tag_count},
        .source = &from,
        .source_modified_s = source->object.last_modified_s,
        .requests = source->requests,
    };
    multipart_put(guarded, &uploaded);
}

os_code copy_in_parts(struct guarded *guarded, os_error *err)
{
    struct source *source = calloc(1, sizeof(*source));
    os_code code = source ? read_head(guarded, source, err) : error_no_memory(err);
    if (code == OS_OK)
        code = read_tags(guarded, source, err);
    if (code == OS_OK) {
        memcpy(guarded->copied_etag, source->object.etag, sizeof(source->object.etag));
        copy_multipart_put(guarded, source);
    }
    source_free(source);
    return code;
}
