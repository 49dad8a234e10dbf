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
    struct carried carried;
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
    carried_free(&source->carried);
    free(source);
}

static os_code ask(struct guarded *guarded, struct plain *plain, struct source *source, os_error *err)
{
    os_call call = {.size = sizeof(call), .deadline_ms = guarded_time_left(guarded), .cancel = guarded->wish.cancel};
    plain->may_repeat = true;
    source->requests++;
    return plain_run(plain, guarded->client, &call, err);
}

static os_code read_head(struct guarded *guarded, struct source *source, os_error *err)
{
    const struct run_wish *wish = &guarded->wish;
    struct plain plain = {
        .request = {.verb = STORE_HEAD, .key = wish->source_key, .version_id = wish->source_version_id},
        .carried = &source->carried};
    os_code code = ask(guarded, &plain, source, err);
    source->object = plain.object;
    if (code == OS_ERR_NOT_FOUND) {
        error_set(err, OS_ERR_SOURCE, "The source %.300s of the copy does not exist.", wish->source_key);
        error_service(err, 404, NULL, NULL);
        return OS_ERR_SOURCE;
    }
    if (code != OS_OK)
        return code;
    if (wish->source_etag && strcmp(wish->source_etag, source->object.etag) != 0)
        return error_set(err, OS_ERR_SOURCE, "The source %.300s now has the ETag %s, not %s; it was not copied.",
                         wish->source_key, source->object.etag, wish->source_etag);
    char nonce[RECORD_NONCE_SIZE];
    memset(nonce, '0', sizeof(nonce) - 1);
    nonce[sizeof(nonce) - 1] = '\0';
    if (!carried_has_room(&source->carried, nonce))
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The metadata of the source %.300s leaves no room for the entry that the guard adds. Without "
                         "it a copy in parts cannot be distinguished from another writer's; nothing was written.",
                         wish->source_key);
    return OS_OK;
}

/* NULL: the current one; its ETag is pinned all the same. */
static const char *version_of(const struct guarded *guarded, const struct source *source)
{
    if (guarded->wish.source_version_id)
        return guarded->wish.source_version_id;
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
    struct plain plain = {.request = {.verb = STORE_GET_TAGS,
                                      .key = guarded->wish.source_key,
                                      .version_id = version_of(guarded, source),
                                      .each_tag = take_tag,
                                      .each_context = source}};
    os_code code = ask(guarded, &plain, source, err);
    if (source->no_memory)
        return error_no_memory(err);
    return code == OS_ERR_NOT_FOUND || code == OS_ERR_UNSUPPORTED ? OS_OK : code;
}

static os_verdict copy(struct guarded *guarded, struct source *source, os_result *ret, os_error *err)
{
    const struct stage_source from = {
        .key = guarded->wish.source_key,
        .etag = source->object.etag,
        .version_id = version_of(guarded, source),
        .length = source->object.length,
    };
    struct staged_wish staged = {
        .creation = {.content = &source->carried.content, .tags = source->tags, .tag_count = source->tag_count},
        .source = &from,
        .requests = source->requests,
    };
    return staged_run(guarded, &staged, ret, err);
}

os_verdict copied_in_parts(struct guarded *guarded, char *ret_source_etag, os_result *ret, os_error *err)
{
    struct source *source = calloc(1, sizeof(*source));
    os_verdict verdict = OS_NOT_EXECUTED;
    os_code code = source ? read_head(guarded, source, err) : error_no_memory(err);
    if (code == OS_OK)
        code = read_tags(guarded, source, err);
    if (code == OS_OK) {
        memcpy(ret_source_etag, source->object.etag, sizeof(source->object.etag));
        verdict = copy(guarded, source, ret, err);
    } else {
        guarded_refuse(ret, verdict);
    }
    source_free(source);
    return verdict;
}
