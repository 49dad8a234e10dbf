/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A DynamoDB item <-> JSON, as far as records go: attribute values of type S and N (T1). Knows nothing of requests and
 * answers. DynamoDB writes an attribute value as an object with one member, named after its type, and numbers as
 * strings (API Reference, AttributeValue).
 */
#ifndef OSCOMMIT_DYNAMO_ITEM_H
#define OSCOMMIT_DYNAMO_ITEM_H

#include "commit/record.h"
#include "oscommit.h"

#include <jansson.h>
#include <stdint.h>

/* {"path":{"S":...}, ...} for a record under (path, etag); a new reference, or NULL when out of memory. All strings are
 * UTF-8: the caller has looked. `upload` is the id that record->upload stands for, and is written where that is not 0.
 */
json_t *item_from_record(const char *path, const char *etag, const struct record *record, const char *upload);

/* One attribute value; a new reference, or NULL when out of memory. */
json_t *item_string(const char *value);
json_t *item_number(uint64_t value);

/* A record out of an item. path/etag are malloc'ed copies, ret_upload has RECORD_UPLOAD_SIZE bytes ("" if the record
 * has no upload); each may be NULL if not wanted. OS_ERR_PROTOCOL, with the offending attribute in the sentence, when
 * the item is no record (T1): a known attribute missing, of a wrong type, too long, or not a plain unsigned 64-bit
 * integer. Unknown attributes are ignored. */
os_code item_to_record(const json_t *item, struct record *ret, char **ret_path, char **ret_etag, char *ret_upload,
                       os_error *err);

/* T4.3. False when out of memory. */
bool item_set_bucket(json_t *item, const char *bucket);
void item_bucket(const json_t *item, char ret[RECORD_BUCKET_SIZE]); /* "": it names none */

/* An attribute of type S without a NUL inside, borrowed from the item; else NULL. */
const char *item_get_string(const json_t *item, const char *name);

/* The attributes that neither struct record nor item_bucket has a place for, as compact JSON ("{}" if none);
 * malloc'ed, NULL when out of memory. */
char *item_other_attributes(json_t *item);

#endif
