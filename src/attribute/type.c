/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/type.h"

#include <string.h>

static const char *const names[] = {[VALUE_NONE] = "no value", [VALUE_S] = "S",       [VALUE_N] = "N",  [VALUE_B] = "B",
                                    [VALUE_BOOL] = "BOOL",     [VALUE_NULL] = "NULL", [VALUE_L] = "L",  [VALUE_M] = "M",
                                    [VALUE_SS] = "SS",         [VALUE_NS] = "NS",     [VALUE_BS] = "BS"};

static void *only_member(const json_t *value)
{
    return json_object_size(value) == 1 ? json_object_iter((json_t *)value) : NULL;
}

enum value_type value_type(const json_t *value)
{
    void *member = only_member(value);
    for (enum value_type type = VALUE_S; member != NULL && type <= VALUE_BS; type++)
        if (strcmp(json_object_iter_key(member), names[type]) == 0)
            return type;
    return VALUE_NONE;
}

const char *value_type_name(enum value_type type)
{
    return names[type];
}

enum value_type value_type_of_elements(enum value_type type)
{
    switch (type) {
    case VALUE_SS: return VALUE_S;
    case VALUE_NS: return VALUE_N;
    case VALUE_BS: return VALUE_B;
    default: return VALUE_NONE;
    }
}

const json_t *value_inside(const json_t *value)
{
    void *member = only_member(value);
    return member != NULL ? json_object_iter_value(member) : NULL;
}

json_t *value_of_type(enum value_type type, json_t *inside)
{
    json_t *value = json_object();
    if (value == NULL || inside == NULL) {
        json_decref(value);
        json_decref(inside);
        return NULL;
    }
    if (json_object_set_new(value, names[type], inside) != 0) {
        json_decref(value);
        return NULL;
    }
    return value;
}
