/* SPDX-License-Identifier: Apache-2.0 */
/* Of which type a value is, and what it has inside: the JSON form of DynamoDB (API Reference, AttributeValue). */
#ifndef OSCOMMIT_ATTRIBUTE_TYPE_H
#define OSCOMMIT_ATTRIBUTE_TYPE_H

#include <jansson.h>
#include <stdbool.h>

enum value_type {
    VALUE_NONE = 0, /* no value of an attribute */
    VALUE_S,
    VALUE_N,
    VALUE_B,
    VALUE_BOOL,
    VALUE_NULL,
    VALUE_L,
    VALUE_M,
    VALUE_SS,
    VALUE_NS,
    VALUE_BS
};

/* By the name of its only member, whatever that has inside; `value` may be NULL. */
enum value_type value_type(const json_t *value);
const char *value_type_name(enum value_type type);            /* "SS"; of NONE "no value" */
enum value_type value_type_of_elements(enum value_type type); /* of SS: S; NONE of what is no set */
const json_t *value_inside(const json_t *value);              /* the member, borrowed; NULL of NONE */
json_t *value_of_type(enum value_type type, json_t *inside);  /* a new one; takes `inside`, NULL when out of memory */

/* S, N and B have an order among those of their type. */
static inline bool value_type_has_order(enum value_type type)
{
    return type == VALUE_S || type == VALUE_N || type == VALUE_B;
}

#endif
