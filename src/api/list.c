/* SPDX-License-Identifier: Apache-2.0 */
/* os_list: page by page; a page is kept, so that the caller's function runs on the calling thread and may take its
 * time. */
#include "api/listing.h"
#include "client/arguments.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

struct page {
    struct s3_list_entry entries[LIST_PAGE]; /* keys are own copies */
    size_t count;
    struct store_call *store_call; /* the request that fills it */
    bool failed;
    struct s3_list_page end;
};

static bool keep_entry(void *context, const struct s3_list_entry *entry)
{
    struct page *page = context;
    page->store_call->delivered = true; /* beginning again would give it twice */
    if (page->count == LIST_PAGE)
        page->failed = true; /* more than was asked for */
    char *key = page->failed ? NULL : strdup(entry->key);
    if (key == NULL) {
        page->failed = true;
        return false;
    }
    page->entries[page->count] = *entry;
    page->entries[page->count].key = key;
    page->count++;
    return true;
}

static void list_empty_page(struct page *page)
{
    for (size_t i = 0; i < page->count; i++)
        free((char *)page->entries[i].key);
    free(page->end.next_token);
    memset(page, 0, sizeof(*page));
}

/* S3 sends a page's keys first and its common prefixes behind them; strcmp compares bytes, as S3 orders them. */
static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct s3_list_entry *)a)->key, ((const struct s3_list_entry *)b)->key);
}

/* The keys are given as the caller knows them: without the store URL's prefix. */
static bool list_give_page(const os_client *client, const struct page *page, os_list_fn each, void *context)
{
    size_t prefix_length = client->settings.prefix ? strlen(client->settings.prefix) : 0;
    for (size_t i = 0; i < page->count; i++) {
        const struct s3_list_entry *entry = &page->entries[i];
        os_object object = OS_OBJECT_INIT;
        object.key = strlen(entry->key) >= prefix_length ? entry->key + prefix_length : entry->key;
        object.length = entry->length;
        object.last_modified_s = entry->last_modified_s;
        memcpy(object.etag, entry->etag, sizeof(object.etag));
        if (each(context, &object) != 0)
            return false;
    }
    return true;
}

static os_code list_fetch_page(os_client *client, const struct s3_list_options *options, const os_call *call,
                               struct page *page, os_error *err)
{
    struct store_call store_call = {
        .request = {.verb = STORE_LIST, .list = *options, .each = keep_entry, .each_context = page}};
    store_call.request.page = &page->end;
    store_call.may_repeat = true;
    page->store_call = &store_call;
    os_code code = store_call_run(&store_call, client, call, err);
    if (page->failed)
        return error_set(
            err, OS_ERR_NO_MEMORY,
            "There is not enough memory for a page of the list, or the store sent more entries than requested.");
    return code;
}

static os_code fetch_in_time(struct listing *listing, struct page *page, os_error *err)
{
    struct clock_reading before;
    clock_read(&before);
    os_code code = list_fetch_page(listing->client, &listing->options, &listing->call, page, err);
    listing_took(listing, &before);
    return code;
}

static os_code list_pages(struct listing *listing, struct page *page, os_error *err)
{
    char *token = NULL;
    os_code code = OS_OK;
    bool more = true;
    while (code == OS_OK && more && listing->left > 0) {
        listing->options.continuation_token = token;
        listing->options.max_keys = listing->left < LIST_PAGE ? (uint32_t)listing->left : LIST_PAGE;
        code = fetch_in_time(listing, page, err);
        qsort(page->entries, page->count, sizeof(page->entries[0]), by_key);
        if (code == OS_OK && !list_give_page(listing->client, page, listing->each, listing->context))
            code = error_set(err, OS_ERR_STOPPED, "The caller's callback stopped the list.");
        listing->left -= page->count < listing->left ? page->count : listing->left;
        more = page->end.truncated && page->end.next_token;
        free(token);
        token = page->end.next_token;
        page->end.next_token = NULL;
        list_empty_page(page);
    }
    free(token);
    return code;
}

static char *list_join(const char *prefix, const char *rest)
{
    size_t size = strlen(prefix) + strlen(rest) + 1;
    char *whole = malloc(size);
    if (whole) {
        memcpy(whole, prefix, strlen(prefix));
        memcpy(whole + strlen(prefix), rest, strlen(rest) + 1);
    }
    return whole;
}

static os_code take_arguments(const os_list_options *options, const os_call *call, os_list_fn each,
                              os_list_options *ret, os_call *ret_call, os_error *err)
{
    os_code code = versioned_copy(options, ret, sizeof(*ret), "os_list_options", err);
    if (code == OS_OK)
        code = arguments_take_call(call, ret_call, err);
    if (code == OS_OK && each == NULL)
        code = error_set(err, OS_ERR_ARGUMENT, "os_list needs a callback that receives the objects.");
    if (code == OS_OK && ret->versions && ret->delimiter && ret->delimiter[0])
        code = error_set(err, OS_ERR_ARGUMENT, "Versions cannot be listed with a delimiter; leave one of the two out.");
    return code;
}

static os_code list_all(os_client *client, const os_list_options *options, const os_call *call, os_list_fn each,
                        void *context, os_error *err)
{
    os_list_options own;
    os_call own_call;
    os_code code = take_arguments(options, call, each, &own, &own_call, err);
    if (code != OS_OK)
        return code;
    const char *root = client->settings.prefix ? client->settings.prefix : "";
    char *prefix = list_join(root, own.prefix ? own.prefix : "");
    char *after = own.start_after && own.start_after[0] ? list_join(root, own.start_after) : NULL;
    struct page *page = calloc(1, sizeof(*page));
    struct listing listing = {
        .client = client,
        .call = own_call,
        .each = each,
        .context = context,
        .left = own.max_keys ? own.max_keys : UINT64_MAX,
        .options = {.prefix = prefix, .delimiter = own.delimiter, .start_after = after},
    };
    if (prefix == NULL || page == NULL || (own.start_after && own.start_after[0] && after == NULL))
        code = error_no_memory(err);
    else if (own.versions)
        code = list_versions(&listing, err);
    else
        code = list_pages(&listing, page, err);
    free(page);
    free(after);
    free(prefix);
    return code;
}

os_code os_list(os_client *client, const os_list_options *options, const os_call *call, os_list_fn each, void *context,
                os_error *err)
{
    error_clear(err);
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return OS_ERR_ARGUMENT;
    os_code code = list_all(client, options, call, each, context, err);
    client_leave(client, &inside);
    return code;
}
