/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a row of a model has: typed fields, some of which are its key, as @pocketgems/dynamodb 0.3.5 has them (src/models.js,
 * src/fields.js at 3657033). It is told as a C struct (model_description.h), or as the text of a JSON Schema
 * (model_schema_build.h):
 *
 *   { "title": "RaceResult", "type": "object",
 *     "properties": { "raceID": { "type": "integer" }, "runnerName": { "type": "string" }, "place": { "type": "integer" } },
 *     "required": ["raceID", "runnerName"],             a field that is not here is optional
 *     "KEY": ["raceID", "runnerName"],                  the partition key
 *     "SORT_KEY": [...],
 *     "INDEXES": { "byPlace": { "KEY": ["place"], "SORT_KEY": ["raceID"], "INCLUDE_ONLY": [], "SPARSE": true } },
 *     "INDEX_INCLUDE_KEYS": true,
 *     "EXPIRE_EPOCH_FIELD": "..." }
 *
 * This is what S.obj(...).jsonSchema() gives of a model's schema there, with the five static members beside it. The rules of a
 * property are those of model_rules.h, with readOnly and default. Three models of theirs are none here: one whose default
 * its own rules refuse when it is filled in; one whose indexes would write two things to one attribute, `_c_a_b` of a and b and
 * of a_b; and one that lets a key part be the time when rows expire, which no attribute has.
 */
#ifndef OSCOMMIT_MODEL_MODEL_SCHEMA_H
#define OSCOMMIT_MODEL_MODEL_SCHEMA_H

#include "model/model_rules.h"

#define MODEL_PARTITION "_id"
#define MODEL_SORT      "_sk"

enum {
    MODEL_TEXT_MAX = 256 * 1024,
    MODEL_FIELDS_MAX = 1000,
    MODEL_INDEXES_MAX = 100,
    MODEL_PARTS_MAX = 100 /* of a key */
};

enum model_role { MODEL_PLAIN = 0, MODEL_PARTITION_PART, MODEL_SORT_PART };

struct model_field {
    const char *name;
    const json_t *rules;
    const json_t *default_value; /* NULL: none */
    enum model_type type;
    enum model_role role;
    bool is_optional;
    bool is_read_only; /* as the parts of the key are */
};

/* An attribute that is made of fields, by their names: a key. */
struct model_attribute {
    const char *name; /* NULL: there is none */
    const struct model_field **parts;
    size_t count;
    bool is_number; /* an N; else an S */
};

struct model_index {
    const char *name;
    struct model_attribute key;
    struct model_attribute sort_key;
    const json_t *only; /* names of the fields that it has beside its keys and the model's; NULL: all */
};

struct model {
    const char *name;
    struct model_field *fields;
    size_t field_count;
    struct model_attribute key;
    struct model_attribute sort_key;
    struct model_index *indexes;
    size_t index_count;
    struct model_attribute *extras; /* attributes of indexes that no field and no key of the model is */
    size_t extra_count;
    const struct model_field *expires; /* NULL: rows do not */
    json_t *schema;                    /* what is borrowed above */
    json_t *names;                     /* of attributes, the same */
    const struct model_field **parts;  /* of all attributes */
    size_t part_count;
};

void model_free(struct model *model); /* NULL is fine */

const struct model_field *model_field_find(const struct model *model, const char *name); /* NULL: there is none */
/* The same of what stands in a schema: no string, or one with a NUL inside, names none. */
const struct model_field *model_field_named(const struct model *model, const json_t *name);
const struct model_index *model_index_find(const struct model *model, const char *name);            /* the same */
bool model_attribute_has(const struct model_attribute *attribute, const struct model_field *field); /* as a part */
bool model_index_has(const struct model_index *index, const struct model_field *field); /* its rows have the field */

#endif
