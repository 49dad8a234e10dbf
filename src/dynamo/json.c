/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/json.h"

#include <string.h>

/* Past the closing quote of the string that starts at `at`; to the end when there is none. */
static size_t skip_string(const char *text, size_t len, size_t at)
{
    for (at++; at < len && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at < len ? at + 1 : len;
}

/* Counts, and judges nothing else: what is no JSON is found by the parse. Every value but the first of its container
 * follows a comma, so commas and openings together bound the values. */
static bool is_within_bounds(const char *text, size_t len)
{
    size_t depth = 0;
    size_t values = 0;
    for (size_t at = 0; at < len;) {
        char c = text[at];
        if (c == '"') {
            at = skip_string(text, len, at);
            continue;
        }
        if (c == '{' || c == '[') {
            depth++;
            values++;
        } else if (c == '}' || c == ']') {
            depth -= depth > 0 ? 1 : 0;
        } else if (c == ',') {
            values++;
        }
        if (depth > JSON_DEPTH_MAX || values > JSON_VALUES_MAX)
            return false;
        at++;
    }
    return true;
}

bool json_is_too_large(const char *text, size_t len)
{
    return !is_within_bounds(text, len);
}

json_t *json_read(const char *text, size_t len)
{
    if (text == NULL || !is_within_bounds(text, len))
        return NULL;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    if (!json_is_object(root)) {
        json_decref(root);
        return NULL;
    }
    return root;
}

static int append(const char *data, size_t len, void *out)
{
    return buf_add(out, data, len) ? 0 : -1;
}

bool json_write(struct buf *out, const json_t *value)
{
    return json_dump_callback(value, append, out, JSON_COMPACT) == 0 && buf_ok(out);
}

const char *json_member_string(const json_t *object, const char *name)
{
    const json_t *member = json_object_get(object, name);
    const char *value = json_string_value(member);
    return value != NULL && strlen(value) == json_string_length(member) ? value : NULL;
}
