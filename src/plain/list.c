/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of objects, or of all their versions, page by page. A page is kept, so that the caller's function runs on the
 * calling thread and may take its time. The versions of a key come in the order of their age within each page.
 */
#include "client/arguments.h"
#include "plain/call.h"

#include "base/error.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_PAGE = 1000 };

struct kept {
    struct s3_listed_version version; /* its key is an own copy; of a list of objects, no version is said */
    size_t place;                     /* in the store's order */
};

struct listing {
    os_list_options options;
    char *prefix; /* whole */
    char *after;
    uint64_t left; /* UINT64_MAX: all */

    /* Where the next page begins; NULL: at `after`. */
    char *marker; /* a token, or a key */
    char *id_marker;
    bool more;

    struct store_call *store_call; /* the request that fills the page */
    struct s3_list_page end;       /* what it says at its end, of either kind */
    struct s3_list_versions_options asked;
    struct s3_versions_page end_of_versions;
    struct clock_reading asked_at;
    bool failed;
    size_t count;
    struct kept page[LIST_PAGE];
};

/* ------------------------------------------------------------------------------------------------ a page is kept */

static bool listing_keep(struct listing *listing, const struct s3_listed_version *version)
{
    listing->store_call->delivered = true; /* beginning again would give it twice */
    if (listing->count == LIST_PAGE)
        listing->failed = true; /* more than was asked for */
    char *key = listing->failed ? NULL : strdup(version->key);
    if (key == NULL) {
        listing->failed = true;
        return false;
    }
    struct kept *kept = &listing->page[listing->count];
    kept->version = *version;
    kept->version.key = key;
    kept->place = listing->count++;
    return true;
}

static bool listing_keep_version(void *context, const struct s3_listed_version *version)
{
    return listing_keep(context, version);
}

static bool listing_keep_entry(void *context, const struct s3_list_entry *entry)
{
    struct s3_listed_version version = {
        .key = entry->key, .length = entry->length, .last_modified_s = entry->last_modified_s};
    _Static_assert(sizeof(version.etag) == sizeof(entry->etag), "");
    memcpy(version.etag, entry->etag, sizeof(version.etag));
    return listing_keep(context, &version);
}

static void listing_empty_page(struct listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        free((char *)listing->page[i].version.key);
    listing->count = 0;
}

/* S3 sends a page's keys first and its common prefixes behind them; some stores give the delete markers of a page
 * before its versions (version_response.h). strcmp compares bytes, as S3 orders them. */
