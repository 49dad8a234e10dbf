/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as values of attributes, as the SDKs for Go and JavaScript write what is no set and no bytes: an object is an M, an
 * array an L, also empty ones; a string an S, also an empty one; null inside is a NULL; a number is an N without an exponent,
 * a double with the fewest digits (real.h). -0.0 becomes "0", which the service makes of "-0".
 */
#ifndef OSCOMMIT_ATTRIBUTE_JSON_VALUE_H
#define OSCOMMIT_ATTRIBUTE_JSON_VALUE_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the attribute `name`, which sentences begin with. *ret is for json_decref, and shares strings. OS_ERR_ARGUMENT: a number
 * that DynamoDB cannot hold, a name that no attribute can have, or more than 31 levels. OS_ERR_NO_MEMORY. */
os_code value_from_json(const json_t *json, const char *name, json_t **ret, os_error *err);

/* The same back, of a value that has been checked (check.h): a whole number of 64 bits is an integer. OS_ERR_PROTOCOL: it has
 * bytes or a set, which JSON has not, or a number that would be rounded. */
os_code value_to_json(const json_t *value, const char *name, json_t **ret, os_error *err);

#endif
