/* SPDX-License-Identifier: Apache-2.0 */
/* What a table of rows is: its keys, its indexes, and the attribute by which its rows expire. */
#ifndef OSCOMMIT_SQLITE_ROWS_DEFINITION_H
#define OSCOMMIT_SQLITE_ROWS_DEFINITION_H

#include "attribute/type.h"
#include "oscommit.h"

#include <stddef.h>
#include <stdint.h>

/* As DynamoDB has them (Developer Guide, "Quotas", "Naming rules and data types"). */
enum {
    ROWS_NAME_MIN = 3, /* of a table or an index */
    ROWS_NAME_MAX = 255,
    ROWS_KEY_NAME_MAX = 255, /* bytes of the name of a key attribute */
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
};

os_code rows_name_check(const char *name, const char *what, os_error *err); /* `what`: "a table" */
/* OS_ERR_ARGUMENT with a sentence. */
os_code rows_definition_check(const struct rows_definition *definition, os_error *err);

/* NULL: they say the same, in whatever order. Else the first thing in which they differ, as a part of a sentence in
 * `ret`: what the first has, and what the second. */
const char *rows_definition_difference(const struct rows_definition *a, const struct rows_definition *b, char ret[512]);

/* NULL: there is none. */
const struct rows_index *rows_index_find(const struct rows_definition *definition, const char *name);
/* Whether an attribute is one of the keys. */
bool rows_key_schema_has(const struct rows_key_schema *keys, const char *name);
/* Whether an index has an attribute of its items. */
bool rows_index_projects(const struct rows_definition *definition, const struct rows_index *index, const char *name);

/* As the file keeps it. */
json_t *rows_definition_write(const struct rows_definition *definition); /* NULL: out of memory */

/* A table that was read, with the texts that its definition points to. It points into itself: it is not copied. */
struct sqlite_rows_table {
    const char *name; /* borrowed from who asked */
    int64_t id;
    struct rows_definition definition;
    struct rows_index indexes[ROWS_INDEXES_MAX];
    const char *names[ROWS_NAMES_MAX];
    json_t *root; /* owns the texts */
};
/* False: it is no definition. Takes `root`, which is given up with sqlite_rows_table_free in any case. */
bool sqlite_rows_table_read(json_t *root, struct sqlite_rows_table *ret);
void sqlite_rows_table_free(struct sqlite_rows_table *table); /* one that is all zero is fine */

#endif
