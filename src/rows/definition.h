/* SPDX-License-Identifier: Apache-2.0 */
/* What a table of rows is: its keys, its indexes, and the attribute by which its rows expire. */
#ifndef OSCOMMIT_ROWS_DEFINITION_H
#define OSCOMMIT_ROWS_DEFINITION_H

#include "attribute/type.h"
#include "rows/rows.h"

/* As DynamoDB has them (Developer Guide, "Quotas"). */
enum {
    ROWS_INDEXES_MAX = 20,
    ROWS_INDEX_NAMES_MAX = 20, /* that INCLUDE names for one index */
    ROWS_NAMES_MAX = 100       /* and for all of them */
};

struct rows_attribute {
    const char *name;     /* NULL: there is none */
    enum value_type type; /* S, N or B */
};

struct rows_key_schema {
    struct rows_attribute partition;
    struct rows_attribute sort; /* optional */
};

enum rows_projection { ROWS_PROJECT_ALL = 1, ROWS_PROJECT_KEYS_ONLY, ROWS_PROJECT_INCLUDE };

struct rows_index {
    const char *name;
    struct rows_key_schema keys;
    enum rows_projection projection;
    const char *const *names; /* INCLUDE */
    size_t name_count;
};

struct rows_definition {
    struct rows_key_schema keys;
    const struct rows_index *indexes;
    size_t index_count;
    const char *ttl; /* NULL: nothing expires */
    /* Of one that is wanted: indexes, and a TTL, that it does not have do no harm. */
    bool allows_more;
};

/* As DynamoDB writes them. 0 and VALUE_NONE: it is none of them; `name` may be NULL. */
const char *rows_projection_name(enum rows_projection projection);
enum rows_projection rows_projection_of(const char *name);
enum value_type rows_key_type_of(const char *name);

/* OS_ERR_ARGUMENT with a sentence. */
os_code rows_definition_check(const struct rows_definition *definition, os_error *err);

/* NULL: they say the same, in whatever order, or the second allows what the first has more. Else the first thing in which
 * they differ, as a part of a sentence in `ret`: what the first has, and what the second. */
const char *rows_definition_difference(const struct rows_definition *a, const struct rows_definition *b, char ret[512]);

/* OS_ERR_TABLE: what is there differs from what is wanted; `of` says whose it is: "table things in us-east-1". */
os_code rows_definition_fit(const struct rows_definition *there, const struct rows_definition *wanted, const char *of,
                            os_error *err);

/* NULL: there is none. */
const struct rows_index *rows_index_find(const struct rows_definition *definition, const char *name);
/* Whether an attribute is one of the keys. */
bool rows_key_schema_has(const struct rows_key_schema *keys, const char *name);
/* Whether an index has an attribute of its items. */
bool rows_index_projects(const struct rows_definition *definition, const struct rows_index *index, const char *name);

/* OS_ERR_ARGUMENT: whoever asks gives other names for the keys; `of` says whose: "the table things". */
os_code rows_key_schema_fit(const struct rows_key_schema *schema, const struct rows_keys *keys, const char *of,
                            os_error *err);

#endif
