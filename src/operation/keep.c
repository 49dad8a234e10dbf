/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/keep.h"

#include "base/error.h"
#include "client/arguments.h"
#include "store/source_metadata.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A walk over all that is to be copied: first it counts the bytes, then it copies them. */
struct keep_walk {
    char *block; /* NULL: only count */
    size_t used;
};

static size_t keep_aligned(size_t size)
{
    const size_t most = _Alignof(max_align_t);
    return (size + most - 1) / most * most;
}

/* Where the copy is; while only counting, where it was. */
static const void *keep_bytes(struct keep_walk *walk, const void *from, size_t size)
{
    const void *there = from;
    if (walk->block) {
        memcpy(walk->block + walk->used, from, size);
        there = walk->block + walk->used;
    }
    walk->used += keep_aligned(size);
    return there;
}

static void keep_text(struct keep_walk *walk, const char **text)
{
    if (*text)
        *text = keep_bytes(walk, *text, strlen(*text) + 1);
}

/* What is too long a list is refused later, and by its count alone. */
static void keep_pairs(struct keep_walk *walk, const os_metadata **list, size_t count)
{
    if (*list == NULL || count == 0 || count > SOURCE_METADATA_MAX)
        return;
    const os_metadata *own = keep_bytes(walk, *list, count * sizeof(**list));
    for (size_t i = 0; i < count; i++) {
        os_metadata pair = own[i];
        keep_text(walk, &pair.name);
        keep_text(walk, &pair.value);
        if (walk->block)
            ((os_metadata *)own)[i] = pair;
    }
    *list = own;
}

static void keep_put_options(struct keep_walk *walk, os_put_options *options)
{
    keep_text(walk, &options->content_type);
    keep_text(walk, &options->content_encoding);
    keep_text(walk, &options->content_language);
    keep_text(walk, &options->content_disposition);
    keep_text(walk, &options->cache_control);
    keep_text(walk, &options->storage_class);
    keep_text(walk, &options->encryption);
    keep_text(walk, &options->kms_key_id);
    keep_pairs(walk, &options->metadata, options->metadata_count);
    keep_pairs(walk, &options->tags, options->tag_count);
}

static void keep_walk_guarded(struct keep_walk *walk, struct kept_arguments *kept)
{
    keep_text(walk, &kept->guarded.key);
    keep_text(walk, &kept->guarded.etag);
    keep_text(walk, &kept->guarded.source);
    keep_text(walk, &kept->guarded.ticket);
    keep_text(walk, &kept->body.file);
    keep_put_options(walk, &kept->put_options);
    keep_text(walk, &kept->copy_options.source_etag);
    keep_text(walk, &kept->copy_options.source_version_id);
    keep_text(walk, &kept->resolve_options.key);
}

static void keep_walk_plain(struct keep_walk *walk, struct kept_arguments *kept)
{
    keep_text(walk, &kept->plain.key);
    keep_text(walk, &kept->plain.version_id);
    keep_text(walk, &kept->body.file);
    keep_put_options(walk, &kept->put_options);
    keep_text(walk, &kept->sink.file);
    keep_text(walk, &kept->sink.version_id);
    keep_text(walk, &kept->list_options.prefix);
    keep_text(walk, &kept->list_options.delimiter);
    keep_text(walk, &kept->list_options.start_after);
}

static os_code keep_texts(struct kept_arguments *kept, void (*walk_all)(struct keep_walk *, struct kept_arguments *),
                          os_error *err)
{
    struct keep_walk count = {.block = NULL};
    walk_all(&count, kept);
    struct keep_walk copy = {.block = malloc(count.used ? count.used : 1)};
    if (copy.block == NULL)
        return error_no_memory(err);
    kept->texts = copy.block;
    walk_all(&copy, kept);
    assert(copy.used == count.used);
    return OS_OK;
}

/* Structs of the caller's release; *ret is NULL where it was. */
#define KEEP_STRUCT(code, from, to, ret, name, err)                          \
    do {                                                                     \
        if ((code) == OS_OK && (from) != NULL) {                             \
            (code) = versioned_copy((from), (to), sizeof(*(to)), name, err); \
            *(ret) = (to);                                                   \
        }                                                                    \
    } while (0)

os_code keep_guarded(const struct guarded_arguments *arguments, const os_call *call, struct kept_arguments *ret,
                     os_error *err)
{
    struct guarded_arguments *own = &ret->guarded;
    *own = *arguments;
    own->call = &ret->call;
    os_code code = arguments_take_call(call, &ret->call, err);
    KEEP_STRUCT(code, arguments->body, &ret->body, &own->body, "os_body", err);
    KEEP_STRUCT(code, arguments->put_options, &ret->put_options, &own->put_options, "os_put_options", err);
    KEEP_STRUCT(code, arguments->copy_options, &ret->copy_options, &own->copy_options, "os_copy_options", err);
    KEEP_STRUCT(code, arguments->resolve_options, &ret->resolve_options, &own->resolve_options, "os_resolve_options",
                err);
    return code == OS_OK ? keep_texts(ret, keep_walk_guarded, err) : code;
}

os_code keep_plain(const struct plain_arguments *arguments, const os_call *call, struct kept_arguments *ret,
                   os_error *err)
{
    struct plain_arguments *own = &ret->plain;
    *own = *arguments;
    own->call = &ret->call;
    os_code code = arguments_take_call(call, &ret->call, err);
    KEEP_STRUCT(code, arguments->body, &ret->body, &own->body, "os_body", err);
    KEEP_STRUCT(code, arguments->put_options, &ret->put_options, &own->put_options, "os_put_options", err);
    KEEP_STRUCT(code, arguments->sink, &ret->sink, &own->sink, "os_sink", err);
    KEEP_STRUCT(code, arguments->list_options, &ret->list_options, &own->list_options, "os_list_options", err);
    return code == OS_OK ? keep_texts(ret, keep_walk_plain, err) : code;
}

void keep_free(struct kept_arguments *kept)
{
    free(kept->texts);
    kept->texts = NULL;
}
