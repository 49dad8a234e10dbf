/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_value.h"

#include "attribute/json_value.h"
#include "attribute/real.h"
#include "attribute/scalar.h"

os_code model_value_take(const struct model *model, const struct model_field *field, const json_t *given,
                         os_code refusal, json_t **ret, os_error *err)
{
    struct model_place place = model_place_of(model->name, field->name, refusal, err);
    enum model_numbers numbers = field->role == MODEL_PLAIN ? MODEL_NUMBERS_STORED : MODEL_NUMBERS_ANY;
    os_code code = model_json_copy(&place, given, numbers, ret);
    if (code == OS_OK)
        code = model_rules_apply(&place, field->rules, *ret);
    if (code != OS_OK) {
        json_decref(*ret);
        *ret = NULL;
    }
    return code;
}

/* "Order.lines", with which sentences about a value begin. It is only made where there is one: for each value it would
 * take as long as the value. */
static const char *full_name(const struct model *model, const struct model_field *field, char ret[PATH_TEXT_SIZE])
{
    const struct model_place place = model_place_of(model->name, field->name, OS_OK, NULL);
    return path_text(&(struct path){place.steps, place.count}, ret);
}

os_code model_value_to_attribute(const struct model *model, const struct model_field *field, const json_t *value,
                                 json_t **ret, os_error *err)
{
    char name[PATH_TEXT_SIZE];
    if (value_from_json(value, field->name, ret, NULL) == OS_OK)
        return OS_OK;
    return value_from_json(value, full_name(model, field, name), ret, err);
}

/* Numbers are doubles, and sums of doubles may have more digits: the nearest one. */
static json_t *nearest(const struct model_field *field, const json_t *attribute)
{
    double real = 0;
    if (field->type != MODEL_NUMBER || field->role != MODEL_PLAIN || value_type(attribute) != VALUE_N)
        return NULL;
    const struct number number = scalar_number(value_inside(attribute));
    return real_from_number(&number, &real) ? NULL : json_real(real);
}

os_code model_value_from_attribute(const struct model *model, const struct model_field *field, const json_t *attribute,
                                   json_t **ret, os_error *err)
{
    char name[PATH_TEXT_SIZE];
    json_t *json = nearest(field, attribute);
    *ret = NULL;
    os_code code = json == NULL ? value_to_json(attribute, field->name, &json, NULL) : OS_OK;
    if (code != OS_OK)
        code = value_to_json(attribute, full_name(model, field, name), &json, err);
    if (code == OS_OK)
        code = model_value_take(model, field, json, OS_ERR_PROTOCOL, ret, err);
    json_decref(json);
    return code;
}
