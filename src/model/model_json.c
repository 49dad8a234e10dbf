/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_json.h"

#include "attribute/real.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_MAX = 80 }; /* bytes of a value in a sentence */

/* ----------------------------------------------------------------------------------------------------------- copies */

static os_code made(const struct model_place *place, const json_t *result)
{
    return result != NULL ? OS_OK : error_no_memory(place->err);
}

static os_code copy_number(const struct model_place *place, const json_t *json, enum model_numbers numbers,
                           json_t **ret)
{
    double real = json_number_value(json);
    bool is_within = real >= -(double)MODEL_INTEGER_MAX && real <= (double)MODEL_INTEGER_MAX;
    if (json_is_integer(json)) {
        json_int_t integer = json_integer_value(json);
        if (integer < -MODEL_INTEGER_MAX || integer > MODEL_INTEGER_MAX)
            return model_refuse_value(place, json, "is beyond 9007199254740991, up to which numbers are exact");
        *ret = json_integer(integer);
    } else if (is_within && real == (double)(int64_t)real) {
        *ret = json_integer((json_int_t)real);
    } else if (!is_within && numbers == MODEL_NUMBERS_STORED) {
        return model_refuse_value(place, json, "is beyond 9007199254740991, up to which numbers are exact");
    } else {
        *ret = json_real(real);
    }
    return made(place, *ret);
}

static os_code copy_into(struct model_place *place, struct path_step step, const json_t *json,
                         enum model_numbers numbers, json_t *container)
{
    json_t *copy;
    if (!model_place_enter(place, step))
        return model_refuse_depth(place);
    os_code code = model_json_copy(place, json, numbers, &copy);
    model_place_leave(place);
    if (code != OS_OK)
        return code;
    int failed =
        step.name != NULL ? json_object_set_new(container, step.name, copy) : json_array_append_new(container, copy);
    return failed == 0 ? OS_OK : error_no_memory(place->err);
}

static os_code copy_members(struct model_place *place, const json_t *json, enum model_numbers numbers, json_t *copy)
{
    const char *name;
    json_t *member;
    size_t index;
    os_code code = OS_OK;
    json_object_foreach((json_t *)json, name, member)
    {
        code = copy_into(place, (struct path_step){.name = name}, member, numbers, copy);
        if (code != OS_OK)
            return code;
    }
    json_array_foreach(json, index, member)
    {
        code = copy_into(place, (struct path_step){.index = index}, member, numbers, copy);
        if (code != OS_OK)
            return code;
    }
    return code;
}

static os_code copy_container(struct model_place *place, const json_t *json, enum model_numbers numbers, json_t **ret)
{
    json_t *copy = json_is_array(json) ? json_array() : json_object();
    if (copy == NULL)
        return error_no_memory(place->err);
    os_code code = copy_members(place, json, numbers, copy);
    if (code == OS_OK)
        *ret = copy;
    else
        json_decref(copy);
    return code;
}

os_code model_json_copy(struct model_place *place, const json_t *json, enum model_numbers numbers, json_t **ret)
{
    *ret = NULL;
    if (json_is_object(json) || json_is_array(json))
        return copy_container(place, json, numbers, ret);
    if (json_is_number(json))
        return copy_number(place, json, numbers, ret);
    *ret = json_incref((json_t *)json);
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------------------- names */

static bool is_among(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

const char *model_json_unknown(const json_t *object, const char *const *known)
{
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)object, name, member)
    {
        if (!is_among(known, name))
            return name;
    }
    return NULL;
}

/* A character beyond U+FFFF is a pair of surrogates, U+D800 to U+DFFF: before U+E000, whose bytes begin with 0xEE. */
static int weight(char byte)
{
    int unit = (unsigned char)byte;
    if (unit >= 0xf0)
        return unit - 2;
    return unit >= 0xee ? unit + 0x10 : unit;
}

int model_name_compare(const char *a, const char *b)
{
    for (; *a != '\0' && *a == *b; a++)
        b++;
    return weight(*a) - weight(*b);
}

static int compare_names(const void *a, const void *b)
{
    return model_name_compare(*(const char *const *)a, *(const char *const *)b);
}

/* -------------------------------------------------------------------------------------------------------------- text */

static void write_character(struct buf *out, char c)
{
    static const char letters[128] = {
        ['"'] = '"', ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    unsigned char byte = (unsigned char)c;
    if (byte < sizeof(letters) && letters[byte] != '\0')
        buf_add(out, (char[]){'\\', letters[byte]}, 2);
    else if (byte < ' ')
        buf_add_f(out, "\\u%04x", byte);
    else
        buf_add_char(out, c);
}

/* Letters of a number are small ones, where json_write_string has capital ones. */
static void write_string(struct buf *out, const char *text, size_t len)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < len; i++)
        write_character(out, text[i]);
    buf_add_char(out, '"');
}

static bool write_array(struct buf *out, const json_t *array)
{
    size_t index;
    json_t *element;
    bool done = buf_add_char(out, '[');
    json_array_foreach(array, index, element)
    {
        done = done && (index == 0 || buf_add_char(out, ',')) && model_json_write(out, element);
    }
    return done && buf_add_char(out, ']');
}

static const char **names_sorted(const json_t *object)
{
    const char *name;
    json_t *member;
    size_t count = 0;
    const char **names = malloc((json_object_size(object) + 1) * sizeof(*names));
    if (names == NULL)
        return NULL;
    json_object_foreach((json_t *)object, name, member)
    {
        names[count++] = name;
    }
    qsort(names, count, sizeof(*names), compare_names);
    return names;
}

static bool write_object(struct buf *out, const json_t *object)
{
    size_t count = json_object_size(object);
    const char **names = names_sorted(object);
    bool done = names != NULL && buf_add_char(out, '{');
    for (size_t i = 0; done && i < count; i++) {
        if (i > 0)
            buf_add_char(out, ',');
        write_string(out, names[i], strlen(names[i]));
        done = buf_add_char(out, ':') && model_json_write(out, json_object_get(object, names[i]));
    }
    free(names);
    return done && buf_add_char(out, '}');
}

bool model_json_write(struct buf *out, const json_t *json)
{
    char text[REAL_TEXT_SIZE];
    switch (json_typeof(json)) {
    case JSON_OBJECT: return write_object(out, json);
    case JSON_ARRAY: return write_array(out, json);
    case JSON_STRING: write_string(out, json_string_value(json), json_string_length(json)); break;
    case JSON_INTEGER: buf_add_f(out, "%" JSON_INTEGER_FORMAT, json_integer_value(json)); break;
    case JSON_REAL:
        real_text(json_real_value(json), text);
        buf_add_str(out, text);
        break;
    case JSON_TRUE: buf_add_str(out, "true"); break;
    case JSON_FALSE: buf_add_str(out, "false"); break;
    case JSON_NULL: buf_add_str(out, "null"); break;
    }
    return buf_ok(out);
}

os_code model_refuse_value(const struct model_place *place, const json_t *value, const char *fault)
{
    struct buf text;
    buf_init(&text, SIZE_MAX / 2);
    if (!model_json_write(&text, value)) {
        buf_free(&text);
        return error_no_memory(place->err);
    }
    size_t kept = text_utf8_cut(text_of(buf_str(&text), text.len), VALUE_MAX);
    os_code code =
        model_refuse(place, "the value %.*s%s %s", (int)kept, buf_str(&text), kept < text.len ? "..." : "", fault);
    buf_free(&text);
    return code;
}
