/* SPDX-License-Identifier: Apache-2.0 */
#include "syntax/json.h"

#include <stdio.h>
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

/* Without memory for a byte of a string the lexer of jansson 2.14 goes on without it (it does not look at what
 * strbuffer_append_byte says): what two parses do not agree on is not what stands there. */
json_t *json_parse(const char *text, size_t len, size_t flags, json_error_t *ret_where)
{
    json_error_t where;
    json_t *root = json_loadb(text, len, flags, &where);
    json_t *again = root != NULL ? json_loadb(text, len, flags, &where) : NULL;
    if (again == NULL || json_equal(root, again) == 0) {
        if (again != NULL)
            snprintf(where.text, sizeof(where.text), "out of memory");
        json_decref(root);
        root = NULL;
    }
    json_decref(again);
    if (ret_where != NULL)
        *ret_where = where;
    return root;
}

json_t *json_read(const char *text, size_t len)
{
    if (text == NULL || !is_within_bounds(text, len))
        return NULL;
    json_t *root = json_parse(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    if (!json_is_object(root)) {
        json_decref(root);
        return NULL;
    }
    return root;
}

static const char *fault_of(const char *text, size_t len, size_t flags, bool is_object, char ret[JSON_FAULT_SIZE])
{
    json_error_t where;
    json_t *root = json_parse(text, len, flags, &where);
    bool is_json = root != NULL;
    bool is_read = !is_object || json_is_object(root);
    json_decref(root);
    if (is_json)
        return is_read ? NULL : "it is no object";
    snprintf(ret, JSON_FAULT_SIZE, "%s (line %d, column %d)", where.text, where.line, where.column);
    return ret;
}

const char *json_parse_fault(const char *text, size_t len, size_t flags, char ret[JSON_FAULT_SIZE])
{
    return fault_of(text, len, flags, false, ret);
}

const char *json_read_fault(const char *text, size_t len, char ret[JSON_FAULT_SIZE])
{
    if (is_within_bounds(text, len))
        return fault_of(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, true, ret);
    snprintf(ret, JSON_FAULT_SIZE, "it has more than %d levels, or more than %d values", JSON_DEPTH_MAX,
             JSON_VALUES_MAX);
    return ret;
}

static int append(const char *data, size_t len, void *out)
{
    return buf_add(out, data, len) ? 0 : -1;
}

bool json_write_as(struct buf *out, const json_t *value, size_t flags)
{
    return json_dump_callback(value, append, out, flags) == 0;
}

/* RFC 8259, section 7. */
static void write_escape(struct buf *out, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char letters[128] = {
        ['"'] = '"', ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    if (letters[c] != 0)
        buf_add(out, (char[]){'\\', letters[c]}, 2);
    else
        buf_add(out, (char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]}, 6);
}

void json_write_string(struct buf *out, const char *text, size_t len)
{
    buf_add_char(out, '"');
    for (size_t at = 0; at < len; at++) {
        size_t first = at;
        while (at < len && (unsigned char)text[at] >= ' ' && text[at] != '"' && text[at] != '\\')
            at++;
        buf_add(out, text + first, at - first);
        if (at < len)
            write_escape(out, (unsigned char)text[at]);
    }
    buf_add_char(out, '"');
}

static bool write_object(struct buf *out, const json_t *object)
{
    const char *name;
    json_t *member;
    bool done = true;
    bool first = true;
    buf_add_char(out, '{');
    json_object_foreach((json_t *)object, name, member)
    {
        if (!first)
            buf_add_char(out, ',');
        first = false;
        json_write_string(out, name, strlen(name));
        buf_add_char(out, ':');
        done = done && json_write(out, member);
    }
    buf_add_char(out, '}');
    return done && buf_ok(out);
}

/* Objects and strings, which items are made of, without jansson: for each object that formats an address
 * to see a loop. What is built or read here has none. */
bool json_write(struct buf *out, const json_t *value)
{
    if (json_is_object(value))
        return write_object(out, value);
    if (json_is_string(value))
        json_write_string(out, json_string_value(value), json_string_length(value));
    else if (json_dump_callback(value, append, out, JSON_COMPACT | JSON_ENCODE_ANY) != 0)
        return false;
    return buf_ok(out);
}

const char *json_member_string(const json_t *object, const char *name)
{
    const json_t *member = json_object_get(object, name);
    const char *value = json_string_value(member);
    return value != NULL && strlen(value) == json_string_length(member) ? value : NULL;
}

struct library_version json_library_version(void)
{
    return (struct library_version){JANSSON_VERSION, jansson_version_str()};
}
