/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of rows in the fake DynamoDB: items of any attributes, one by one and in transactions. What it reads, keeps and
 * answers is its own; how a condition holds and what a change makes it leaves to src/attribute, as the embedded file
 * does. So the two agree by nature, and the evidence is the comparison with DynamoDB Local (integration_fake_rows_agree).
 */
#ifndef OSCOMMIT_TEST_SIM_FAKE_ROWS_H
#define OSCOMMIT_TEST_SIM_FAKE_ROWS_H

#include "rows/rows.h"
#include "sim/fake_dynamo_internal.h"

/* API Reference, TransactWriteItems, ClientRequestToken. */
enum { FAKE_ROWS_MEMORY_MS = 10 * 60 * 1000, FAKE_ROWS_TABLES_MAX = 8 };

struct fake_rows_table {
    struct rows_table of;
    json_t *items; /* an object of items, by the text of their keys */
};

struct fake_rows {
    struct fake_rows_table tables[FAKE_ROWS_TABLES_MAX];
    size_t table_count;
    json_t *remembered; /* of transactions that were done, by their tokens: what was asked, and until when */
    enum fake_dynamo_effect effect;
};

struct fake_rows *fake_rows_new(void); /* NULL: no memory */
void fake_rows_free(struct fake_rows *rows);
bool fake_rows_make_table(struct fake_rows *rows, const char *name, const char *partition, const char *sort);

/* NULL: there is none. */
struct fake_rows_table *fake_rows_table_named(struct fake_rows *rows, const char *name);
/* Borrowed; NULL: there is none. The key may have more attributes. */
json_t *fake_rows_find(const struct fake_rows_table *table, const json_t *key);
/* `item` NULL: it goes. False: no memory. */
bool fake_rows_store(struct fake_rows_table *table, const json_t *key, json_t *item);

/* Answers a request that is routed by its target. False: no such operation. */
bool fake_rows_route(struct fake_dynamo *dynamo, const char *operation, const json_t *request);
/* The name of its table, for whoever answers. NULL, and answered: there is no such table. */
struct fake_rows_table *fake_rows_table_of(struct fake_dynamo *dynamo, const json_t *request);

/* ------------------------------------------------------------------------------------------------------- writes */

enum fake_rows_end { FAKE_ROWS_DONE = 1, FAKE_ROWS_CONDITION_FAILED, FAKE_ROWS_REFUSED };

/* One write of a request, read and tried. */
struct fake_rows_write {
    struct fake_rows_table *table;
    struct rows_write write;
    struct fake_rows_parts *parts; /* of its expressions */
    bool gives_item;               /* with a condition that failed */
    json_t *before;                /* borrowed; NULL: there was none */
    json_t *after;                 /* NULL: none is left */
    enum fake_rows_end end;
};

/* False, and answered: it is none that a client may send. */
bool fake_rows_read_write(struct fake_dynamo *dynamo, enum rows_write_kind kind, const json_t *request, bool is_alone,
                          struct fake_rows_write *ret);
void fake_rows_try(struct fake_rows_write *write);                                    /* what it would do now */
void fake_rows_keep(struct fake_dynamo *dynamo, const struct fake_rows_write *write); /* one that is DONE */
void fake_rows_write_free(struct fake_rows_write *write);

/* What is wrong with the members of a request: NULL, or a sentence. `allowed` ends with NULL. */
const char *fake_rows_check_members(const json_t *request, const char *const *allowed);

/* -------------------------------------------------------------------------------------------------- expressions */

/* All that the expressions of one write or read say. NULL: no memory. */
struct fake_rows_parts *fake_rows_parts_new(const json_t *request);
void fake_rows_parts_free(struct fake_rows_parts *parts);
/* NULL, or what is wrong. A member that is not there says nothing. */
const char *fake_rows_read_condition(struct fake_rows_parts *parts, const char *member, struct condition *ret);
const char *fake_rows_read_changes(struct fake_rows_parts *parts, const struct change **ret, size_t *ret_count);
const char *fake_rows_read_paths(struct fake_rows_parts *parts, const struct path **ret, size_t *ret_count);
const char *fake_rows_parts_end(const struct fake_rows_parts *parts); /* each name and value must have been used */

/* ------------------------------------------------------------------------------------------------------ several */

void fake_rows_transact_write(struct fake_dynamo *dynamo, const json_t *request);
void fake_rows_transact_get(struct fake_dynamo *dynamo, const json_t *request);
void fake_rows_batch_get(struct fake_dynamo *dynamo, const json_t *request);
/* One of TransactGetItems too. False, and answered: it is none. *ret_item is for json_decref; NULL: there is none. */
bool fake_rows_read_item(struct fake_dynamo *dynamo, const json_t *request, json_t **ret_item);

#endif
