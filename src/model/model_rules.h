/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a value may be, as JSON Schema says it, and as the schema library writes it (@pocketgems/schema 0.1.3). The words
 * that are known:
 *
 *   type                     integer, number, string, boolean, object, array: each schema names one
 *   enum                     of any type
 *   minimum, maximum         of an integer or a number
 *   minLength, maxLength, pattern   of a string; lengths in characters, patterns as model_pattern.h has them
 *   items, minItems, maxItems       of an array
 *   properties, required, additionalProperties (true or false), patternProperties, minProperties, maxProperties   of an object
 *   default                  of a property: a value that lacks it gets it
 *   title, description, examples, $schema, $comment, readOnly, contentMediaType, contentEncoding   say nothing here
 *
 * Any other word is refused, rather than passed over.
 */
#ifndef OSCOMMIT_MODEL_MODEL_RULES_H
#define OSCOMMIT_MODEL_MODEL_RULES_H

#include "model/model_json.h"

enum model_type {
    MODEL_NO_TYPE = 0,
    MODEL_INTEGER,
    MODEL_NUMBER, /* a double */
    MODEL_STRING,
    MODEL_BOOLEAN,
    MODEL_OBJECT,
    MODEL_ARRAY
};
const char *model_type_name(enum model_type type); /* "integer" */
enum model_type model_type_of(const json_t *rules);

/* Whether these are rules. */
os_code model_rules_check(struct model_place *place, const json_t *rules);

/* Whether a value keeps to rules that have been checked. The value is a copy (model_json.h), and gets the defaults of what
 * it lacks, as ajv's useDefaults gives them. */
os_code model_rules_apply(struct model_place *place, const json_t *rules, json_t *value);

#endif
