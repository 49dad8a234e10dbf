/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ListObjectVersions in two passes, as list_response.c: the first sees that the document is whole and where the
 * next page begins, the second gives the entries. So nobody acts on half a list. */
#include "base/error.h"
#include "s3/answer_document.h"
#include "s3/listed_key.h"
#include "s3/metadata.h"
#include "s3/version_response.h"

#include <stdlib.h>
#include <string.h>

#define VERSIONS_ROOT "ListVersionsResult"

static os_code no_list(os_error *err, const char *what)
{
    return error_set(err, OS_ERR_PROTOCOL, "The store's list of versions cannot be used: %s.", what);
}

static bool is_true(struct text text)
{
    return text_is_nocase(text_trim(text), "true");
}

/* ------------------------------------------------------------------------------------------------ the frame */

struct versions_frame {
    bool truncated;
    bool url_encoded;    /* a store may ignore that it was asked for */
    struct buf next_key; /* as written */
    struct buf next_id;
};

static bool versions_keep(struct buf *ret, struct text text)
{
    buf_reset(ret);
    return buf_add(ret, text.p, text.len);
}

static bool frame_element(void *context, const char *path, struct text text)
{
    struct versions_frame *frame = context;
    const char *below = answer_below(path, VERSIONS_ROOT);
    if (below == NULL)
        return false;
    if (strcmp(below, "IsTruncated") == 0)
        frame->truncated = is_true(text);
    else if (strcmp(below, "EncodingType") == 0)
        frame->url_encoded = text_is_nocase(text_trim(text), "url");
    else if (strcmp(below, "NextVersionIdMarker") == 0)
        return versions_keep(&frame->next_id, text_trim(text));
    else if (strcmp(below, "NextKeyMarker") == 0)
        return versions_keep(&frame->next_key, text);
    return true;
}

static os_code read_frame(struct text body, struct versions_frame *frame, os_error *err)
{
    enum xml_outcome outcome = xml_read(body, frame_element, frame);
    if (outcome == XML_NO_MEMORY || !buf_ok(&frame->next_key) || !buf_ok(&frame->next_id))
        return error_no_memory(err); /* neither is longer than XML_TEXT_MAX */
    return outcome == XML_OK ? OS_OK : no_list(err, "it is no whole <" VERSIONS_ROOT ">");
}

/* ------------------------------------------------------------------------------------------------ the entries */

struct versions_state {
    s3_version_fn each;
    void *context;
    bool url_encoded;
    bool no_memory;
    struct listed_key key;
    struct s3_listed_version version;
    bool stopped;
};

static bool take_version_id(struct versions_state *state, struct text text)
{
    char id[XML_TEXT_MAX + 1] = "";
    (void)text_copy(text_trim(text), id, sizeof(id)); /* no text of a document is longer, or has a NUL */
    state->no_memory =
        metadata_version_id(id, state->version.version_id, sizeof(state->version.version_id), NULL) != OS_OK;
    return !state->no_memory;
}

static bool version_field(struct versions_state *state, const char *name, struct text text)
{
    struct s3_listed_version *version = &state->version;
    if (strcmp(name, "Key") == 0)
        return listed_key_set(&state->key, text, state->url_encoded);
    if (strcmp(name, "VersionId") == 0)
        return take_version_id(state, text);
    if (strcmp(name, "IsLatest") == 0)
        version->is_latest = is_true(text);
    else if (strcmp(name, "ETag") == 0)
        return text_copy(text_trim(text), version->etag, sizeof(version->etag));
    else if (strcmp(name, "Size") == 0)
        return text_parse_u64(text_trim(text), &version->length);
    else if (strcmp(name, "LastModified") == 0)
        (void)text_parse_iso8601(text_trim(text), &version->last_modified_s);
    return true;
}

static bool versions_give(struct versions_state *state, bool is_delete_marker)
{
    struct s3_listed_version *version = &state->version;
    if (state->key.key.len == 0 || version->version_id[0] == '\0')
        return false;
    version->key = buf_str(&state->key.key);
    version->is_delete_marker = is_delete_marker;
    state->stopped = !state->each(state->context, version);
    memset(version, 0, sizeof(*version));
    buf_reset(&state->key.key);
    return !state->stopped;
}

static bool version_element(void *context, const char *path, struct text text)
{
    struct versions_state *state = context;
    const char *field = answer_below(path, VERSIONS_ROOT "/Version");
    bool is_marker = field == NULL;
    if (is_marker)
        field = answer_below(path, VERSIONS_ROOT "/DeleteMarker");
    if (field == NULL)
        return true;
    return field[0] != '\0' ? version_field(state, field, text) : versions_give(state, is_marker);
}

static os_code read_versions(struct text body, struct versions_state *state, os_error *err)
{
    enum xml_outcome outcome = xml_read(body, version_element, state);
    if (state->stopped)
        return error_set(err, OS_ERR_STOPPED, "The caller's callback stopped the list.");
    if (outcome == XML_NO_MEMORY || state->key.no_memory || state->no_memory)
        return error_no_memory(err);
    return outcome == XML_OK ? OS_OK : no_list(err, "a version has no readable key, version id, size or ETag");
}

/* ------------------------------------------------------------------------------------------------ the page */

/* Where the next page begins; it must lie elsewhere than where this one began. What `page` has got is the caller's,
 * also when half of it is missing. */
static os_code take_next(struct versions_frame *frame, const struct s3_list_versions_options *options,
                         struct listed_key *key, struct s3_versions_page *page, os_error *err)
{
    if (!frame->truncated)
        return OS_OK;
    const struct buf *written = &frame->next_key;
    bool has_key = listed_key_set(key, text_of(buf_str(written), written->len), frame->url_encoded);
    if (key->no_memory)
        return error_no_memory(err);
    if (!has_key || (text_is(text_from(options->key_marker), buf_str(&key->key)) &&
                     text_is(text_from(options->version_id_marker), buf_str(&frame->next_id))))
        return no_list(err, "it says that more follows, but not where");
    page->truncated = true;
    page->next_key_marker = buf_take(&key->key);
    page->next_version_id_marker = buf_take(&frame->next_id);
    return page->next_version_id_marker ? OS_OK : error_no_memory(err);
}

os_code s3_parse_versions(const struct http_response *response, const struct s3_list_versions_options *options,
                          s3_version_fn each, void *context, struct s3_versions_page *ret, os_error *err)
{
    struct text body = text_of(buf_str(&response->body), response->body.len);
    struct versions_frame frame = {0};
    struct versions_state state = {.each = each, .context = context};
    struct s3_versions_page page = {0};
    buf_init(&frame.next_key, XML_TEXT_MAX);
    buf_init(&frame.next_id, XML_TEXT_MAX);
    listed_key_init(&state.key);
    os_code code = read_frame(body, &frame, err);
    state.url_encoded = frame.url_encoded;
    if (code == OS_OK)
        code = take_next(&frame, options, &state.key, &page, err);
    if (code == OS_OK)
        code = read_versions(body, &state, err);
    if (code == OS_OK) {
        *ret = page;
    } else {
        free(page.next_key_marker);
        free(page.next_version_id_marker);
    }
    buf_free(&frame.next_key);
    buf_free(&frame.next_id);
    listed_key_free(&state.key);
    return code;
}
