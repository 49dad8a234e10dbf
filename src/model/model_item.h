/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows, which are JSON objects of values by the names of fields, as items: what a put of @pocketgems/dynamodb 0.3.5 writes
 * (src/models.js, __putParams), the key, every field that has a value, and the attributes of indexes whose parts all have one.
 *
 * Two things differ. A field that the model has not is refused in a new row, where tx.create of the library passes over it
 * (Model.data refuses it there, too). And a key is read only if it is the one that would be written.
 */
#ifndef OSCOMMIT_MODEL_MODEL_ITEM_H
#define OSCOMMIT_MODEL_MODEL_ITEM_H

#include "model/model_key.h"

/* A new row of what is given: with the defaults of what is not, also of optional fields and parts of the sort key. *ret is for
 * json_decref, NULL on failure. OS_ERR_ARGUMENT: the sentence names the field and the value. OS_ERR_NO_MEMORY. */
os_code model_row_make(const struct model *model, const json_t *given, json_t **ret, os_error *err);

/* Sets a field, or removes an optional one (`value` is NULL). OS_ERR_ARGUMENT, and the row is as it was: it is read-only, or
 * there is none of that name, or the value is not by its rules. */
os_code model_row_set(const struct model *model, json_t *row, const char *name, const json_t *value, os_error *err);

/* Checks the whole row again: objects inside it may have been changed. OS_ERR_ARGUMENT, OS_ERR_TOO_LARGE, OS_ERR_NO_MEMORY. */
os_code model_row_to_item(const struct model *model, const json_t *row, json_t **ret, os_error *err);

/* Of an item that has been checked (attribute/check.h), and that an index gave (NULL: the table): then without the fields that
 * it does not have. Attributes that are no fields are passed over. A required field that is missing gets its default.
 * OS_ERR_PROTOCOL: the item is none of the model, and the sentence says what is wrong. OS_ERR_NO_MEMORY. */
os_code model_row_from_item(const struct model *model, const struct model_index *index, const json_t *item,
                            json_t **ret, os_error *err);

/* The same of one field that is no part of the key, whatever the others are. *ret is NULL when it has no value. */
os_code model_field_from_item(const struct model *model, const struct model_field *field,
                              const struct model_index *index, const json_t *item, json_t **ret, os_error *err);

/* DynamoDB removes no rows whose time is more than five years past: "Using time to live (TTL)". */
enum { MODEL_EXPIRY_ENDS_S = 5 * 365 * 24 * 60 * 60 };

/* Whether the row counts as gone, though the service may not have removed it yet; `now_s` is rounded up. A time of 0, or none,
 * keeps it. */
bool model_row_has_expired(const struct model *model, const json_t *row, int64_t now_s);

#endif
