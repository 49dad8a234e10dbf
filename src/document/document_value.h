/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as values of attributes, as Go's attributevalue writes what encoding/json has decoded into an `any` (aws-sdk-go-v2,
 * feature/dynamodb/attributevalue v1.21.21, encode.go): an object is an M, an array an L, also empty ones; a string an S, also
 * an empty one; null inside is a NULL; a number is an N without an exponent.
 *
 * Two things differ. An integer stays exact, where Go's decoder makes a double of it. And -0.0 becomes "0", which the service
 * makes of Go's "-0".
 */
#ifndef OSCOMMIT_DOCUMENT_DOCUMENT_VALUE_H
#define OSCOMMIT_DOCUMENT_DOCUMENT_VALUE_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the attribute `name`, which sentences begin with. *ret is for json_decref, and shares strings. OS_ERR_ARGUMENT: a number
 * that DynamoDB cannot hold, a name that no attribute can have, or more than 31 levels. OS_ERR_NO_MEMORY. */
os_code document_value_from_json(const json_t *json, const char *name, json_t **ret, os_error *err);

/* The same back, of a value that has been checked (attribute/check.h). OS_ERR_PROTOCOL: it has bytes or a set, which JSON has
 * not, or a number that would be rounded. */
os_code document_value_to_json(const json_t *value, const char *name, json_t **ret, os_error *err);

/* Whether a value that has been checked, or NULL, is a whole number of 64 bits. */
bool document_value_integer(const json_t *value, int64_t *ret);

#endif
