/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of objects, or of all their versions, page by page. A page is kept, so that the caller's function runs on the
 * calling thread and may take its time. The versions of a key come in the order of their age within each page.
 */
#include "client/arguments.h"
#include "client/store_call.h"
#include "plain/plain.h"

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
    os_client *client;
    os_call call; /* its deadline is what is left: the time of the caller's function does not count */
    os_list_options options;
    char *prefix; /* whole */
    char *after;
    uint64_t left; /* UINT64_MAX: all */

    /* Where the next page begins; NULL: at `after`. */
    char *marker; /* a token, or a key */
    char *id_marker;
    bool more;

    struct store_call *store_call; /* the request that fills the page */
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

static os_code listing_ask_objects(struct listing *listing, struct store_call *store_call, os_error *err)
{
    struct s3_list_page end = {.truncated = false};
    store_call->request = (struct store_request){
        .verb = STORE_LIST,
        .list = {.prefix = listing->prefix,
                 .delimiter = listing->options.delimiter,
                 .start_after = listing->after,
                 .continuation_token = listing->marker,
                 .max_keys = listing->left < LIST_PAGE ? (uint32_t)listing->left : LIST_PAGE},
        .each = listing_keep_entry,
        .each_context = listing,
        .page = &end,
    };
    os_code code = store_call_run(store_call, listing->client, &listing->call, err);
    listing_take_markers(listing, end.truncated && end.next_token, end.next_token, NULL);
    return code;
}

/* A whole page also where fewer are wanted: the newest of a key need not be the store's first. */
static os_code listing_ask_versions(struct listing *listing, struct store_call *store_call, os_error *err)
{
    const struct s3_list_versions_options options = {
        .prefix = listing->prefix,
        .key_marker = listing->marker ? listing->marker : listing->after,
        .version_id_marker = listing->id_marker,
        .max_keys = LIST_PAGE,
    };
    struct s3_versions_page end = {.truncated = false};
    store_call->request = (struct store_request){.verb = STORE_LIST_VERSIONS,
                                                 .versions = &options,
                                                 .each_version = listing_keep_version,
                                                 .each_context = listing,
                                                 .versions_page = &end};
    os_code code = store_call_run(store_call, listing->client, &listing->call, err);
    listing_take_markers(listing, end.truncated, end.next_key_marker, end.next_version_id_marker);
    return code;
}

static os_code listing_fetch_page(struct listing *listing, os_error *err)
{
    struct store_call store_call = {.may_repeat = true};
    struct clock_reading before;
    struct clock_reading after;
    listing->store_call = &store_call;
    clock_read(&before);
    os_code code = listing->options.versions ? listing_ask_versions(listing, &store_call, err)
                                             : listing_ask_objects(listing, &store_call, err);
    clock_read(&after);
    uint64_t used_ms = after.monotonic_ms - before.monotonic_ms;
    listing->call.deadline_ms = listing->call.deadline_ms > used_ms ? listing->call.deadline_ms - used_ms : 1;
    listing->store_call = NULL;
    if (listing->failed)
        return error_set(
            err, OS_ERR_NO_MEMORY,
            "There is not enough memory for a page of the list, or the store sent more entries than requested.");
    return code;
}

/* ------------------------------------------------------------------------------------------------ the list */

/* Keys as the caller knows them: without the store URL's prefix. */
static os_code listing_give_page(struct listing *listing, const struct plain_arguments *arguments, os_error *err)
{
    const char *root = listing->client->settings.prefix;
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
            return error_set(err, OS_ERR_STOPPED, "The caller's callback stopped the list.");
        listing->left--;
    }
    return OS_OK;
}

static os_code listing_all_pages(struct listing *listing, const struct plain_arguments *arguments, os_error *err)
{
    os_code code = OS_OK;
    while (code == OS_OK && listing->more && listing->left > 0) {
        code = listing_fetch_page(listing, err);
        qsort(listing->page, listing->count, sizeof(listing->page[0]), by_key_and_age);
        if (code == OS_OK)
            code = listing_give_page(listing, arguments, err);
        listing_empty_page(listing);
    }
    return code;
}

static os_code listing_take(struct listing *listing, const struct plain_arguments *arguments, os_error *err)
{
    os_list_options *options = &listing->options;
    os_code code = versioned_copy(arguments->list_options, options, sizeof(*options), "os_list_options", err);
    if (code == OS_OK)
        code = arguments_take_call(arguments->call, &listing->call, err);
    if (code == OS_OK && arguments->each_object == NULL)
        code = error_set(err, OS_ERR_ARGUMENT, "os_list needs a callback that receives the objects.");
    if (code == OS_OK && options->versions && options->delimiter && options->delimiter[0])
        code = error_set(err, OS_ERR_ARGUMENT, "Versions cannot be listed with a delimiter; leave one of the two out.");
    return code;
}

static os_code listing_begin(struct listing *listing, os_error *err)
{
    const os_list_options *options = &listing->options;
    const char *root = listing->client->settings.prefix ? listing->client->settings.prefix : "";
    bool has_start = options->start_after && options->start_after[0];
    listing->prefix = text_join(root, options->prefix ? options->prefix : "");
    listing->after = has_start ? text_join(root, options->start_after) : NULL;
    listing->left = options->max_keys ? options->max_keys : UINT64_MAX;
    listing->more = true;
    return listing->prefix && (listing->after || !has_start) ? OS_OK : error_no_memory(err);
}

static os_code list_perform(os_client *client, const void *context, os_error *err)
{
    struct listing *listing = calloc(1, sizeof(*listing));
    if (listing == NULL)
        return error_no_memory(err);
    listing->client = client;
    os_code code = listing_take(listing, context, err);
    if (code == OS_OK)
        code = listing_begin(listing, err);
    if (code == OS_OK)
        code = listing_all_pages(listing, context, err);
    listing_take_markers(listing, false, NULL, NULL);
    free(listing->after);
    free(listing->prefix);
    free(listing);
    return code;
}

os_code plain_list(os_client *client, const struct plain_arguments *arguments, os_error *err)
{
    return client_perform(client, list_perform, arguments, err);
}
