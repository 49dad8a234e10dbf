/* SPDX-License-Identifier: Apache-2.0 */
/* os_list with versions: as list.c, with the versions of a key in the order of their age within each page. */
#include "api/listing.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

struct kept_version {
    struct s3_listed_version version; /* its key is an own copy */
    size_t place;                     /* in the store's order */
};

struct version_page {
    struct kept_version versions[LIST_PAGE];
    size_t count;
    struct store_call *store_call; /* the request that fills it */
    bool failed;
    struct s3_versions_page end;
};

static bool keep_version(void *context, const struct s3_listed_version *version)
{
    struct version_page *page = context;
    page->store_call->delivered = true; /* beginning again would give it twice */
    if (page->count == LIST_PAGE)
        page->failed = true; /* more than was asked for */
    char *key = page->failed ? NULL : strdup(version->key);
    if (key == NULL) {
        page->failed = true;
        return false;
    }
    struct kept_version *kept = &page->versions[page->count];
    kept->version = *version;
    kept->version.key = key;
    kept->place = page->count++;
    return true;
}

static void list_versions_empty_page(struct version_page *page)
{
    for (size_t i = 0; i < page->count; i++)
        free((char *)page->versions[i].version.key);
    page->count = 0;
}

/* Some stores give the delete markers of a page before its versions (version_response.h). */
static int by_key_and_age(const void *a, const void *b)
{
    const struct kept_version *x = a;
    const struct kept_version *y = b;
    int by_key = strcmp(x->version.key, y->version.key);
    if (by_key != 0)
        return by_key;
    if (x->version.is_latest != y->version.is_latest)
        return x->version.is_latest ? -1 : 1;
    if (x->version.last_modified_s != y->version.last_modified_s)
        return x->version.last_modified_s > y->version.last_modified_s ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

static bool list_versions_give_page(struct listing *listing, const struct version_page *page)
{
    const char *root = listing->client->settings.prefix;
    size_t root_length = root ? strlen(root) : 0;
    for (size_t i = 0; i < page->count && listing->left > 0; i++) {
        const struct s3_listed_version *version = &page->versions[i].version;
        os_object object = OS_OBJECT_INIT;
        object.key = strlen(version->key) >= root_length ? version->key + root_length : version->key;
        object.length = version->length;
        object.last_modified_s = version->last_modified_s;
        object.is_latest = version->is_latest;
        object.is_delete_marker = version->is_delete_marker;
        memcpy(object.etag, version->etag, sizeof(object.etag));
        memcpy(object.version_id, version->version_id, sizeof(object.version_id));
        if (listing->each(listing->context, &object) != 0)
            return false;
        listing->left--;
    }
    return true;
}

static os_code list_versions_fetch_page(struct listing *listing, const struct s3_list_versions_options *options,
                                        struct version_page *page, os_error *err)
{
    struct clock_reading before;
    struct store_call store_call = {.may_repeat = true,
                                    .request = {.verb = STORE_LIST_VERSIONS,
                                                .versions = options,
                                                .each_version = keep_version,
                                                .each_context = page,
                                                .versions_page = &page->end}};
    page->store_call = &store_call;
    page->end = (struct s3_versions_page){.truncated = false};
    clock_read(&before);
    os_code code = store_call_run(&store_call, listing->client, &listing->call, err);
    listing_took(listing, &before);
    page->store_call = NULL;
    if (page->failed)
        return error_set(
            err, OS_ERR_NO_MEMORY,
            "There is not enough memory for a page of the list, or the store sent more entries than requested.");
    return code;
}

os_code list_versions(struct listing *listing, os_error *err)
{
    struct version_page *page = calloc(1, sizeof(*page));
    struct s3_list_versions_options options = {.prefix = listing->options.prefix,
                                               .key_marker = listing->options.start_after};
    char *key_marker = NULL;
    char *id_marker = NULL;
    bool more = page != NULL;
    os_code code = page ? OS_OK : error_no_memory(err);
    while (code == OS_OK && more && listing->left > 0) {
        /* A whole page also where fewer are wanted: the newest of a key need not be the store's first. */
        options.max_keys = LIST_PAGE;
        code = list_versions_fetch_page(listing, &options, page, err);
        qsort(page->versions, page->count, sizeof(page->versions[0]), by_key_and_age);
        if (code == OS_OK && !list_versions_give_page(listing, page))
            code = error_set(err, OS_ERR_STOPPED, "The caller's callback stopped the list.");
        more = page->end.truncated;
        free(key_marker);
        free(id_marker);
        options.key_marker = key_marker = page->end.next_key_marker;
        options.version_id_marker = id_marker = page->end.next_version_id_marker;
        list_versions_empty_page(page);
    }
    free(key_marker);
    free(id_marker);
    free(page);
    return code;
}
