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

static void keep_put_texts(struct keep_walk *walk, os_put_options *options)
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

/* ------------------------------------------------------------------------------------------------ structs */

/* As this release has them, before they are copied. */
struct keep_given {
    os_body body;
    os_put_options put_options;
    os_copy_options copy_options;
    os_resolve_options resolve_options;
    os_sink sink;
    os_list_options list_options;
    os_update_options options; /* of an update */
    os_lease_options lease_options;
    os_lock lock;
};

/* NULL where the caller gave none. */
static void *keep_struct(struct keep_walk *walk, bool was_given, void *from, size_t size)
{
    return was_given ? (void *)keep_bytes(walk, from, size) : NULL;
}
#define KEEP_STRUCT(walk, own, given, field) \
    keep_struct((walk), (own)->field != NULL, &(given)->field, sizeof((given)->field))

static void keep_walk_guarded(struct keep_walk *walk, struct keep_given *given, struct kept_arguments *kept)
{
    struct guarded_arguments *own = &kept->guarded;
    os_body *body = KEEP_STRUCT(walk, own, given, body);
    os_put_options *put_options = KEEP_STRUCT(walk, own, given, put_options);
    os_copy_options *copy_options = KEEP_STRUCT(walk, own, given, copy_options);
    os_resolve_options *resolve_options = KEEP_STRUCT(walk, own, given, resolve_options);
    keep_text(walk, &own->key);
    keep_text(walk, &own->etag);
    keep_text(walk, &own->source);
    keep_text(walk, &own->ticket);
    if (body)
        keep_text(walk, &body->file);
    if (put_options)
        keep_put_texts(walk, put_options);
    if (copy_options) {
        keep_text(walk, &copy_options->source_etag);
        keep_text(walk, &copy_options->source_version_id);
    }
    if (resolve_options)
        keep_text(walk, &resolve_options->key);
    own->body = body;
    own->put_options = put_options;
    own->copy_options = copy_options;
    own->resolve_options = resolve_options;
}

static void keep_walk_plain(struct keep_walk *walk, struct keep_given *given, struct kept_arguments *kept)
{
    struct plain_arguments *own = &kept->plain;
    os_body *body = KEEP_STRUCT(walk, own, given, body);
    os_put_options *put_options = KEEP_STRUCT(walk, own, given, put_options);
    os_sink *sink = KEEP_STRUCT(walk, own, given, sink);
    os_list_options *list_options = KEEP_STRUCT(walk, own, given, list_options);
    keep_text(walk, &own->key);
    keep_text(walk, &own->etag);
    keep_text(walk, &own->version_id);
    if (body)
        keep_text(walk, &body->file);
    if (put_options)
        keep_put_texts(walk, put_options);
    if (sink) {
        keep_text(walk, &sink->file);
        keep_text(walk, &sink->version_id);
    }
    if (list_options) {
        keep_text(walk, &list_options->prefix);
        keep_text(walk, &list_options->delimiter);
        keep_text(walk, &list_options->start_after);
    }
    own->body = body;
    own->put_options = put_options;
    own->sink = sink;
    own->list_options = list_options;
}

static void keep_walk_update(struct keep_walk *walk, struct keep_given *given, struct kept_arguments *kept)
{
    struct update_arguments *own = &kept->update.update;
    os_update_options *options = KEEP_STRUCT(walk, own, given, options);
    if (options && options->put) {
        os_put_options *put = (os_put_options *)keep_bytes(walk, &given->put_options, sizeof(given->put_options));
        keep_put_texts(walk, put);
        options->put = put;
    }
    keep_text(walk, &own->key);
    own->options = options;
}

static void keep_walk_holding(struct keep_walk *walk, struct keep_given *given, struct kept_arguments *kept)
{
    struct holding_arguments *own = &kept->holding;
    os_lease_options *options =
        keep_struct(walk, own->options != NULL, &given->lease_options, sizeof(given->lease_options));
    os_lock *lock = KEEP_STRUCT(walk, own, given, lock);
    keep_text(walk, &own->name);
    keep_text(walk, &own->handle);
    keep_text(walk, &own->name_space);
    if (options)
        keep_text(walk, &options->owner);
    if (lock) {
        keep_text(walk, &lock->name_space);
        keep_text(walk, &lock->name);
        keep_text(walk, &lock->owner);
        keep_text(walk, &lock->instance);
    }
    own->options = options;
    own->lock = lock;
}

