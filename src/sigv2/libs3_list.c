/* SPDX-License-Identifier: Apache-2.0 */
#include "sigv2/libs3_list.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAGE_MAX = 10000 /* entries; S3 gives 1,000 at most */ };

void libs3_page_init(struct libs3_page *page)
{
    memset(page, 0, sizeof(*page));
    page->code = OS_OK;
}

static void free_entries(struct libs3_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        free((char *)entries->list[i].key);
    free(entries->list);
}

void libs3_page_free(struct libs3_page *page)
{
    free_entries(&page->keys);
    free_entries(&page->prefixes);
    free(page->next_marker);
}

void libs3_page_empty(struct libs3_page *page)
{
    libs3_page_free(page);
    libs3_page_init(page);
}

/* ------------------------------------------------------------------------------------------------ collecting */

static struct s3_list_entry *libs3_list_add(struct libs3_page *page, struct libs3_entries *entries, const char *key)
{
    if (entries->count == PAGE_MAX)
        page->code = OS_ERR_PROTOCOL;
    else if (entries->count == entries->cap) {
        size_t cap = entries->cap ? entries->cap * 2 : 32;
        struct s3_list_entry *list = realloc(entries->list, cap * sizeof(*list));
        if (list) {
            entries->list = list;
            entries->cap = cap;
        }
    }
    char *copy = entries->count < entries->cap && page->code == OS_OK ? strdup(key) : NULL;
    if (copy == NULL) {
        page->code = page->code == OS_OK ? OS_ERR_NO_MEMORY : page->code;
        return NULL;
    }
    struct s3_list_entry *entry = &entries->list[entries->count++];
    *entry = (struct s3_list_entry){.key = copy};
    return entry;
}

/* libs3 reads a time of day in UTC as if it were local time. */
static int64_t fix_time(int64_t misread_s)
{
    time_t misread = (time_t)misread_s;
    struct tm fields;
    if (misread_s < 0 || localtime_r(&misread, &fields) == NULL)
        return 0;
    return (int64_t)timegm(&fields);
}

static bool add_key(struct libs3_page *page, const S3ListBucketContent *content)
{
    struct s3_list_entry *entry = libs3_list_add(page, &page->keys, content->key);
    if (entry == NULL)
        return false;
    entry->length = content->size;
    entry->last_modified_s = fix_time(content->lastModified);
    if (content->eTag && !TEXT_COPY_STR(content->eTag, entry->etag))
        page->code = OS_ERR_PROTOCOL;
    return page->code == OS_OK;
}

static bool add_prefix(struct libs3_page *page, const char *prefix)
{
    struct s3_list_entry *entry = libs3_list_add(page, &page->prefixes, prefix);
    if (entry)
        entry->is_prefix = true;
    return entry != NULL;
}

static S3Status on_list(int truncated, const char *next_marker, int count, const S3ListBucketContent *contents,
                        int prefix_count, const char **prefixes, void *context)
{
    struct libs3_run *run = context;
    struct libs3_page *page = run->page;
    libs3_run_gave(run);
    page->truncated = truncated != 0;
    if (next_marker && next_marker[0]) {
        free(page->next_marker);
        page->next_marker = strdup(next_marker);
        if (page->next_marker == NULL)
            page->code = OS_ERR_NO_MEMORY;
    }
    for (int i = 0; i < count && page->code == OS_OK; i++)
        (void)add_key(page, &contents[i]);
    for (int i = 0; i < prefix_count && page->code == OS_OK; i++)
        (void)add_prefix(page, prefixes[i]);
    return S3StatusOK; /* what went wrong stands in page->code */
}

void libs3_list_begin(struct libs3_run *run, const S3BucketContext *bucket, const struct libs3_list_request *wanted)
{
    const S3ListBucketHandler handler = {libs3_run_response, on_list};
    int max_keys = wanted->max_keys > INT32_MAX ? INT32_MAX : (int)wanted->max_keys;
    S3_list_bucket(bucket, wanted->prefix, wanted->marker, wanted->delimiter, max_keys, run->context, &handler, run);
}

/* ------------------------------------------------------------------------------------------------ giving */

/* A short body can be looked at; libs3 finds no entry in an <Error> inside a 200 either. */
static bool looks_like_a_list(const struct http_response *answer)
{
    static const char root[] = "ListBucketResult";
    const char *type = http_headers_get(&answer->headers, "content-type");
    if (type == NULL || !text_contains_nocase(text_from(type), "xml"))
        return false;
    return answer->body.len == 0 || memmem(answer->body.data, answer->body.len, root, sizeof(root) - 1) != NULL;
}

/* libs3 takes any text for an empty list, and does not call back for one; S3 says what it sends. */
os_code libs3_page_check(const struct libs3_page *page, const struct http_response *answer, os_error *err)
{
    if (page->code == OS_ERR_NO_MEMORY)
        return error_no_memory(err);
    if (page->code != OS_OK || !looks_like_a_list(answer))
        return error_set(err, OS_ERR_PROTOCOL, "The store's list cannot be used: it is not a list, or is too large.");
    return OS_OK;
}

static const char *last_key(const struct libs3_entries *entries)
{
    return entries->count > 0 ? entries->list[entries->count - 1].key : "";
}

/* Without a delimiter the next page begins after the last key of this one (API Reference, "ListObjects"). */
static os_code next_token(const struct libs3_page *page, char **ret, os_error *err)
{
    const char *key = last_key(&page->keys);
    const char *prefix = last_key(&page->prefixes);
    const char *last = strcmp(key, prefix) > 0 ? key : prefix;
    const char *next = page->next_marker ? page->next_marker : last;
    if (next[0] == '\0')
        return error_set(err, OS_ERR_PROTOCOL, "The store's list says that more follows, but not where.");
    *ret = strdup(next);
    return *ret ? OS_OK : error_no_memory(err);
}

static bool libs3_list_give(const struct libs3_entries *entries, s3_list_fn each, void *context)
{
    for (size_t i = 0; i < entries->count; i++)
        if (!each(context, &entries->list[i]))
            return false;
    return true;
}

os_code libs3_page_give(const struct libs3_page *page, s3_list_fn each, void *context, struct s3_list_page *ret,
                        os_error *err)
{
    char *token = NULL;
    os_code code = page->truncated ? next_token(page, &token, err) : OS_OK;
    if (code != OS_OK)
        return code;
    if (!libs3_list_give(&page->keys, each, context) || !libs3_list_give(&page->prefixes, each, context)) {
        free(token);
        return error_set(err, OS_ERR_STOPPED, "The caller's callback stopped the list.");
    }
    *ret = (struct s3_list_page){.truncated = page->truncated, .next_token = token};
    return OS_OK;
}
