/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_rules.h"

#include "model/model_pattern.h"
#include "syntax/json.h"

#include <string.h>

static const char *const type_names[] = {
    [MODEL_NO_TYPE] = "no type", [MODEL_INTEGER] = "integer", [MODEL_NUMBER] = "number", [MODEL_STRING] = "string",
    [MODEL_BOOLEAN] = "boolean", [MODEL_OBJECT] = "object",   [MODEL_ARRAY] = "array"};

const char *model_type_name(enum model_type type)
{
    return type_names[type];
}

enum model_type model_type_of(const json_t *rules)
{
    const char *name = json_member_string(rules, "type");
    for (enum model_type type = MODEL_INTEGER; name != NULL && type <= MODEL_ARRAY; type++)
        if (strcmp(type_names[type], name) == 0)
            return type;
    return MODEL_NO_TYPE;
}

typedef os_code word_check(struct model_place *place, const char *word, const json_t *value);

/* -------------------------------------------------------------------------------------------------- values of words */

static os_code check_nothing(struct model_place *place, const char *word, const json_t *value)
{
    (void)place;
    (void)word;
    (void)value;
    return OS_OK;
}

static os_code check_number(struct model_place *place, const char *word, const json_t *value)
{
    return json_is_number(value) ? OS_OK : model_refuse(place, "%s wants a number", word);
}

static os_code check_count(struct model_place *place, const char *word, const json_t *value)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return model_refuse(place, "%s wants a whole number that is not below 0", word);
    return OS_OK;
}

static os_code check_boolean(struct model_place *place, const char *word, const json_t *value)
{
    return json_is_boolean(value) ? OS_OK : model_refuse(place, "%s wants true or false", word);
}

static os_code check_enum(struct model_place *place, const char *word, const json_t *value)
{
    return json_array_size(value) > 0 ? OS_OK : model_refuse(place, "%s wants an array of at least one value", word);
}

static os_code check_pattern_text(struct model_place *place, const char *pattern, size_t len)
{
    const char *fault = model_pattern_fault(text_of(pattern, len));
    return fault == NULL ? OS_OK
                         : model_refuse(place, "the pattern \"%.120s\" %s, which is not known here", pattern, fault);
}

static os_code check_pattern(struct model_place *place, const char *word, const json_t *value)
{
    if (!json_is_string(value))
        return model_refuse(place, "%s wants a string", word);
    return check_pattern_text(place, json_string_value(value), json_string_length(value));
}

static os_code check_required(struct model_place *place, const char *word, const json_t *value)
{
    size_t index;
    json_t *name;
    bool is_fine = json_is_array(value);
    json_array_foreach(value, index, name)
    {
        is_fine = is_fine && json_is_string(name) && strlen(json_string_value(name)) == json_string_length(name);
    }
    return is_fine ? OS_OK : model_refuse(place, "%s wants an array of names", word);
}

static os_code check_inside(struct model_place *place, const char *name, const json_t *rules)
{
    if (!model_place_enter(place, (struct path_step){.name = name}))
        return model_refuse_depth(place);
    os_code code = model_rules_check(place, rules);
    model_place_leave(place);
    return code;
}

static os_code check_properties(struct model_place *place, const char *word, const json_t *value)
{
    const char *name;
    json_t *rules;
    bool is_pattern = strcmp(word, "patternProperties") == 0;
    if (!json_is_object(value))
        return model_refuse(place, "%s wants an object", word);
    json_object_foreach((json_t *)value, name, rules)
    {
        os_code code = is_pattern ? check_pattern_text(place, name, strlen(name)) : OS_OK;
        if (code == OS_OK)
            code = check_inside(place, name, rules);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------------------- words */

#define TYPE(type) (1U << (type))

static const struct {
    const char *word;
    unsigned types;
    word_check *check;
} words[] = {
    {"type", ~0U, check_nothing},
    {"title", ~0U, check_nothing},
    {"description", ~0U, check_nothing},
    {"examples", ~0U, check_nothing},
    {"$schema", ~0U, check_nothing},
    {"$comment", ~0U, check_nothing},
    {"default", ~0U, check_nothing},
    {"readOnly", ~0U, check_boolean},
    {"enum", ~0U, check_enum},
    {"minimum", TYPE(MODEL_INTEGER) | TYPE(MODEL_NUMBER), check_number},
    {"maximum", TYPE(MODEL_INTEGER) | TYPE(MODEL_NUMBER), check_number},
    {"minLength", TYPE(MODEL_STRING), check_count},
    {"maxLength", TYPE(MODEL_STRING), check_count},
    {"pattern", TYPE(MODEL_STRING), check_pattern},
    {"contentMediaType", TYPE(MODEL_STRING), check_nothing},
    {"contentEncoding", TYPE(MODEL_STRING), check_nothing},
    {"items", TYPE(MODEL_ARRAY), check_inside},
    {"minItems", TYPE(MODEL_ARRAY), check_count},
    {"maxItems", TYPE(MODEL_ARRAY), check_count},
    {"properties", TYPE(MODEL_OBJECT), check_properties},
    {"patternProperties", TYPE(MODEL_OBJECT), check_properties},
    {"required", TYPE(MODEL_OBJECT), check_required},
    {"additionalProperties", TYPE(MODEL_OBJECT), check_boolean},
    {"minProperties", TYPE(MODEL_OBJECT), check_count},
    {"maxProperties", TYPE(MODEL_OBJECT), check_count},
};

static const struct {
    const char *least;
    const char *most;
} limits[] = {
    {"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"}};

static os_code check_word(struct model_place *place, enum model_type type, const char *word, const json_t *value)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i].word, word) != 0)
            continue;
        if ((words[i].types & TYPE(type)) == 0)
            return model_refuse(place, "\"%s\" says nothing of a value of type %s", word, model_type_name(type));
        return words[i].check(place, word, value);
    }
    return model_refuse(place, "\"%.80s\" is not known here, and would be passed over", word);
}

static os_code check_limits(struct model_place *place, const json_t *rules)
{
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        const json_t *least = json_object_get(rules, limits[i].least);
        const json_t *most = json_object_get(rules, limits[i].most);
        if (least != NULL && most != NULL && json_number_value(least) > json_number_value(most))
            return model_refuse(place, "%s is above %s, and no value is left", limits[i].least, limits[i].most);
    }
    return OS_OK;
}

os_code model_rules_check(struct model_place *place, const json_t *rules)
{
    const char *word;
    json_t *value;
    enum model_type type = model_type_of(rules);
    if (type == MODEL_NO_TYPE)
        return model_refuse(place, "give it a type: integer, number, string, boolean, object or array");
    json_object_foreach((json_t *)rules, word, value)
    {
        os_code code = check_word(place, type, word, value);
        if (code != OS_OK)
            return code;
    }
    return check_limits(place, rules);
}
