/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_rules.h"

#include "model/model_pattern.h"

#include <stdio.h>
#include <string.h>

static os_code refuse_bound(const struct model_place *place, const json_t *value, const char *is, const json_t *bound)
{
    char fault[128];
    struct buf text;
    buf_init(&text, sizeof(fault));
    if (!model_json_write(&text, bound)) {
        buf_free(&text);
        return error_no_memory(place->err);
    }
    snprintf(fault, sizeof(fault), "is %s %s", is, buf_str(&text));
    buf_free(&text);
    return model_refuse_value(place, value, fault);
}

/* Both are numbers; integers are exact as doubles. */
static os_code apply_range(const struct model_place *place, const json_t *rules, const json_t *value)
{
    const json_t *least = json_object_get(rules, "minimum");
    const json_t *most = json_object_get(rules, "maximum");
    double number = json_number_value(value);
    if (least != NULL && number < json_number_value(least))
        return refuse_bound(place, value, "below the minimum", least);
    if (most != NULL && number > json_number_value(most))
        return refuse_bound(place, value, "above the maximum", most);
    return OS_OK;
}

/* How many there are of what `words` limit and name. */
static os_code apply_count(const struct model_place *place, const json_t *rules, const json_t *value, size_t count,
                           const char *const words[3])
{
    char fault[80];
    const json_t *least = json_object_get(rules, words[0]);
    const json_t *most = json_object_get(rules, words[1]);
    bool is_too_small = least != NULL && (json_int_t)count < json_integer_value(least);
    bool is_too_large = most != NULL && (json_int_t)count > json_integer_value(most);
    if (!is_too_small && !is_too_large)
        return OS_OK;
    snprintf(fault, sizeof(fault), "has %zu %s, %s than %" JSON_INTEGER_FORMAT, count, words[2],
             is_too_small ? "fewer" : "more", json_integer_value(is_too_small ? least : most));
    return model_refuse_value(place, value, fault);
}

static size_t characters(struct text text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.p[i] & 0xc0) != 0x80 ? 1 : 0;
    return count;
}

static os_code apply_to_string(const struct model_place *place, const json_t *rules, const json_t *value)
{
    struct text text = text_of(json_string_value(value), json_string_length(value));
    const json_t *pattern = json_object_get(rules, "pattern");
    os_code code = apply_count(place, rules, value, characters(text),
                               (const char *const[]){"minLength", "maxLength", "characters"});
    if (code != OS_OK || pattern == NULL)
        return code;
    if (model_pattern_matches(text_of(json_string_value(pattern), json_string_length(pattern)), text))
        return OS_OK;
    char fault[160];
    snprintf(fault, sizeof(fault), "is none of the pattern %.120s", json_string_value(pattern));
    return model_refuse_value(place, value, fault);
}

static os_code apply_inside(struct model_place *place, struct path_step step, const json_t *rules, json_t *value)
{
    if (!model_place_enter(place, step))
        return model_refuse_depth(place);
    os_code code = model_rules_apply(place, rules, value);
    model_place_leave(place);
    return code;
}

static os_code apply_to_array(struct model_place *place, const json_t *rules, json_t *value)
{
    size_t index;
    json_t *element;
    const json_t *items = json_object_get(rules, "items");
    os_code code = apply_count(place, rules, value, json_array_size(value),
                               (const char *const[]){"minItems", "maxItems", "elements"});
    if (items == NULL)
        return code;
    json_array_foreach(value, index, element)
    {
        if (code == OS_OK)
            code = apply_inside(place, (struct path_step){.index = index}, items, element);
    }
    return code;
}

/* ----------------------------------------------------------------------------------------------------------- objects */