static int by_key_and_age(const void *a, const void *b)
{
    const struct kept *x = a;
    const struct kept *y = b;
    int by_key = strcmp(x->version.key, y->version.key);
    if (by_key != 0)
        return by_key;
    if (x->version.is_latest != y->version.is_latest)
        return x->version.is_latest ? -1 : 1;
    if (x->version.last_modified_s != y->version.last_modified_s)
        return x->version.last_modified_s > y->version.last_modified_s ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* ------------------------------------------------------------------------------------------------ a page is asked for */

static void listing_take_markers(struct listing *listing, bool more, char *marker, char *id_marker)
{
    free(listing->marker);
    free(listing->id_marker);
    listing->marker = marker;
    listing->id_marker = id_marker;
    listing->more = more;
}

static void listing_ask_objects(struct listing *listing, struct store_request *ret)
{
    listing->end = (struct s3_list_page){.truncated = false};
    *ret = (struct store_request){
        .verb = STORE_LIST,
        .list = {.prefix = listing->prefix,
                 .delimiter = listing->options.delimiter,
                 .start_after = listing->after,
                 .continuation_token = listing->marker,
                 .max_keys = listing->left < LIST_PAGE ? (uint32_t)listing->left : LIST_PAGE},
        .each = listing_keep_entry,
        .each_context = listing,
        .page = &listing->end,
    };
}

/* A whole page also where fewer are wanted: the newest of a key need not be the store's first. */
static void listing_ask_versions(struct listing *listing, struct store_request *ret)
{
    listing->asked = (struct s3_list_versions_options){
        .prefix = listing->prefix,
        .key_marker = listing->marker ? listing->marker : listing->after,
        .version_id_marker = listing->id_marker,
        .max_keys = LIST_PAGE,
    };
    listing->end_of_versions = (struct s3_versions_page){.truncated = false};
    *ret = (struct store_request){.verb = STORE_LIST_VERSIONS,
                                  .versions = &listing->asked,
                                  .each_version = listing_keep_version,
                                  .each_context = listing,
                                  .versions_page = &listing->end_of_versions};
}

static void listing_take_end(struct listing *listing)
{
    const struct s3_list_page *end = &listing->end;
    const struct s3_versions_page *versions = &listing->end_of_versions;
    if (listing->options.versions)
        listing_take_markers(listing, versions->truncated, versions->next_key_marker, versions->next_version_id_marker);
    else
        listing_take_markers(listing, end->truncated && end->next_token, end->next_token, NULL);
}

static enum steps_next listing_answered(struct plain *plain);

static enum steps_next listing_ask(struct plain *plain)
{
    struct listing *listing = plain->listing;
    plain->store_call = (struct store_call){.may_repeat = true};
    listing->store_call = &plain->store_call;
    if (listing->options.versions)
        listing_ask_versions(listing, &plain->store_call.request);
    else
        listing_ask_objects(listing, &plain->store_call.request);
    clock_read(&listing->asked_at);
    return plain_ask(plain, &plain->call, listing_answered);
}

static os_code listing_take_page(struct plain *plain)
{
    struct listing *listing = plain->listing;
    struct clock_reading now;
    os_code code = plain_answer(plain);
    listing_take_end(listing);
    clock_read(&now);
    uint64_t used_ms = now.monotonic_ms - listing->asked_at.monotonic_ms;
    plain->call.deadline_ms = plain->call.deadline_ms > used_ms ? plain->call.deadline_ms - used_ms : 1;
    listing->store_call = NULL;
    if (listing->failed)
        return error_set(
            &plain->error, OS_ERR_NO_MEMORY,
            "There is not enough memory for a page of the list, or the store sent more entries than requested.");
    return code;
}

/* ------------------------------------------------------------------------------------------------ the list */

/* Keys as the caller knows them: without the store URL's prefix. */
static os_code listing_give_page(struct plain *plain)
{
    struct listing *listing = plain->listing;
    const struct plain_arguments *arguments = plain->arguments;
    const char *root = plain->client->settings.prefix;
    size_t root_length = root ? strlen(root) : 0;
    for (size_t i = 0; i < listing->count && listing->left > 0; i++) {
        const struct s3_listed_version *version = &listing->page[i].version;
        os_object object = OS_OBJECT_INIT;
        object.key = strlen(version->key) >= root_length ? version->key + root_length : version->key;
        object.length = version->length;
        object.last_modified_s = version->last_modified_s;
        object.is_latest = version->is_latest;
        object.is_delete_marker = version->is_delete_marker;
        memcpy(object.etag, version->etag, sizeof(object.etag));
        memcpy(object.version_id, version->version_id, sizeof(object.version_id));
        if (arguments->each_object(arguments->each_context, &object) != 0)
            return error_set(&plain->error, OS_ERR_STOPPED, "The caller's callback stopped the list.");
        listing->left--;
    }
    return OS_OK;
}

/* The caller's function may take its time. */
static enum steps_next listing_give(struct plain *plain)
{
    struct listing *listing = plain->listing;
    qsort(listing->page, listing->count, sizeof(listing->page[0]), by_key_and_age);
    os_code code = listing_give_page(plain);
    listing_empty_page(listing);
    return code == OS_OK && listing->more && listing->left > 0 ? listing_ask(plain) : plain_over(plain, code);
}

static enum steps_next listing_answered(struct plain *plain)
{
    os_code code = listing_take_page(plain);
    return code == OS_OK ? plain_block(plain, listing_give) : plain_over(plain, code);
}

static os_code listing_take(struct plain *plain)
{
    const struct plain_arguments *arguments = plain->arguments;
    os_list_options *options = &plain->listing->options;
    os_error *err = &plain->error;
    os_code code = versioned_copy(arguments->list_options, options, sizeof(*options), "os_list_options", err);
    if (code == OS_OK)
        code = arguments_take_call(arguments->call, &plain->call, err);
    if (code == OS_OK && arguments->each_object == NULL)
        code = error_set(err, OS_ERR_ARGUMENT, "os_list needs a callback that receives the objects.");
    if (code == OS_OK && options->versions && options->delimiter && options->delimiter[0])
        code = error_set(err, OS_ERR_ARGUMENT, "Versions cannot be listed with a delimiter; leave one of the two out.");
    return code;
}

static os_code listing_begin(struct plain *plain)
{
    struct listing *listing = plain->listing;
    const os_list_options *options = &listing->options;
    const char *root = plain->client->settings.prefix ? plain->client->settings.prefix : "";
    bool has_start = options->start_after && options->start_after[0];
    listing->prefix = text_join(root, options->prefix ? options->prefix : "");
    listing->after = has_start ? text_join(root, options->start_after) : NULL;
    listing->left = options->max_keys ? options->max_keys : UINT64_MAX;
    return listing->prefix && (listing->after || !has_start) ? OS_OK : error_no_memory(&plain->error);
}

static void listing_free(struct listing *listing)
{
    listing_empty_page(listing);
    listing_take_markers(listing, false, NULL, NULL);
    free(listing->after);
    free(listing->prefix);
    free(listing);
}

enum steps_next plain_list(struct plain *plain)
{
    plain->free_listing = listing_free;
    plain->listing = calloc(1, sizeof(*plain->listing));
    if (plain->listing == NULL)
        return plain_over(plain, error_no_memory(&plain->error));
    os_code code = listing_take(plain);
    if (code == OS_OK)
        code = listing_begin(plain);
    return code == OS_OK ? listing_ask(plain) : plain_over(plain, code);
}
