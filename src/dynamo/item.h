/* SPDX-License-Identifier: Apache-2.0 */
/* A DynamoDB item <-> JSON, as far as records go: attribute values of type S and N. Bounded in depth, count and size. */
#ifndef OSCOMMIT_DYNAMO_ITEM_H
#define OSCOMMIT_DYNAMO_ITEM_H

#include "commit/record.h"
#include "oscommit.h"

#include <jansson.h>

/* {"path":{"S":...}, ...} for a record under (path, etag); a new reference, or NULL when out of memory. */
json_t *item_from_record(const char *path, const char *etag, const struct record *record);

/* A record out of an item. path/etag are malloc'ed copies (may be NULL pointers if not wanted). OS_ERR_PROTOCOL with the offending attribute
 * in the sentence when the item is no record (T1): a known attribute missing, of a wrong type, or not a plain unsigned 64-bit integer. Unknown attributes are ignored. */
os_code item_to_record(const json_t *item, struct record *ret, char **ret_path, char **ret_etag, os_error *err);

/* The attributes that a record does not have, as compact JSON ("{}" if none); malloc'ed, NULL when out of memory. */
char *item_other_attributes(const json_t *item);

#endif
