/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A DynamoDB item <-> JSON, as far as its schema goes: attribute values of type S and N (T1). Knows nothing of requests
 * and answers. DynamoDB writes an attribute value as an object with one member, named after its type, and numbers as
 * strings (API Reference, AttributeValue).
 */
#ifndef OSCOMMIT_DYNAMO_ITEM_H
#define OSCOMMIT_DYNAMO_ITEM_H

#include "base/buf.h"
#include "item/item.h"
#include "oscommit.h"

#include <jansson.h>

/* {"path":{"S":...}, ...} of the first `count` attributes, as far as they are there. All strings are UTF-8: the caller
 * has looked. */
void dynamo_item_write(struct buf *out, const struct item_schema *schema, const struct item *item, size_t count);
void dynamo_value_write(struct buf *out, const struct item_value *value);
/* The name of a type, as the service says it: "S". */
const char *dynamo_type_name(enum item_type type);

/* Strings of *ret are borrowed from `json`. OS_ERR_PROTOCOL, with the offending attribute in the sentence, when the item
 * does not fit the schema: a required attribute missing, one of a wrong type, too long, or not a plain unsigned 64-bit
 * integer. Attributes that the schema does not know are ignored. */
os_code dynamo_item_read(const struct item_schema *schema, const json_t *json, struct item *ret, os_error *err);
/* Of one that does not fit: its key, as far as it can be read; and nothing else. */
void dynamo_item_read_key(const struct item_schema *schema, const json_t *json, struct item *ret);

/* The attributes that `item`, read from `json`, has no place for, as compact JSON ("{}" if none); malloc'ed, NULL when
 * out of memory. */
char *dynamo_item_others(const struct item_schema *schema, json_t *json, const struct item *item);

#endif
