/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys: attributes that are made of fields. Of one integer or number it is an N. Otherwise it is an S: the parts by their
 * names (as JavaScript sorts them), strings as they are, anything else as JSON (model_json_write), with a NUL between two. So
 * no string in it has a NUL. The parts of a model's key have no attributes of their own.
 *
 * The library has one exception, which is not followed: a model of the name ActionHistory, whose keys are always an S there.
 */
#ifndef OSCOMMIT_MODEL_MODEL_KEY_H
#define OSCOMMIT_MODEL_MODEL_KEY_H

#include "model/model_value.h"

/* Bytes of a key (Developer Guide, "Quotas"). */
enum { MODEL_PARTITION_MAX = 2048, MODEL_SORT_MAX = 1024 };

/* `fields` is an object of values by the names of fields; others are passed over. *ret is for json_decref, and NULL when a part
 * is missing there. OS_ERR_ARGUMENT: a part is not by its rules, or cannot be in a key. OS_ERR_NO_MEMORY. */
os_code model_attribute_encode(const struct model *model, const struct model_attribute *attribute, const json_t *fields,
                               json_t **ret, os_error *err);

/* Adds the parts to `fields`. OS_ERR_PROTOCOL: it is none of these parts, or is not as it is encoded here, and so would be
 * written to another row; also where memory runs out while jansson reads a part, which it does not tell from a text that is no
 * JSON. Of a value that has been checked (attribute/check.h). */
os_code model_attribute_decode(const struct model *model, const struct model_attribute *attribute, const json_t *value,
                               json_t *fields, os_error *err);

/* Whether an index or a table takes it as a key of at most `max` bytes: not "", and not longer. OS_ERR_ARGUMENT. */
os_code model_attribute_check(const struct model *model, const struct model_attribute *attribute, const json_t *value,
                              size_t max, os_error *err);

/* {"_id": ..., "_sk": ...}; every part is there, or OS_ERR_ARGUMENT. */
os_code model_key_encode(const struct model *model, const json_t *fields, json_t **ret, os_error *err);
/* The same of what should be a key only: another field is refused. */
os_code model_key_of(const struct model *model, const json_t *parts, json_t **ret, os_error *err);
/* Of an item, or of its key. */
os_code model_key_decode(const struct model *model, const json_t *item, json_t *fields, os_error *err);

#endif
