/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ListObjectsV2 in two passes: the first sees that the document is whole and how its keys are written, the second
 * gives the entries. So nobody acts on half a list. */
#include "s3/response.h"

#include "base/error.h"
#include "s3/listed_key.h"
#include "syntax/xml.h"

#include <string.h>

enum {
    LIST_TOKEN_MAX = 4 * 1024 /* encoded it still fits into a query */
};

#define LIST_ROOT "ListBucketResult"

/* What a list says outside of its entries. */
struct list_frame {
    bool is_list;
    bool truncated;
    bool url_encoded; /* <EncodingType>url</EncodingType>: a store may ignore that it was asked for */
    bool no_memory;   /* a buffer failed whose text was not too long */
    struct buf token;
};

struct list_entries {
    s3_list_fn each;
    void *context;
    bool url_encoded;
    struct s3_list_entry entry;
    struct listed_key key;
    bool stopped;
};

/* ------------------------------------------------------------------------------------------------ the frame */

static bool take_token(struct list_frame *frame, struct text text)
{
    if (text.len > LIST_TOKEN_MAX - frame->token.len)
        return false;
    frame->no_memory = !buf_add(&frame->token, text.p, text.len);
    return !frame->no_memory;
}

static bool frame_element(void *context, const char *path, struct text text)
{
    struct list_frame *frame = context;
    if (strncmp(path, LIST_ROOT, sizeof(LIST_ROOT) - 1) != 0)
        return false;
    const char *rest = path + sizeof(LIST_ROOT) - 1;
    if (*rest == '\0')
        frame->is_list = true;
    else if (strcmp(rest, "/IsTruncated") == 0)
        frame->truncated = text_is_nocase(text_trim(text), "true");
    else if (strcmp(rest, "/EncodingType") == 0)
        frame->url_encoded = text_is_nocase(text_trim(text), "url");
    else if (strcmp(rest, "/NextContinuationToken") == 0)
        return take_token(frame, text);
    return *rest == '\0' || *rest == '/';
}

static os_code list_unreadable(os_error *err, const char *what)
{
    return error_set(err, OS_ERR_PROTOCOL, "The store's list cannot be used: %s.", what);
}

static os_code read_frame(struct text body, struct list_frame *frame, os_error *err)
{
    enum xml_outcome outcome = xml_read(body, frame_element, frame);
    if (outcome == XML_NO_MEMORY || frame->no_memory)
        return error_no_memory(err);
    if (outcome != XML_OK || !frame->is_list)
        return list_unreadable(err, "it is not a complete <ListBucketResult>");
    if (frame->truncated && frame->token.len == 0)
        return list_unreadable(err, "it says that more follows, but not where");
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ the entries */

static bool list_give(struct list_entries *list, bool is_prefix)
{
    if (list->key.key.len == 0)
        return false;
    list->entry.key = buf_str(&list->key.key);
    list->entry.is_prefix = is_prefix;
    list->stopped = !list->each(list->context, &list->entry);
    memset(&list->entry, 0, sizeof(list->entry));
    buf_reset(&list->key.key);
    return !list->stopped;
}

static bool contents_element(struct list_entries *list, const char *name, struct text text)
{
    struct s3_list_entry *entry = &list->entry;
    if (strcmp(name, "Key") == 0)
        return listed_key_set(&list->key, text, list->url_encoded);
    if (strcmp(name, "Size") == 0)
        return text_parse_u64(text_trim(text), &entry->length);
    if (strcmp(name, "ETag") == 0)
        return text_copy(text_trim(text), entry->etag, sizeof(entry->etag));
    if (strcmp(name, "LastModified") == 0)
        (void)text_parse_iso8601(text_trim(text), &entry->last_modified_s);
    return true;
}

static bool entry_element(void *context, const char *path, struct text text)
{
    static const char contents[] = LIST_ROOT "/Contents/";
    struct list_entries *list = context;
    if (strncmp(path, contents, sizeof(contents) - 1) == 0)
        return contents_element(list, path + sizeof(contents) - 1, text);
    if (strcmp(path, LIST_ROOT "/Contents") == 0)
        return list_give(list, false);
    if (strcmp(path, LIST_ROOT "/CommonPrefixes/Prefix") == 0)
        return listed_key_set(&list->key, text, list->url_encoded) && list_give(list, true);
    return true;
}

static os_code read_entries(struct text body, struct list_entries *list, os_error *err)
{
    enum xml_outcome outcome = xml_read(body, entry_element, list);
    if (list->stopped)
        return error_set(err, OS_ERR_STOPPED, "The caller's callback stopped the list.");
    if (outcome == XML_NO_MEMORY || list->key.no_memory)
        return error_no_memory(err);
    return outcome == XML_OK ? OS_OK : list_unreadable(err, "an entry's key, size or ETag cannot be read");
}

os_code s3_parse_list(const struct http_response *response, s3_list_fn each, void *context, struct s3_list_page *ret,
                      os_error *err)
{
    struct text body = text_of(buf_str(&response->body), response->body.len);
    struct list_frame frame = {0};
    struct list_entries list = {.each = each, .context = context};
    buf_init(&frame.token, LIST_TOKEN_MAX);
    listed_key_init(&list.key);
    os_code code = read_frame(body, &frame, err);
    list.url_encoded = frame.url_encoded;
    if (code == OS_OK)
        code = read_entries(body, &list, err);
    char *token = code == OS_OK && frame.truncated ? buf_take(&frame.token) : NULL;
    if (code == OS_OK && frame.truncated && token == NULL)
        code = error_no_memory(err);
    if (code == OS_OK)
        *ret = (struct s3_list_page){.truncated = frame.truncated, .next_token = token};
    buf_free(&frame.token);
    listed_key_free(&list.key);
    return code;
}
