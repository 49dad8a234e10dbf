/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ListObjectsV2 (encoding-type=url): entries in the order of the document. */
#include "s3/response.h"

#include "base/error.h"
#include "s3/xml.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_KEY_MAX = 4 * 1024, LIST_TOKEN_MAX = 8 * 1024 };

struct list_state {
    s3_list_fn each;
    void *context;
    struct s3_list_entry entry;
    struct buf key;    /* decoded */
    struct buf prefix; /* decoded */
    struct buf token;
    bool is_list;
    bool truncated;
    bool stopped;
    bool bad;
};

static bool set_key(struct list_state *state, struct buf *ret, struct text text)
{
    buf_reset(ret);
    if (!text_percent_decode(ret, text) || memchr(buf_str(ret), '\0', ret->len) != NULL)
        state->bad = true;
    return !state->bad;
}

static bool give(struct list_state *state, const struct buf *key, bool is_prefix)
{
    state->entry.key = buf_str(key);
    state->entry.is_prefix = is_prefix;
    state->stopped = !state->each(state->context, &state->entry);
    memset(&state->entry, 0, sizeof(state->entry));
    return !state->stopped;
}

static bool contents_element(struct list_state *state, const char *name, struct text text)
{
    struct s3_list_entry *entry = &state->entry;
    if (strcmp(name, "Key") == 0)
        return set_key(state, &state->key, text);
    if (strcmp(name, "Size") == 0)
        state->bad = !text_parse_u64(text_trim(text), &entry->length);
    else if (strcmp(name, "ETag") == 0)
        state->bad = !text_copy(text_trim(text), entry->etag, sizeof(entry->etag));
    else if (strcmp(name, "LastModified") == 0)
        (void)text_parse_iso8601(text_trim(text), &entry->last_modified_s);
    return !state->bad;
}

static bool list_element(void *context, const char *path, struct text text)
{
    static const char root[] = "ListBucketResult";
    static const char contents[] = "ListBucketResult/Contents/";
    struct list_state *state = context;
    if (strncmp(path, root, sizeof(root) - 1) != 0)
        return false;
    if (strncmp(path, contents, sizeof(contents) - 1) == 0)
        return contents_element(state, path + sizeof(contents) - 1, text);
    const char *rest = path + sizeof(root) - 1;
    if (*rest == '\0')
        state->is_list = true;
    else if (strcmp(rest, "/Contents") == 0)
        return give(state, &state->key, false);
    else if (strcmp(rest, "/CommonPrefixes/Prefix") == 0)
        return set_key(state, &state->prefix, text);
    else if (strcmp(rest, "/CommonPrefixes") == 0)
        return give(state, &state->prefix, true);
    else if (strcmp(rest, "/IsTruncated") == 0)
        state->truncated = text_is_nocase(text_trim(text), "true");
    else if (strcmp(rest, "/NextContinuationToken") == 0)
        return buf_add(&state->token, text.p, text.len);
    return true;
}

static os_code judge(const struct list_state *state, enum xml_outcome outcome, os_error *err)
{
    if (state->stopped)
        return error_set(err, OS_ERR_STOPPED, "The list was stopped by its caller.");
    if (outcome == XML_NO_MEMORY)
        return error_no_memory(err);
    if (outcome != XML_OK || !state->is_list || state->bad)
        return error_set(err, OS_ERR_PROTOCOL, "The store's list is no whole <ListBucketResult> with readable keys.");
    if (state->truncated && state->token.len == 0)
        return error_set(err, OS_ERR_PROTOCOL, "The store's list says that more follows, and not where.");
    return OS_OK;
}

os_code s3_parse_list(const struct http_response *response, s3_list_fn each, void *context, struct s3_list_page *ret,
                      os_error *err)
{
    struct list_state state;
    memset(&state, 0, sizeof(state));
    state.each = each;
    state.context = context;
    buf_init(&state.key, LIST_KEY_MAX);
    buf_init(&state.prefix, LIST_KEY_MAX);
    buf_init(&state.token, LIST_TOKEN_MAX);
    struct text body = text_of(buf_str(&response->body), response->body.len);
    os_code code = judge(&state, xml_read(body, list_element, &state), err);
    if (code == OS_OK) {
        ret->truncated = state.truncated;
        ret->next_token = state.truncated ? buf_take(&state.token) : NULL;
        if (state.truncated && ret->next_token == NULL)
            code = error_no_memory(err);
    }
    buf_free(&state.key);
    buf_free(&state.prefix);
    buf_free(&state.token);
    return code;
}
