/* SPDX-License-Identifier: Apache-2.0 */
/* The two small documents of version_response.h. */
#include "base/error.h"
#include "s3/answer_document.h"
#include "s3/version_response.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ tags */

struct tag {
    char name[S3_TAG_NAME_SIZE];
    char value[S3_TAG_VALUE_SIZE];
};

struct tags_state {
    size_t count;
    struct tag list[S3_TAGS_MAX + 1]; /* the last is the one being read */
};

/* Blanks belong to names and values. */
static bool tag_element(void *context, const char *path, struct text text)
{
    struct tags_state *state = context;
    struct tag *tag = &state->list[state->count];
    if (strcmp(path, "TagSet/Tag/Key") == 0)
        return text_copy(text, tag->name, sizeof(tag->name));
    if (strcmp(path, "TagSet/Tag/Value") == 0)
        return text_copy(text, tag->value, sizeof(tag->value));
    if (strcmp(path, "TagSet/Tag") != 0)
        return true;
    return tag->name[0] != '\0' && ++state->count <= S3_TAGS_MAX;
}

os_code s3_parse_tags(const struct http_response *response, s3_tag_fn each, void *context, struct s3_error *ret_error,
                      os_error *err)
{
    struct tags_state state;
    memset(&state, 0, sizeof(state));
    const struct answer_document document = {
        .root = "Tagging", .each = tag_element, .context = &state, .of = "the question for an object's tags"};
    os_code code = answer_document_read(response, &document, ret_error, err);
    for (size_t i = 0; code == OS_OK && i < state.count; i++)
        if (!each(context, state.list[i].name, state.list[i].value))
            code = error_set(err, OS_ERR_STOPPED, "The list of tags was stopped by its caller.");
    return code;
}

/* ------------------------------------------------------------------------------------------------ versioning */

static bool versioning_element(void *context, const char *path, struct text text)
{
    enum s3_versioning *state = context;
    if (strcmp(path, "Status") != 0)
        return true;
    bool is_enabled = text_is(text_trim(text), "Enabled");
    *state = is_enabled ? S3_VERSIONING_ENABLED : S3_VERSIONING_SUSPENDED;
    return is_enabled || text_is(text_trim(text), "Suspended");
}

os_code s3_parse_versioning(const struct http_response *response, enum s3_versioning *ret, struct s3_error *ret_error,
                            os_error *err)
{
    enum s3_versioning state = S3_VERSIONING_NEVER;
    const struct answer_document document = {.root = "VersioningConfiguration",
                                             .each = versioning_element,
                                             .context = &state,
                                             .of = "the question for a bucket's versioning"};
    os_code code = answer_document_read(response, &document, ret_error, err);
    if (code == OS_OK)
        *ret = state;
    return code;
}
