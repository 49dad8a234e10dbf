/* SPDX-License-Identifier: Apache-2.0 */
/* A model as a C program tells it. */
#ifndef OSCOMMIT_MODEL_MODEL_DESCRIPTION_H
#define OSCOMMIT_MODEL_MODEL_DESCRIPTION_H

#include "model/model_schema.h"

struct model_field_description {
    const char *name;
    enum model_type type;
    bool is_optional;
    bool is_read_only;
    const char *default_json; /* "5"; NULL: none */
    const char *rules_json;   /* what the type does not say: "{\"minimum\": 0}"; NULL: nothing */
};

struct model_index_description {
    const char *name;
    const char *const *key;      /* names of fields, up to a NULL */
    const char *const *sort_key; /* the same; NULL: none */
    const char *const *only;     /* what it has beside the keys; NULL: everything */
    bool is_sparse;              /* it leaves out rows that lack a part of its key, which may then be optional */
};

struct model_description {
    const char *name;
    const struct model_field_description *fields;
    size_t field_count;
    const char *const *key; /* names of fields, up to a NULL */
    const char *const *sort_key;
    const struct model_index_description *indexes;
    size_t index_count;
    const char *expire_field; /* seconds since 1970; NULL: rows do not expire */
    bool index_includes_keys; /* the parts of the key as attributes of their own, for filters on what an index gives */
};

/* As model_read. */
os_code model_describe(const struct model_description *description, struct model **ret, os_error *err);

#endif