static os_code fill_in(struct model_place *place, const json_t *properties, json_t *value)
{
    const char *name;
    json_t *rules;
    json_object_foreach((json_t *)properties, name, rules)
    {
        json_t *copy;
        const json_t *missing = json_object_get(rules, "default");
        if (missing == NULL || json_object_get(value, name) != NULL)
            continue;
        os_code code = model_json_copy(place, missing, MODEL_NUMBERS_ANY, &copy);
        if (code == OS_OK && json_object_set_new(value, name, copy) != 0)
            code = error_no_memory(place->err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

static os_code apply_required(const struct model_place *place, const json_t *rules, const json_t *value)
{
    size_t index;
    json_t *name;
    json_array_foreach(json_object_get(rules, "required"), index, name)
    {
        if (json_object_get(value, json_string_value(name)) == NULL)
            return model_refuse(place, "the object lacks \"%.80s\", which is required", json_string_value(name));
    }
    return OS_OK;
}

static os_code apply_patterns(struct model_place *place, const json_t *patterns, struct path_step step, json_t *member,
                              bool *ret_matched)
{
    const char *pattern;
    json_t *rules;
    json_object_foreach((json_t *)patterns, pattern, rules)
    {
        if (!model_pattern_matches(text_from(pattern), text_from(step.name)))
            continue;
        *ret_matched = true;
        os_code code = apply_inside(place, step, rules, member);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

static os_code apply_to_member(struct model_place *place, const json_t *rules, const char *name, json_t *member)
{
    const struct path_step step = {.name = name};
    const json_t *own = json_object_get(json_object_get(rules, "properties"), name);
    bool is_known = own != NULL;
    os_code code = is_known ? apply_inside(place, step, own, member) : OS_OK;
    if (code == OS_OK)
        code = apply_patterns(place, json_object_get(rules, "patternProperties"), step, member, &is_known);
    if (code == OS_OK && !is_known && json_is_false(json_object_get(rules, "additionalProperties")))
        code = model_refuse(place, "the object has \"%.80s\", which is not known", name);
    return code;
}

static os_code apply_to_object(struct model_place *place, const json_t *rules, json_t *value)
{
    const char *name;
    json_t *member;
    os_code code = fill_in(place, json_object_get(rules, "properties"), value);
    if (code == OS_OK)
        code = apply_required(place, rules, value);
    if (code == OS_OK)
        code = apply_count(place, rules, value, json_object_size(value),
                           (const char *const[]){"minProperties", "maxProperties", "members"});
    json_object_foreach(value, name, member)
    {
        if (code == OS_OK)
            code = apply_to_member(place, rules, name, member);
    }
    return code;
}

/* ---------------------------------------------------------------------------------------------------------- any value */

static bool is_whole(const json_t *value)
{
    double real = json_number_value(value);
    /* What is so large has no fraction. */
    bool is_beyond = real < -(double)MODEL_INTEGER_MAX || real > (double)MODEL_INTEGER_MAX;
    return json_is_integer(value) || (json_is_real(value) && is_beyond);
}

static bool is_of_type(enum model_type type, const json_t *value)
{
    switch (type) {
    case MODEL_INTEGER: return is_whole(value);
    case MODEL_NUMBER: return json_is_number(value);
    case MODEL_STRING: return json_is_string(value);
    case MODEL_BOOLEAN: return json_is_boolean(value);
    case MODEL_OBJECT: return json_is_object(value);
    case MODEL_ARRAY: return json_is_array(value);
    case MODEL_NO_TYPE: break;
    }
    return false;
}

static os_code apply_enum(const struct model_place *place, const json_t *rules, const json_t *value)
{
    size_t index;
    json_t *allowed;
    const json_t *all = json_object_get(rules, "enum");
    json_array_foreach(all, index, allowed)
    {
        if (json_equal(allowed, value) == 1)
            return OS_OK;
    }
    return all == NULL ? OS_OK : model_refuse_value(place, value, "is none of those that enum allows");
}

os_code model_rules_apply(struct model_place *place, const json_t *rules, json_t *value)
{
    char fault[32];
    os_code code = OS_OK;
    enum model_type type = model_type_of(rules);
    if (!is_of_type(type, value)) {
        snprintf(fault, sizeof(fault), "is no %s", model_type_name(type));
        return model_refuse_value(place, value, fault);
    }
    if (json_is_number(value))
        code = apply_range(place, rules, value);
    else if (json_is_string(value))
        code = apply_to_string(place, rules, value);
    else if (json_is_array(value))
        code = apply_to_array(place, rules, value);
    else if (json_is_object(value))
        code = apply_to_object(place, rules, value);
    return code == OS_OK ? apply_enum(place, rules, value) : code;
}