/* ------------------------------------------------------------------------------------------------ calls */

/* Counts, then copies, what `kept` points to. */
static os_code keep_copy(struct kept_arguments *kept, struct keep_given *given,
                         void (*walk)(struct keep_walk *walk, struct keep_given *given, struct kept_arguments *kept),
                         os_error *err)
{
    struct keep_walk count = {.block = NULL};
    walk(&count, given, kept);
    kept->block = malloc(count.used ? count.used : 1);
    if (kept->block == NULL)
        return error_no_memory(err);
    struct keep_walk copy = {.block = kept->block};
    walk(&copy, given, kept);
    assert(copy.used == count.used);
    return OS_OK;
}

#define KEEP_TAKE(code, arguments, given, field, name, err)                                                  \
    do {                                                                                                     \
        if ((code) == OS_OK && (arguments)->field != NULL)                                                   \
            (code) = versioned_copy((arguments)->field, &(given)->field, sizeof((given)->field), name, err); \
    } while (0)

os_code keep_guarded(const struct guarded_arguments *arguments, const os_call *call, struct kept_arguments *ret,
                     os_error *err)
{
    struct keep_given given;
    struct guarded_arguments *own = &ret->guarded;
    os_code code = arguments_take_call(call, &ret->call, err);
    KEEP_TAKE(code, arguments, &given, body, "os_body", err);
    KEEP_TAKE(code, arguments, &given, put_options, "os_put_options", err);
    KEEP_TAKE(code, arguments, &given, copy_options, "os_copy_options", err);
    KEEP_TAKE(code, arguments, &given, resolve_options, "os_resolve_options", err);
    if (code != OS_OK)
        return code;
    *own = *arguments;
    own->call = &ret->call;
    return keep_copy(ret, &given, keep_walk_guarded, err);
}

os_code keep_plain(const struct plain_arguments *arguments, const os_call *call, struct kept_arguments *ret,
                   os_error *err)
{
    struct keep_given given;
    struct plain_arguments *own = &ret->plain;
    os_code code = arguments_take_call(call, &ret->call, err);
    KEEP_TAKE(code, arguments, &given, body, "os_body", err);
    KEEP_TAKE(code, arguments, &given, put_options, "os_put_options", err);
    KEEP_TAKE(code, arguments, &given, sink, "os_sink", err);
    KEEP_TAKE(code, arguments, &given, list_options, "os_list_options", err);
    if (code != OS_OK)
        return code;
    *own = *arguments;
    own->call = &ret->call;
    return keep_copy(ret, &given, keep_walk_plain, err);
}

os_code keep_update(const struct update_arguments *arguments, const os_call *call, struct kept_arguments *ret,
                    os_error *err)
{
    struct keep_given given = {.options = {.put = NULL}};
    struct update_arguments *own = &ret->update.update;
    os_code code = arguments_take_call(call, &ret->call, err);
    KEEP_TAKE(code, arguments, &given, options, "os_update_options", err);
    if (code == OS_OK && given.options.put)
        code = versioned_copy(given.options.put, &given.put_options, sizeof(given.put_options), "os_put_options", err);
    if (code != OS_OK)
        return code;
    *own = *arguments;
    own->call = &ret->call;
    code = keep_copy(ret, &given, keep_walk_update, err);
    ret->update.guarded = (struct guarded_arguments){.name = "update", .key = own->key, .call = &ret->call};
    return code;
}

os_code keep_holding(const struct holding_arguments *arguments, const os_call *call, struct kept_arguments *ret,
                     os_error *err)
{
    struct keep_given given;
    struct holding_arguments *own = &ret->holding;
    os_code code = arguments_take_call(call, &ret->call, err);
    KEEP_TAKE(code, arguments, &given, lock, "os_lock", err);
    if (code == OS_OK && arguments->options)
        code = versioned_copy(arguments->options, &given.lease_options, sizeof(given.lease_options), "os_lease_options",
                              err);
    if (code != OS_OK)
        return code;
    *own = *arguments;
    own->call = &ret->call;
    return keep_copy(ret, &given, keep_walk_holding, err);
}

void keep_free(struct kept_arguments *kept)
{
    free(kept->block);
    kept->block = NULL;
}
